; How tokens are taken.
(block) @block
(comment) @ignore
(line_continuation) @ignore
(block . (expression_statement . (string) .) @ignore)
(module . (expression_statement . (string) .) @ignore)
