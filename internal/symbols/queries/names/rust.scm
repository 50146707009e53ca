; What Rust defines. See ../../grammar.go for what the captures mean.
(const_item name: (identifier) @name) @def
(static_item name: (identifier) @name) @def
(struct_item name: (type_identifier) @name) @def
(union_item name: (type_identifier) @name) @def
(enum_item name: (type_identifier) @name) @def
(enum_variant name: (identifier) @name) @def
(field_declaration name: (field_identifier) @name) @def
(trait_item name: (type_identifier) @name) @def
(associated_type name: (type_identifier) @name) @def
(function_item name: (identifier) @name) @def
(function_signature_item name: (identifier) @name) @def
(type_item name: (type_identifier) @name) @def
(macro_definition name: (identifier) @name) @def
(mod_item name: (identifier) @name) @def
(impl_item type: (type_identifier) @name) @scope
(impl_item type: (generic_type type: (type_identifier) @name)) @scope
(impl_item type: (scoped_type_identifier name: (type_identifier) @name)) @scope
