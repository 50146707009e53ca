package testkit

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// builder carries what a commit takes over from those before it.
type builder struct {
	repo   *repo.Repo
	labels map[string]repo.Hash
	tips   map[string]repo.Hash
	moved  map[string]repo.Hash // tips as they stand in the repository
	author string
	when   time.Time
}

// Append writes more commits, in the format of [Build], on top of a repository's
// branches. Labels of earlier calls are gone; branch names are labels.
func Append(r *repo.Repo, history []byte) error {
	commits, err := parse(history)
	if err != nil {
		return fmt.Errorf("extend %s: %w", r.Path(), err)
	}
	return Extend(r, commits)
}

// Extend writes parsed commits on top of a repository's branches.
func Extend(r *repo.Repo, commits []Commit) error {
	b := builder{
		repo: r, labels: map[string]repo.Hash{}, tips: map[string]repo.Hash{}, moved: map[string]repo.Hash{},
		author: "Ada Byron <ada@acme.dev>", when: time.Date(2026, 1, 1, 9, 0, 0, 0, time.UTC),
	}
	refs, err := r.Refs("refs/heads/")
	if err != nil {
		return err
	}
	for name, h := range refs {
		branch := strings.TrimPrefix(name, "refs/heads/")
		b.tips[branch], b.moved[branch] = h, h
		if c, err := r.Commit(h); err == nil && c.Committer.When.After(b.when) {
			b.when = c.Committer.When
		}
	}
	for i, c := range commits {
		if err := b.commit(c); err != nil {
			return fmt.Errorf("commit %d: %w", i+1, err)
		}
	}
	return b.publish()
}

func (b *builder) commit(c Commit) error {
	parents, err := b.parents(c)
	if err != nil {
		return err
	}
	var base repo.Hash
	if len(parents) > 0 {
		base = parents[0]
	}
	tree, err := b.tree(base, c)
	if err != nil {
		return err
	}
	author, committer, err := b.signatures(c)
	if err != nil {
		return err
	}
	h, err := b.repo.WriteCommit(repo.NewCommit{Tree: tree, Parents: parents, Author: author, Committer: committer, Message: c.Message})
	if err != nil {
		return err
	}
	b.tips[c.Branch] = h
	if c.Label != "" {
		b.labels[c.Label] = h
	}
	if c.Tag != "" {
		return b.repo.UpdateRef("refs/tags/"+c.Tag, repo.Hash{}, h)
	}
	return nil
}

func (b *builder) parents(c Commit) ([]repo.Hash, error) {
	var parents []repo.Hash
	switch c.Parent {
	case "none":
	case "":
		if tip := b.tips[c.Branch]; !tip.IsZero() {
			parents = append(parents, tip)
		}
	default:
		h, err := b.find(c.Parent)
		if err != nil {
			return nil, err
		}
		parents = append(parents, h)
	}
	for _, label := range c.Merge {
		h, err := b.find(label)
		if err != nil {
			return nil, err
		}
		parents = append(parents, h)
	}
	return parents, nil
}

func (b *builder) find(label string) (repo.Hash, error) {
	if h, ok := b.labels[label]; ok {
		return h, nil
	}
	if h, ok := b.tips[label]; ok {
		return h, nil
	}
	return repo.Hash{}, fmt.Errorf("no commit before this one has the label %q", label)
}

// tree applies a commit's moves, then its deletions, then its files.
func (b *builder) tree(base repo.Hash, c Commit) (repo.Hash, error) {
	t, err := b.repo.Tree(base)
	if err != nil {
		return repo.Hash{}, err
	}
	files, err := t.Files(context.Background())
	if err != nil {
		return repo.Hash{}, err
	}
	entries := map[string]repo.Entry{}
	for _, e := range files {
		entries[e.Path] = e
	}
	for _, m := range c.Moves {
		if !move(entries, m[0], m[1]) {
			return repo.Hash{}, fmt.Errorf("move: there is no %s", m[0])
		}
	}
	for _, path := range c.Deletes {
		if !move(entries, path, "") {
			return repo.Hash{}, fmt.Errorf("delete: there is no %s", path)
		}
	}
	if err := b.contents(entries, c); err != nil {
		return repo.Hash{}, err
	}
	return b.repo.WriteEntries(repo.Hash{}, slices.Collect(maps.Values(entries)))
}

// move renames a file or directory; the empty new name deletes it.
func move(entries map[string]repo.Entry, from, to string) bool {
	found := false
	for path, e := range maps.Clone(entries) {
		rest, below := strings.CutPrefix(path, from+"/")
		if path != from && !below {
			continue
		}
		found = true
		delete(entries, path)
		if to == "" {
			continue
		}
		e.Path = to
		if below {
			e.Path = to + "/" + rest
		}
		entries[e.Path] = e
	}
	return found
}

func (b *builder) contents(entries map[string]repo.Entry, c Commit) error {
	put := func(path string, mode repo.Mode, content []byte) error {
		h, err := b.repo.WriteBlob(content)
		entries[path] = repo.Entry{Path: path, Mode: mode, Hash: h}
		return err
	}
	for _, f := range c.Files {
		mode := repo.ModeFile
		if old, ok := entries[f.Name]; ok && old.Mode == repo.ModeExec {
			mode = old.Mode
		}
		if err := put(f.Name, mode, f.Data); err != nil {
			return err
		}
	}
	for _, l := range c.Links {
		if err := put(l[0], repo.ModeSymlink, []byte(l[1])); err != nil {
			return err
		}
	}
	for _, s := range c.Submodules {
		var h repo.Hash
		if n, err := hex.Decode(h[:], []byte(s[1])); err != nil || n != len(h) {
			return fmt.Errorf("submodule: %q is not a commit id", s[1])
		}
		entries[s[0]] = repo.Entry{Path: s[0], Mode: repo.ModeSubmodule, Hash: h}
	}
	for _, path := range c.Execs {
		e, ok := entries[path]
		if !ok {
			return fmt.Errorf("exec: there is no %s", path)
		}
		e.Mode = repo.ModeExec
		entries[path] = e
	}
	return nil
}

func (b *builder) signatures(c Commit) (author, committer repo.Signature, err error) {
	if c.Author != "" {
		b.author = c.Author
	}
	date := c.Date
	if date.IsZero() {
		date = b.when.Add(time.Hour)
	}
	committed := c.Committed
	if committed.IsZero() {
		committed = date
	}
	b.when = committed
	if author, err = signature(b.author, date); err != nil {
		return author, committer, err
	}
	by := c.Committer
	if by == "" {
		by = b.author
	}
	committer, err = signature(by, committed)
	return author, committer, err
}

func signature(who string, when time.Time) (repo.Signature, error) {
	name, rest, ok := strings.Cut(who, "<")
	email, tail, ok2 := strings.Cut(rest, ">")
	if !ok || !ok2 || tail != "" {
		return repo.Signature{}, fmt.Errorf("%q is not NAME <ADDRESS>", who)
	}
	return repo.Signature{Name: strings.TrimSpace(name), Email: email, When: when}, nil
}

// publish moves the branches to what was built. The files are written here,
// since [repo.Repo.UpdateRef] rightly refuses a branch that is checked out.
func (b *builder) publish() error {
	for _, branch := range slices.Sorted(maps.Keys(b.tips)) {
		if b.tips[branch] == b.moved[branch] {
			continue
		}
		file := filepath.Join(b.repo.GitDir(), "refs", "heads", filepath.FromSlash(branch))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file, []byte(b.tips[branch].String()+"\n"), 0o644); err != nil {
			return err
		}
	}
	return nil
}
