; How tokens are taken.
(comment) @ignore
(string) @text
(encapsed_string) @text
(heredoc_body) @text
(nowdoc_body) @text
(text) @text
