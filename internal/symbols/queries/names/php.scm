; What PHP defines. See ../../grammar.go for what the captures mean.
(namespace_definition name: (_) @package)
(class_declaration name: (name) @name) @def
(interface_declaration name: (name) @name) @def
(trait_declaration name: (name) @name) @def
(enum_declaration name: (name) @name) @def
(enum_case name: (name) @name) @def
(function_definition name: (name) @name) @def
(method_declaration name: (name) @name) @def
(const_element . (name) @name) @def
(property_element name: (variable_name (name) @name)) @def
(property_promotion_parameter name: (variable_name (name) @name)) @def
(function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))
  (#eq? @_define "define")) @def
