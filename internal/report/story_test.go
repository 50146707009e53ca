package report_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
)

// A reason that names the commit is not followed by the same once more, and
// findings of one commit share the line that explains it.
func TestACauseIsToldOnce(t *testing.T) {
	t.Parallel()
	since := &knowledge.Since{Commit: "c41386c2ab", Date: "2026-11-20", Subject: "jobs go to the broker"}
	r := report.New()
	r.Started = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)
	for line, reason := range map[int]string{4: "a.go is gone since c41386c2 of 2026-11-20", 5: "b.go is gone since c41386c2 of 2026-11-20"} {
		r.Findings = append(r.Findings, knowledge.Finding{Severity: knowledge.Error, Reason: reason, Since: since, Fact: knowledge.FactRef{File: "CLAUDE.md", Line: line}})
	}
	var out bytes.Buffer
	if err := report.Text(&out, r, report.TextOptions{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(out.String(), "jobs go to the broker"); n != 1 {
		t.Errorf("the commit is explained %d times:\n%s", n, out.String())
	}
	if strings.Contains(out.String(), "false since") {
		t.Errorf("the reason is repeated:\n%s", out.String())
	}
}
