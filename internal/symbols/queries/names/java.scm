; What Java defines. See ../../grammar.go for what the captures mean.
(package_declaration (_) @package)
(class_declaration name: (identifier) @name) @def
(interface_declaration name: (identifier) @name) @def
(enum_declaration name: (identifier) @name) @def
(enum_constant name: (identifier) @name) @def
(record_declaration name: (identifier) @name) @def
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @def))
(annotation_type_declaration name: (identifier) @name) @def
(annotation_type_element_declaration name: (identifier) @name) @def
(constructor_declaration name: (identifier) @name) @def
(compact_constructor_declaration name: (identifier) @name) @def
(method_declaration name: (identifier) @name) @def
(field_declaration declarator: (variable_declarator name: (identifier) @name)) @def
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @def
