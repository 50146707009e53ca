package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
)

// JSON writes r indented, with stable field order and no nil lists.
func JSON(w io.Writer, r *Receipt) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(copyOf(r).normal()); err != nil {
		return fmt.Errorf("write the receipt as JSON: %w", err)
	}
	return nil
}

// copyOf returns r with lists of its own, so that normalizing it or stripping
// it leaves the caller's receipt as it was.
func copyOf(r *Receipt) *Receipt {
	c := *r
	c.Sent = slices.Clone(r.Sent)
	c.Findings = slices.Clone(r.Findings)
	c.Checks = slices.Clone(r.Checks)
	c.Lessons = slices.Clone(r.Lessons)
	c.Proposals = slices.Clone(r.Proposals)
	c.Warnings = slices.Clone(r.Warnings)
	return &c
}
