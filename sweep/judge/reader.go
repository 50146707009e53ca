package judge

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/symbols"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// maxFile is the largest file of which lines are shown, in bytes.
const maxFile = 1 << 20

// Reader knows the code as it is now, and what the facts of the documents name.
type Reader struct {
	repo    *repo.Repo
	after   *repo.Tree
	index   *anchor.Index
	docs    map[string]bool // paths of the documents: they are no code
	readers map[*knowledge.Document]*anchor.Reader
	words   map[string]bool // what may be a name in the documents
	since   map[repo.Hash]*Change
}

// NewReader lists a tree. What is missing of it names nothing.
func NewReader(ctx context.Context, r *repo.Repo, tree repo.Hash, docs []*knowledge.Document) (*Reader, error) {
	t, err := r.Tree(tree)
	if err != nil {
		return nil, fmt.Errorf("read the tree %s: %w", tree, err)
	}
	entries, err := t.Files(ctx)
	if err != nil && !errors.Is(err, repo.ErrMissing) {
		return nil, fmt.Errorf("list the tree %s: %w", tree, err)
	}
	var files []string
	for _, e := range entries {
		if e.Mode == repo.ModeFile || e.Mode == repo.ModeExec {
			files = append(files, e.Path)
		}
	}
	out := &Reader{
		repo: r, after: t, index: anchor.NewTreeIndex(files, nil), docs: map[string]bool{},
		readers: map[*knowledge.Document]*anchor.Reader{}, since: map[repo.Hash]*Change{},
	}
	for _, d := range docs {
		out.docs[d.Path], out.readers[d] = true, anchor.NewReader(d)
	}
	return out, nil
}

// names are the words that a fact claims something of, without those it says
// are gone or planned.
func (r *Reader) names(d *knowledge.Document, f *knowledge.Fact) []anchor.Candidate {
	var out []anchor.Candidate
	for _, c := range r.readers[d].Words(f) {
		if c.Mute() == "" {
			out = append(out, c)
		}
	}
	return out
}

// vocabulary is every word of the documents that may be a name: only files that
// have one of them are parsed.
func (r *Reader) vocabulary() map[string]bool {
	if r.words != nil {
		return r.words
	}
	r.words = map[string]bool{}
	for d := range r.readers {
		if d.Format != knowledge.Archive && !d.Event {
			eachWord(d.Source, func(w []byte) bool {
				if len(w) >= shortestName && !r.words[string(w)] {
					r.words[string(w)] = true
				}
				return true
			})
		}
	}
	return r.words
}

// last is the innermost name of a word.
func last(c *anchor.Candidate) string {
	if ref, ok := symbols.ParseRef(c.Path); ok && ref.Last() != "" {
		return ref.Last()
	}
	return c.Path
}

// files are the files of code that a fact names for sure.
func (r *Reader) files(d *knowledge.Document, f *knowledge.Fact) []anchor.Place {
	var out []anchor.Place
	for _, c := range r.readers[d].Find(f) {
		at := r.index.Resolve(&c, d.Path)
		sure := at.How != anchor.Nowhere && at.How != anchor.Ambiguous && at.How != anchor.Behind && !at.Dir
		if sure && c.Kind != knowledge.AnchorGlob && c.Mute() == "" && r.code(at.Path) {
			out = append(out, at)
		}
	}
	return out
}

// code reports whether a file is one that claims are held against: not one of
// the documents, and no prose.
func (r *Reader) code(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".mdx", ".mdc", ".markdown", ".rst", ".txt", ".lock", ".sum", ".svg", ".csv", ".jsonl", ".html":
		return false
	}
	return !r.docs[file]
}
