; What C# defines. See ../../grammar.go for what the captures mean.
(file_scoped_namespace_declaration name: (_) @package)
(namespace_declaration name: (_) @name) @scope
(class_declaration name: (identifier) @name) @def
(struct_declaration name: (identifier) @name) @def
(record_declaration name: (identifier) @name) @def
(record_declaration (parameter_list (parameter name: (identifier) @name) @def))
(interface_declaration name: (identifier) @name) @def
(enum_declaration name: (identifier) @name) @def
(enum_member_declaration name: (identifier) @name) @def
(delegate_declaration name: (identifier) @name) @def
(method_declaration name: (identifier) @name) @def
(constructor_declaration name: (identifier) @name) @def
(local_function_statement name: (identifier) @name) @def
(property_declaration name: (identifier) @name) @def
(event_declaration name: (identifier) @name) @def
(field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @def
