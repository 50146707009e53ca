package signal

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Source is what signals are read from; *repo.Repo is one.
type Source interface {
	Diff(ctx context.Context, a, b repo.Hash) ([]repo.Change, error)
	DetectRenames(ctx context.Context, changes []repo.Change) ([]repo.Change, error)
	Hunks(c repo.Change, max int64) ([]repo.Hunk, error)
	Blob(h repo.Hash, max int64) ([]byte, error)
}

// Options say how commits are read. Nil functions have defaults: no knowledge
// files, [DefaultTrust], no own commits.
type Options struct {
	Classify func(path string) (knowledge.Format, knowledge.Route, bool)
	Trust    func(repo.Commit) Trust
	Own      func(repo.Commit) bool
	OwnLine  func(line string) bool // a line that we wrote, in whatever commit it comes back
	Remarks  []Remark               // of reviewers, on any commits
	Past     []repo.Commit          // what came before the commits, newest first: they are compared with it
	MaxBytes int64                  // largest file that is read, 1 MiB
	MaxFiles int                    // files of one commit that are read, 300
}

// Result is what was found, in no particular order (see [Rank]), and what was
// left out.
type Result struct {
	Signals []*Signal
	Skipped []Skip
}

// Skip is something that was not looked at, and why. Path is "" for a whole commit.
type Skip struct {
	Commit repo.Hash
	Path   string
	Reason string
}

// Extract reads the signals of commits.
func Extract(ctx context.Context, src Source, commits []repo.Commit, o Options) (Result, error) {
	x := &extractor{ctx: ctx, src: src, o: o.defaults()}
	for _, c := range commits {
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("read signals: %w", err)
		}
		if x.o.Own(c) {
			x.skip(c, "", "own commit")
			continue
		}
		if err := x.commit(c); err != nil {
			return Result{}, fmt.Errorf("read signals of %s: %w", c.Hash.String()[:7], err)
		}
	}
	if err := x.compare(commits); err != nil {
		return Result{}, fmt.Errorf("compare signals with what came before: %w", err)
	}
	for _, c := range commits {
		x.remark(c)
	}
	return x.out, nil
}

func (o Options) defaults() Options {
	if o.Classify == nil {
		o.Classify = func(string) (knowledge.Format, knowledge.Route, bool) { return "", "", false }
	}
	if o.Trust == nil {
		o.Trust = func(c repo.Commit) Trust { return DefaultTrust(c.Author.Email) }
	}
	if o.Own == nil {
		o.Own = func(repo.Commit) bool { return false }
	}
	if o.OwnLine == nil {
		o.OwnLine = func(string) bool { return false }
	}
	o.MaxBytes = cmp.Or(o.MaxBytes, 1<<20)
	o.MaxFiles = cmp.Or(o.MaxFiles, 300)
	return o
}

type extractor struct {
	ctx context.Context
	src Source
	o   Options
	out Result
}

func (x *extractor) skip(c repo.Commit, path, reason string) {
	x.out.Skipped = append(x.out.Skipped, Skip{Commit: c.Hash, Path: path, Reason: reason})
}

// commit reads one commit. Only a cancelled context is an error: whatever else
// goes wrong with one commit or file is a skip with its reason.
func (x *extractor) commit(commit repo.Commit) error {
	changes, err := x.changes(commit)
	if err != nil {
		return x.fault(commit, "", err)
	}
	c := x.read(commit)
	slices.SortStableFunc(changes, func(a, b repo.Change) int { return cmp.Compare(x.urgency(b), x.urgency(a)) })
	read := 0
	var found []*Signal
	for _, change := range changes {
		if reason := x.leaveOut(change); reason != "" {
			x.skip(commit, pathOf(change), reason)
			continue
		}
		if read++; read > x.o.MaxFiles {
			continue
		}
		signals, err := x.file(c, change)
		if err != nil {
			if err := x.fault(commit, pathOf(change), err); err != nil {
				return err
			}
			continue
		}
		found = append(found, signals...)
	}
	if read > x.o.MaxFiles {
		x.skip(commit, "", fmt.Sprintf("%d more files than the %d that are read of one commit", read-x.o.MaxFiles, x.o.MaxFiles))
	}
	fade(found)
	x.out.Signals = append(x.out.Signals, found...)
	return nil
}

// subject is what of a commit counts for every signal of it.
type subject struct {
	repo.Commit
	trust            Trust
	reverted, reason bool // takes another commit back, and says why
	weight           int  // of the message
}

func (x *extractor) read(c repo.Commit) subject {
	s := subject{Commit: c, trust: x.o.Trust(c), weight: messageWeight(c.Message)}
	s.reverted, s.reason = revertOf(c.Message)
	return s
}

func (x *extractor) fault(c repo.Commit, path string, err error) error {
	if x.ctx.Err() != nil {
		return err
	}
	reason := "cannot be read"
	switch {
	case errors.Is(err, repo.ErrTooLarge):
		reason = "too large"
	case errors.Is(err, repo.ErrMissing):
		reason = "object is missing"
	}
	x.skip(c, path, reason)
	return nil
}

// changes is the diff against the first parent; of a merge, what differs from
// every parent.
func (x *extractor) changes(c repo.Commit) ([]repo.Change, error) {
	changes, err := x.src.Diff(x.ctx, parent(c), c.Hash)
	if err != nil || len(c.Parents) == 0 {
		return changes, err
	}
	for _, p := range c.Parents[1:] {
		other, err := x.src.Diff(x.ctx, p, c.Hash)
		if err != nil {
			return nil, err
		}
		differs := map[string]bool{}
		for _, ch := range other {
			differs[pathOf(ch)] = true
		}
		changes = slices.DeleteFunc(changes, func(ch repo.Change) bool { return !differs[pathOf(ch)] })
	}
	return x.src.DetectRenames(x.ctx, changes)
}

func parent(c repo.Commit) (h repo.Hash) {
	if len(c.Parents) > 0 {
		h = c.Parents[0]
	}
	return h
}

func pathOf(c repo.Change) string {
	if c.To.Path != "" {
		return c.To.Path
	}
	return c.From.Path
}

// urgency puts knowledge files before the limit on files takes effect.
func (x *extractor) urgency(c repo.Change) int {
	if _, _, ok := x.classify(pathOf(c)); ok {
		return 2
	}
	if pathWeight(pathOf(c)) >= 0 {
		return 1
	}
	return 0
}

func (x *extractor) leaveOut(c repo.Change) string {
	for _, e := range []repo.Entry{c.From, c.To} {
		switch e.Mode {
		case repo.ModeSymlink:
			return "symbolic link"
		case repo.ModeSubmodule:
			return "submodule"
		}
	}
	return leftOutByPath(pathOf(c))
}
