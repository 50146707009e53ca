; What JavaScript and TypeScript have in common. See ../../grammar.go for what the
; captures mean.
(function_declaration name: (identifier) @name body: (_) @local) @def
(generator_function_declaration name: (identifier) @name body: (_) @local) @def
(class_declaration name: (_) @name) @def
(method_definition name: (_) @name body: (_) @local) @def
(function_expression body: (_) @local)
(arrow_function body: (_) @local)
(variable_declarator name: (identifier) @name) @var
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (class)]) @def
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name)) @var
(variable_declarator name: (object_pattern (pair_pattern value: (identifier) @name))) @var
(pair key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @def
(assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(arrow_function) (function_expression) (class)]) @def
(assignment_expression
  left: (member_expression
    object: (member_expression object: (identifier) @of property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  (#eq? @_prototype "prototype")) @def
