package report_test

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/retrosweep/retrosweep/internal/report"
)

// strict closes every object of a schema, so that a field which is written and
// not described fails.
func strict(node any) {
	switch n := node.(type) {
	case map[string]any:
		if _, ok := n["properties"]; ok && n["additionalProperties"] == nil {
			n["additionalProperties"] = false
		}
		for _, child := range n {
			strict(child)
		}
	case []any:
		for _, child := range n {
			strict(child)
		}
	}
}

func compile(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(report.JSONSchema))
	if err != nil {
		t.Fatal(err)
	}
	strict(doc)
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("receipt.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("receipt.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(t *testing.T, s *jsonschema.Schema, r *report.Receipt) error {
	t.Helper()
	var b bytes.Buffer
	if err := report.JSON(&b, r); err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(&b)
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

func TestReceiptsFollowTheSchema(t *testing.T) {
	t.Parallel()
	s := compile(t)
	for name, r := range map[string]*report.Receipt{"first run": firstRun(), "night": night(), "quiet": quietNight(), "empty": report.New()} {
		if err := validate(t, s, r); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	compact, err := report.Compact(night())
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(compact))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("compact: %v", err)
	}
}

func TestSchemaRefuses(t *testing.T) {
	t.Parallel()
	s := compile(t)
	for name, spoil := range map[string]func(*report.Receipt){
		"mode":     func(r *report.Receipt) { r.Mode = "maybe" },
		"severity": func(r *report.Receipt) { r.Findings[0].Severity = "fatal" },
		"status":   func(r *report.Receipt) { r.Lessons[0].Status = "new" },
		"state":    func(r *report.Receipt) { r.Proposals[0].State = "" },
		"count":    func(r *report.Receipt) { r.Facts.Total = -1 },
		"commit":   func(r *report.Receipt) { r.Range.To = "HEAD" },
	} {
		r := night()
		spoil(r)
		if validate(t, s, r) == nil {
			t.Errorf("a wrong %s is taken", name)
		}
	}
}
