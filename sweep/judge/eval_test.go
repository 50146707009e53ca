package judge_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/openai"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/judge"
)

// The evaluation is run by hand, see testdata/README.md of package sweep:
//
//	go test ./sweep/judge -run Evaluation -timeout 3h -repos DIR -endpoint http://127.0.0.1:8089/v1
var (
	reposDir = flag.String("repos", "", "directory of public repositories, each as owner+name/repo")
	endpoint = flag.String("endpoint", "", "base URL of the model that is asked")
	model    = flag.String("judge", "desk", "name of the model")
	renders  = flag.String("renders", "", "directory to write the questions into, as they are asked")
	scores   = flag.String("scores", "", "file to write a line an answer into")
)

// pair is one claim at two commits, with what git says of it.
type pair struct {
	ID     string            `json:"id"`
	Repo   string            `json:"repo"`
	Before string            `json:"before"` // commit
	After  string            `json:"after"`  // commit; the claim is read there
	Doc    string            `json:"doc"`
	Line   int               `json:"line"`
	Path   string            `json:"path"`             // the file that is shown
	Symbol string            `json:"symbol,omitempty"` // "" for the file
	Label  knowledge.Verdict `json:"label"`
	Kind   string            `json:"kind"`
}

func readPairs(t *testing.T) []pair {
	t.Helper()
	src, err := os.ReadFile("../testdata/pairs.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []pair
	for s := bufio.NewScanner(bytes.NewReader(src)); s.Scan(); {
		var p pair
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// question is what the product would ask about a pair.
func (p pair) question(ctx context.Context, dir string) (judge.Question, bool, error) {
	r, err := repo.Open(ctx, filepath.Join(dir, strings.ReplaceAll(p.Repo, "/", "+"), "repo"))
	if err != nil {
		return judge.Question{}, false, err
	}
	defer r.Close()
	var sides [2]repo.Commit
	for i, rev := range []string{p.Before, p.After} {
		h, err := r.Resolve(rev)
		if err != nil {
			return judge.Question{}, false, err
		}
		if sides[i], err = r.Commit(h); err != nil {
			return judge.Question{}, false, err
		}
	}
	d, f, err := p.fact(r, sides[1])
	if err != nil {
		return judge.Question{}, false, err
	}
	reader, err := judge.NewReader(ctx, r, sides[1].Tree, []*knowledge.Document{d})
	if err != nil {
		return judge.Question{}, false, err
	}
	c, err := reader.Since(ctx, sides[0].Tree)
	if err != nil {
		return judge.Question{}, false, err
	}
	target := judge.Target{Kind: knowledge.AnchorFile, Text: p.Path, Path: p.Path}
	if p.Symbol != "" {
		target = judge.Target{Kind: knowledge.AnchorSymbol, Text: p.Symbol, Path: p.Path, Symbol: p.Symbol}
	}
	q, err := c.Question(d, f, []judge.Target{target})
	return q, c.Differs(target), err
}

// fact is the smallest fact of the pair's line.
func (p pair) fact(r *repo.Repo, at repo.Commit) (*knowledge.Document, *knowledge.Fact, error) {
	tree, err := r.Tree(at.Tree)
	if err != nil {
		return nil, nil, err
	}
	e, ok, err := tree.Entry(p.Doc)
	if err != nil || !ok {
		return nil, nil, fmt.Errorf("%s: %s is not there (%v)", p.ID, p.Doc, err)
	}
	src, err := r.Blob(e.Hash, 1<<20)
	if err != nil {
		return nil, nil, err
	}
	format, _, ok := knowledge.NewClassifier(nil).Classify(p.Doc)
	if !ok {
		format = knowledge.Docs
	}
	d := knowledge.Parse(p.Doc, src, format)
	var best *knowledge.Fact
	for i := range d.Facts {
		f := &d.Facts[i]
		if f.Line <= p.Line && p.Line <= f.EndLine && (best == nil || f.EndLine-f.Line < best.EndLine-best.Line) {
			best = f
		}
	}
	if best == nil {
		return nil, nil, fmt.Errorf("%s: no fact stands at %s:%d", p.ID, p.Doc, p.Line)
	}
	return d, best, nil
}

// result is what became of one pair.
type result struct {
	pair
	Differs bool              `json:"differs"` // what is named looks different after: the floor's answer
	Verdict knowledge.Verdict `json:"verdict"`
	Reason  string            `json:"reason,omitempty"`
	Words   string            `json:"words,omitempty"`
	Err     string            `json:"err,omitempty"`
}

func TestEvaluation(t *testing.T) {
	if *reposDir == "" || *endpoint == "" {
		t.Skip("run by hand with -repos and -endpoint")
	}
	g, err := openai.New(openai.Options{BaseURL: *endpoint, Model: *model, Timeout: 30 * time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	client, err := llm.New(llm.Options{Stages: map[string]llm.Stage{judge.Stage: {Generator: g}}})
	if err != nil {
		t.Fatal(err)
	}
	pairs := readPairs(t)
	results := make([]result, len(pairs))
	var wait sync.WaitGroup
	for i, p := range pairs {
		results[i] = result{pair: p}
		q, differs, err := p.question(t.Context(), *reposDir)
		if err != nil {
			results[i].Err = err.Error()
			continue
		}
		results[i].Differs = differs
		render(t, q, p.ID)
		wait.Go(func() {
			a, err := judge.Ask(t.Context(), client, q)
			if err != nil {
				results[i].Err = err.Error()
				return
			}
			results[i].Verdict, results[i].Reason, results[i].Words = a.Verdict, a.Reason, a.Words
		})
	}
	wait.Wait()
	report(t, results)
}

// render writes a question down where that is asked for.
func render(t *testing.T, q judge.Question, id string) {
	t.Helper()
	if *renders == "" {
		return
	}
	p, err := q.Prompt()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*renders, id+".txt"), []byte(p.User), 0o600); err != nil {
		t.Fatal(err)
	}
}

// report prints the table, and writes a line an answer where that is asked for.
func report(t *testing.T, results []result) {
	t.Helper()
	var lines bytes.Buffer
	var judged, never, changed score
	for _, r := range results {
		b, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&lines, "%s\n", b)
		if r.Err != "" {
			t.Logf("not asked: %s: %s", r.ID, r.Err)
			continue
		}
		judged.add(r.Label, r.Verdict)
		never.add(r.Label, knowledge.Unknown)
		floor := knowledge.Fresh
		if r.Differs {
			floor = knowledge.Stale
		}
		changed.add(r.Label, floor)
	}
	t.Logf("judge\t%s", judged)
	t.Logf("always unknown\t%s", never)
	t.Logf("fingerprint changed = stale\t%s", changed)
	if *scores != "" {
		if err := os.WriteFile(*scores, lines.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// score counts answers for the verdict stale.
type score struct{ hit, early, missed, right, unknown, n int }

func (s *score) add(label, got knowledge.Verdict) {
	s.n++
	switch {
	case got == knowledge.Stale && label == knowledge.Stale:
		s.hit++
	case got == knowledge.Stale:
		s.early++
	case label == knowledge.Stale:
		s.missed++
	default:
		s.right++
	}
	if got == knowledge.Unknown {
		s.unknown++
	}
}

// String is precision, recall and F1.
func (s score) String() string {
	var p, r, f float64
	if s.hit > 0 {
		p, r = float64(s.hit)/float64(s.hit+s.early), float64(s.hit)/float64(s.hit+s.missed)
		f = 2 * p * r / (p + r)
	}
	return fmt.Sprintf("n %d, F1 %.3f, precision %.3f, recall %.3f (hit %d, early %d, missed %d, right %d; unknown %d)",
		s.n, f, p, r, s.hit, s.early, s.missed, s.right, s.unknown)
}
