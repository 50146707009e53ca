package audit

import (
	"context"
	"fmt"
	"path"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/manifest"
)

// A text that counts what a directory of that name holds (12 skills, of skills/)
// is stale where the directory held as many while the text said so, and now
// holds another number. What is counted, files or directories, is whatever was
// right then: a number of two digits is not right by chance.

// tally is a claim about what a directory holds.
type tally struct {
	*claim
	dir string
	say int
}

// readCounts finds the claims about directories of head that do not hold as many
// of anything.
func (a *auditor) readCounts(ctx context.Context, said []*claim) {
	for _, c := range said {
		noun, ok := strings.CutPrefix(c.cand.Path, manifest.Count)
		n, err := strconv.Atoi(c.cand.Value)
		if !ok || err != nil {
			continue
		}
		if d := a.countedDir(c, noun); d != "" {
			t := tally{c, d, n}
			if counts := a.tallies(ctx, a.in.To.Tree, d); !slices.Contains(counts, n) && c.cand.Mute() == "" {
				a.counts = append(a.counts, t)
			}
		}
	}
}

// countedDir is the directory that a text means: the one of that name beside the
// document or above it, or the only one of head.
func (a *auditor) countedDir(c *claim, noun string) string {
	for d := path.Dir(c.doc.Path); ; d = path.Dir(d) {
		if at := path.Join(d, noun); a.head.HasDir(at) {
			return at
		}
		if d == "." {
			break
		}
	}
	if found := a.head.DirsWithBase(noun); len(found) == 1 {
		return found[0]
	}
	return ""
}

// uncounted are entries of a directory that nobody means.
var uncounted = regexp.MustCompile(`(?i)^(?:\.|_|readme\b|index\.|mod\.rs$|package\.json$)`)

// tallies are the numbers that a directory of a tree may be said to hold: its
// directories, its files, and those that are no tests.
func (a *auditor) tallies(ctx context.Context, tree repo.Hash, dir string) []int {
	t, err := a.in.Repo.Tree(tree)
	if err != nil {
		return nil
	}
	e, ok, err := t.Entry(dir)
	if err != nil || !ok || e.Mode != repo.ModeDir {
		return nil
	}
	inner, err := a.in.Repo.Tree(e.Hash)
	if err != nil {
		return nil
	}
	entries, err := inner.Files(ctx)
	if err != nil {
		return nil
	}
	dirs, files, code := map[string]bool{}, 0, 0
	for _, e := range entries {
		first, _, nested := strings.Cut(e.Path, "/")
		switch {
		case uncounted.MatchString(first):
		case nested:
			dirs[first] = true
		default:
			files++
			if !tests.MatchString(first) {
				code++
			}
		}
	}
	return []int{len(dirs), files, code, len(dirs) + files}
}

// countFindings reports the counts that were right when the text was written.
func (a *auditor) countFindings(ctx context.Context) []knowledge.Finding {
	var out []knowledge.Finding
	for _, t := range a.counts {
		if f, ok := a.miscounted(ctx, t); ok {
			out = append(out, f)
			a.note(t.claim, f, true)
		}
	}
	return out
}

func (a *auditor) miscounted(ctx context.Context, t tally) (knowledge.Finding, bool) {
	steps := a.walk.log.steps
	came := min(a.came(t.claim), len(steps)-1)
	if came < 0 {
		return knowledge.Finding{}, false
	}
	kind := slices.Index(a.talliesAt(ctx, steps[came], t.dir), t.say)
	if kind < 0 {
		return knowledge.Finding{}, false
	}
	// Of the steps between, the first that does not hold as many any more.
	n := sort.Search(came, func(i int) bool {
		counts := a.talliesAt(ctx, steps[came-1-i], t.dir)
		return kind >= len(counts) || counts[kind] != t.say
	})
	by, parent, ok := a.pair(steps[max(came-1-n, 0)])
	now := a.tallies(ctx, a.in.To.Tree, t.dir)
	if !ok || len(now) == 0 {
		return knowledge.Finding{}, false
	}
	f := Describe(RuleValue, t.doc, t.fact, t.cand.Text)
	f.Anchor = &knowledge.Anchor{Kind: knowledge.AnchorValue, Text: t.cand.Text}
	f.Evidence = []knowledge.Quote{a.quote(t.claim)}
	f.Was = &knowledge.Place{Commit: parent.Hash.String(), Path: t.dir}
	f.Since = sinceOf(by)
	f.Action = &knowledge.Action{Type: knowledge.ActionWorklist}
	f.Reason = fmt.Sprintf("the text says %s, %s has %d; there were as many until %s on %s",
		t.cand.Value, t.dir, now[kind], by.Hash.String()[:8], by.Committer.When.UTC().Format(time.DateOnly))
	return f, true
}

func (a *auditor) talliesAt(ctx context.Context, h repo.Hash, dir string) []int {
	c, err := a.in.Repo.Commit(h)
	if err != nil {
		return nil
	}
	return a.tallies(ctx, c.Tree, dir)
}
