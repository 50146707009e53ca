; What Ruby defines. See ../../grammar.go for what the captures mean.
(module name: (_) @name) @def
(class name: (_) @name) @def
(method name: (_) @name) @def
(singleton_method name: (_) @name) @def
(alias name: (identifier) @name) @def
(assignment left: (constant) @name) @def
(call
  method: (identifier) @_maker
  arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_maker "attr_reader" "attr_writer" "attr_accessor" "define_method" "alias_method" "scope" "has_many" "has_one" "belongs_to")) @def
