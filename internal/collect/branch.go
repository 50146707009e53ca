package collect

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Branch is where what was collected waits for a person. It lies outside of the
// proposals' prefix: nothing tends it but this command.
const Branch = "retrosweep-collected"

// Dir is where the memories are kept in the repository.
const Dir = ".claude/memory"

// Plan is what a collection would write.
type Plan struct {
	Items []Item            // those that the repository does not have yet
	Known int               // those that it has
	Files map[string][]byte // new files, by path
	base  repo.Hash         // the commit that they are written on
	old   repo.Hash         // where the branch is; zero: it is not there
}

// Prepare leaves out what the repository or the branch says already, from
// whatever machine it came, and lays the rest out as files.
func Prepare(ctx context.Context, r *repo.Repo, all []Item) (Plan, error) {
	_, head, err := r.Head()
	if err != nil {
		return Plan{}, fmt.Errorf("collect: %w", err)
	}
	p := Plan{Files: map[string][]byte{}, base: head}
	old, there, err := r.Ref("refs/heads/" + Branch)
	if err != nil {
		return Plan{}, fmt.Errorf("collect: %w", err)
	}
	have := map[string]bool{}
	taken := map[string]bool{}
	for _, at := range []repo.Hash{head, old} {
		if at.IsZero() {
			continue
		}
		if err := known(ctx, r, at, have, taken); err != nil {
			return Plan{}, fmt.Errorf("collect: read %s: %w", Dir, err)
		}
	}
	if there {
		p.base, p.old = old, old
	}
	for _, i := range all {
		if have[i.Key] {
			p.Known++
			continue
		}
		have[i.Key] = true
		p.Items = append(p.Items, i)
		p.Files[place(i, taken)] = page(i)
	}
	return p, nil
}

// known adds the keys and paths of the memories that a commit has.
func known(ctx context.Context, r *repo.Repo, at repo.Hash, have, taken map[string]bool) error {
	c, err := r.Commit(at)
	if err != nil {
		return err
	}
	t, err := r.Tree(c.Tree)
	if err != nil {
		return err
	}
	files, err := t.Files(ctx)
	if err != nil && !errors.Is(err, repo.ErrMissing) {
		return err
	}
	for _, e := range files {
		if path.Dir(e.Path) != Dir || e.Mode != repo.ModeFile {
			continue
		}
		taken[e.Path] = true
		if b, err := r.Blob(e.Hash, maxMemory); err == nil {
			have[keyOf(strings.TrimSpace(frontMatter.ReplaceAllString(string(b), "")))] = true
		}
	}
	return nil
}

// place is a path that is free: the same item has the same on every machine.
func place(i Item, taken map[string]bool) string {
	name := i.Name
	if name == "" || name == "untitled" {
		words := strings.Fields(i.Text)
		name = "feedback-" + guard.Slug(strings.Join(words[:min(len(words), 6)], " "), 40)
	}
	at := path.Join(Dir, strings.ReplaceAll(name, "-", "_")+".md")
	if taken[at] {
		at = path.Join(Dir, strings.ReplaceAll(name, "-", "_")+"_"+i.Key[:8]+".md")
	}
	taken[at] = true
	return at
}

// page is an item as a memory.
func page(i Item) []byte {
	name := i.Name
	if name == "" {
		name = "feedback-" + i.Key[:8]
	}
	said := "a memory of " + i.Agent + " on one machine"
	if i.Name == "" {
		said = "said to " + i.Agent + " in a session on " + i.Day
	}
	return fmt.Appendf(nil, "---\nname: %s\ndescription: %s\nmetadata:\n  type: %s\n---\n%s\n", name, said, i.Type, i.Text)
}

// Write commits the plan to the branch, in the name of who collected. Nothing is
// pushed.
func Write(ctx context.Context, r *repo.Repo, p Plan, by repo.Signature) (repo.Hash, error) {
	if len(p.Files) == 0 {
		return p.old, nil
	}
	by.When = by.When.UTC().Truncate(time.Second)
	tree, err := r.WriteTree(p.base, p.Files)
	if err != nil {
		return repo.Hash{}, fmt.Errorf("collect: %w", err)
	}
	names := slices.Sorted(maps.Keys(p.Files))
	c, err := r.WriteCommit(repo.NewCommit{
		Tree: tree, Parents: []repo.Hash{p.base}, Author: by, Committer: by,
		Message: fmt.Sprintf("memory: %d things that agents were told\n\n%s\n", len(names), strings.Join(names, "\n")),
	})
	if err != nil {
		return repo.Hash{}, fmt.Errorf("collect: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return repo.Hash{}, err
	}
	if err := r.UpdateRef("refs/heads/"+Branch, p.old, c); err != nil {
		return repo.Hash{}, fmt.Errorf("collect: %w", err)
	}
	return c, nil
}
