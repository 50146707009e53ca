package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/worktree"
	"github.com/retrosweep/retrosweep/sweep/lint"
)

// lintRun is one lint: a tree, the rules over it, and what becomes of the
// findings.
type lintRun struct {
	flags      *lintFlags
	log        *slog.Logger
	now        time.Time
	operator   config.Operator
	repository config.Repository
	only       []string
	policy     *guard.Policy
	options    worktree.Options
	tree       *worktree.Tree
}

// load reads the repository's own configuration, and then the tree by it.
func (l *lintRun) load(ctx context.Context, root string, given *worktree.Given) error {
	var err error
	if l.repository, err = readRepositoryConfig(root); err != nil {
		return usageError{err}
	}
	ignores := slices.Concat(l.operator.Ignore, l.repository.Ignore)
	classes := knowledge.NewClassifier(config.Rules(l.operator, l.repository))
	l.policy = guard.NewPolicy(classes, l.operator.Routes, l.repository.Routes)
	l.options = worktree.Options{
		Classifier: classes, Staged: l.flags.staged, Given: given, Only: l.only,
		Ignore: func(p string) bool { _, out := config.Ignored(ignores, p, l.now); return out },
	}
	if l.tree, err = worktree.Load(ctx, root, l.options); err != nil {
		return usageError{fmt.Errorf("lint: %w", err)}
	}
	return nil
}

// maxConfigBytes is more than any configuration that is read.
const maxConfigBytes = 1 << 20

func readRepositoryConfig(root string) (config.Repository, error) {
	name := filepath.Join(root, config.RepositoryName)
	info, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return config.DefaultRepository(), nil
	}
	if err == nil && info.Size() > maxConfigBytes {
		return config.Repository{}, fmt.Errorf("%s is larger than %d KiB", name, maxConfigBytes>>10)
	}
	src, err := os.ReadFile(name)
	if err != nil {
		return config.Repository{}, fmt.Errorf("read %s: %w", name, err)
	}
	return config.ParseRepository(src)
}

// run checks the tree, mends what was asked for, and sets known findings apart.
func (l *lintRun) run(ctx context.Context) (*report.Receipt, error) {
	found := lint.Check(l.input())
	var fixed []string
	if l.flags.fix {
		var err error
		if fixed, err = l.fix(found); err != nil {
			return nil, err
		}
		if err := l.again(ctx); err != nil {
			return nil, err
		}
		found = lint.Check(l.input())
	}
	r := l.receipt(found)
	r.Lint.Fixed = fixed
	if len(fixed) > 0 {
		r.Mode = report.Apply
	}
	return r, l.known(r)
}

// input is the tree as the rules see it.
func (l *lintRun) input() lint.Input {
	t := l.tree
	in := lint.Input{
		Docs: t.Docs, Exists: t.Exists, Named: t.Named, Ignored: t.Ignored, Read: t.Read, Only: l.reported, Now: day0(l.now),
		Route: func(p string) knowledge.Route { route, _ := l.policy.Route(p); return route },
	}
	if t.HasHead() == nil {
		in.Head = t.Head
	}
	for _, u := range t.Unread {
		in.Unread = append(in.Unread, lint.Unread(u))
	}
	for _, i := range l.repository.Ignore {
		if !i.Until.IsZero() && !l.now.Before(i.Until.AddDate(0, 0, 1)) {
			in.Lapsed = append(in.Lapsed, lint.Lapsed{Path: i.Path, Until: i.Until, Reason: i.Reason})
		}
	}
	return in
}

// reported reports whether a path was asked about. The whole tree is read in
// any case: an index is checked against files beside what was named.
func (l *lintRun) reported(p string) bool {
	return slices.ContainsFunc(l.only, func(o string) bool { return o == "." || o == p || strings.HasPrefix(p, o+"/") })
}

// fix writes the remedies, and says what it did and what it could not.
func (l *lintRun) fix(found lint.Result) (said []string, err error) {
	fixed := lint.Fix(l.tree.Docs, l.tree.Read, found.Findings)
	for _, left := range fixed.Left {
		l.log.Debug("not mended", "file", left.Finding.Fact.File, "line", left.Finding.Fact.Line, "why", left.Why)
	}
	refused := map[string]bool{}
	for p, content := range fixed.Changes {
		old, _ := l.tree.Read(p)
		if werr := worktree.Write(l.tree.Root, p, old, content); werr != nil {
			refused[p] = true
			err = errors.Join(err, werr)
		}
	}
	for _, x := range fixed.Done {
		if file := target(x); !refused[file] {
			said = append(said, fmt.Sprintf("%s:%d %s: %s", x.Fact.File, x.Fact.Line, x.Rule, remedy(x)))
		}
	}
	return said, err
}

// target is the file that a remedy changes.
func target(x knowledge.Finding) string {
	if x.Action != nil && x.Action.Edit != nil {
		return x.Action.Edit.Path
	}
	return x.Fact.File
}

// remedy says what was done about a finding.
func remedy(x knowledge.Finding) string {
	switch e := x.Action.Edit; {
	case e == nil:
		return "took out what does not show"
	case e.Op == knowledge.OpAdd:
		return "added a line to " + e.Path
	default:
		return "wrote " + e.New + " for " + e.Old
	}
}

// again reads the tree as it stands now.
func (l *lintRun) again(ctx context.Context) error {
	root := l.tree.Root
	if err := l.tree.Close(); err != nil {
		return err
	}
	t, err := worktree.Load(ctx, root, l.options)
	if err != nil {
		return err
	}
	l.tree = t
	return nil
}

func (l *lintRun) receipt(found lint.Result) *report.Receipt {
	r := report.New()
	r.Schema, r.Command, r.Repo, r.Mode, r.Outcome = report.Schema, "lint", l.tree.Root, report.DryRun, report.Done
	r.Started, r.Ended = l.now, l.now
	r.Findings = append(r.Findings, found.Findings...)
	r.Facts = report.FactCounts{Total: found.Facts, Unknown: found.Facts, Files: found.Files, Reasons: map[string]int{knowledge.ReasonUnconfirmed: found.Facts}}
	r.Lint = &report.Lint{Files: found.Files, Ignored: found.Hidden}
	r.Rules = map[string]string{}
	for _, x := range lint.Rules() {
		r.Rules[x.ID] = x.Finds
	}
	if found.Logs > 0 {
		r.Warnings = append(r.Warnings, l.noHead(found.Logs))
	}
	return r
}

// noHead says why no log was compared with the last commit.
func (l *lintRun) noHead(logs int) string {
	why := "there is no commit yet"
	switch err := l.tree.HasHead(); {
	case errors.Is(err, repo.ErrNotRepository):
		why = "there is no git repository"
	case err != nil && !errors.Is(err, repo.ErrEmpty):
		why = err.Error()
	}
	return fmt.Sprintf("edits of logs cannot be seen (%d with a log): %s", logs, why)
}

// known sets the findings of a baseline apart, or writes one.
func (l *lintRun) known(r *report.Receipt) error {
	if file := l.flags.writeBaseline; file != "" {
		text, err := lint.NewBaseline(r.Findings).Encode()
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			return fmt.Errorf("write the baseline: %w", err)
		}
		r.Warnings = append(r.Warnings, fmt.Sprintf("%s knows %d findings now", file, len(r.Findings)))
		return nil
	}
	if l.flags.baseline == "" {
		return nil
	}
	src, err := os.ReadFile(l.flags.baseline)
	if err != nil {
		return usageError{fmt.Errorf("--baseline: %w", err)}
	}
	base, err := lint.ReadBaseline(src)
	if err != nil {
		return usageError{fmt.Errorf("--baseline %s: %w", l.flags.baseline, err)}
	}
	fresh, known, gone := base.Split(r.Findings)
	r.Findings, r.Lint.Known = append([]knowledge.Finding{}, fresh...), len(known)
	for _, g := range gone {
		if l.reported(g.File) {
			r.Lint.Gone = append(r.Lint.Gone, fmt.Sprintf("%s %s: %s", g.File, g.Rule, g.Says))
		}
	}
	return nil
}
