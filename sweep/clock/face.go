package clock

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/symbols"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// Engines of the fingerprints that are git's own.
const (
	blobEngine = "blob@1:"
	treeEngine = "tree@1:"
)

// Bounds of the search for a symbol whose file is not named.
const (
	maxSource = 1 << 20  // bytes of one file
	maxSearch = 64 << 20 // bytes of all
)

// Reader looks at the anchors of facts in one tree.
type Reader struct {
	repo  *repo.Repo
	tree  *repo.Tree
	files []repo.Entry
	index *anchor.Index
	docs  map[*knowledge.Document]*anchor.Reader
}

// NewReader lists a tree. Objects that are missing are anchors that cannot be
// told; an error means that the tree itself cannot be listed.
func NewReader(ctx context.Context, r *repo.Repo, tree repo.Hash) (*Reader, error) {
	t, err := r.Tree(tree)
	if err != nil {
		return nil, fmt.Errorf("read the tree %s: %w", tree, err)
	}
	entries, err := t.Files(ctx)
	if err != nil && !errors.Is(err, repo.ErrMissing) {
		return nil, fmt.Errorf("list the tree %s: %w", tree, err)
	}
	var files, behind []string
	for _, e := range entries {
		if e.Mode == repo.ModeSubmodule || e.Mode == repo.ModeSymlink {
			behind = append(behind, e.Path)
		}
		if e.Mode != repo.ModeSubmodule {
			files = append(files, e.Path)
		}
	}
	return &Reader{repo: r, tree: t, files: entries, index: anchor.NewTreeIndex(files, behind), docs: map[*knowledge.Document]*anchor.Reader{}}, nil
}

// Face returns what a fact names and how it looks. What only looks like a path
// and leads nowhere is no anchor; what the fact declares or links to is.
func (r *Reader) Face(ctx context.Context, d *knowledge.Document, f *knowledge.Fact) (Face, error) {
	var face Face
	inside, err := r.symbols(ctx, d, f, &face)
	if err != nil {
		return Face{}, err
	}
	if r.docs[d] == nil {
		r.docs[d] = anchor.NewReader(d)
	}
	for _, c := range r.docs[d].Find(f) {
		r.path(d, &c, inside, &face)
	}
	return face, nil
}

// path adds a path, a directory or a glob.
func (r *Reader) path(d *knowledge.Document, c *anchor.Candidate, inside map[string]bool, face *Face) {
	at := r.index.Resolve(c, d.Path)
	declared := c.Form == anchor.FormDeclared
	kind := c.Kind
	if kind != knowledge.AnchorGlob {
		kind = knowledge.AnchorFile
		if at.Dir {
			kind = knowledge.AnchorDir
		}
	}
	m := Mark{Anchor: knowledge.Anchor{Kind: kind, Text: c.Text, Declared: declared}, Path: at.Path}
	switch {
	case at.How == anchor.Nowhere && c.Mute() == "" && (declared || c.Form == anchor.FormLink || c.Form == anchor.FormImport):
		face.Gone = append(face.Gone, m.Anchor)
		return
	case at.How == anchor.Nowhere, at.How == anchor.Ambiguous, at.How == anchor.Behind, c.Mute() != "", at.Path == d.Path, inside[at.Path]:
		return
	}
	if m.Print = r.print(c, at); m.Print == "" {
		m.Why = knowledge.ReasonUnreachable
	}
	face.Marks = append(face.Marks, m)
}

func (r *Reader) print(c *anchor.Candidate, at anchor.Place) string {
	if c.Kind == knowledge.AnchorGlob {
		return r.matching(c, at)
	}
	e, ok, err := r.tree.Entry(at.Path)
	switch {
	case err != nil || !ok:
		return ""
	case e.Mode == repo.ModeDir:
		return treeEngine + e.Hash.String()
	}
	return blobEngine + e.Hash.String()
}

// matching is the fingerprint of all files that a glob matches, written as the
// rule that resolved it reads it.
func (r *Reader) matching(c *anchor.Candidate, at anchor.Place) string {
	h := sha256.New()
	for _, e := range r.files {
		for _, pat := range []string{c.Path, "**/" + c.Path} {
			if ok, err := doublestar.Match(pat, e.Path); err == nil && ok {
				fmt.Fprintf(h, "%s %s\n", e.Hash, e.Path)
				break
			}
		}
	}
	fmt.Fprintf(h, "%s\n", at.Path)
	return treeEngine + hex.EncodeToString(h.Sum(nil)[:16])
}

// symbols adds the declared symbols, and returns the files that they are in.
func (r *Reader) symbols(ctx context.Context, d *knowledge.Document, f *knowledge.Fact, face *Face) (map[string]bool, error) {
	inside := map[string]bool{}
	for _, name := range f.Life.AnchorSymbols {
		m := Mark{Anchor: knowledge.Anchor{Kind: knowledge.AnchorSymbol, Text: name, Declared: true}}
		ref, ok := symbols.ParseRef(name)
		if !ok {
			continue // no name of code: the text says it, and nothing can look it up
		}
		found, err := r.define(ctx, d, f, name, ref)
		if err != nil {
			return nil, err
		}
		switch {
		case found.gone:
			face.Gone = append(face.Gone, m.Anchor)
			continue
		case found.print == "":
			m.Why = found.why
		}
		m.Path, m.Print = found.path, found.print
		for _, p := range found.in {
			inside[p] = true
		}
		face.Marks = append(face.Marks, m)
	}
	return inside, nil
}

// definition is where a symbol is defined and how it looks.
type definition struct {
	path, print, why string
	in               []string // files that were parsed and define it
	gone             bool
}

// define looks for a symbol: in the file that is named, in the files that the
// fact declares, else everywhere.
func (r *Reader) define(ctx context.Context, d *knowledge.Document, f *knowledge.Fact, name string, ref symbols.Ref) (definition, error) {
	near := r.near(d, f, ref)
	if len(near) > 0 {
		if def, err := r.search(ctx, near, name, ref); err != nil || !def.gone || ref.Path != "" {
			return def, err
		}
	} else if ref.Path != "" {
		return definition{gone: true}, nil
	}
	code := slices.DeleteFunc(slices.Clone(r.files), func(e repo.Entry) bool { return symbols.Language(e.Path) == "" })
	return r.search(ctx, code, name, ref)
}

// near are the files in which a symbol ought to be.
func (r *Reader) near(d *knowledge.Document, f *knowledge.Fact, ref symbols.Ref) []repo.Entry {
	want := f.Life.AnchorFiles
	if ref.Path != "" {
		want = []string{ref.Path}
	}
	var out []repo.Entry
	for _, p := range want {
		for _, full := range []string{path.Join(path.Dir(d.Path), p), path.Clean(p)} {
			if e, ok, err := r.tree.Entry(full); err == nil && ok && e.Mode != repo.ModeDir {
				e.Path = full
				out = append(out, e)
				break
			}
		}
	}
	if len(out) == 0 && ref.Path != "" {
		for _, e := range r.files {
			if strings.HasSuffix(e.Path, "/"+ref.Path) {
				out = append(out, e)
			}
		}
	}
	return out
}

// search reads the definitions of files. Where several define the symbol, all
// of them count.
func (r *Reader) search(ctx context.Context, files []repo.Entry, name string, ref symbols.Ref) (definition, error) {
	var found definition
	var prints []string
	unread, read := "", 0
	for _, e := range files {
		if err := ctx.Err(); err != nil {
			return found, fmt.Errorf("look for %s: %w", name, err)
		}
		if e.Mode != repo.ModeFile && e.Mode != repo.ModeExec || read > maxSearch {
			continue
		}
		src, err := r.repo.Blob(e.Hash, maxSource)
		if err != nil {
			unread = knowledge.ReasonUnreachable
			continue
		}
		read += len(src)
		if !strings.Contains(string(src), ref.Last()) {
			continue
		}
		switch print, err := symbols.Fingerprint(e.Path, src, name); {
		case err == nil:
			prints, found.in = append(prints, print), append(found.in, e.Path)
		case !errors.Is(err, symbols.ErrUndefined) && ref.In(e.Path, src):
			unread = knowledge.ReasonNoParser
			found.path, found.in = e.Path, append(found.in, e.Path)
		}
	}
	switch {
	case len(prints) == 1:
		found.path, found.print = found.in[0], prints[0]
	case len(prints) > 1:
		found.path, found.print = found.in[0], all(prints)
	default:
		found.why, found.gone = unread, unread == ""
	}
	return found, nil
}

// all is one fingerprint for several definitions of the same engine.
func all(prints []string) string {
	slices.Sort(prints)
	sum := sha256.Sum256([]byte(strings.Join(prints, "\n")))
	return engine(prints[0]) + ":" + hex.EncodeToString(sum[:16])
}
