; How tokens are taken.
(comment) @ignore
(string) @text
(heredoc_body) @text
(regex) @text
