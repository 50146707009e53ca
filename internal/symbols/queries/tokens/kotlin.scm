; How tokens are taken.
(line_comment) @ignore
(block_comment) @ignore
(string_literal) @text
