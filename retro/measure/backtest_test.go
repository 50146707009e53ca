package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/backtest"
)

var (
	past   = flag.Int("past", 0, "how many commits a check is tried on; 0: all")
	listed = flag.String("hits", "", "a directory for the commits that each check hits, a file a check")
)

// proposed is a check as a model would propose it, and the commits that taught its
// rule.
type proposed struct {
	ID      string        `json:"id"`
	Repo    string        `json:"repo"`
	Check   prompts.Check `json:"check"`
	Commits []string      `json:"commits"`
}

// Checks that follow from known corrections, tried on the whole past of their
// repositories. None that hits other commits is clean, and the time is that of
// reading the commits once.
func TestBacktests(t *testing.T) {
	if *mirror == "" {
		t.Skip("needs -mirror")
	}
	raw, err := os.ReadFile("testdata/checks.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(strings.NewReader(string(raw))); lines.Scan(); {
		var p proposed
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		t.Run(p.ID, func(t *testing.T) { tryOnPast(t, p) })
	}
}

func tryOnPast(t *testing.T, p proposed) {
	r := open(t, p.Repo)
	if r == nil {
		t.Skip("the repository is not there")
	}
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Range(context.Background(), repo.Hash{}, head, *past)
	if err != nil {
		t.Fatal(err)
	}
	check, err := backtest.Parse(p.Check.Kind, p.Check.Pattern)
	if err != nil {
		t.Fatal(err)
	}
	var taught []repo.Hash
	for _, id := range p.Commits {
		taught = append(taught, commit(t, r, id).Hash)
	}
	began := time.Now()
	got, err := check.Run(context.Background(), r, res.Commits, taught)
	if err != nil {
		t.Fatal(err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%s %s %q over %d commits: %s; may be a check: %v; %.1f s, %d MB from the system", p.Repo, p.Check.Kind, p.Check.Pattern,
		len(res.Commits), got, got.Clean(), time.Since(began).Seconds(), m.Sys>>20)
	if got.Clean() != (len(got.Hits) == 0 && got.Caught == len(taught)) {
		t.Errorf("clean is %v of %+v", got.Clean(), got)
	}
	if *listed != "" {
		list(t, p.ID, got)
	}
}

// list writes the commits that a check hits, for holding against another tool.
func list(t *testing.T, id string, got backtest.Result) {
	t.Helper()
	var b strings.Builder
	for _, h := range got.Hits {
		b.WriteString(h.String() + "\n")
	}
	if err := os.WriteFile(filepath.Join(*listed, id), []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
