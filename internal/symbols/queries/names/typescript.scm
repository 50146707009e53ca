; What TypeScript has over JavaScript.
(interface_declaration name: (type_identifier) @name) @def
(property_signature name: (property_identifier) @name) @var
(method_signature name: (property_identifier) @name) @def
(type_alias_declaration name: (type_identifier) @name) @def
(enum_declaration name: (identifier) @name) @def
(enum_body name: (property_identifier) @name @def)
(enum_assignment name: (property_identifier) @name) @def
(abstract_class_declaration name: (type_identifier) @name) @def
(abstract_method_signature name: (property_identifier) @name) @def
(public_field_definition name: (_) @name) @def
(function_signature name: (identifier) @name) @def
(internal_module name: (_) @name) @def
(module name: (identifier) @name) @def
