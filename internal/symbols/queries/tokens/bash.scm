; How tokens are taken.
(comment) @ignore
(string) @text
(raw_string) @text
(heredoc_body) @text
