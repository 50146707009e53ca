; How tokens are taken.
(comment) @ignore
(string_literal) @text
