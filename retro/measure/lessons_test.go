package measure

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/retrosweep/retrosweep/internal/report"
)

var (
	sample = flag.Int("sample", 0, "how many of the corrections are asked about; 0: all")
	plain  = flag.Int("plain", 0, "how many of the ordinary commits are asked about; 0: all")
)

// judged is what became of one commit.
type judged struct {
	id       string
	known    bool // a correction
	general  bool // that matters again
	statuses []string
	edits    []string
}

// verdicts are what became of all commits.
type verdicts struct {
	mu  sync.Mutex
	all []judged
}

// With answers, nine in ten of the corrections that matter again become lessons,
// and under one in fifty of the ordinary commits give a promoted rule. Each
// commit is a night of its own, over the documents as they stood then. All are
// asked at once, so that who answers sees no order.
func TestLessons(t *testing.T) {
	known := readCorrections(t)
	if *baseURL == "" {
		t.Skip("needs -base-url")
	}
	others := ordinary(t, known)
	var v verdicts
	t.Run("commits", func(t *testing.T) {
		for _, j := range chosen(known, others) {
			t.Run(j.id, func(t *testing.T) {
				t.Parallel()
				v.judge(t, j)
			})
		}
	})
	v.report(t)
}

// asked is one commit to ask about.
type asked struct {
	judged
	repo, commit string
}

func chosen(known []correction, others map[string][]string) []asked {
	var a, b []asked
	for _, c := range known {
		a = append(a, asked{judged{id: c.ID, known: true, general: strings.HasPrefix(c.Generalizable, "yes")}, c.Repo, c.Commit})
	}
	for _, c := range known {
		for _, id := range others[c.Repo] {
			b = append(b, asked{judged{id: id[:10]}, c.Repo, id})
		}
		others[c.Repo] = nil
	}
	random := rand.New(rand.NewPCG(seed, seed))
	for _, all := range [][]asked{a, b} {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return slices.Concat(first(a, *sample), first(b, *plain))
}

func first(all []asked, n int) []asked {
	if n > 0 && n < len(all) {
		return all[:n]
	}
	return all
}

func (v *verdicts) judge(t *testing.T, j asked) {
	r := open(t, j.repo)
	if r == nil {
		t.Skip("the repository is not there")
	}
	c := commit(t, r, j.commit)
	p := newReplay(t, r)
	res := p.pass(made(t, r, j.commit), c.Parents[0], c.Hash, c.Committer.When)
	out := j.judged
	for _, l := range res.Lessons {
		out.statuses = append(out.statuses, string(l.Status))
		t.Logf("%s: %s (%s)", l.Status, l.Text, l.Reason)
		if l.Status != report.LessonDropped && len(l.Evidence) == 0 {
			t.Errorf("no evidence: %+v", l)
		}
	}
	for _, e := range res.Edits {
		out.edits = append(out.edits, fmt.Sprintf("%s %s: %s", e.Edit.Op, e.Edit.Path, e.Edit.Text))
		t.Log(out.edits[len(out.edits)-1])
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	v.all = append(v.all, out)
}

func (v *verdicts) report(t *testing.T) {
	t.Helper()
	general, found, plain, wrong := 0, 0, 0, 0
	for _, j := range v.all {
		kept := slices.ContainsFunc(j.statuses, func(s string) bool { return s != string(report.LessonDropped) })
		switch {
		case j.general && kept:
			general, found = general+1, found+1
		case j.general:
			general++
			t.Logf("missed: %s %v", j.id, j.statuses)
		case !j.known:
			plain++
			if slices.Contains(j.statuses, string(report.LessonPromoted)) {
				wrong++
				t.Logf("promoted of an ordinary commit: %s %v", j.id, j.edits)
			}
		}
	}
	t.Logf("%d of %d generalizable corrections became lessons; %d of %d ordinary commits gave a promoted rule", found, general, wrong, plain)
	if 10*found < 9*general || 50*wrong >= max(plain, 1) && wrong > 0 {
		t.Error("not enough, or too much")
	}
}
