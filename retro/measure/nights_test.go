package measure

import (
	"context"
	"flag"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/llm/openai"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro"
)

var (
	name    = flag.String("repo", "", "the repository whose nights are replayed, OWNER/NAME")
	nights  = flag.Int("nights", 30, "how many nights, up to the newest commit")
	tokens  = flag.Int("tokens", 0, "of triage a night, 0: the default")
	baseURL = flag.String("base-url", "", "who answers; without it nothing is a lesson, and only what is asked counts")
)

// client is who answers: an endpoint, or a model that finds nothing.
func client(t *testing.T) *llm.Client {
	t.Helper()
	var g llm.Generator = &llmtest.Fake{Answer: func(llm.Request) (llmtest.Reply, bool) { return llmtest.Reply{Text: `{"items": []}`}, true }}
	if *baseURL != "" {
		var err error
		if g, err = openai.New(openai.Options{BaseURL: *baseURL, Model: "desk", Timeout: time.Hour}); err != nil {
			t.Fatal(err)
		}
	}
	c, err := llm.New(llm.Options{Default: llm.Stage{Generator: g}, Prices: map[string]llm.Price{"fake": {Prompt: 0.25, Completion: 2}, "desk": {Prompt: 0.25, Completion: 2}}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// replay is a repository whose nights pass one after another, with what the
// earlier ones wrote laid over it.
type replay struct {
	t       *testing.T
	repo    *repo.Repo
	state   *journal.State
	overlay map[string][]byte
	model   *llm.Client
	naive   int // tokens of the whole diff and all documents
	edits   []retro.RoutedEdit
	counts  map[string]int // of lessons by status
	hunks   int
}

func newReplay(t *testing.T, r *repo.Repo) *replay {
	t.Helper()
	return &replay{t: t, repo: r, state: &journal.State{}, overlay: map[string][]byte{}, model: client(t), counts: map[string]int{}}
}

// pass is one night over the commits between two.
func (p *replay) pass(commits []repo.Commit, from, head repo.Hash, now time.Time) retro.Result {
	p.t.Helper()
	docs := p.documents(head)
	res, err := retro.Run(context.Background(), retro.Input{
		Repo: p.repo, Commits: commits, From: from, Head: head, Corpus: docs, State: p.state, Model: p.model, Now: now,
		Limits: retro.Limits{Tokens: *tokens},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	for _, l := range res.Lessons {
		p.counts[string(l.Status)]++
	}
	p.state.Backlog, p.state.Candidates = res.Backlog, res.Candidates
	p.state.Correct(res.Corrections)
	p.apply(docs, res.Edits)
	return res
}

// apply lays edits over the repository, each by itself.
func (p *replay) apply(docs *corpus.Corpus, edits []retro.RoutedEdit) {
	for _, e := range edits {
		read := func(path string) ([]byte, bool) {
			if b, ok := p.overlay[path]; ok {
				return b, b != nil
			}
			if d := docs.Doc(path); d != nil {
				return d.Source, true
			}
			return nil, false
		}
		changes, err := knowledge.Apply(read, []knowledge.Edit{e.Edit})
		if err != nil {
			p.t.Logf("not applied: %v", err)
			continue
		}
		maps.Copy(p.overlay, changes)
		p.edits = append(p.edits, e)
	}
}

func (p *replay) documents(head repo.Hash) *corpus.Corpus {
	c, err := p.repo.Commit(head)
	if err != nil {
		p.t.Fatal(err)
	}
	tree, err := p.repo.Tree(c.Tree)
	if err != nil {
		p.t.Fatal(err)
	}
	classes := knowledge.NewClassifier(nil)
	all, err := corpus.Load(context.Background(), p.repo, tree, classes, corpus.Options{})
	if err != nil {
		p.t.Fatal(err)
	}
	docs := slices.DeleteFunc(all.Docs, func(d *knowledge.Document) bool { _, ok := p.overlay[d.Path]; return ok })
	for _, path := range slices.Sorted(maps.Keys(p.overlay)) {
		if format, _, ok := classes.Classify(path); ok && p.overlay[path] != nil {
			docs = append(docs, knowledge.Parse(path, p.overlay[path], format))
		}
	}
	slices.SortFunc(docs, func(a, b *knowledge.Document) int {
		if a.Path < b.Path {
			return -1
		}
		return 1
	})
	return corpus.New(docs)
}

// naively is what a night costs that sends its whole diff and every document to
// the strong model.
func (p *replay) naively(from, head repo.Hash) int {
	changes, err := p.repo.Diff(context.Background(), from, head)
	if err != nil {
		p.t.Fatal(err)
	}
	bytes := 0
	for _, c := range changes {
		hunks, err := p.repo.Hunks(c, 4<<20)
		if err != nil {
			continue
		}
		for _, h := range hunks {
			for _, lines := range [][]string{h.Before, h.Removed, h.Added, h.After} {
				for _, l := range lines {
					bytes += len(l) + 2
				}
			}
		}
		bytes += len(c.To.Path) + len(c.From.Path) + 40
	}
	for _, d := range p.documents(head).Docs {
		bytes += len(d.Source)
	}
	return bytes / 4
}

// Thirty nights cost under a tenth of what the naive way costs.
func TestNights(t *testing.T) {
	if *mirror == "" || *name == "" {
		t.Skip("needs -mirror and -repo")
	}
	r := open(t, *name)
	if r == nil {
		t.Fatal("no such repository")
	}
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	p := newReplay(t, r)
	heads := daily(t, r, head, *nights)
	busy := 0
	for i := 1; i < len(heads); i++ {
		from, to := heads[i-1], heads[i]
		res, err := r.Range(context.Background(), from.Hash, to.Hash, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Commits) > 0 {
			busy++
			p.naive += p.naively(from.Hash, to.Hash)
		}
		out := p.pass(res.Commits, from.Hash, to.Hash, to.Committer.When)
		p.hunks += out.Signals
	}
	p.report(busy)
}

// daily are the heads of n days up to a commit, the oldest first, with the one
// before them: the newest commit of the first-parent line on each day.
func daily(t *testing.T, r *repo.Repo, head repo.Hash, n int) []repo.Commit {
	t.Helper()
	c, err := r.Commit(head)
	if err != nil {
		t.Fatal(err)
	}
	out := []repo.Commit{c}
	end := c.Committer.When.Truncate(24 * time.Hour)
	for len(out) <= n && len(c.Parents) > 0 {
		if c, err = r.Commit(c.Parents[0]); err != nil {
			t.Fatal(err)
		}
		for c.Committer.When.Before(end) && len(out) <= n {
			out = append(out, c)
			end = end.Add(-24 * time.Hour)
		}
	}
	slices.Reverse(out)
	return out
}

func (p *replay) report(busy int) {
	p.t.Helper()
	calls, spent, usd := 0, 0, 0.0
	for stage, u := range p.model.Usage() {
		p.t.Logf("%s: %d calls, %d tokens in, %d out", stage, u.Calls, u.PromptTokens, u.CompletionTokens)
		calls, spent, usd = calls+u.Calls, spent+u.PromptTokens+u.CompletionTokens, usd+u.USD
	}
	ops := map[string]int{}
	for _, e := range p.edits {
		ops[string(e.Edit.Op)]++
	}
	p.t.Logf("%d nights with commits, %d signals; lessons %v; edits %v; backlog %d, waiting %d", busy, p.hunks, p.counts, ops, len(p.state.Backlog), len(p.state.Candidates))
	p.t.Logf("%d calls, %d tokens, $%.3f at the price of a small model; naively %d tokens, $%.2f at that of a strong one", calls, spent, usd, p.naive, float64(p.naive)*1.25/1e6)
	share := 100 * float64(spent) / float64(max(p.naive, 1))
	p.t.Logf("%.1f %% of the naive way", share)
	if share >= 10 {
		p.t.Errorf("%.1f %% is not under a tenth", share)
	}
}
