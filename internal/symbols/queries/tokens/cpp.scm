; How tokens are taken.
(raw_string_literal) @text
