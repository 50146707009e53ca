package lint

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// BaselineSchema names the version of a baseline file.
const BaselineSchema = "retrosweep.baseline/v1"

// Baseline is what was found once and is lived with: it does not fail a check
// again. An entry goes by the id of the finding, which holds while the text
// around it changes.
type Baseline struct {
	Schema   string  `json:"schema"`
	Findings []Known `json:"findings"`
}

// Known is one finding of a baseline. Rule, File and Says are for people.
type Known struct {
	ID   string `json:"id"`
	Rule string `json:"rule"`
	File string `json:"file"`
	Says string `json:"says"`
}

// NewBaseline returns the baseline that knows all of the findings.
func NewBaseline(findings []knowledge.Finding) Baseline {
	b := Baseline{Schema: BaselineSchema, Findings: []Known{}}
	for i := range findings {
		f := &findings[i]
		b.Findings = append(b.Findings, Known{f.ID, f.Rule, f.Fact.File, f.Reason})
	}
	return b
}

// Encode writes a baseline as it is committed: one field a line, so that two
// branches merge.
func (b Baseline) Encode() ([]byte, error) {
	out, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the baseline: %w", err)
	}
	return append(out, '\n'), nil
}

// ReadBaseline reads a baseline file.
func ReadBaseline(src []byte) (Baseline, error) {
	var b Baseline
	if err := json.Unmarshal(src, &b); err != nil {
		return b, fmt.Errorf("it is no baseline (%w): write one with --write-baseline", err)
	}
	if b.Schema != BaselineSchema {
		return b, fmt.Errorf("its schema is %q, not %s: write it anew with --write-baseline", b.Schema, BaselineSchema)
	}
	return b, nil
}

// Split parts findings into those that are new and those that the baseline
// knows, and returns the known ones that are gone: fixed, or taken away with
// their text.
func (b Baseline) Split(findings []knowledge.Finding) (fresh, known []knowledge.Finding, gone []Known) {
	here := map[string]bool{}
	for _, f := range findings {
		here[f.ID] = true
		if slices.ContainsFunc(b.Findings, func(k Known) bool { return k.ID == f.ID }) {
			known = append(known, f)
			continue
		}
		fresh = append(fresh, f)
	}
	for _, k := range b.Findings {
		if !here[k.ID] {
			gone = append(gone, k)
		}
	}
	return fresh, known, gone
}
