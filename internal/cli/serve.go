package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/daemon"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/schedule"
	"github.com/retrosweep/retrosweep/internal/telemetry"
)

// serveFlags are those that serve has beside a run's.
type serveFlags struct {
	flags
	schedule, timezone string
	repo, listen       string
	jitter, grace      time.Duration
	once               bool
}

func (m *Main) serveCommand() *cobra.Command {
	s := &serveFlags{flags: flags{format: "text", failOn: "never", limit: 10}}
	c := &cobra.Command{
		Use:     "serve [REPO]",
		GroupID: groupNight,
		Short:   "A daemon that runs a night by its own schedule",
		Long: `Runs nights at the times of a cron expression until it is stopped, one at a
time. A night that fails does not keep the next from running. What was missed
while no process was there is caught up once. On a day when the clock is turned
a night still runs once.

It answers on --listen: /healthz (it lives), /readyz (503 when two nights failed
in a row) and /metrics (Prometheus). SIGTERM and SIGINT stop it: no night begins
any more, and one under way has --grace to end. A night broken off loses nothing.

Like run, it is a dry run without --apply. Each night reads the configuration
and opens the repository anew.`,
		Example: `  retrosweep serve . --schedule "30 4 * * *" --timezone Europe/Berlin --apply
  retrosweep serve --repo /srv/shop.git --schedule @daily --jitter 30m --once-now`,
		Args:              atMostOneRepo,
		ValidArgsFunction: completeDirs,
		RunE:              func(c *cobra.Command, args []string) error { return m.serve(c.Context(), s, args) },
	}
	s.bindServe(c)
	s.bindApply(c)
	s.bindModel(c)
	return c
}

func (s *serveFlags) bindServe(c *cobra.Command) {
	fs := c.Flags()
	fs.StringVar(&s.config, "config", "", "the operator's configuration `file` (default: $RETROSWEEP_CONFIG, else the user's configuration directory)")
	fs.StringVar(&s.branch, "branch", "", "the `branch` to look at (default: the repository's HEAD)")
	fs.BoolVarP(&s.verbose, "verbose", "v", false, "log each step too")
	fs.StringVar(&s.schedule, "schedule", "", "when nights begin: five cron `fields` or @daily, after CRON_TZ=Zone if need be (default: the configuration's)")
	fs.StringVar(&s.timezone, "timezone", "", "the `zone` that the schedule's hours are of, such as Europe/Berlin (default: the machine's)")
	fs.StringVar(&s.repo, "repo", "", "the `repository`, as REPO (default: the configuration's, else the current directory)")
	fs.StringVar(&s.listen, "listen", "127.0.0.1:8088", "the `address` for probes and metrics; there is no login, so keep it to this machine or the cluster")
	fs.DurationVar(&s.jitter, "jitter", 0, "begin up to this `long` after the time, another time each date and repository")
	fs.DurationVar(&s.grace, "grace", 25*time.Second, "how `long` a night may go on after a stop")
	fs.BoolVar(&s.once, "once-now", false, "run one night at the start, too")
}

func (m *Main) serve(ctx context.Context, s *serveFlags, args []string) error {
	operator, err := config.LoadOperator(s.config, m.Getenv)
	if err != nil {
		return err
	}
	when, err := s.when(operator)
	if err != nil {
		return usageError{err}
	}
	path, err := s.where(operator, args)
	if err != nil {
		return usageError{err}
	}
	log := m.serveLog(s, operator)
	s.tell = m.logged(log)
	first, err := m.tryNight(ctx, s, path)
	if err != nil {
		return err
	}
	d, err := daemon.New(daemon.Options{
		Schedule: when,
		Night: func(ctx context.Context, log *slog.Logger) (*report.Receipt, error) {
			return m.serveNight(ctx, s, path, log)
		},
		Repo: cmp.Or(first.Name, night.Identity(first.Repo)), Version: m.Version, Apply: s.apply, Push: s.push || operator.Delivery.Push,
		Listen: s.listen, Jitter: s.jitter, Grace: s.grace, Once: s.once,
		Store: m.lastRun(first), Log: log, Clock: m.Clock,
	})
	if err != nil {
		return usageError{err}
	}
	return d.Run(ctx)
}

// when reads the schedule and its zone.
func (s *serveFlags) when(operator config.Operator) (*schedule.Schedule, error) {
	expr := cmp.Or(s.schedule, operator.Schedule)
	if expr == "" {
		return nil, fmt.Errorf(`no schedule: write --schedule "30 4 * * *" for every day at 04:30, or schedule: in the configuration`)
	}
	var o schedule.Options
	if s.timezone != "" {
		zone, err := schedule.Zone(s.timezone)
		if err != nil {
			return nil, fmt.Errorf("--timezone: %w", err)
		}
		o.Location = zone
	}
	if s.grace < 0 {
		return nil, fmt.Errorf("--grace %s: it takes 0 or more", s.grace)
	}
	return schedule.Parse(expr, o)
}

// where names the repository.
func (s *serveFlags) where(operator config.Operator, args []string) (string, error) {
	if s.repo != "" && len(args) > 0 {
		return "", fmt.Errorf("--repo %s and %s: name the repository once", s.repo, args[0])
	}
	if path := cmp.Or(s.repo, operator.Repo); len(args) == 0 && path != "" {
		return repoArg([]string{path}), nil
	}
	return repoArg(args), nil
}

// tryNight makes all that a night needs and runs none, so that a mistake shows
// now and not at half past four.
func (m *Main) tryNight(ctx context.Context, s *serveFlags, path string) (night.Options, error) {
	o, err := m.nightOptions(ctx, &s.flags, serveNights, path)
	if err != nil {
		return o, err
	}
	return o, o.Repo.Close()
}

var serveNights = night.Command{Name: "run", Retro: true, Sweep: true}

// serveNight is one night of a daemon: the one that run runs.
func (m *Main) serveNight(ctx context.Context, s *serveFlags, path string, log *slog.Logger) (*report.Receipt, error) {
	f := s.flags // a night leaves nothing in the flags of the next
	f.tell = m.logged(log)
	o, err := m.nightOptions(ctx, &f, serveNights, path)
	if err != nil {
		return nil, err
	}
	o.Log = log
	receipt, err := night.Run(ctx, o)
	if closing := o.Repo.Close(); closing != nil {
		log.Warn("close the repository", "error", closing)
	}
	return receipt, err
}

// serveLog is for a person on a terminal and JSON elsewhere. It never holds
// what the variables of credentials hold.
func (m *Main) serveLog(s *serveFlags, operator config.Operator) *slog.Logger {
	o := telemetry.LogOptions{Level: slog.LevelInfo, Terminal: m.IsTerm(m.Stderr), Color: m.color(m.Stderr)}
	if s.verbose {
		o.Level = slog.LevelDebug
	}
	for _, name := range []string{"RETROSWEEP_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "GITEA_TOKEN", "FORGEJO_TOKEN", "GITLAB_TOKEN", operator.LLM.APIKeyEnv} {
		o.Secrets = append(o.Secrets, m.Getenv(name))
	}
	return telemetry.NewLog(m.Stderr, o)
}

// lastRun is where the last run is remembered: the journal knows the nights
// that wrote anything, wherever they ran, and a file beside the cache knows the
// quiet ones and the dry runs.
func (m *Main) lastRun(o night.Options) schedule.Store {
	dir := o.Repo.Path()
	stores := schedule.Newest{journaled{dir, o.Branch}}
	cache, err := m.cacheDir()
	if err != nil {
		return stores // no home: a restart may repeat a quiet night
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	// A dry run is no night that an apply may take for done.
	name := fmt.Sprintf("%.12x.json", sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%t", dir, o.Branch, o.Apply)))
	return append(stores, schedule.File(filepath.Join(cache, "serve", name)))
}

// journaled finds the last run in a repository's journal. A night writes it, so
// there is nothing to save.
type journaled struct{ dir, branch string }

// Last returns when the newest night of the journal began.
func (j journaled) Last(ctx context.Context) (mark schedule.Mark, err error) {
	r, err := repo.Open(ctx, j.dir)
	if err != nil {
		return mark, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	status, err := night.ReadStatus(ctx, night.Look{Repo: r, Branch: j.branch})
	if err != nil {
		return mark, fmt.Errorf("read the last run from the journal: %w", err)
	}
	for _, run := range status.Runs {
		if run.Command == serveNights.Name {
			return schedule.Mark{At: run.Started, Done: true}, nil
		}
	}
	return mark, nil
}

// Save does nothing: the night has written the journal.
func (journaled) Save(context.Context, schedule.Mark) error { return nil }
