; How tokens are taken.
(comment) @ignore
(string_literal) @text
(verbatim_string_literal) @text
(raw_string_literal) @text
(interpolated_string_expression) @text
