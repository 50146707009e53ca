package sweep_test

import (
	"context"
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/sweep"
)

var shareDir = flag.String("share", "", "directory of public repositories, each as owner+name/repo: count what would be judged there")

// counter answers every question with unknown.
type counter struct {
	tokens int
	pairs  []string
}

func (c *counter) Ask(_ context.Context, _ string, p prompts.Prompt, out any) error {
	c.tokens += (len(p.System) + len(p.User)) / 4
	switch a := out.(type) {
	case *prompts.JudgeAnswer:
		a.Verdict = "unknown"
	case *prompts.ContradictAnswer:
		a.Verdict = "unknown"
		c.pairs = append(c.pairs, p.User)
	}
	return nil
}

// Of the facts that a range touches, few are worth a question. Run by hand:
//
//	go test ./sweep -run Share -v -share DIR
func TestShareOfTouchedFacts(t *testing.T) {
	if *shareDir == "" {
		t.Skip("run by hand with -share")
	}
	for _, name := range []string{"steveyegge+beads", "basicmachines-co+basic-memory", "charmbracelet+crush", "jayminwest+overstory", "arkanwolfshade+MythosMUD", "0xMiden+wallet", "avifenesh+agnix"} {
		for _, span := range []int{10, 100} {
			share(t, name, span)
		}
	}
}

func share(t *testing.T, name string, span int) {
	t.Helper()
	ctx := t.Context()
	r, err := repo.Open(ctx, filepath.Join(*shareDir, name, "repo"))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	to, err := r.Commit(head)
	if err != nil {
		t.Fatal(err)
	}
	from, n := head, 0
	err = r.FirstParents(ctx, head, func(c repo.Commit) bool { from, n = c.Hash, n+1; return n <= span })
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(to.Tree)
	if err != nil {
		t.Fatal(err)
	}
	class := knowledge.NewClassifier(nil)
	co, err := corpus.Load(ctx, r, tree, class, corpus.Options{})
	if err != nil {
		t.Fatal(err)
	}
	asked, start := &counter{}, time.Now()
	res, err := sweep.Run(ctx, sweep.Input{
		Repo: r, From: from, To: to, Corpus: co, Policy: guard.NewPolicy(class, guard.Routes{}, guard.Routes{}), Now: to.Committer.When, Judge: asked,
	})
	if err != nil {
		t.Fatal(err)
	}
	f := res.Facts
	t.Logf("%s, %d commits: %d facts, %d touched, %d judged: %.1f %%, %d pairs, %d left, %d tokens, %s", name, span, f.Total, f.Touched, f.Judged,
		100*float64(f.Judged)/float64(max(f.Touched, 1)), len(asked.pairs), f.Pairs[knowledge.ReasonBudget], asked.tokens, time.Since(start).Round(10*time.Millisecond))
}
