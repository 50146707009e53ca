package repo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// NewCommit is a commit to be written. The caller gives the times, so the same
// input makes the same commit.
type NewCommit struct {
	Tree              Hash
	Parents           []Hash
	Author, Committer Signature
	Message           string
	Sign              func(payload []byte) (string, error) // the gpgsig header; nil: no signature
}

// WriteBlob writes the content of a file. Nothing is written where the object is
// there already.
func (r *Repo) WriteBlob(b []byte) (Hash, error) { return r.objects.write(plumbing.BlobObject, b) }

// WriteCommit writes a commit object; no reference moves.
func (r *Repo) WriteCommit(c NewCommit) (Hash, error) {
	for _, s := range []Signature{c.Author, c.Committer} {
		if strings.ContainsAny(s.Name+s.Email, "<>\n\x00") {
			return Hash{}, fmt.Errorf("write commit: the name or address %q cannot be written in a commit", s.Name+" "+s.Email)
		}
	}
	if strings.Contains(c.Message, "\x00") {
		return Hash{}, errors.New("write commit: the message has a NUL byte")
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n", formatSignature(c.Author), formatSignature(c.Committer))
	message := "\n" + strings.TrimRight(c.Message, "\n") + "\n"
	if c.Sign != nil {
		signature, err := c.Sign([]byte(b.String() + message))
		if err != nil {
			return Hash{}, fmt.Errorf("write commit: %w", err)
		}
		b.WriteString("gpgsig " + strings.ReplaceAll(strings.TrimRight(signature, "\n"), "\n", "\n ") + "\n")
	}
	b.WriteString(message)
	return r.objects.write(plumbing.CommitObject, b.Bytes())
}

// AdoptCommit writes a commit that was made elsewhere, where its bytes are those
// of the id.
func (r *Repo) AdoptCommit(h Hash, raw []byte) (bool, error) {
	if plumbing.ComputeHash(plumbing.CommitObject, raw) != plumbing.Hash(h) {
		return false, nil
	}
	_, err := r.objects.write(plumbing.CommitObject, raw)
	return err == nil, err
}

func formatSignature(s Signature) string {
	return fmt.Sprintf("%s <%s> %d %s", strings.TrimSpace(s.Name), strings.TrimSpace(s.Email), max(s.When.Unix(), 0), s.When.Format("-0700"))
}

// WriteTree writes the tree that base becomes when each path of changes gets its
// content; nil content removes the file, and directories that become empty go
// away. The base is a tree, a commit or zero. New files are plain files,
// existing ones keep their mode. It refuses to write through or onto symbolic
// links and submodules, and a file where a directory is. Only the trees above
// the changes are read and written; all other entries stay as they are.
func (r *Repo) WriteTree(base Hash, changes map[string][]byte) (Hash, error) {
	top := &overlay{}
	for path, content := range changes {
		if err := top.put(path, leaf{content: content}); err != nil {
			return Hash{}, fmt.Errorf("write tree: %w", err)
		}
	}
	return r.writeOverlay(base, top)
}

// WriteEntries is as [Repo.WriteTree], but sets whole entries: objects that are
// written already, under any mode but ModeDir, over whatever stands there.
// Fixtures make links and submodules with it.
func (r *Repo) WriteEntries(base Hash, entries []Entry) (Hash, error) {
	top := &overlay{}
	for _, e := range entries {
		mode, ok := fileModes[e.Mode]
		if !ok {
			return Hash{}, fmt.Errorf("write tree: %q has no mode that can be written", e.Path)
		}
		if err := top.put(e.Path, leaf{mode: mode, hash: e.Hash}); err != nil {
			return Hash{}, fmt.Errorf("write tree: %w", err)
		}
	}
	return r.writeOverlay(base, top)
}

var fileModes = map[Mode]filemode.FileMode{
	ModeFile: filemode.Regular, ModeExec: filemode.Executable,
	ModeSymlink: filemode.Symlink, ModeSubmodule: filemode.Submodule,
}

func (r *Repo) writeOverlay(base Hash, top *overlay) (Hash, error) {
	root, err := r.treeOf(base)
	if err != nil {
		return Hash{}, err
	}
	h, empty, err := r.overlayTree(root, top, "")
	if err != nil {
		return Hash{}, fmt.Errorf("write tree: %w", err)
	}
	if empty {
		return r.objects.write(plumbing.TreeObject, nil)
	}
	return h, nil
}

// overlay is the changes below one directory.
type overlay struct {
	dirs  map[string]*overlay
	files map[string]leaf
}

// leaf is new content for a file, or a whole entry where mode is set.
type leaf struct {
	content []byte
	mode    filemode.FileMode
	hash    Hash
}

func (o *overlay) put(path string, l leaf) error {
	dir, rest := o, path
	for {
		name, more, deeper := strings.Cut(rest, "/")
		if !(nodeEntry{name: name}).sane() || strings.EqualFold(name, ".git") || strings.ContainsRune(name, 0) {
			return fmt.Errorf("%q is not a path that can be written", path)
		}
		if !deeper {
			if dir.files == nil {
				dir.files = map[string]leaf{}
			}
			dir.files[name] = l
			return nil
		}
		if dir.dirs == nil {
			dir.dirs = map[string]*overlay{}
		}
		if dir.dirs[name] == nil {
			dir.dirs[name] = &overlay{}
		}
		dir, rest = dir.dirs[name], more
	}
}

func (r *Repo) overlayTree(h Hash, o *overlay, prefix string) (_ Hash, empty bool, err error) {
	n, err := r.node(h)
	if err != nil {
		return Hash{}, false, fmt.Errorf("directory %q: %w", prefix, err)
	}
	next := &node{entries: slices.Clone(n.entries)}
	for name, l := range o.files {
		if err := r.overlayFile(next, name, prefix, l); err != nil {
			return Hash{}, false, err
		}
	}
	for name, below := range o.dirs {
		if err := r.overlayDir(next, name, prefix, below); err != nil {
			return Hash{}, false, err
		}
	}
	if len(next.entries) == 0 {
		return Hash{}, true, nil
	}
	h, err = r.objects.write(plumbing.TreeObject, next.encode())
	return h, false, err
}

func (r *Repo) overlayFile(n *node, name, prefix string, l leaf) error {
	old, exists := n.find(name)
	content := l.content
	switch {
	case l.mode != 0:
		n.remove(old)
		n.set(nodeEntry{name: name, mode: l.mode, hash: l.hash})
		return nil
	case exists && old.kind() != ModeFile && old.kind() != ModeExec:
		return fmt.Errorf("%s%s is a directory, symbolic link or submodule, not a file", prefix, name)
	case content == nil && exists:
		n.remove(old)
		return nil
	case content == nil:
		return nil
	}
	h, err := r.WriteBlob(content)
	if err != nil {
		return fmt.Errorf("%s%s: %w", prefix, name, err)
	}
	mode := filemode.Regular
	if exists {
		mode = old.mode
	}
	n.set(nodeEntry{name: name, mode: mode, hash: h})
	return nil
}

func (r *Repo) overlayDir(n *node, name, prefix string, below *overlay) error {
	old, exists := n.find(name)
	if exists && !old.isDir() {
		return fmt.Errorf("%s%s is not a directory: nothing is written below it", prefix, name)
	}
	h, empty, err := r.overlayTree(old.hash, below, prefix+name+"/")
	switch {
	case err != nil:
		return err
	case !empty:
		n.set(nodeEntry{name: name, mode: filemode.Dir, hash: h})
	case exists:
		n.remove(old)
	}
	return nil
}

// set replaces the entry of this name and kind or puts it where it sorts.
func (n *node) set(e nodeEntry) {
	i, ok := slices.BinarySearchFunc(n.entries, e, compareEntries)
	if ok {
		n.entries[i] = e
		return
	}
	n.entries = slices.Insert(n.entries, i, e)
}

func (n *node) remove(e nodeEntry) {
	if i, ok := slices.BinarySearchFunc(n.entries, e, compareEntries); ok {
		n.entries = slices.Delete(n.entries, i, i+1)
	}
}
