; What Kotlin defines. See ../../grammar.go for what the captures mean.
(package_header (_) @package)
(class_declaration name: (identifier) @name) @def
(object_declaration name: (identifier) @name) @def
(companion_object name: (identifier) @name) @def
(class_parameter ["val" "var"] (identifier) @name) @def
(enum_entry (identifier) @name) @def
(type_alias type: (identifier) @name) @def
(function_declaration name: (identifier) @name) @def
(function_declaration (user_type . (identifier) @of) "." name: (identifier) @name) @def
(property_declaration (variable_declaration (identifier) @name)) @var
(property_declaration (user_type . (identifier) @of) "." (variable_declaration (identifier) @name)) @var
(function_body) @local
(lambda_literal) @local
(getter) @local
(setter) @local
