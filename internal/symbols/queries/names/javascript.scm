; What only the grammar of JavaScript calls so.
(field_definition property: (_) @name) @def
