package repo_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	gosync "sync"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const (
	journalRef = "refs/retrosweep/journal"
	branchRef  = "refs/heads/retrosweep/upkeep"
)

func refAt(t *testing.T, r *repo.Repo, name string) repo.Hash {
	t.Helper()
	h, _, err := r.Ref(name)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestPushCreatesMovesAndDeletes(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, forked)
	r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache"), o.options)
	ctx, main := context.Background(), resolve(t, r, "main")
	work := commitOn(t, r, main, "work")
	root := commitOn(t, r, repo.Hash{}, "journal")
	push := func(updates ...repo.RefUpdate) error { return r.Push(ctx, o.options, updates) }

	if err := push(repo.RefUpdate{Name: branchRef, New: work}, repo.RefUpdate{Name: journalRef, New: root}, repo.RefUpdate{Name: "refs/heads/main", Old: main, New: main}); err != nil {
		t.Fatal(err)
	}
	next := commitOn(t, r, root, "next")
	if err := push(repo.RefUpdate{Name: journalRef, Old: root, New: next}, repo.RefUpdate{Name: "refs/heads/main", Old: main, New: work}); err != nil {
		t.Fatal(err)
	}
	// Back and to the side: a journal is re-rooted, a branch is built anew.
	if err := push(repo.RefUpdate{Name: journalRef, Old: next, New: root}, repo.RefUpdate{Name: branchRef, Old: work}); err != nil {
		t.Fatal(err)
	}
	if got := refAt(t, o.Repo, journalRef); got != root || !refAt(t, o.Repo, branchRef).IsZero() || resolve(t, o.Repo, "main") != work {
		t.Errorf("journal %s, want %s; references %s", got, root, refNames(t, o.Repo))
	}
	testkit.Git(t, o.Path(), "fsck", "--strict")
}

// TestPushRefusesAsAWhole: one old value that differs keeps the others back.
func TestPushRefusesAsAWhole(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, forked)
	r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache"), o.options)
	main, side := resolve(t, r, "main"), resolve(t, r, "side")
	work := commitOn(t, r, main, "work")
	tests := map[string]struct {
		update repo.RefUpdate
		want   error
	}{
		"moved":       {repo.RefUpdate{Name: "refs/heads/main", Old: side, New: work}, repo.ErrRefMoved},
		"is there":    {repo.RefUpdate{Name: "refs/heads/side", New: work}, repo.ErrRefMoved},
		"is gone":     {repo.RefUpdate{Name: "refs/heads/gone", Old: main, New: work}, repo.ErrRefMoved},
		"only look":   {repo.RefUpdate{Name: "refs/heads/side", Old: main, New: main}, repo.ErrRefMoved},
		"in the way":  {repo.RefUpdate{Name: "refs/heads/main/below", New: work}, nil},
		"tag":         {repo.RefUpdate{Name: "refs/tags/v1", New: work}, nil},
		"not a ref":   {repo.RefUpdate{Name: "main:refs/heads/x", New: work}, nil},
		"wildcard":    {repo.RefUpdate{Name: "refs/heads/*", New: work}, nil},
		"dash":        {repo.RefUpdate{Name: "--upload-pack=x", New: work}, nil},
		"twice":       {repo.RefUpdate{Name: journalRef, New: main}, nil},
		"nothing":     {repo.RefUpdate{Name: "refs/heads/x"}, nil},
		"no such new": {repo.RefUpdate{Name: "refs/heads/x", New: repo.Hash{9}}, repo.ErrMissing},
	}
	for name, test := range tests {
		err := r.Push(context.Background(), o.options, []repo.RefUpdate{{Name: journalRef, New: work}, test.update})
		if err == nil || test.want != nil && !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", name, err, test.want)
		}
	}
	if got := refNames(t, o.Repo); got != "refs/heads/lone refs/heads/main refs/heads/side" {
		t.Errorf("references %s", got)
	}
}

// TestPushersRace: of six that push from one state exactly one wins, round after
// round, and no push is done in part.
func TestPushersRace(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	const pushers, rounds = 6, 5
	var clones []*repo.Repo
	for i := range pushers {
		r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache", fmt.Sprint(i)), o.options)
		clones = append(clones, r)
	}
	for round := range rounds {
		journal, main := refAt(t, o.Repo, journalRef), refAt(t, o.Repo, "refs/heads/main")
		errs := make([]error, pushers)
		tips := make([]repo.Hash, pushers)
		var all gosync.WaitGroup
		for i, r := range clones {
			if _, err := r.Fetch(context.Background(), o.options); err != nil {
				t.Fatal(err)
			}
			tips[i] = commitOn(t, r, main, fmt.Sprintf("round-%d-by-%d", round, i))
			all.Go(func() {
				errs[i] = r.Push(context.Background(), o.options, []repo.RefUpdate{
					{Name: "refs/heads/main", Old: main, New: tips[i]}, {Name: journalRef, Old: journal, New: tips[i]},
					{Name: fmt.Sprintf("refs/heads/retrosweep/round-%d", round), New: tips[i]}})
			})
		}
		all.Wait()
		var won []repo.Hash
		for i, err := range errs {
			if err == nil {
				won = append(won, tips[i])
			} else if !errors.Is(err, repo.ErrRefMoved) {
				t.Errorf("round %d, pusher %d: %v", round, i, err)
			}
		}
		if len(won) != 1 {
			t.Fatalf("round %d: %d winners", round, len(won))
		}
		for _, ref := range []string{"refs/heads/main", journalRef, fmt.Sprintf("refs/heads/retrosweep/round-%d", round)} {
			if got := refAt(t, o.Repo, ref); got != won[0] {
				t.Errorf("round %d: %s is at %s, the winner pushed %s", round, ref, got, won[0])
			}
		}
	}
	testkit.Git(t, o.Path(), "fsck", "--strict")
}

func hook(t *testing.T, o *origin, name, script string) {
	t.Helper()
	file := filepath.Join(o.Path(), "hooks", name)
	writeFile(t, file, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(file, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestPushRefusedByARule gives the host's own words, cleaned.
func TestPushRefusedByARule(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		setup                func(t *testing.T, o *origin)
		ref, reason, message string
	}{
		"pre-receive": {
			func(t *testing.T, o *origin) {
				hook(t, o, "pre-receive", "printf 'GH006: \\033[31mprotected branch\\n' >&2; exit 1")
			},
			journalRef, "pre-receive hook declined", "GH006: ?[31mprotected branch",
		},
		"the hook names the ref": {
			func(t *testing.T, o *origin) {
				hook(t, o, "pre-receive", "echo no pushes to refs/heads/main >&2; exit 1")
			},
			"refs/heads/main", "pre-receive hook declined", "no pushes to refs/heads/main",
		},
		"one ref": {
			func(t *testing.T, o *origin) {
				hook(t, o, "update", `case "$1" in refs/heads/main) echo review it first; exit 1;; esac`)
			},
			"refs/heads/main", "hook declined", "review it first",
		},
		"hidden": {
			func(t *testing.T, o *origin) {
				testkit.Git(t, o.Path(), "config", "receive.hideRefs", "refs/retrosweep")
			},
			journalRef, "deny updating a hidden ref", "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := serveOrigin(t, three)
			test.setup(t, o)
			r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache"), o.options)
			main := resolve(t, r, "main")
			work := commitOn(t, r, main, "work")
			err := r.Push(context.Background(), o.options, []repo.RefUpdate{{Name: journalRef, New: work}, {Name: "refs/heads/main", Old: main, New: work}})
			refused := &repo.RefusedError{}
			if !errors.As(err, &refused) || refused.Ref != test.ref || refused.Reason != test.reason || !strings.Contains(refused.Message, test.message) {
				t.Errorf("%v\n%+v", err, refused)
			}
			// git takes the rest when it refuses what it hides; then it is said.
			moved := resolve(t, o.Repo, "main") != main
			if got := refNames(t, o.Repo); got != "refs/heads/main" || moved != slices.Contains(refused.Done, "refs/heads/main") {
				t.Errorf("pushed: %s, main moved: %v, said: %v", got, moved, refused.Done)
			}
		})
	}
}

func TestPushWithoutPermission(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache"), o.options)
	o.server.Before(func(w http.ResponseWriter, q *http.Request) bool {
		http.Error(w, "your token "+q.Header.Get("Authorization")+" may not write\x1b[2J", http.StatusForbidden)
		return true
	})
	err := r.Push(context.Background(), o.options, []repo.RefUpdate{{Name: journalRef, New: resolve(t, r, "main")}})
	if !errors.Is(err, remote.ErrForbidden) || !strings.Contains(err.Error(), "may not write") || strings.Contains(err.Error(), "\x1b") {
		t.Errorf("push without permission: %v", err)
	}
}

// TestPushSendsLittle: a branch off an old commit of a long history sends only
// what is new.
func TestPushSendsLittle(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, "")
	all := randomHistory(t, o.Repo, randomSource(7), 200, 0)
	setRef(t, o.Repo, "refs/heads/main", all[199])
	r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache"), o.options)
	var old repo.Hash
	for h := range ancestors(t, r, all[199]) {
		if c, _ := r.Commit(h); len(c.Parents) == 0 {
			old = h
		}
	}
	var sent int64
	o.server.Before(func(_ http.ResponseWriter, q *http.Request) bool { sent = q.ContentLength; return false })
	if err := r.Push(context.Background(), o.options, []repo.RefUpdate{{Name: branchRef, New: commitOn(t, r, old, "work")}}); err != nil {
		t.Fatal(err)
	}
	if sent <= 0 || sent > 2000 {
		t.Errorf("the push had %d bytes", sent)
	}
}

// TestPushOfARevert: the tree of a revert stands in an older commit too, and what
// that one brought has to be sent all the same.
func TestPushOfARevert(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, forked)
	r := build(t, `
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-02T10:00:00Z

begin
-- a/x --
1
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-03T10:00:00Z

bring y
-- a/y/f --
1
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-04T10:00:00Z

change x
-- a/x --
2
-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-11-05T10:00:00Z

change it back
-- a/x --
1
`)
	if err := r.Push(t.Context(), o.options, []repo.RefUpdate{{Name: "refs/heads/reverted", New: resolve(t, r, "main")}}); err != nil {
		t.Fatal(err)
	}
	testkit.Git(t, o.Path(), "fsck", "--strict")
}
