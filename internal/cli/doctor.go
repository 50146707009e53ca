package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/spf13/cobra"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/doctor"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

func (m *Main) doctorCommand() *cobra.Command {
	f := &flags{}
	var pushTest bool
	c := &cobra.Command{
		Use:     "doctor [REPO]",
		GroupID: groupSetup,
		Short:   "Test what a first run needs, and say how to mend what is missing",
		Long: `Looks at configuration, repository, credentials, host, model, clock and disk, one
line each: ok, warn (a night runs, but not in every way), fail, or unknown (it
cannot be seen from here). Below what is not ok stands how to mend it.

A URL is fetched into the cache as a run would fetch it. Nothing is written to
the remote, unless --push-test asks to make and delete two references below
refs/retrosweep/. A model is asked for one token where one is named.`,
		Example: `  retrosweep doctor                                         the repository here
  retrosweep doctor https://github.com/acme/shop            what a nightly run there needs
  retrosweep doctor https://github.com/acme/shop --push-test`,
		Args:              atMostOneRepo,
		ValidArgsFunction: completeDirs,
		RunE: func(c *cobra.Command, args []string) error {
			if !slices.Contains([]string{"text", "json"}, f.format) {
				return usageError{fmt.Errorf("--format %q: it takes text, json", f.format)}
			}
			return m.doctor(c.Context(), f, repoArg(args), pushTest)
		},
	}
	fs := c.Flags()
	fs.StringVar(&f.config, "config", "", "the operator's configuration `file` (default: $RETROSWEEP_CONFIG, else the user's configuration directory)")
	fs.StringVar(&f.format, "format", "text", "text or json")
	fs.BoolVar(&pushTest, "push-test", false, "make and delete references below refs/retrosweep/ on the remote")
	f.bindModel(c)
	mustRegister(c, "format", []string{"text", "json"})
	return c
}

func (m *Main) doctor(ctx context.Context, f *flags, where string, pushTest bool) error {
	file, named := config.FindOperator(f.config, m.Getenv)
	operator, err := config.LoadOperator(f.config, m.Getenv)
	p := &patient{Main: m, flags: f, operator: operator, pushTest: pushTest}
	checks := []doctor.Check{doctor.Configuration(file, named, err), doctor.Git(), doctor.Symbols()}
	checks = append(checks, p.cacheChecks()...)
	checks = append(checks, p.repository(ctx, where)...)
	checks = append(checks, p.models()...)
	checks = append(checks, doctor.Check{Name: "clock", Run: func(ctx context.Context) doctor.Result {
		return doctor.Clock(p.timekeeper, m.Clock).Run(ctx) // which host is asked is known by now
	}})

	progress := m.progress(f)
	lines := doctor.Examine(ctx, checks, progress)
	progress("")
	write := func() error { return doctor.Text(m.Stdout, lines, m.color(m.Stdout)) }
	if f.format == "json" {
		write = func() error { return doctor.JSON(m.Stdout, lines) }
	}
	if err := errors.Join(write(), p.close()); err != nil {
		return fmt.Errorf("doctor %s: %w", where, err)
	}
	if doctor.Failed(lines) {
		return codeError{code: ExitFindings}
	}
	return nil
}

// patient is what the doctor is called to.
type patient struct {
	*Main
	flags      *flags
	operator   config.Operator
	pushTest   bool
	cache      string
	timekeeper string // an address whose answers tell the time
	closers    []func() error
}

func (p *patient) close() error {
	var errs []error
	for _, c := range p.closers {
		errs = append(errs, c())
	}
	return errors.Join(errs...)
}

func (p *patient) cacheChecks() []doctor.Check {
	const remedy = "give this account write access there, or name another directory in RETROSWEEP_CACHE"
	dir, err := p.cacheDir()
	if err != nil {
		return []doctor.Check{broken("cache directory", err.Error(), "set RETROSWEEP_CACHE to a directory that this account may write")}
	}
	p.cache = dir
	return []doctor.Check{doctor.Writable("cache directory", dir, remedy), doctor.Disk("disk for the cache", dir)}
}

// repository is a URL, or a path with its origin where nights push.
func (p *patient) repository(ctx context.Context, where string) []doctor.Check {
	if remote.IsURL(where) {
		return p.remote(ctx, where)
	}
	return []doctor.Check{doctor.Local(where, p.Clock, func(r *repo.Repo) []doctor.Check {
		p.closers = append(p.closers, r.Close)
		origin := r.RemoteURL()
		switch {
		case !p.pushTest && !p.operator.Delivery.Push:
			return nil
		case !remote.IsURL(origin):
			return []doctor.Check{broken("remote", "there is no remote named origin with a URL, and nights are to push",
				"name the URL instead of the path, or set delivery.push: false")}
		}
		return p.remote(ctx, origin)
	})}
}

// broken is a check whose answer is known.
func broken(name, detail, remedy string) doctor.Check {
	return doctor.Check{Name: name, Run: func(context.Context) doctor.Result {
		return doctor.Result{Status: doctor.Fail, Detail: detail, Remedy: remedy}
	}}
}

func (p *patient) remote(ctx context.Context, address string) []doctor.Check {
	r := &doctor.Remote{
		Options: repo.RemoteOptions{URL: address, Auth: credentials.FromEnvironment(p.Getenv), Progress: p.progress(p.flags),
			SSHKey: p.Getenv(sshKeyVariable), KnownHosts: p.Getenv(knownHostsVariable)},
		Dir:     cloneDir(p.cache, address),
		Pushing: p.operator.Delivery.Push || p.pushTest, PushTest: p.pushTest,
	}
	p.closers = append(p.closers, r.Close)
	p.timekeeper = timekeeper(address)
	at := placeOf(address, p.operator.Forge, p.Getenv)
	if at.kind == "" {
		return r.Checks()
	}
	if p.timekeeper == "" {
		p.timekeeper = at.url
	}
	check, s := p.examine(ctx, at, p.operator.Delivery.Commits == "api")
	if s != nil {
		r.Options.Auth, r.Source = s.Auth(), s.source()
	}
	return append(r.Checks(), check)
}

// timekeeper is the root of the host of an address; "" where it speaks no HTTP.
func timekeeper(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/"}).String()
}

// models are those that a night would ask, each once.
func (p *patient) models() []doctor.Check {
	var names []string
	for _, configured := range []string{p.operator.Stages.Triage.Model, p.operator.Stages.Patch.Model} {
		if name := cmp.Or(p.flags.model, configured); name != "" && name != "none" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var checks []doctor.Check
	for _, name := range slices.Compact(names) {
		g, err := p.generator(p.flags, p.operator, name)
		if err != nil {
			checks = append(checks, doctor.BadModel(name, err))
			continue
		}
		key := p.operator.LLM.APIKeyEnv
		checks = append(checks, doctor.Model(g, key, p.Getenv(key) == ""))
		p.timekeeper = cmp.Or(p.timekeeper, timekeeper(cmp.Or(p.flags.baseURL, p.operator.LLM.BaseURL)))
	}
	if len(checks) == 0 {
		return []doctor.Check{doctor.NoModel()}
	}
	return checks
}
