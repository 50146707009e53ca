package telemetry

import (
	"runtime"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/schedule"
)

// Outcome says how a run ended, as a label.
type Outcome string

// Outcomes of a run.
const (
	Done        Outcome = "done"
	Partial     Outcome = "partial"     // done in part, the receipt says what is left
	Held        Outcome = "held"        // another run holds the repository, or it is switched off
	Failed      Outcome = "failed"      // nothing was reviewed
	Panicked    Outcome = "panicked"    // a fault of ours
	Interrupted Outcome = "interrupted" // broken off by a stop
)

// Every word that a label may hold; what is none of them is counted as other.
var (
	outcomes   = []string{string(Done), string(Partial), string(Held), string(Failed), string(Panicked), string(Interrupted)}
	reasons    = []string{string(schedule.StillRunning), string(schedule.AlreadyRan), string(schedule.Crashed)}
	verdicts   = []string{"fresh", "broken", "stale", "unknown"}
	severities = []string{string(knowledge.Error), string(knowledge.Warning), string(knowledge.Info)}
	stages     = []string{"triage", "patch", "judge"}
	kinds      = []string{"prompt", "completion"}
	states     = []string{
		string(report.ProposalOpened), string(report.ProposalUpdated), string(report.ProposalUnchanged),
		string(report.ProposalWaiting), string(report.ProposalRejected), string(report.ProposalMerged),
		string(report.ProposalHandsOff), string(report.ProposalClosed), string(report.ProposalBlocked),
	}
)

const other = "other"

// Metrics are the numbers of one daemon over one repository.
type Metrics struct {
	Registry *prometheus.Registry

	runs, skipped           *prometheus.CounterVec
	tokens, calls, usd      *prometheus.CounterVec
	facts, findings, offers *prometheus.GaugeVec
	archived                prometheus.Counter
	running, last, good     prometheus.Gauge
	backlog                 prometheus.Gauge
	duration                prometheus.Histogram
}

// NewMetrics registers every metric, those with labels at zero: a counter that
// appears with its first failure shows no increase. next says when the next run
// comes and is asked at each scrape.
func NewMetrics(repo, version string, next func() time.Time) *Metrics {
	m := &Metrics{Registry: prometheus.NewRegistry()}
	m.Registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	of := prometheus.WrapRegistererWith(prometheus.Labels{"repo": repo}, m.Registry)
	m.register(of)
	of.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "retrosweep_next_run_timestamp_seconds", Help: "When the next slot of the schedule comes, before its jitter.",
	}, func() float64 { return float64(next().Unix()) }))
	m.Registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "retrosweep_build_info", Help: "The version that runs; the value is 1.",
		ConstLabels: prometheus.Labels{"version": version, "goversion": runtime.Version()},
	}, func() float64 { return 1 }))
	return m
}

func (m *Metrics) register(r prometheus.Registerer) {
	m.runs = counters(r, "retrosweep_runs_total", "Runs that ended, by outcome.", "outcome", outcomes)
	m.skipped = counters(r, "retrosweep_runs_skipped_total", "Slots of the schedule without a run, by reason.", "reason", reasons)
	m.facts = gauges(r, "retrosweep_facts", "Facts after the last run, by verdict.", "verdict", verdicts)
	m.findings = gauges(r, "retrosweep_findings", "Findings of the last run, by severity.", "severity", severities)
	m.offers = gauges(r, "retrosweep_proposals", "Proposals after the last run, by state.", "state", states)
	m.calls = counters(r, "retrosweep_model_calls_total", "Requests to a model, retries included, by stage.", "stage", stages)
	m.usd = counters(r, "retrosweep_model_cost_usd_total", "What models cost in US dollars, where a price is known, by stage.", "stage", stages)
	m.tokens = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "retrosweep_model_tokens_total", Help: "Tokens sent to and received from a model, by stage and kind.",
	}, []string{"stage", "kind"})
	r.MustRegister(m.tokens)
	for _, stage := range stages {
		for _, kind := range kinds {
			m.tokens.WithLabelValues(stage, kind)
		}
	}
	m.archived = prometheus.NewCounter(prometheus.CounterOpts{Name: "retrosweep_facts_archived_total", Help: "Facts that runs archived."})
	m.running = gauge("retrosweep_run_in_progress", "1 while a run is under way.")
	m.last = gauge("retrosweep_last_run_timestamp_seconds", "When the last run ended, however it did; 0: none yet.")
	m.good = gauge("retrosweep_last_success_timestamp_seconds", "When the last run ended that was done; 0: none yet.")
	m.backlog = gauge("retrosweep_backlog_signals", "Signals that wait for a later run.")
	m.duration = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: "retrosweep_run_duration_seconds", Help: "How long runs took.",
		Buckets: []float64{1, 5, 15, 60, 300, 900, 1800, 3600, 7200},
	})
	r.MustRegister(m.archived, m.running, m.last, m.good, m.backlog, m.duration)
}

func counters(r prometheus.Registerer, name, help, label string, values []string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, []string{label})
	r.MustRegister(c)
	for _, v := range values {
		c.WithLabelValues(v)
	}
	return c
}

func gauges(r prometheus.Registerer, name, help, label string, values []string) *prometheus.GaugeVec {
	g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, []string{label})
	r.MustRegister(g)
	for _, v := range values {
		g.WithLabelValues(v)
	}
	return g
}

func gauge(name, help string) prometheus.Gauge {
	return prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

// Begin notes that a run is under way.
func (m *Metrics) Begin() { m.running.Set(1) }

// Skip counts a slot without a run.
func (m *Metrics) Skip(why schedule.Reason) {
	m.skipped.WithLabelValues(known(reasons, string(why))).Inc()
}

// End counts a run. The receipt is nil where there is none; numbers of the run
// before then stay.
func (m *Metrics) End(how Outcome, began, ended time.Time, r *report.Receipt) {
	m.running.Set(0)
	m.runs.WithLabelValues(known(outcomes, string(how))).Inc()
	m.duration.Observe(ended.Sub(began).Seconds())
	m.last.Set(float64(ended.Unix()))
	if how == Done {
		m.good.Set(float64(ended.Unix()))
	}
	if r == nil {
		return
	}
	m.spent(r.Usage)
	if how == Done || how == Partial {
		m.found(r)
	}
}

func (m *Metrics) spent(usage map[string]report.StageUsage) {
	for name, u := range usage {
		stage := known(stages, name)
		m.calls.WithLabelValues(stage).Add(float64(u.Calls))
		m.tokens.WithLabelValues(stage, "prompt").Add(float64(u.PromptTokens))
		m.tokens.WithLabelValues(stage, "completion").Add(float64(u.CompletionTokens))
		if u.Priced {
			m.usd.WithLabelValues(stage).Add(u.USD)
		}
	}
}

func (m *Metrics) found(r *report.Receipt) {
	m.archived.Add(float64(r.Facts.Archived))
	m.backlog.Set(float64(r.Backlog.Signals))
	for verdict, n := range map[string]int{
		"fresh": r.Facts.Fresh, "broken": r.Facts.Broken, "stale": r.Facts.Stale, "unknown": r.Facts.Unknown,
	} {
		m.facts.WithLabelValues(verdict).Set(float64(n))
	}
	recount(m.findings, severities, r.Findings, func(f knowledge.Finding) string { return string(f.Severity) })
	recount(m.offers, states, r.Proposals, func(p report.Proposal) string { return string(p.State) })
}

// recount sets a gauge to how many of all have each value.
func recount[T any](g *prometheus.GaugeVec, values []string, all []T, value func(T) string) {
	for _, v := range values {
		g.WithLabelValues(v).Set(0)
	}
	g.DeleteLabelValues(other)
	for _, x := range all {
		g.WithLabelValues(known(values, value(x))).Inc()
	}
}

// known keeps a label to its list, whatever a receipt holds.
func known(values []string, v string) string {
	if slices.Contains(values, v) {
		return v
	}
	return other
}
