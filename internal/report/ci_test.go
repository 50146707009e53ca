package report_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
)

func github(t *testing.T, r *report.Receipt) string {
	t.Helper()
	var b bytes.Buffer
	if err := report.GitHub(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGitHubGolden(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*report.Receipt{"first-run": firstRun(), "quiet-night": quietNight()} {
		golden(t, name+".github", []byte(github(t, r)))
	}
}

// TestGitHubOncePerFact: two findings about one fact are one annotation, of the
// worse level; info is not worth one.
func TestGitHubOncePerFact(t *testing.T) {
	t.Parallel()
	r := report.New()
	r.Range.From = commitA
	f := findings()[0]
	other := f
	other.Action = nil
	other.Severity, other.Reason = knowledge.Warning, "It says 50% of\nwhat is."
	r.Findings = []knowledge.Finding{f, other, findings()[2], findings()[3]}
	got := strings.Split(strings.TrimSpace(github(t, r)), "\n")
	if len(got) != 2 || got[1] != "The range makes 1 fact false: AGENTS.md:14" {
		t.Fatalf("got %q", got)
	}
	if !strings.HasPrefix(got[0], "::error file=AGENTS.md,line=14,title=broken (anchor/moved)::It names") || !strings.HasSuffix(got[0], "%0AIt says 50%25 of what is.") {
		t.Errorf("got %q", got[0])
	}
}

// TestGitHubHostile: no text of the repository begins a command of its own or
// adds a property.
func TestGitHubHostile(t *testing.T) {
	t.Parallel()
	r := hostile()
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Fact.File, f.Fact.ID = "a,line=1::b\n::error::c%0A.md", f.Rule+f.ID
		f.Reason = "x\n::set-output name=a::b\r\n##[error]y %0A::warning::z"
	}
	line := regexp.MustCompile(`^::(?:error|warning) file=[^,:\n]*,line=\d+,title=[^,:\n]*::[^\r\n]*$`)
	lines := strings.Split(strings.TrimSuffix(github(t, r), "\n"), "\n")
	for _, l := range lines[:len(lines)-1] {
		if !line.MatchString(l) || regexp.MustCompile(`%(?:[^02-3]|$)`).MatchString(l) {
			t.Errorf("line %q", l)
		}
		if strings.ContainsAny(l, "\x1b\u202e") {
			t.Errorf("controls in %q", l)
		}
	}
	if !strings.HasPrefix(lines[len(lines)-1], "The range makes") {
		t.Errorf("last line %q", lines[len(lines)-1])
	}
}

func sarif(t *testing.T, r *report.Receipt) (raw []byte, log map[string]any) {
	t.Helper()
	var b bytes.Buffer
	if err := report.SARIF(&b, r); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), log
}

func TestSARIFGolden(t *testing.T) {
	t.Parallel()
	raw, _ := sarif(t, firstRun())
	golden(t, "first-run.sarif", raw)
}

// TestSARIFIsSound checks what the standard asks for beyond shape: one run with
// a driver, levels of the standard, rule indexes that lead to the rule, and
// locations that are relative URIs.
func TestSARIFIsSound(t *testing.T) {
	t.Parallel()
	odd := firstRun()
	odd.Findings[0].Fact.File = "docs/ä b#1?.md"
	for name, r := range map[string]*report.Receipt{"first": odd, "empty": report.New(), "hostile": hostile()} {
		_, log := sarif(t, r)
		run := log["runs"].([]any)[0].(map[string]any)
		rules := run["tool"].(map[string]any)["driver"].(map[string]any)["rules"].([]any)
		results := run["results"].([]any)
		if log["version"] != "2.1.0" || len(results) != len(r.Findings) {
			t.Fatalf("%s: version %v, %d results for %d findings", name, log["version"], len(results), len(r.Findings))
		}
		for _, x := range results {
			res := x.(map[string]any)
			rule := rules[int(res["ruleIndex"].(float64))].(map[string]any)
			if rule["id"] != res["ruleId"] || !slices.Contains([]any{"error", "warning", "note"}, res["level"]) {
				t.Errorf("%s: rule %v level %v", name, res["ruleId"], res["level"])
			}
			at := res["locations"].([]any)[0].(map[string]any)["physicalLocation"].(map[string]any)
			uri := at["artifactLocation"].(map[string]any)["uri"].(string)
			if uri == "" || strings.ContainsAny(uri, " :#?\n\x1b<>") || strings.HasPrefix(uri, "/") {
				t.Errorf("%s: uri %q", name, uri)
			}
		}
	}
}

func TestCIWriteErrors(t *testing.T) {
	t.Parallel()
	if err := report.GitHub(broken{}, firstRun()); !errors.Is(err, errBroken) {
		t.Errorf("GitHub = %v", err)
	}
	if err := report.SARIF(broken{}, firstRun()); !errors.Is(err, errBroken) {
		t.Errorf("SARIF = %v", err)
	}
}
