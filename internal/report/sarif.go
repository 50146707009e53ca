package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// The parts of SARIF 2.1.0 that are written.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool       sarifTool     `json:"tool"`
		ColumnKind string        `json:"columnKind"`
		Results    []sarifResult `json:"results"`
	}
	sarifTool struct {
		Driver sarifDriver `json:"driver"`
	}
	sarifDriver struct {
		Name  string      `json:"name"`
		Rules []sarifRule `json:"rules"`
	}
	sarifRule struct {
		ID   string    `json:"id"`
		Text sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations"`
		Fingerprints map[string]string `json:"partialFingerprints"`
		Properties   map[string]string `json:"properties"`
	}
	sarifLocation struct {
		Physical sarifPhysical `json:"physicalLocation"`
	}
	sarifPhysical struct {
		Artifact sarifArtifact `json:"artifactLocation"`
		Region   *sarifRegion  `json:"region,omitempty"`
	}
	sarifArtifact struct {
		URI string `json:"uri"`
	}
	sarifRegion struct {
		Start int `json:"startLine"`
		End   int `json:"endLine,omitempty"`
	}
)

const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json"

// ruleTexts says what each rule finds.
var ruleTexts = map[string]string{
	"anchor/broken":  "Something that the text names is gone.",
	"anchor/moved":   "Something that the text names has moved.",
	"anchor/word":    "A name, flag, variable or target that the text uses is in no code any more.",
	"anchor/value":   "A manifest holds another value than the text says.",
	"anchor/line":    "The line that the text names is another one now, or behind the end of its file.",
	"anchor/late":    "Something was gone already when the text came to name it.",
	"anchor/never":   "Something that the text names is found in no commit.",
	"anchor/unfound": "A new line names something that is not there.",
	"anchor/event":   "A record names something that is gone.",
	"life/expired":   "A fact has reached the end that it was written to have.",
	"life/no-date":   "A fact was meant to end and has no readable date.",
}

// SARIF writes the findings of r as a log of the Static Analysis Results
// Interchange Format, version 2.1.0.
func SARIF(w io.Writer, r *Receipt) error {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "retrosweep", Rules: []sarifRule{}}}, ColumnKind: "unicodeCodePoints", Results: []sarifResult{}}
	for _, id := range rulesOf(r.Findings) {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{id, sarifText{r.ruleText(id)}})
	}
	for i := range r.Findings {
		run.Results = append(run.Results, sarifOf(&r.Findings[i], run.Tool.Driver.Rules))
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(sarifLog{sarifSchema, "2.1.0", []sarifRun{run}}); err != nil {
		return fmt.Errorf("write the findings as SARIF: %w", err)
	}
	return nil
}

// rulesOf returns the rules of the findings, sorted.
func rulesOf(fs []knowledge.Finding) []string {
	var out []string
	for _, f := range fs {
		out = append(out, safe(f.Rule))
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (r *Receipt) ruleText(id string) string {
	if t := cmp.Or(r.Rules[id], ruleTexts[id]); t != "" {
		return t
	}
	return "A fact needs attention."
}

func sarifOf(f *knowledge.Finding, rules []sarifRule) sarifResult {
	id := safe(f.Rule)
	return sarifResult{
		RuleID: id, RuleIndex: slices.IndexFunc(rules, func(r sarifRule) bool { return r.ID == id }), Level: sarifLevel(f.Severity),
		Message: sarifText{remarkText(f)}, Locations: []sarifLocation{{sarifAt(f.Fact)}},
		Fingerprints: map[string]string{"retrosweep/v1": safe(f.ID)}, Properties: map[string]string{"verdict": string(f.Verdict)},
	}
}

// sarifAt is where a fact stands; paths are relative URIs.
func sarifAt(f knowledge.FactRef) sarifPhysical {
	parts := strings.Split(strings.ToValidUTF8(f.File, "\uFFFD"), "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A") // else it may be read as a scheme
	}
	at := sarifPhysical{Artifact: sarifArtifact{strings.Join(parts, "/")}}
	if f.Line > 0 {
		at.Region = &sarifRegion{f.Line, max(f.EndLine, f.Line)}
	}
	return at
}

func sarifLevel(s knowledge.Severity) string {
	if s == knowledge.Info {
		return "note"
	}
	return string(s)
}
