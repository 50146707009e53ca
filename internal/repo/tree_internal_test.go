package repo

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
)

// newBare makes an empty repository; the tests here write objects that nobody
// may write otherwise.
func newBare(t testing.TB) *Repo {
	t.Helper()
	dir := t.TempDir()
	for _, sub := range []string{"objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "HEAD"), []byte("ref: refs/heads/main\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r, err := Open(context.Background(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func writeNode(t testing.TB, r *Repo, entries ...nodeEntry) Hash {
	t.Helper()
	h, err := r.objects.write(plumbing.TreeObject, (&node{entries: entries}).encode())
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func paths(entries []Entry) string {
	var out []string
	for _, e := range entries {
		out = append(out, e.Path)
	}
	return strings.Join(out, " ")
}

// TestHostileNames: names that git refuses to make are not paths, and what is
// beside them is read.
func TestHostileNames(t *testing.T) {
	t.Parallel()
	r := newBare(t)
	blob, err := r.WriteBlob([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	sub := writeNode(t, r, nodeEntry{"f", filemode.Regular, blob})
	root := writeNode(t, r,
		nodeEntry{"z", filemode.Regular, blob}, // not sorted
		nodeEntry{"", filemode.Regular, blob},
		nodeEntry{".", filemode.Dir, sub},
		nodeEntry{"..", filemode.Dir, sub},
		nodeEntry{"a/b", filemode.Regular, blob},
		nodeEntry{"ctl\x01\t", filemode.Regular, blob},
		nodeEntry{"odd", 0o100664, blob},
		nodeEntry{"d", filemode.Dir, sub},
	)
	tree, err := r.Tree(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := tree.Files(context.Background())
	if err != nil || paths(files) != "ctl\x01\t d/f odd z" {
		t.Errorf("Files = %q, %v", paths(files), err)
	}
	changes, err := r.Diff(context.Background(), Hash{}, root)
	if err != nil || len(changes) != 4 {
		t.Errorf("Diff = %v, %v", changes, err)
	}
	for _, path := range []string{"..", "../f", "./f", "a/b"} {
		if e, ok, err := tree.Entry(path); ok || err != nil {
			t.Errorf("Entry(%q) = %v, %v", path, e, err)
		}
	}
	for _, path := range []string{"z", "d/f", "odd"} {
		if _, ok, err := tree.Entry(path); !ok || err != nil {
			t.Errorf("Entry(%q) = %v, %v", path, ok, err)
		}
	}
	// The odd mode of a neighbour survives a write.
	next, err := r.WriteTree(root, map[string][]byte{"new": []byte("n")})
	if err != nil {
		t.Fatal(err)
	}
	n, err := r.node(next)
	if e, ok := n.find("odd"); err != nil || !ok || e.mode != 0o100664 {
		t.Errorf("the neighbour became %v, %v", e, err)
	}
}

// TestTreeBomb: ten trees that each name the next ten times are ten thousand
// million files.
func TestTreeBomb(t *testing.T) {
	t.Parallel()
	r := newBare(t)
	r.maxFiles = 5000
	blob, err := r.WriteBlob([]byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	h, mode := blob, filemode.Regular
	for range 10 {
		var entries []nodeEntry
		for i := range 10 {
			entries = append(entries, nodeEntry{fmt.Sprint(i), mode, h})
		}
		h, mode = writeNode(t, r, entries...), filemode.Dir
	}
	tree, err := r.Tree(h)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := tree.Files(context.Background()); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Files = %d files, %v; want ErrTooLarge", len(files), err)
	}
	if _, err := r.Diff(context.Background(), Hash{}, h); !errors.Is(err, ErrTooLarge) {
		t.Errorf("Diff = %v, want ErrTooLarge", err)
	}
	deep := blob
	mode = filemode.Regular
	for range 30 {
		deep, mode = writeNode(t, r, nodeEntry{strings.Repeat("d", 200), mode, deep}), filemode.Dir
	}
	tree, err = r.Tree(deep)
	if err != nil {
		t.Fatal(err)
	}
	if files, err := tree.Files(context.Background()); err != nil || len(files) != 0 {
		t.Errorf("a path of 6,000 bytes: %d files, %v", len(files), err)
	}
}

func TestDamagedTree(t *testing.T) {
	t.Parallel()
	r := newBare(t)
	for _, raw := range []string{"100644 a", "100644 a\x00short", "zz a\x00" + strings.Repeat("h", 20), "nothing"} {
		h, err := r.objects.write(plumbing.TreeObject, []byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.Tree(h); !errors.Is(err, ErrMissing) {
			t.Errorf("tree %q: %v, want ErrMissing", raw, err)
		}
	}
}

func FuzzParseTree(f *testing.F) {
	f.Add([]byte("100644 a\x00aaaaaaaaaaaaaaaaaaaa40000 b\x00bbbbbbbbbbbbbbbbbbbb"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		n, err := parseTree(raw)
		if err != nil {
			return
		}
		again, err := parseTree(n.encode())
		if err != nil || !slices.Equal(n.entries, again.entries) {
			t.Errorf("%q is not read as it is written: %v", raw, err)
		}
	})
}

func TestParseCommit(t *testing.T) {
	t.Parallel()
	tree := "tree 4b825dc642cb6eb9a060e54bf8d69288fbee4904\n"
	tests := []struct{ name, raw, want string }{
		{"plain", tree + "author A B <a@b> 1700000000 +0100\ncommitter C <c@d> 1700000001 -0330\n\nsubject\n\nbody\n",
			"A B|a@b|2023-11-14T23:13:20+01:00|C|2023-11-14T18:43:21-03:30|subject\n\nbody\n"},
		{"signed", tree + "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\ngpgsig -----BEGIN\n author X\n \n -----END\n\nm", "A|a@b|1970-01-01T00:00:01Z|A|1970-01-01T00:00:01Z|m"},
		{"no message", tree + "author A <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\n", "A|a@b|1970-01-01T00:00:01Z|A|1970-01-01T00:00:01Z|"},
		{"a date past the last year", tree + "author A <a@b> 999999999999999 +0000\ncommitter A <a@b> 99999999999999999999 +0000\n\nm", "A|a@b|9999-12-31T00:00:00Z|A|1970-01-01T00:00:00Z|m"},
		{"a date before the first", tree + "author A <a@b> -5 +0000\ncommitter A <a@b> 0 +9900\n\nm", "A|a@b|1970-01-01T00:00:00Z|A|1970-01-01T00:00:00Z|m"},
		{"no author", tree + "\nm", "||1970-01-01T00:00:00Z||1970-01-01T00:00:00Z|m"},
		{"latin-1", tree + "author J\xfcrgen <a@b> 1 +0000\ncommitter A <a@b> 1 +0000\nencoding ISO-8859-1\n\nGr\xfc\xdfe", "Jürgen|a@b|1970-01-01T00:00:01Z|A|1970-01-01T00:00:01Z|Grüße"},
	}
	for _, test := range tests {
		c, err := parseCommit(Hash{}, []byte(test.raw))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := strings.Join([]string{c.Author.Name, c.Author.Email, c.Author.When.Format(time.RFC3339), c.Committer.Name, c.Committer.When.Format(time.RFC3339), c.Message}, "|")
		if got != test.want {
			t.Errorf("%s:\n%q, want\n%q", test.name, got, test.want)
		}
		if _, err := c.Author.When.MarshalJSON(); err != nil {
			t.Errorf("%s: the date cannot be written: %v", test.name, err)
		}
	}
	if _, err := parseCommit(Hash{}, []byte("hello")); !errors.Is(err, ErrMissing) {
		t.Errorf("a commit without a tree: %v", err)
	}
}

func TestBlob(t *testing.T) {
	t.Parallel()
	r := newBare(t)
	big := make([]byte, 9<<20) // more than is held in memory at once
	h, err := r.WriteBlob(big)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Blob(h, 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("over the limit: %v", err)
	}
	if b, err := r.Blob(h, 9<<20); err != nil || len(b) != len(big) {
		t.Errorf("at the limit: %d bytes, %v", len(b), err)
	}
	if _, err := r.Blob(Hash{1}, 1000); !errors.Is(err, ErrMissing) {
		t.Errorf("missing: %v", err)
	}
	if _, err := r.Blob(writeNode(t, r, nodeEntry{"a", filemode.Regular, h}), 1000); err == nil || !strings.Contains(err.Error(), "it is a tree") {
		t.Errorf("a tree: %v", err)
	}
}

// TestDamagedObjects: what a power cut leaves is as missing as what is not there.
func TestDamagedObjects(t *testing.T) {
	t.Parallel()
	r := newBare(t)
	for _, damage := range []string{"", "not zlib", "\x78\x9c\x03\x00"} {
		h, err := r.WriteBlob([]byte("content " + damage))
		if err != nil {
			t.Fatal(err)
		}
		name := hex.EncodeToString(h[:])
		file := filepath.Join(r.common, "objects", name[:2], name[2:])
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(damage), 0o644); err != nil {
			t.Fatal(err)
		}
		if b, err := r.Blob(h, 1000); !errors.Is(err, ErrMissing) {
			t.Errorf("object file %q: %q, %v; want ErrMissing", damage, b, err)
		}
	}
}

func TestCache(t *testing.T) {
	t.Parallel()
	c := newCache[Hash, int](20)
	for i := range 100 {
		c.put(Hash{byte(i)}, i, 1)
		if v, ok := c.get(Hash{byte(i)}); !ok || v != i {
			t.Fatalf("%d is gone at once", i)
		}
		if n := len(c.young) + len(c.old); n > 20 {
			t.Fatalf("the cache holds %d", n)
		}
	}
}
