; What C++ has over C.
(namespace_definition name: (_) @name) @scope
(class_specifier name: (_) @name body: (_)) @def
(struct_specifier name: (template_type) @name body: (_)) @def
(template_declaration (class_specifier name: (_) @name body: (_))) @def
(template_declaration (struct_specifier name: (_) @name body: (_))) @def
(template_declaration (function_definition declarator: (function_declarator declarator: (_) @name))) @def
(field_declaration declarator: (function_declarator declarator: (_) @name)) @def
(field_declaration declarator: (_ (function_declarator declarator: (_) @name))) @def
(declaration declarator: (function_declarator declarator: [(qualified_identifier) (destructor_name) (operator_name)] @name)) @var
(alias_declaration name: (type_identifier) @name) @def
(concept_definition name: (identifier) @name) @def
(lambda_expression body: (_) @local)
