; What the shell defines. See ../../grammar.go for what the captures mean.
(function_definition name: (word) @name body: (_) @local) @def
(variable_assignment name: (variable_name) @name) @var
(command
  name: (command_name) @_alias
  argument: (concatenation . (word) @name)
  (#eq? @_alias "alias")) @def
