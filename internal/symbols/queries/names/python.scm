; What Python defines. See ../../grammar.go for what the captures mean.
(class_definition name: (identifier) @name) @def
(function_definition name: (identifier) @name body: (_) @local) @def
(decorated_definition definition: (_ name: (identifier) @name)) @def
(type_alias_statement left: (type (identifier) @name)) @def
(assignment left: (identifier) @name) @var
(assignment left: (pattern_list (identifier) @name)) @var
