package night_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
)

// forked is a history whose branch "old" was left behind when main was
// rewritten.
const forked = `
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-01T08:00:00Z
label: first

start

-- README.md --
# Kitchen
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-02T08:00:00Z
branch: old
parent: first

as it was reviewed

-- README.md --
# Kitchen

Bread and cake.
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-02T09:00:00Z
branch: main
parent: first

as it was written again

-- README.md --
# Kitchen

Bread.
-- commit --
author: Ada <ada@kitchen.example>
date: 2026-10-02T10:00:00Z
branch: main

more

-- README.md --
# Kitchen

Bread, and soup.
`

func TestBeginningAfterRewrittenHistory(t *testing.T) {
	t.Parallel()
	gone := strings.Repeat("12", 20)
	cases := []struct {
		name  string
		mark  func(t *testing.T, r *repo.Repo) journal.Mark
		basis report.Basis
		from  string // revision, "" for the beginning of history
	}{
		{"reviewed", func(t *testing.T, r *repo.Repo) journal.Mark { return markAt(t, r, "main~1") }, report.BasisWatermark, "main~1"},
		{"left behind", func(t *testing.T, r *repo.Repo) journal.Mark { return markAt(t, r, "old") }, report.BasisMergeBase, "main~2"},
		{"gone, its tree is not", func(t *testing.T, r *repo.Repo) journal.Mark {
			return journal.Mark{Commit: gone, Tree: markAt(t, r, "main~1").Tree}
		}, report.BasisTree, "main~1"},
		{"gone", func(*testing.T, *repo.Repo) journal.Mark { return journal.Mark{Commit: gone, Tree: gone} }, report.BasisFull, ""},
		{"forged", func(*testing.T, *repo.Repo) journal.Mark { return journal.Mark{Commit: "--help", Tree: "x"} }, report.BasisFull, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := build(t, forked)
			mark := c.mark(t, r)
			plant(t, r, mark)
			receipt := run(t, options(r))
			from := ""
			if c.from != "" {
				from = head(t, r, c.from).String()
			}
			if receipt.Range.Basis != c.basis || receipt.Range.From != from {
				t.Errorf("it begins at %q by %s; want %q by %s (%v)", receipt.Range.From, receipt.Range.Basis, from, c.basis, receipt.Warnings)
			}
			if receipt.Watermark.Sweep.After.Commit != head(t, r, "main").String() {
				t.Errorf("the watermark ends at %+v", receipt.Watermark.Sweep.After)
			}
		})
	}
}

func markAt(t *testing.T, r *repo.Repo, rev string) journal.Mark {
	t.Helper()
	c, err := r.Commit(head(t, r, rev))
	if err != nil {
		t.Fatal(err)
	}
	return journal.Mark{Commit: c.Hash.String(), Tree: c.Tree.String()}
}

// plant writes a journal with this mark for both passes.
func plant(t *testing.T, r *repo.Repo, mark journal.Mark) {
	t.Helper()
	state, at, err := journal.Load(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	*state.Branch("main") = journal.Watermark{Retro: &mark, Sweep: &mark}
	if _, err := journal.Save(t.Context(), r, state, at, evening); err != nil {
		t.Fatal(err)
	}
}

// Without a model nothing is learnt, and switching one on later loses nothing:
// the first applied night pins where the retro begins.
func TestWithoutAModelTheRetroWaits(t *testing.T) {
	t.Parallel()
	r := build(t, kitchen)
	first := run(t, options(r))
	pinned := first.Watermark.Retro.After
	if pinned == nil || pinned.Commit == first.Range.To {
		t.Fatalf("the retro is pinned at %+v", pinned)
	}
	commit(t, r, "main", map[string][]byte{"notes.md": []byte("# Notes\n")})
	o := options(r)
	o.Now = evening.AddDate(0, 1, 0) // long after the first look back
	later := run(t, o)
	if after := later.Watermark.Retro.After; *after != *pinned {
		t.Errorf("the pin moved from %+v to %+v", pinned, after)
	}
	if later.Signals.Waiting <= first.Signals.Waiting {
		t.Errorf("%d signals wait after %d: the old ones are lost", later.Signals.Waiting, first.Signals.Waiting)
	}
}

func TestHeads(t *testing.T) {
	t.Parallel()
	r := build(t, kitchen)
	o := options(r)
	o.Branch = "no-such-branch"
	if _, err := night.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "no-such-branch") {
		t.Errorf("a branch that is not there: %v", err)
	}
	o = options(r)
	o.To = "main~1"
	if receipt := run(t, o); receipt.Watermark.Sweep.Moved() || len(receipt.Proposals) > 0 {
		t.Errorf("--to moves the watermark or writes a branch: %+v", receipt)
	}
	empty := build(t, "")
	if _, err := night.Run(t.Context(), options(empty)); !errors.Is(err, repo.ErrEmpty) {
		t.Errorf("a repository without commits: %v", err)
	}
}
