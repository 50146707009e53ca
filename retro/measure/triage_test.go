package measure

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal"
	"github.com/retrosweep/retrosweep/retro/triage"
)

// steps are the numbers of hunks a night that are tried.
var steps = []int{5, 10, 15, 20, 30, 40, 60, 100}

// budgets are the tokens a night that are tried.
var budgets = []int{6_000, 12_000, 24_000, 48_000, 200_000}

// tally counts hunks of corrections by how far down their night they rank.
type tally struct {
	hunks, nights, all, tokens int
	within, afford             map[int]int // of the corrections' hunks, by hunks and by tokens a night
	gone                       []string
}

// night counts one night: signals by rank, and which of them are of a correction.
func (y *tally) night(signals []*signal.Signal, ours func(*signal.Signal) bool) {
	if y.within == nil {
		y.within, y.afford = map[int]int{}, map[int]int{}
	}
	y.nights++
	seen, spent, message := 0, 0, map[repo.Hash]bool{}
	for _, s := range signals {
		n := len(s.Hunks)
		if spent += triage.Size(s); !message[s.Commit.Hash] {
			message[s.Commit.Hash], spent = true, spent+len(s.Commit.Message)/4
		}
		y.all, y.tokens = y.all+n, y.tokens+triage.Size(s)
		seen += n
		if !ours(s) {
			continue
		}
		y.hunks += n
		for _, limit := range steps {
			if seen <= limit {
				y.within[limit] += n
			}
		}
		for _, limit := range budgets {
			if spent <= limit {
				y.afford[limit] += n
			}
		}
	}
}

func (y *tally) log(t *testing.T, name string) {
	t.Helper()
	t.Logf("%s: %d nights, %.1f hunks and %d tokens a night, %d hunks of corrections", name, y.nights,
		float64(y.all)/float64(max(y.nights, 1)), y.tokens/max(y.nights, 1), y.hunks)
	for _, n := range steps {
		t.Logf("  %3d hunks a night: %5.1f %% of the corrections' hunks", n, 100*float64(y.within[n])/float64(max(y.hunks, 1)))
	}
	for _, n := range budgets {
		t.Logf("  %6d tokens a night: %5.1f %%", n, 100*float64(y.afford[n])/float64(max(y.hunks, 1)))
	}
	for _, id := range y.gone {
		t.Logf("  no hunk is read of %s", id)
	}
}

// Of the hunks of known corrections, at least nine in ten reach triage: within
// sixty hunks a night where every eighth commit is a correction, twenty commits a
// night; within forty in the night in which each really fell.
func TestTriage(t *testing.T) {
	known := readCorrections(t)
	others := ordinary(t, known)
	var mixed, real tally
	for name, of := range byRepo(known) {
		r := open(t, name)
		if r == nil {
			continue
		}
		mix(t, r, of, others[name], &mixed)
		for _, c := range of {
			asItWas(t, r, c, &real)
		}
	}
	mixed.log(t, "mixed, 20 commits a night")
	real.log(t, "the day on which each was made")
	enough(t, mixed, 60)
	enough(t, real, 40)
}

func enough(t *testing.T, y tally, limit int) {
	t.Helper()
	if y.hunks == 0 || 10*y.within[limit] < 9*y.hunks {
		t.Errorf("%d of %d hunks within %d a night", y.within[limit], y.hunks, limit)
	}
}

// made are the commits that made a correction: those of the branch where it is
// known by its merge.
func made(t *testing.T, r *repo.Repo, id string) []repo.Commit {
	t.Helper()
	c := commit(t, r, id)
	if len(c.Parents) < 2 {
		return []repo.Commit{c}
	}
	res, err := r.Range(context.Background(), c.Parents[0], c.Parents[1], 50)
	if err != nil {
		t.Fatal(err)
	}
	return append([]repo.Commit{c}, res.Commits...)
}

func byRepo(all []correction) map[string][]correction {
	out := map[string][]correction{}
	for _, c := range all {
		out[c.Repo] = append(out[c.Repo], c)
	}
	return out
}

// perNight is how many commits of the mixture make a night.
const perNight = 20

func mix(t *testing.T, r *repo.Repo, of []correction, others []string, y *tally) {
	t.Helper()
	files := map[string][]string{}
	var commits []repo.Commit
	for _, c := range of {
		for _, m := range made(t, r, c.Commit) {
			files[m.Hash.String()] = c.Files
			commits = append(commits, m)
		}
	}
	for _, id := range others {
		commits = append(commits, commit(t, r, id))
	}
	slices.SortFunc(commits, func(a, b repo.Commit) int { return b.Committer.When.Compare(a.Committer.When) })
	for night := range slices.Chunk(commits, perNight) {
		y.night(extract(t, r, night, signal.Options{}), func(s *signal.Signal) bool {
			return slices.Contains(files[s.Commit.Hash.String()], s.Path)
		})
	}
}

// asItWas is the night that had the correction as its newest commit.
func asItWas(t *testing.T, r *repo.Repo, c correction, y *tally) {
	t.Helper()
	head := commit(t, r, c.Commit)
	res, err := r.Range(context.Background(), repo.Hash{}, head.Hash, 600)
	if err != nil {
		t.Fatal(err)
	}
	cut := slices.IndexFunc(res.Commits, func(x repo.Commit) bool { return head.Committer.When.Sub(x.Committer.When) > 24*time.Hour })
	if cut < 0 {
		cut = len(res.Commits)
	}
	before := y.hunks
	by := map[repo.Hash]bool{}
	for _, m := range made(t, r, c.Commit) {
		by[m.Hash] = true
		if !slices.ContainsFunc(res.Commits[:cut], func(x repo.Commit) bool { return x.Hash == m.Hash }) {
			res.Commits = slices.Insert(res.Commits, cut, m) // a branch older than a day, merged that day
			cut++
		}
	}
	past := res.Commits[cut:min(len(res.Commits), cut+300)]
	y.night(extract(t, r, res.Commits[:cut], signal.Options{Past: past}), func(s *signal.Signal) bool {
		return by[s.Commit.Hash] && slices.Contains(c.Files, s.Path)
	})
	if y.hunks == before {
		y.gone = append(y.gone, c.ID)
	}
}
