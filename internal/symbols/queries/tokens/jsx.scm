; Text between tags: space in it is layout.
(jsx_text) @spaced
