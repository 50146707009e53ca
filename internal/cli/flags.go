package cli

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// formats are those that a receipt is written in.
var formats = []string{"text", "json", "markdown", "github", "sarif"}

// flags are those that the commands share; each command binds what it uses.
type flags struct {
	config, from, to, branch string
	apply, push              bool
	model, baseURL           string
	format, output           string
	limit                    int
	failOn, now              string
	verbose, all             bool

	tell func(string) // of progress; see [Main.progress]
}

func (f *flags) bindCommon(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.config, "config", "", "the operator's configuration `file` (default: $RETROSWEEP_CONFIG, else the user's configuration directory)")
	fs.StringVar(&f.branch, "branch", "", "the `branch` to look at (default: the repository's HEAD)")
	fs.StringVar(&f.now, "now", "", "the `date` that TTLs and dates are measured by, 2026-01-31 or RFC 3339 (default: the clock)")
	fs.StringVar(&f.format, "format", "text", "text, json, markdown, github (annotations of a pull request) or sarif")
	fs.StringVar(&f.output, "output", "", "write the result to `file` instead of standard output")
	fs.BoolVarP(&f.verbose, "verbose", "v", false, "log what is done, to standard error")
	mustRegister(c, "format", formats)
}

func (f *flags) bindRange(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.from, "from", "", "review the commits after this `revision` (does not move the last reviewed commit)")
	fs.StringVar(&f.to, "to", "", "review up to this `revision` (default: the branch's head)")
	fs.IntVar(&f.limit, "limit", 10, "show at most `n` findings in text and markdown, 0 for all")
	fs.StringVar(&f.failOn, "fail-on", "never", "exit 1 on findings of this `level` or worse: error, warning, info, never")
	mustRegister(c, "fail-on", []string{"error", "warning", "info", "never"})
}

func (f *flags) bindApply(c *cobra.Command) {
	c.Flags().BoolVar(&f.apply, "apply", false, "write the edits to branches (default: a dry run that writes nothing)")
	c.Flags().BoolVar(&f.push, "push", false, "push what an apply writes to the remote, in one step (default: the configuration's)")
}

func (f *flags) bindModel(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&f.model, "model", "", "the `name` of the model for every stage, or none (default: the operator's configuration, else none)")
	fs.StringVar(&f.baseURL, "base-url", "", "an OpenAI-compatible `endpoint`; plain http on loopback only")
}

// mustRegister adds completions of a flag's values; it fails only where the
// flag does not exist, which the tests of the command tree would show.
func mustRegister(c *cobra.Command, flag string, values []string) {
	if err := c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		c.PrintErrln(err)
	}
}

// check reports the first flag whose value is not one of those it takes.
func (f *flags) check() error {
	for _, c := range []struct {
		flag, value string
		allowed     []string
	}{
		{"format", f.format, formats},
		{"fail-on", f.failOn, []string{"", "error", "warning", "info", "never"}},
	} {
		if !slices.Contains(c.allowed, c.value) {
			return usageError{fmt.Errorf("--%s %q: it takes %s", c.flag, c.value, strings.Join(c.allowed, ", "))}
		}
	}
	if f.limit < 0 {
		return usageError{fmt.Errorf("--limit %d: it takes 0 (all) or more", f.limit)}
	}
	return nil
}

// day is the run's present, from --now or the clock.
func (f *flags) day(clock func() time.Time) (time.Time, error) {
	if f.now == "" {
		return clock().UTC(), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339} {
		if t, err := time.Parse(layout, f.now); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, usageError{fmt.Errorf("--now %q: it takes a date such as 2026-01-31 or 2026-01-31T04:30:00Z", f.now)}
}

// fails reports whether one of the findings is at or above --fail-on.
func (f *flags) fails(findings []knowledge.Finding) bool {
	rank := map[string]int{"error": 0, "warning": 1, "info": 2}
	limit, ok := rank[f.failOn]
	return ok && slices.ContainsFunc(findings, func(x knowledge.Finding) bool { return rank[string(x.Severity)] <= limit })
}
