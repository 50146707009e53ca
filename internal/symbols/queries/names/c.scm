; What C, and C++ with it, defines. See ../../grammar.go for what the captures mean.
(preproc_def name: (identifier) @name) @def
(preproc_function_def name: (identifier) @name) @def
(type_definition declarator: (type_identifier) @name) @def
(type_definition declarator: (_ (type_identifier) @name)) @def
(type_definition declarator: (_ declarator: (parenthesized_declarator (_ (type_identifier) @name)))) @def
(struct_specifier name: (type_identifier) @name body: (_)) @def
(union_specifier name: (type_identifier) @name body: (_)) @def
(enum_specifier name: (type_identifier) @name body: (_)) @def
(enumerator name: (identifier) @name) @def
(field_declaration declarator: (field_identifier) @name) @def
(field_declaration declarator: (_ (field_identifier) @name)) @def
(field_declaration declarator: (_ (_ (field_identifier) @name))) @def
(field_declaration declarator: (_ (_ (_ (field_identifier) @name)))) @def
(function_definition declarator: (function_declarator declarator: (_) @name) body: (_) @local) @def
(function_definition declarator: (_ (function_declarator declarator: (_) @name)) body: (_) @local) @def
(function_definition declarator: (_ (_ (function_declarator declarator: (_) @name))) body: (_) @local) @def
(declaration declarator: (function_declarator declarator: (identifier) @name)) @var
(declaration declarator: (_ (function_declarator declarator: (identifier) @name))) @var
(declaration declarator: (identifier) @name) @var
(declaration declarator: (init_declarator declarator: (identifier) @name)) @var
(declaration declarator: (pointer_declarator declarator: (identifier) @name)) @var
(declaration declarator: (array_declarator declarator: (identifier) @name)) @var
(declaration declarator: (init_declarator declarator: (_ declarator: (identifier) @name))) @var
