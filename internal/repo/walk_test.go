package repo_test

import (
	"context"
	"errors"
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

const forked = `
-- commit --
date: 2026-03-01T10:00:00Z
label: a

a
-- commit --
label: b

b
-- commit --
branch: side
parent: a
label: x

x
-- commit --
branch: side
label: y

y
-- commit --
merge: side
label: m

m
-- commit --

c
-- commit --
branch: lone
parent: none

z
`

func TestRange(t *testing.T) {
	t.Parallel()
	r := build(t, forked)
	tests := []struct {
		from, to string
		max      int
		want     string
		cut      bool
	}{
		{"", "main", 0, "c m y x b a", false},
		{"", "main", 2, "c m", true},
		{"", "main", 6, "c m y x b a", false},
		{"main", "main", 0, "", false},
		{"main~1", "main", 0, "c", false},
		{"main~2", "main", 0, "c m y x", false},
		{"main~2", "main", 3, "c m y", true},
		{"side", "main", 0, "c m b", false},
		{"main", "side", 0, "", false},
		{"lone", "side", 0, "y x a", false},
		{"side", "lone", 0, "z", false},
	}
	for _, test := range tests {
		var from repo.Hash
		if test.from != "" {
			from = resolve(t, r, test.from)
		}
		res, err := r.Range(context.Background(), from, resolve(t, r, test.to), test.max)
		if err != nil {
			t.Fatal(err)
		}
		if got := subjects(res.Commits); got != test.want || res.Truncated != test.cut || res.Missing != nil {
			t.Errorf("%s..%s max %d: %q, truncated %v, missing %v; want %q, %v", test.from, test.to, test.max, got, res.Truncated, res.Missing, test.want, test.cut)
		}
	}
}

// TestRangeEqualsGit compares with `git rev-list` and with the definition, on
// histories with many merges and dates that run backwards.
func TestRangeEqualsGit(t *testing.T) {
	t.Parallel()
	testkit.NeedGit(t)
	for _, skew := range []time.Duration{0, 6 * time.Hour, 20 * 24 * time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			t.Parallel()
			r := build(t, "")
			rng := rand.New(rand.NewSource(int64(skew) + 7))
			all := randomHistory(t, r, rng, 160, skew)
			for range 25 {
				compareWithGit(t, r, all[rng.Intn(len(all))], all[rng.Intn(len(all))], skew)
			}
		})
	}
}

func compareWithGit(t *testing.T, r *repo.Repo, a, b repo.Hash, skew time.Duration) {
	t.Helper()
	ctx := context.Background()
	res, err := r.Range(ctx, a, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range res.Commits {
		got = append(got, c.Hash.String())
	}
	// git itself is off by a commit now and then where dates run back by weeks:
	// there only the definition counts.
	if want := testkit.Git(t, r.Path(), "rev-list", a.String()+".."+b.String()); skew < 24*time.Hour && strings.Join(got, "\n") != want {
		t.Errorf("%s..%s: got %d commits, git has %d", a, b, len(got), len(strings.Fields(want)))
	}
	behindA, behindB := ancestors(t, r, a), ancestors(t, r, b)
	want := 0
	for h := range behindB {
		if !behindA[h] {
			want++
		}
	}
	for _, c := range res.Commits {
		if behindA[c.Hash] || !behindB[c.Hash] {
			t.Errorf("%s..%s has %s, which is not in the range", a, b, c.Hash)
		}
	}
	if len(got) != want {
		t.Errorf("%s..%s: got %d commits, there are %d", a, b, len(got), want)
	}
	is, err := r.IsAncestor(ctx, a, b)
	if err != nil || is != behindB[a] {
		t.Errorf("IsAncestor(%s, %s) = %v, %v", a, b, is, err)
	}
	base, ok, err := r.MergeBase(ctx, a, b)
	bases := testkit.Git(t, r.Path(), "merge-base", "--all", a.String(), b.String())
	if err != nil || !ok || !strings.Contains(bases, base.String()) {
		t.Errorf("MergeBase(%s, %s) = %s, %v, %v; git has %s", a, b, base, ok, err, bases)
	}
}

// TestRangeWithSkewedDates: `to` stands on X, and so does `from`, behind twenty
// commits that are older than X by their dates. A walk that trusts dates stops
// before it learns that X is not in the range.
func TestRangeWithSkewedDates(t *testing.T) {
	t.Parallel()
	const hour, day = time.Hour, 24 * time.Hour
	tests := []struct {
		name           string
		from, chain, x time.Duration // dates after the start; to is the newest
	}{
		{"within the slop", 20 * day, 10*day - 5*hour, 10 * day},
		{"past the slop, and a step back is seen", 1 * day, 5 * day, 10 * day},
	}
	for _, test := range tests {
		r := build(t, "")
		x := commitAt(t, r, "x", test.x)
		to := commitAt(t, r, "to", 30*day, x)
		from := x
		for i := range 20 {
			from = commitAt(t, r, fmt.Sprint("chain ", i), test.chain, from)
		}
		from = commitAt(t, r, "from", test.from, from)
		res, err := r.Range(context.Background(), from, to, 0)
		if err != nil || subjects(res.Commits) != "to" {
			t.Errorf("%s: from..to has %q, %v; want to", test.name, subjects(res.Commits), err)
		}
		if base, ok, err := r.MergeBase(context.Background(), from, to); base != x || !ok || err != nil {
			t.Errorf("%s: the merge base is %s, %v, %v", test.name, base, ok, err)
		}
	}
}

func commitAt(t *testing.T, r *repo.Repo, message string, after time.Duration, parents ...repo.Hash) repo.Hash {
	t.Helper()
	tree, err := r.WriteTree(repo.Hash{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s := repo.Signature{Name: "A", Email: "a@acme.dev", When: randomStart.Add(after)}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: s, Committer: s, Message: message})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestRangeStopsEarly: the ancestors of from are not all read.
func TestRangeStopsEarly(t *testing.T) {
	t.Parallel()
	r := build(t, "")
	h, all := repo.Hash{}, []repo.Hash{}
	for i := range 100 {
		var parents []repo.Hash
		if i > 0 {
			parents = []repo.Hash{h}
		}
		h = commitAt(t, r, fmt.Sprint(i), time.Duration(i)*7*24*time.Hour, parents...)
		all = append(all, h)
	}
	for _, old := range all[:50] {
		removeObject(t, r, old) // a walk that comes here says so
	}
	r = open(t, r.Path())
	res, err := r.Range(context.Background(), all[90], all[99], 0)
	if err != nil || len(res.Commits) != 9 || len(res.Missing) != 0 {
		t.Errorf("Range = %d commits, missing %v, %v", len(res.Commits), res.Missing, err)
	}
	if is, err := r.IsAncestor(context.Background(), all[60], all[99]); !is || err != nil {
		t.Errorf("IsAncestor = %v, %v", is, err)
	}
	if base, ok, err := r.MergeBase(context.Background(), all[60], all[99]); base != all[60] || !ok || err != nil {
		t.Errorf("MergeBase = %s, %v, %v", base, ok, err)
	}
}

// ancestors is the definition: everything that can be reached.
func ancestors(t *testing.T, r *repo.Repo, h repo.Hash) map[repo.Hash]bool {
	t.Helper()
	seen := map[repo.Hash]bool{}
	todo := []repo.Hash{h}
	for len(todo) > 0 {
		h, todo = todo[0], todo[1:]
		if seen[h] {
			continue
		}
		seen[h] = true
		c, err := r.Commit(h)
		if err != nil {
			t.Fatal(err)
		}
		todo = append(todo, c.Parents...)
	}
	return seen
}

func TestFirstParents(t *testing.T) {
	t.Parallel()
	r := build(t, forked)
	walk := func(max int) string {
		var commits []repo.Commit
		err := r.FirstParents(context.Background(), resolve(t, r, "main"), func(c repo.Commit) bool {
			commits = append(commits, c)
			return len(commits) != max
		})
		if err != nil {
			t.Fatal(err)
		}
		return subjects(commits)
	}
	if got := walk(0); got != "c m b a" {
		t.Errorf("all: %q", got)
	}
	if got := walk(2); got != "c m" {
		t.Errorf("stopped after two: %q", got)
	}
}

func TestMergeBaseOfUnrelated(t *testing.T) {
	t.Parallel()
	r := build(t, forked)
	main, lone := resolve(t, r, "main"), resolve(t, r, "lone")
	if base, ok, err := r.MergeBase(context.Background(), main, lone); ok || err != nil {
		t.Errorf("MergeBase = %s, %v, %v; the histories have nothing in common", base, ok, err)
	}
	if base, ok, _ := r.MergeBase(context.Background(), main, main); !ok || base != main {
		t.Errorf("MergeBase of a commit with itself is %s, %v", base, ok)
	}
}

func TestShallow(t *testing.T) {
	t.Parallel()
	r := build(t, forked)
	cut := resolve(t, r, "main~2") // b
	a := resolve(t, r, "main~3")
	removeObject(t, r, a)
	writeFile(t, filepath.Join(r.Path(), "shallow"), cut.String()+"\n"+resolve(t, r, "side~1").String()+"\n")
	r = open(t, r.Path())
	if !r.Shallow() || !r.Boundary(cut) {
		t.Fatal("the repository is not seen as shallow")
	}
	res, err := r.Range(context.Background(), repo.Hash{}, resolve(t, r, "main"), 0)
	if err != nil || subjects(res.Commits) != "c m y x b" || len(res.Missing) != 0 || len(res.Cut) != 2 {
		t.Errorf("Range = %q, missing %v, cut %v, %v", subjects(res.Commits), res.Missing, res.Cut, err)
	}
	_, err = r.LastHeld(context.Background(), resolve(t, r, "main"), []string{"gone"}, repo.HistoryOptions{})
	if !errors.Is(err, repo.ErrHistoryCut) {
		t.Errorf("LastHeld in a shallow clone = %v, want ErrHistoryCut: it cannot say \"never\"", err)
	}
}

func TestMissingCommit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	r := build(t, forked)
	main, gone := resolve(t, r, "main"), resolve(t, r, "main~2")
	removeObject(t, r, gone)
	r = open(t, r.Path())
	res, err := r.Range(ctx, repo.Hash{}, main, 0)
	if err != nil || subjects(res.Commits) != "c m y x a" || fmt.Sprint(res.Missing) != fmt.Sprint([]repo.Hash{gone}) {
		t.Errorf("Range = %q, missing %v, %v", subjects(res.Commits), res.Missing, err)
	}
	if _, err := r.Range(ctx, gone, main, 0); !errors.Is(err, repo.ErrMissing) {
		t.Errorf("Range from a missing commit = %v, want ErrMissing", err)
	}
	if err := r.FirstParents(ctx, main, func(repo.Commit) bool { return true }); !errors.Is(err, repo.ErrMissing) {
		t.Errorf("FirstParents = %v, want ErrMissing", err)
	}
}

// removeObject deletes a loose object.
func removeObject(t *testing.T, r *repo.Repo, h repo.Hash) {
	t.Helper()
	hex := h.String()
	if err := os.Remove(filepath.Join(r.GitDir(), "objects", hex[:2], hex[2:])); err != nil {
		t.Fatal(err)
	}
}

func TestCanceled(t *testing.T) {
	t.Parallel()
	r := build(t, forked)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	main := resolve(t, r, "main")
	if _, err := r.Range(ctx, repo.Hash{}, main, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("Range = %v", err)
	}
	if _, err := r.IsAncestor(ctx, resolve(t, r, "lone"), main); !errors.Is(err, context.Canceled) {
		t.Errorf("IsAncestor = %v", err)
	}
	if _, err := r.LastHeld(ctx, main, []string{"x"}, repo.HistoryOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("LastHeld = %v", err)
	}
}
