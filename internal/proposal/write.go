package proposal

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/signing"
)

// Identity is the name under which commits are made.
type Identity struct {
	Name, Email string
	Signer      signing.Signer // nil: commits are not signed
}

// sign is what signs a commit of a moment; nil where nothing does.
func (id Identity) sign(at time.Time) func([]byte) (string, error) {
	if id.Signer == nil {
		return nil
	}
	return func(payload []byte) (string, error) { return id.Signer.Sign(payload, at) }
}

// DefaultIdentity is used where the operator names none. The address leads
// nowhere.
var DefaultIdentity = Identity{Name: "retrosweep", Email: "retrosweep@localhost"}

// Commit writes changes on top of a parent, as an object that nothing points at
// yet. The same input gives the same id.
func Commit(r *repo.Repo, parent repo.Hash, changes knowledge.Changes, message string, id Identity, at time.Time) (repo.Hash, error) {
	tree, err := r.WriteTree(parent, changes)
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the tree on top of %s: %w", parent, err)
	}
	sig := repo.Signature{Name: id.Name, Email: id.Email, When: at.UTC().Truncate(time.Second)}
	h, err := r.WriteCommit(repo.NewCommit{Tree: tree, Parents: []repo.Hash{parent}, Author: sig, Committer: sig, Message: message, Sign: id.sign(sig.When)})
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the commit on top of %s: %w", parent, err)
	}
	return h, nil
}

// maxFile is the largest file that is read: knowledge files are far smaller.
const maxFile = 8 << 20

// Reader reads the files of a commit's tree for [knowledge.Apply]. A file that
// cannot be read counts as absent; the error is kept for the caller to look at.
type Reader struct {
	Err  error
	repo *repo.Repo
	tree *repo.Tree
}

// NewReader returns a reader of the tree of h.
func NewReader(r *repo.Repo, h repo.Hash) (*Reader, error) {
	tree, err := r.Tree(h)
	if err != nil {
		return nil, fmt.Errorf("read the tree of %s: %w", h, err)
	}
	return &Reader{repo: r, tree: tree}, nil
}

// Read is a [knowledge.ReadFunc].
func (r *Reader) Read(path string) ([]byte, bool) {
	content, mode, err := r.file(path)
	if err != nil {
		r.Err = errors.Join(r.Err, err)
	}
	return content, err == nil && mode != ""
}

// gitModes are the modes of the entries that have content.
var gitModes = map[repo.Mode]string{repo.ModeFile: "100644", repo.ModeExec: "100755", repo.ModeSymlink: "120000"}

// file returns the content and mode of a path; no mode where there is no file.
func (r *Reader) file(path string) (content []byte, mode string, err error) {
	e, ok, err := r.tree.Entry(path)
	if err != nil {
		return nil, "", fmt.Errorf("look up %s: %w", path, err)
	}
	if mode = gitModes[e.Mode]; !ok || mode == "" {
		return nil, "", nil
	}
	if content, err = r.repo.Blob(e.Hash, maxFile); err != nil {
		return nil, "", fmt.Errorf("read %s: %w", path, err)
	}
	return content, mode, nil
}

// Diff is what changes make of a commit's tree.
type Diff struct {
	Text  string   // the bytes of git diff <commit>..<branch>
	Files []string // every path that changes, sorted
	Lines int      // removed and added
	Parts []gitdiff.File
}

// DiffOf computes the diff that a branch with these changes will have against
// base, before anything is written.
func DiffOf(r *repo.Repo, base repo.Hash, changes knowledge.Changes) (Diff, error) {
	reader, err := NewReader(r, base)
	if err != nil {
		return Diff{}, err
	}
	var d Diff
	for path, content := range changes {
		old, mode, err := reader.file(path)
		if err != nil {
			return Diff{}, fmt.Errorf("diff against %s: %w", base, err)
		}
		f := gitdiff.File{Path: path, OldMode: mode, Old: old, New: content}
		if content != nil {
			f.NewMode = orElse(mode, gitModes[repo.ModeFile])
		}
		d.add(f)
	}
	return d, d.finish(r)
}

// DiffTrees computes the diff between two commits or trees that are written.
func DiffTrees(ctx context.Context, r *repo.Repo, a, b repo.Hash) (Diff, error) {
	changes, err := r.Diff(ctx, a, b)
	if err != nil {
		return Diff{}, fmt.Errorf("diff %s..%s: %w", a, b, err)
	}
	var d Diff
	for _, c := range changes {
		f := gitdiff.File{Path: c.To.Path, OldMode: gitModes[c.From.Mode], NewMode: gitModes[c.To.Mode]}
		if f.Path == "" {
			f.Path = c.From.Path
		}
		for _, side := range []struct {
			e  repo.Entry
			to *[]byte
		}{{c.From, &f.Old}, {c.To, &f.New}} {
			if gitModes[side.e.Mode] == "" {
				continue
			}
			if *side.to, err = r.Blob(side.e.Hash, maxFile); err != nil {
				return Diff{}, fmt.Errorf("diff %s..%s: read %s: %w", a, b, side.e.Path, err)
			}
		}
		d.add(f)
	}
	return d, d.finish(r)
}

func (d *Diff) add(f gitdiff.File) {
	if f.OldMode == f.NewMode && string(f.Old) == string(f.New) {
		return
	}
	d.Parts = append(d.Parts, f)
	d.Files = append(d.Files, f.Path)
	for _, l := range gitdiff.Lines(f.Old, f.New) {
		d.Lines += l.A1 - l.A0 + l.B1 - l.B0
	}
}

func (d *Diff) finish(r *repo.Repo) error {
	slices.Sort(d.Files)
	abbreviate, err := gitdiff.NewAbbreviate(filepath.Join(r.GitDir(), "objects"))
	if err != nil {
		return fmt.Errorf("diff: %w", err)
	}
	d.Text = gitdiff.Format(d.Parts, abbreviate)
	return nil
}
