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
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro"
	"github.com/retrosweep/retrosweep/retro/rules"
)

var (
	name    = flag.String("repo", "", "the repository whose nights are replayed, OWNER/NAME")
	until   = flag.String("until", "", "the commit of the last night; without it the newest")
	nights  = flag.Int("nights", 30, "how many nights, up to the last")
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
	c, err := llm.New(llm.Options{Default: llm.Stage{Generator: g}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// replay is a repository whose nights pass one after another. What a night
// proposes is taken in by the next morning, whatever its route, and laid anew
// over what people have written since.
type replay struct {
	t       *testing.T
	repo    *repo.Repo
	state   *journal.State
	model   *llm.Client
	naive   int // tokens of the whole diff and all documents
	asks    int // nights with commits: the calls of the naive way
	night   int
	edits   []dated
	lessons []report.Lesson
	signals int
}

// dated is an edit and the night that made it.
type dated struct {
	retro.RoutedEdit
	night int
	rule  string   // the key of the rule that it makes or changes
	took  []string // the keys of those that a merge took up
	over  bool     // people changed its place since: it cannot be laid over any more
}

func newReplay(t *testing.T, r *repo.Repo) *replay {
	t.Helper()
	return &replay{t: t, repo: r, state: &journal.State{}, model: client(t)}
}

// pass is one night over the commits between two.
func (p *replay) pass(commits []repo.Commit, from, head repo.Hash, now time.Time) retro.Result {
	p.t.Helper()
	p.night++
	docs := p.documents(head)
	res, err := retro.Run(context.Background(), retro.Input{
		Repo: p.repo, Commits: commits, From: from, Head: head, Corpus: docs, State: p.state, Model: p.model, Now: now,
		Limits: retro.Limits{Tokens: *tokens},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	if !res.Complete {
		p.t.Fatalf("night %d of %s has no answers; those before it are not asked for again where they were recorded: %v", p.night, now.Format(time.DateOnly), res.Warnings)
	}
	p.lessons = append(p.lessons, res.Lessons...)
	p.signals += res.Signals
	p.state.Backlog, p.state.Candidates = res.Backlog, res.Candidates
	p.state.Correct(res.Corrections)
	for _, e := range res.Edits {
		p.edits = append(p.edits, p.date(docs, e))
	}
	return res
}

// date names the rules that an edit makes, changes and takes up.
func (p *replay) date(docs *corpus.Corpus, e retro.RoutedEdit) dated {
	out := dated{RoutedEdit: e, night: p.night, rule: rules.KeyOf(e.Edit.Path, e.Signal.Commit[:10])}
	for _, r := range rules.Collect(docs.Docs).Rules {
		switch {
		case r.Doc.Path != e.Edit.Path:
		case r.Fact.ID == e.Edit.FactID:
			out.rule = r.Key()
		case slices.Contains(e.Edit.Merge, r.Fact.ID):
			out.took = append(out.took, r.Key())
		}
	}
	return out
}

// overlay lays the edits so far over a tree, one after another. One whose place
// is not there any more is given up.
func (p *replay) overlay(all *corpus.Corpus) map[string][]byte {
	over := map[string][]byte{}
	read := func(path string) ([]byte, bool) {
		if b, ok := over[path]; ok {
			return b, b != nil
		}
		if d := all.Doc(path); d != nil {
			return d.Source, true
		}
		return nil, false
	}
	for i := range p.edits {
		e := &p.edits[i]
		if e.over {
			continue
		}
		changes, err := knowledge.Apply(read, []knowledge.Edit{e.Edit})
		if err != nil {
			p.t.Logf("night %d: overtaken on night %d: %v", e.night, p.night, err)
			e.over = true
			continue
		}
		maps.Copy(over, changes)
	}
	return over
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
	over := p.overlay(all)
	docs := slices.DeleteFunc(slices.Clone(all.Docs), func(d *knowledge.Document) bool { _, ok := over[d.Path]; return ok })
	for _, path := range slices.Sorted(maps.Keys(over)) {
		if format, _, ok := classes.Classify(path); ok && over[path] != nil {
			docs = append(docs, knowledge.Parse(path, over[path], format))
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

// Thirty nights cost under a tenth of what the naive way costs. What they leave
// is logged: the rules, how often they changed, and what became of corrections
// that are known.
func TestNights(t *testing.T) {
	if *mirror == "" || *name == "" {
		t.Skip("needs -mirror and -repo")
	}
	r := open(t, *name)
	if r == nil {
		t.Fatal("no such repository")
	}
	_, head, err := r.Head()
	if err == nil && *until != "" {
		head, err = r.Resolve(*until)
	}
	if err != nil {
		t.Fatal(err)
	}
	p, seen := newReplay(t, r), map[string]bool{}
	heads := daily(t, r, head, *nights)
	for i := 1; i < len(heads); i++ {
		from, to := heads[i-1], heads[i]
		res, err := r.Range(context.Background(), from.Hash, to.Hash, 0)
		if err != nil {
			t.Fatal(err)
		}
		if len(res.Commits) > 0 {
			p.asks++
			p.naive += p.naively(from.Hash, to.Hash)
		}
		for _, c := range res.Commits {
			seen[c.Hash.String()] = true
		}
		p.pass(res.Commits, from.Hash, to.Hash, to.Committer.When)
	}
	t.Logf("%s, %s to %s: %d nights, %d with commits, %d commits, %d signals", *name,
		heads[0].Committer.When.Format(time.DateOnly), heads[len(heads)-1].Committer.When.Format(time.DateOnly), len(heads)-1, p.asks, len(seen), p.signals)
	p.left(head)
	p.recalled(seen)
	p.cost()
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
