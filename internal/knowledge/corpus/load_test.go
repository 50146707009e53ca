package corpus_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/knowledge/corpus"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

const history = `-- commit --
author: Ada Byron <ada@acme.dev>
date: 2026-03-02T10:00:00Z
link: AGENTS.md -> CLAUDE.md
link: .cursorrules -> AGENTS.md
link: docs/GEMINI.md -> ../nowhere.md
link: docs/README.md -> ../../etc/passwd

docs: what agents must know

-- CLAUDE.md --
# Guide

- Run the tests.
-- docs/a.md --
# A
-- docs/ignored.md --
# Ignored
-- docs/large.md --
LARGE
-- docs/binary.md --
a` + "\x00" + `b
-- docs/wide.md --
` + "\xff\xfe#\x00" + `
-- docs/lfs.md --
version https://git-lfs.github.com/spec/v1
oid sha256:00
-- knowledge/playbooks/ads.md --
- Lower the bid.
-- vendor/x/CLAUDE.md --
# Not ours
-- tests/fixtures/AGENTS.md --
# Wrong on purpose
-- main.go --
package main
`

// open builds the history.
func open(t *testing.T) (*repo.Repo, *repo.Tree) {
	t.Helper()
	r, err := testkit.Build(t.TempDir(), []byte(strings.Replace(history, "LARGE", strings.Repeat("word ", 300_000), 1)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	_, head, err := r.Head()
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Tree(head)
	if err != nil {
		t.Fatal(err)
	}
	return r, tree
}

func TestLoad(t *testing.T) {
	t.Parallel()
	r, tree := open(t)
	c, err := corpus.Load(context.Background(), r, tree, knowledge.NewClassifier(nil), corpus.Options{
		Ignore: func(path string) bool { return path == "docs/ignored.md" },
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range c.Docs {
		got = append(got, d.Path+" "+string(d.Format))
	}
	want := []string{"CLAUDE.md instruction", "docs/a.md docs", "knowledge/playbooks/ads.md playbook"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	warned := []string{
		"docs/binary.md: not read: it holds NUL bytes, as binary files do",
		"docs/large.md: not read: larger than 1024 KiB",
		"docs/lfs.md: not read: a Git LFS pointer",
		"docs/wide.md: not read: UTF-16 text: save it as UTF-8",
	}
	if diff := cmp.Diff(warned, c.Warnings); diff != "" {
		t.Error(diff)
	}
	if d := c.Doc("CLAUDE.md"); d == nil || !d.Startup || len(d.Facts) != 2 {
		t.Errorf("CLAUDE.md is %+v", d)
	}
	if d := c.Doc("AGENTS.md"); d != c.Doc("CLAUDE.md") || d != c.Doc(".cursorrules") || !slices.Equal(d.Aliases, []string{".cursorrules", "AGENTS.md"}) {
		t.Errorf("the links are not folded: %+v", d)
	}
	if c.Doc("docs/GEMINI.md") != nil || c.Doc("docs/README.md") != nil {
		t.Error("a link to nothing has a document")
	}
	if c.Doc("docs/ignored.md") != nil || c.Doc("main.go") != nil {
		t.Error("a file that was left out has a document")
	}
}

func TestLoadObeysTheLimitAndTheContext(t *testing.T) {
	t.Parallel()
	r, tree := open(t)
	c, err := corpus.Load(context.Background(), r, tree, knowledge.NewClassifier(nil), corpus.Options{MaxBytes: 10})
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Docs) != 2 || !slices.ContainsFunc(c.Warnings, func(w string) bool { return strings.HasPrefix(w, "CLAUDE.md: not read") }) {
		t.Errorf("%d documents, %q", len(c.Docs), c.Warnings)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := corpus.Load(ctx, r, tree, knowledge.NewClassifier(nil), corpus.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end: %v", err)
	}
}

func TestNewFindsDocumentsByAlias(t *testing.T) {
	t.Parallel()
	b := knowledge.Parse("b.md", []byte("x"), knowledge.Docs)
	a := knowledge.Parse("AGENTS.md", []byte("x"), knowledge.Instruction)
	a.Aliases = []string{"CLAUDE.md"}
	c := corpus.New([]*knowledge.Document{b, a})
	if c.Docs[0] != a || c.Doc("CLAUDE.md") != a || c.Doc("b.md") != b || c.Doc("none") != nil {
		t.Errorf("got %+v", c)
	}
}
