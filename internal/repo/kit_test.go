package repo_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// build makes a bare repository from a history.
func build(t *testing.T, history string) *repo.Repo {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(history))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func open(t *testing.T, path string) *repo.Repo {
	t.Helper()
	r, err := repo.Open(context.Background(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func resolve(t *testing.T, r *repo.Repo, rev string) repo.Hash {
	t.Helper()
	h, err := r.Resolve(rev)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// subjects are the first lines of commit messages.
func subjects(commits []repo.Commit) string {
	var out []string
	for _, c := range commits {
		subject, _, _ := strings.Cut(c.Message, "\n")
		out = append(out, subject)
	}
	return strings.Join(out, " ")
}

func describe(changes []repo.Change) string {
	var out []string
	for _, c := range changes {
		switch c.Kind {
		case repo.Renamed:
			out = append(out, "R "+c.From.Path+" -> "+c.To.Path)
		default:
			out = append(out, fmt.Sprintf("%c %s", "?ADM"[c.Kind], c.Path()))
		}
	}
	return strings.Join(out, ", ")
}

func writeFile(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// randomHistory writes n commits with up to three parents each; dates run
// forward, except for a share of commits that are up to skew off.
func randomHistory(t *testing.T, r *repo.Repo, rng *rand.Rand, n int, skew time.Duration) []repo.Hash {
	t.Helper()
	var all []repo.Hash
	when := randomStart
	tree := repo.Hash{}
	for i := range n {
		var err error
		path := fmt.Sprintf("d%d/f%d.txt", rng.Intn(4), rng.Intn(6))
		if tree, err = r.WriteTree(tree, map[string][]byte{path: fmt.Appendf(nil, "%d\n", i)}); err != nil {
			t.Fatal(err)
		}
		var parents []repo.Hash
		for range 1 + max(0, rng.Intn(6)-3) {
			if i > 0 {
				// Near parents make long chains, far ones make branches.
				back := 1 + min(rng.Intn(4), i-1)
				if rng.Intn(8) == 0 {
					back = 1 + rng.Intn(i)
				}
				parents = append(parents, all[i-back])
			}
		}
		when = when.Add(time.Duration(rng.Intn(5)) * time.Hour)
		date := when
		if skew > 0 && rng.Intn(5) == 0 {
			date = date.Add(time.Duration(rng.Int63n(int64(2*skew))) - skew)
		}
		s := repo.Signature{Name: "A", Email: "a@acme.dev", When: date}
		h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: dedupe(parents), Author: s, Committer: s, Message: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, h)
	}
	return all
}

var randomStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func dedupe(hs []repo.Hash) []repo.Hash {
	var out []repo.Hash
	seen := map[repo.Hash]bool{}
	for _, h := range hs {
		if !seen[h] {
			seen[h] = true
			out = append(out, h)
		}
	}
	return out
}

func randomSource(seed int64) *rand.Rand { return rand.New(rand.NewSource(seed)) }
