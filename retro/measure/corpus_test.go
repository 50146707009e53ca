package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal"
)

var (
	mirror      = flag.String("mirror", "", "directory with the repositories, OWNER+NAME/repo each")
	corrections = flag.String("corrections", "", "file of known corrections, a JSON object a line")
	draw        = flag.Bool("draw", false, "draw the ordinary commits again")
)

const (
	ordinaryFile = "testdata/ordinary.txt"
	ordinaries   = 300
	seed         = 6
)

// correction is a commit in which somebody recorded a lesson.
type correction struct {
	ID            string   `json:"id"`
	Repo          string   `json:"repo"`
	Commit        string   `json:"commit"`
	Files         []string `json:"files"`
	Generalizable string   `json:"generalizable"`
	Lesson        string   `json:"lesson"`
}

func readCorrections(t *testing.T) []correction {
	t.Helper()
	if *mirror == "" || *corrections == "" {
		t.Skip("needs -mirror and -corrections")
	}
	f, err := os.Open(*corrections)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []correction
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c correction
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

// open opens a repository of the mirror; nil where it is not there.
func open(t *testing.T, name string) *repo.Repo {
	t.Helper()
	r, err := repo.Open(context.Background(), filepath.Join(*mirror, strings.ReplaceAll(name, "/", "+"), "repo"))
	if err != nil {
		t.Logf("%s is left out: %v", name, err)
		return nil
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func commit(t *testing.T, r *repo.Repo, id string) repo.Commit {
	t.Helper()
	h, err := r.Resolve(id)
	if err != nil {
		t.Fatal(err)
	}
	c, err := r.Commit(h)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// ordinary reads the ordinary commits, by repository. With -draw they are drawn
// again: from all commits of each repository that are no merges and no
// corrections, in proportion to its corrections.
func ordinary(t *testing.T, known []correction) map[string][]string {
	t.Helper()
	if *draw {
		drawAgain(t, known)
	}
	raw, err := os.ReadFile(ordinaryFile)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		if name, id, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			out[name] = append(out[name], id)
		}
	}
	return out
}

func drawAgain(t *testing.T, known []correction) {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, seed))
	count, taken := map[string]int{}, map[string]bool{}
	for _, c := range known {
		count[c.Repo]++
		taken[c.Commit] = true
	}
	var b strings.Builder
	fmt.Fprintf(&b, "# %d ordinary commits, seed %d\n", ordinaries, seed)
	names, left, rest := slices.Sorted(maps.Keys(count)), ordinaries, len(known)
	for _, name := range names {
		n := left * count[name] / rest
		left, rest = left-n, rest-count[name]
		for _, id := range pick(t, name, n, taken, random) {
			fmt.Fprintf(&b, "%s %s\n", name, id)
		}
	}
	if err := os.WriteFile(ordinaryFile, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

func pick(t *testing.T, name string, n int, taken map[string]bool, random *rand.Rand) []string {
	t.Helper()
	r := open(t, name)
	if r == nil {
		t.Fatalf("draw needs %s", name)
	}
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	res, err := r.Range(context.Background(), repo.Hash{}, head, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, c := range res.Commits {
		if len(c.Parents) == 1 && !taken[c.Hash.String()] {
			ids = append(ids, c.Hash.String())
		}
	}
	random.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[:min(n, len(ids))]
}

func extract(t *testing.T, r *repo.Repo, commits []repo.Commit, o signal.Options) []*signal.Signal {
	t.Helper()
	o.Classify = knowledge.NewClassifier(nil).Classify
	res, err := signal.Extract(context.Background(), r, commits, o)
	if err != nil {
		t.Fatal(err)
	}
	signal.Rank(res.Signals)
	return res.Signals
}
