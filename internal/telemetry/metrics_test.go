package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/schedule"
	"github.com/retrosweep/retrosweep/internal/telemetry"
)

var (
	began = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)
	ended = began.Add(90 * time.Second)
)

func newMetrics() *telemetry.Metrics {
	return telemetry.NewMetrics("shop", "v1.2.3", func() time.Time { return began.Add(24 * time.Hour) })
}

func receipt() *report.Receipt {
	r := report.New()
	r.Facts = report.FactCounts{Total: 10, Fresh: 1, Broken: 2, Stale: 3, Unknown: 4, Archived: 5}
	r.Findings = []knowledge.Finding{{Severity: knowledge.Error}, {Severity: knowledge.Info}, {Severity: knowledge.Info}}
	r.Proposals = []report.Proposal{{State: report.ProposalOpened}, {State: report.ProposalHandsOff}}
	r.Backlog.Signals = 7
	r.Usage = map[string]report.StageUsage{
		"triage": {Calls: 2, PromptTokens: 1000, CompletionTokens: 50, USD: 0.25, Priced: true},
		"patch":  {Calls: 1, PromptTokens: 10, CompletionTokens: 5, USD: 9, Priced: false},
	}
	return r
}

func expect(t *testing.T, m *telemetry.Metrics, lines ...string) {
	t.Helper()
	var names []string
	var text strings.Builder
	for _, line := range lines {
		text.WriteString(line + "\n")
		if !strings.HasPrefix(line, "#") {
			name, _, _ := strings.Cut(line, "{")
			names = append(names, name)
		}
	}
	if err := testutil.GatherAndCompare(m.Registry, strings.NewReader(text.String()), names...); err != nil {
		t.Error(err)
	}
}

func TestMetricsKeepToTheConventions(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.End(telemetry.Done, began, ended, receipt())
	problems, err := testutil.GatherAndLint(m.Registry)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

func TestARunIsCountedWithWhatItFound(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.Begin()
	m.End(telemetry.Done, began, ended, receipt())
	expect(t, m,
		"# HELP retrosweep_facts Facts after the last run, by verdict.", "# TYPE retrosweep_facts gauge",
		`retrosweep_facts{repo="shop",verdict="broken"} 2`, `retrosweep_facts{repo="shop",verdict="fresh"} 1`,
		`retrosweep_facts{repo="shop",verdict="stale"} 3`, `retrosweep_facts{repo="shop",verdict="unknown"} 4`,
		"# HELP retrosweep_findings Findings of the last run, by severity.", "# TYPE retrosweep_findings gauge",
		`retrosweep_findings{repo="shop",severity="error"} 1`, `retrosweep_findings{repo="shop",severity="info"} 2`, `retrosweep_findings{repo="shop",severity="warning"} 0`,
		"# HELP retrosweep_facts_archived_total Facts that runs archived.", "# TYPE retrosweep_facts_archived_total counter",
		`retrosweep_facts_archived_total{repo="shop"} 5`,
		"# HELP retrosweep_run_in_progress 1 while a run is under way.", "# TYPE retrosweep_run_in_progress gauge",
		`retrosweep_run_in_progress{repo="shop"} 0`,
		"# HELP retrosweep_last_run_timestamp_seconds When the last run ended, however it did; 0: none yet.", "# TYPE retrosweep_last_run_timestamp_seconds gauge",
		`retrosweep_last_run_timestamp_seconds{repo="shop"} 1.79601309e+09`,
		"# HELP retrosweep_next_run_timestamp_seconds When the next slot of the schedule comes, before its jitter.", "# TYPE retrosweep_next_run_timestamp_seconds gauge",
		`retrosweep_next_run_timestamp_seconds{repo="shop"} 1.7960994e+09`,
		"# HELP retrosweep_model_cost_usd_total What models cost in US dollars, where a price is known, by stage.", "# TYPE retrosweep_model_cost_usd_total counter",
		`retrosweep_model_cost_usd_total{repo="shop",stage="judge"} 0`, `retrosweep_model_cost_usd_total{repo="shop",stage="patch"} 0`, `retrosweep_model_cost_usd_total{repo="shop",stage="triage"} 0.25`,
		"# HELP retrosweep_model_tokens_total Tokens sent to and received from a model, by stage and kind.", "# TYPE retrosweep_model_tokens_total counter",
		`retrosweep_model_tokens_total{kind="completion",repo="shop",stage="judge"} 0`, `retrosweep_model_tokens_total{kind="completion",repo="shop",stage="patch"} 5`,
		`retrosweep_model_tokens_total{kind="completion",repo="shop",stage="triage"} 50`, `retrosweep_model_tokens_total{kind="prompt",repo="shop",stage="judge"} 0`,
		`retrosweep_model_tokens_total{kind="prompt",repo="shop",stage="patch"} 10`, `retrosweep_model_tokens_total{kind="prompt",repo="shop",stage="triage"} 1000`,
	)
}

func TestAFailureLeavesTheLastNumbers(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.End(telemetry.Done, began, ended, receipt())
	m.Begin()
	m.End(telemetry.Failed, began, ended.Add(time.Hour), nil)
	m.End(telemetry.Held, began, ended.Add(time.Hour), report.New()) // it looked at nothing
	expect(t, m,
		"# HELP retrosweep_runs_total Runs that ended, by outcome.", "# TYPE retrosweep_runs_total counter",
		`retrosweep_runs_total{outcome="done",repo="shop"} 1`, `retrosweep_runs_total{outcome="failed",repo="shop"} 1`, `retrosweep_runs_total{outcome="held",repo="shop"} 1`,
		`retrosweep_runs_total{outcome="interrupted",repo="shop"} 0`, `retrosweep_runs_total{outcome="panicked",repo="shop"} 0`, `retrosweep_runs_total{outcome="partial",repo="shop"} 0`,
		"# HELP retrosweep_facts Facts after the last run, by verdict.", "# TYPE retrosweep_facts gauge",
		`retrosweep_facts{repo="shop",verdict="broken"} 2`, `retrosweep_facts{repo="shop",verdict="fresh"} 1`,
		`retrosweep_facts{repo="shop",verdict="stale"} 3`, `retrosweep_facts{repo="shop",verdict="unknown"} 4`,
		"# HELP retrosweep_last_success_timestamp_seconds When the last run ended that was done; 0: none yet.", "# TYPE retrosweep_last_success_timestamp_seconds gauge",
		`retrosweep_last_success_timestamp_seconds{repo="shop"} 1.79601309e+09`,
	)
}

// A receipt is filled from a repository and a model's answers: whatever its
// fields hold, a label is a word of ours.
func TestLabelsHoldNoTextOfTheRepository(t *testing.T) {
	t.Parallel()
	const text = "from the repository"
	m := newMetrics()
	r := receipt()
	r.Findings[0].Severity = text
	r.Proposals[0].State = text
	r.Usage[text] = report.StageUsage{Calls: 1}
	r.Branch, r.Repo, r.Warnings = text, text, []string{text}
	m.End(text, began, ended, r)
	m.End(telemetry.Done, began, ended, r)
	m.Skip(text)
	families, err := m.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	others := 0
	for _, f := range families {
		for _, metric := range f.GetMetric() {
			for _, l := range metric.GetLabel() {
				if strings.Contains(l.GetValue(), text) {
					t.Errorf("%s: %s=%q", f.GetName(), l.GetName(), l.GetValue())
				}
				if l.GetValue() == "other" {
					others++
				}
			}
		}
	}
	if others < 6 {
		t.Errorf("only %d series are of other", others)
	}
	m.End(telemetry.Done, began, ended, receipt())
	if err := testutil.GatherAndCompare(m.Registry, strings.NewReader(`# HELP retrosweep_findings Findings of the last run, by severity.
# TYPE retrosweep_findings gauge
retrosweep_findings{repo="shop",severity="error"} 1
retrosweep_findings{repo="shop",severity="info"} 2
retrosweep_findings{repo="shop",severity="warning"} 0
`), "retrosweep_findings"); err != nil {
		t.Errorf("the next run still counts others: %v", err)
	}
}

func TestSkippedSlotsAreCounted(t *testing.T) {
	t.Parallel()
	m := newMetrics()
	m.Skip(schedule.StillRunning)
	m.Skip(schedule.StillRunning)
	m.Skip(schedule.Crashed)
	expect(t, m,
		"# HELP retrosweep_runs_skipped_total Slots of the schedule without a run, by reason.", "# TYPE retrosweep_runs_skipped_total counter",
		`retrosweep_runs_skipped_total{reason="already_ran",repo="shop"} 0`, `retrosweep_runs_skipped_total{reason="crashed",repo="shop"} 1`, `retrosweep_runs_skipped_total{reason="still_running",repo="shop"} 2`,
	)
}
