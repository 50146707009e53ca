package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/report"
)

var update = flag.Bool("update", false, "write the golden files again")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (run with -update to write it again):\n%s", name, diff)
	}
}

func text(t *testing.T, r *report.Receipt, o report.TextOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	t.Parallel()
	lint := firstRun()
	lint.Command, lint.Proposals, lint.Signals, lint.Diff = "lint", nil, nil, ""
	skipped := report.New()
	skipped.Outcome, skipped.Command, skipped.Warnings = report.Skipped, "run", []string{"another run holds the repository"}
	tests := []struct {
		name    string
		receipt *report.Receipt
		options report.TextOptions
	}{
		{"first-run", firstRun(), report.TextOptions{Limit: 10}},
		{"first-run-all", firstRun(), report.TextOptions{Diff: true}},
		{"night", night(), report.TextOptions{Limit: 1}},
		{"night-narrow", night(), report.TextOptions{Limit: 10, Width: 44}},
		{"night-color", night(), report.TextOptions{Limit: 10, Color: true, Diff: true}},
		{"quiet-night", quietNight(), report.TextOptions{Limit: 10}},
		{"lint", lint, report.TextOptions{Limit: 10}},
		{"skipped", skipped, report.TextOptions{Limit: 10}},
		{"hostile", hostile(), report.TextOptions{Diff: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			golden(t, tt.name+".txt", []byte(text(t, tt.receipt, tt.options)))
		})
	}
}

func TestMarkdownGolden(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*report.Receipt{"first-run": firstRun(), "night": night(), "quiet-night": quietNight(), "hostile": hostile()} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var b bytes.Buffer
			if err := report.Markdown(&b, r); err != nil {
				t.Fatal(err)
			}
			golden(t, name+".md", b.Bytes())
		})
	}
}

// TestTextIsFitToPrint: nothing of the repository moves the cursor, hides or
// takes a line of its own, and every line ends where we end it.
func TestTextIsFitToPrint(t *testing.T) {
	t.Parallel()
	calm := text(t, night(), report.TextOptions{Limit: 0, Width: 4000})
	wild := text(t, hostile(), report.TextOptions{Limit: 0, Width: 4000})
	for _, r := range wild {
		if r != '\n' && (unicode.IsControl(r) || r == 0x202e || r == utf8.RuneError) {
			t.Errorf("%U reaches the terminal", r)
		}
	}
	if strings.Contains(wild, "\n#") {
		t.Error("a text of the repository begins a line")
	}
	// One finding more has a since line, all have an action, one lesson a reason.
	if extra := strings.Count(wild, "\n") - strings.Count(calm, "\n"); extra > 8 {
		t.Errorf("%d lines more than with calm text", extra)
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	partial := night()
	partial.Outcome = report.Partial
	two := night()
	two.Proposals[1].State = report.ProposalUpdated
	pull := night()
	pull.Proposals[0].URL = "https://github.com/acme/shop/pull/7"
	odd := night()
	odd.Proposals[0].Base = "it's main"
	nothing := firstRun()
	nothing.Proposals = nil
	for name, tt := range map[string]struct {
		receipt *report.Receipt
		want    string
	}{
		"dry run":            {firstRun(), "Dry run: nothing was written. To write it: retrosweep run --apply"},
		"dry run of nothing": {nothing, "Dry run: nothing was written, and there is nothing to write."},
		"applied":            {night(), "Applied: retrosweep/upkeep is written. Next: git diff main..retrosweep/upkeep, then git merge retrosweep/upkeep"},
		"in part":            {partial, "Applied in part, the warnings say what is left: retrosweep/upkeep is written. Next: git diff main..retrosweep/upkeep, then git merge retrosweep/upkeep"},
		"two":                {two, "Applied: 2 branches written. Next: git diff main..retrosweep/upkeep"},
		"pull request":       {pull, "Applied: look at https://github.com/acme/shop/pull/7"},
		"quoted":             {odd, `Applied: retrosweep/upkeep is written. Next: git diff 'it'\''s main'..retrosweep/upkeep, then git merge retrosweep/upkeep`},
		"nothing new":        {quietNight(), "Applied: there was nothing to write on a branch."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := report.Last(tt.receipt); got != tt.want {
				t.Errorf("it says %q, not %q", got, tt.want)
			}
			if out := text(t, tt.receipt, report.TextOptions{Diff: true}); !strings.HasSuffix(out, "\n"+tt.want+"\n") {
				t.Error("it is not the last line")
			}
		})
	}
}

func TestTextLimit(t *testing.T) {
	t.Parallel()
	r := firstRun()
	for range 4 {
		r.Findings = append(findings()[:1], r.Findings...)
	}
	out := text(t, r, report.TextOptions{Limit: 2})
	if n := strings.Count(out, "AGENTS.md:14"); n != 2 {
		t.Errorf("%d findings are shown, not 2", n)
	}
	if want := "and 7 more: 3 moved, 2 never existed, 1 gone, 1 past their time"; !strings.Contains(out, want) {
		t.Errorf("it does not say %q:\n%s", want, out)
	}
}

func TestColorOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	if strings.Contains(text(t, night(), report.TextOptions{Diff: true}), "\x1b") {
		t.Error("there is an escape sequence without Color")
	}
}

func TestMoved(t *testing.T) {
	t.Parallel()
	a, b := &report.Mark{Commit: commitA}, &report.Mark{Commit: commitB}
	for name, tt := range map[string]struct {
		move report.Move
		want bool
	}{
		"none": {report.Move{}, false}, "first": {report.Move{After: a}, true}, "same": {report.Move{Before: a, After: &report.Mark{Commit: commitA}}, false},
		"on": {report.Move{Before: a, After: b}, true}, "kept": {report.Move{Before: a}, false},
	} {
		if got := tt.move.Moved(); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestJSONHasNoNull(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	if err := report.JSON(&b, &report.Receipt{Lessons: []report.Lesson{{}}, Proposals: []report.Proposal{{}}}); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if strings.Contains(line, "null") && !strings.Contains(line, "before") && !strings.Contains(line, "after") {
			t.Errorf("null: %s", line)
		}
	}
	if !strings.HasPrefix(b.String(), "{\n  \"schema\": \"retrosweep.run/v1\",\n") {
		t.Errorf("it begins with %.40q", b.String())
	}
}

func TestJSONLeavesTheReceipt(t *testing.T) {
	t.Parallel()
	r := night()
	if err := report.JSON(&bytes.Buffer{}, r); err != nil {
		t.Fatal(err)
	}
	if _, err := report.Compact(r); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(night(), r); diff != "" {
		t.Errorf("writing it changed it:\n%s", diff)
	}
}

func TestWriteErrors(t *testing.T) {
	t.Parallel()
	for name, write := range map[string]func() error{
		"text":     func() error { return report.Text(broken{}, night(), report.TextOptions{}) },
		"json":     func() error { return report.JSON(broken{}, night()) },
		"markdown": func() error { return report.Markdown(broken{}, night()) },
	} {
		if err := write(); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

var errBroken = errors.New("broken pipe")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errBroken }

// TestCompactHoldsNoText puts a word into every string that people or models
// write and looks for it in what the journal gets.
func TestCompactHoldsNoText(t *testing.T) {
	t.Parallel()
	var full bytes.Buffer
	if err := report.JSON(&full, night()); err != nil {
		t.Fatal(err)
	}
	got, err := report.Compact(night())
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"Carts live", "which was moved", "belong to the checkout", "Seed the clock", "always seed", "not a pattern", "correct a moved",
		"limit: 1", "not committed", "/srv/shop", "llm.acme.dev", "+new", "`cart.go`",
	} {
		if !strings.Contains(full.String(), text) {
			t.Errorf("the sample has no %q: the test looks for nothing", text)
		}
		if bytes.Contains(got, []byte(text)) {
			t.Errorf("the journal would hold %q", text)
		}
	}
	var back report.Receipt
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	if len(back.Findings) != 5 || back.Findings[0].Since.Commit != commitB || back.Lessons[0].Evidence[0].Line != 7 || back.Proposals[0].Branch != "retrosweep/upkeep" {
		t.Errorf("what the journal needs is gone: %s", got)
	}
}
