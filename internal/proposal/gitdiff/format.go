package gitdiff

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the name of a git blob, not a signature
	"encoding/hex"
	"fmt"
	"sort"
	"strings"
)

// File is one path that differs between two trees. An empty mode says that the
// path is not there on that side.
type File struct {
	Path             string
	OldMode, NewMode string // as in git: 100644, 100755, 120000
	Old, New         []byte
}

// Abbreviate shortens the hex id of an object as git would show it.
type Abbreviate func(id string) string

// Seven shortens every id to seven digits: what git does in a repository with
// few objects.
func Seven(id string) string { return id[:7] }

// Format returns what `git diff` prints for the files.
func Format(files []File, abbreviate Abbreviate) string {
	files = append([]File(nil), files...)
	sort.SliceStable(files, func(i, j int) bool { return files[i].Path < files[j].Path })
	var b bytes.Buffer
	for _, p := range pairs(files) {
		p.write(&b, abbreviate)
	}
	return b.String()
}

// pair is one entry of the diff: a file against itself, nothing, or the file it
// was renamed from.
type pair struct {
	from, to     *File // the same for a file that stays where it is
	renamed      bool
	similarity   int // per cent
	old, new     []byte
	oldMode      string
	newMode      string
	oldID, newID string
}

func newPair(from, to *File) pair {
	p := pair{from: from, to: to, old: from.Old, new: to.New, oldMode: from.OldMode, newMode: to.NewMode}
	p.oldID, p.newID = blobID(p.oldMode, p.old), blobID(p.newMode, p.new)
	return p
}

const noBlob = "0000000000000000000000000000000000000000"

func blobID(mode string, content []byte) string {
	if mode == "" {
		return noBlob
	}
	h := sha1.New() //nolint:gosec // see the import
	_, _ = fmt.Fprintf(h, "blob %d\x00", len(content))
	_, _ = h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}

func (p pair) write(b *bytes.Buffer, abbreviate Abbreviate) {
	if !p.renamed && p.oldID == p.newID && p.oldMode == p.newMode {
		return
	}
	fmt.Fprintf(b, "diff --git %s %s\n", quote("a/"+p.from.Path), quote("b/"+p.to.Path))
	p.writeModes(b)
	if p.renamed {
		fmt.Fprintf(b, "similarity index %d%%\nrename from %s\nrename to %s\n", p.similarity, quote(p.from.Path), quote(p.to.Path))
	}
	if p.oldID == p.newID {
		return
	}
	fmt.Fprintf(b, "index %s..%s", abbreviate(p.oldID), abbreviate(p.newID))
	if p.oldMode == p.newMode {
		b.WriteString(" " + p.oldMode)
	}
	b.WriteString("\n")
	p.writeContent(b)
}

func (p pair) writeModes(b *bytes.Buffer) {
	switch {
	case p.oldMode == "":
		fmt.Fprintf(b, "new file mode %s\n", p.newMode)
	case p.newMode == "":
		fmt.Fprintf(b, "deleted file mode %s\n", p.oldMode)
	case p.oldMode != p.newMode:
		fmt.Fprintf(b, "old mode %s\nnew mode %s\n", p.oldMode, p.newMode)
	}
}

func (p pair) writeContent(b *bytes.Buffer) {
	from, to := label("a/", p.from.Path, p.oldMode), label("b/", p.to.Path, p.newMode)
	if isBinary(p.old) || isBinary(p.new) {
		fmt.Fprintf(b, "Binary files %s and %s differ\n", from, to)
		return
	}
	if len(p.old) == 0 && len(p.new) == 0 {
		return
	}
	fmt.Fprintf(b, "--- %s%s\n+++ %s%s\n", from, tab(from), to, tab(to))
	unified(b, p.old, p.new)
}

func label(prefix, path, mode string) string {
	if mode == "" {
		return "/dev/null"
	}
	return quote(prefix + path)
}

// tab ends a name with a blank in it, so that patch finds its end.
func tab(name string) string {
	if strings.Contains(name, " ") {
		return "\t"
	}
	return ""
}

// isBinary is git's guess: a NUL among the first 8000 bytes.
func isBinary(b []byte) bool {
	return bytes.IndexByte(b[:min(len(b), 8000)], 0) >= 0
}

// escapes are the bytes of a path that have a short escape.
var escapes = map[byte]string{'\a': `\a`, '\b': `\b`, '\t': `\t`, '\n': `\n`, '\v': `\v`, '\f': `\f`, '\r': `\r`, '"': `\"`, '\\': `\\`}

// quote writes a path as git does with core.quotePath set: in C notation where
// a byte of it needs that.
func quote(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		switch esc, ok := escapes[c]; {
		case ok:
			b.WriteString(esc)
		case c < 0x20 || c >= 0x7f:
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	if b.Len() == len(path) {
		return path
	}
	return `"` + b.String() + `"`
}
