; How tokens are taken.
(comment) @ignore
(template_string) @text
(regex) @text
