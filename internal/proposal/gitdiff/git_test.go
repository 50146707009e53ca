package gitdiff_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
)

// git is a bare repository that real git reads.
type git struct {
	t   *testing.T
	dir string
}

func newGit(t *testing.T) *git {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("git is required in CI")
		}
		t.Skip("git is not installed: nothing to compare with")
	}
	g := &git{t, t.TempDir()}
	g.run(nil, "init", "-q", "--bare", ".")
	return g
}

func (g *git) run(stdin []byte, args ...string) string {
	g.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = g.dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "LC_ALL=C")
	cmd.Stdin = bytes.NewReader(stdin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		g.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, &stderr)
	}
	return string(out)
}

// load writes the two trees of each case as commits a<n> and b<n>.
func (g *git) load(cases [][]gitdiff.File) {
	var in bytes.Buffer
	for i, files := range cases {
		for j, name := range []string{"a", "b"} {
			fmt.Fprintf(&in, "commit refs/heads/%s%d\ncommitter A <a@acme.dev> 1772445600 +0000\ndata 1\nx\n", name, i)
			for _, f := range files {
				mode, content := f.OldMode, f.Old
				if j == 1 {
					mode, content = f.NewMode, f.New
				}
				if mode != "" {
					fmt.Fprintf(&in, "M %s inline %q\ndata %d\n%s\n", mode, f.Path, len(content), content)
				}
			}
		}
	}
	g.run(in.Bytes(), "fast-import", "--quiet", "--force")
}

func (g *git) same(cases [][]gitdiff.File, names []string) {
	g.t.Helper()
	g.load(cases)
	abbreviate, err := gitdiff.NewAbbreviate(filepath.Join(g.dir, "objects"))
	if err != nil {
		g.t.Fatal(err)
	}
	for i, files := range cases {
		want := g.run(nil, "diff", fmt.Sprintf("a%d..b%d", i, i))
		if diff := cmp.Diff(want, gitdiff.Format(files, abbreviate)); diff != "" {
			g.t.Errorf("%s: git (-) and Format (+) differ:\n%s", names[i], diff)
			if len(names[i]) > 6 && names[i][:6] == "random" {
				return
			}
		}
	}
}

const regular = "100644"

func edited(path string, from, to []byte) gitdiff.File {
	return gitdiff.File{Path: path, OldMode: regular, NewMode: regular, Old: from, New: to}
}

// TestFormatCases compares every testdata archive with git: files under a/ and
// b/ are the two trees.
func TestFormatCases(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	var cases [][]gitdiff.File
	var names []string
	for _, p := range paths {
		ar, err := txtar.ParseFile(p)
		if err != nil {
			t.Fatal(err)
		}
		cases, names = append(cases, trees(ar)), append(names, filepath.Base(p))
	}
	newGit(t).same(cases, names)
}

func trees(ar *txtar.Archive) []gitdiff.File {
	byPath := map[string]*gitdiff.File{}
	var out []*gitdiff.File
	for _, f := range ar.Files {
		side, path, _ := strings.Cut(f.Name, "/")
		data := bytes.TrimSuffix(f.Data, []byte("\n<EOF>\n"))
		data = bytes.ReplaceAll(data, []byte("<CR>\n"), []byte("\r\n"))
		g := byPath[path]
		if g == nil {
			g = &gitdiff.File{Path: path}
			byPath[path] = g
			out = append(out, g)
		}
		if side == "a" {
			g.OldMode, g.Old = regular, data
		} else {
			g.NewMode, g.New = regular, data
		}
	}
	files := make([]gitdiff.File, len(out))
	for i, f := range out {
		files[i] = *f
	}
	return files
}

// TestFormatUnusual holds what a text archive cannot.
func TestFormatUnusual(t *testing.T) {
	t.Parallel()
	exec := edited("run.sh", []byte("a\n"), []byte("b\n"))
	exec.NewMode = "100755"
	chmod := edited("just-mode.sh", []byte("a\n"), []byte("a\n"))
	chmod.NewMode = "100755"
	long := strings.Repeat("ä", 60)
	cases := [][]gitdiff.File{
		{edited("bin", []byte("a\x00b"), []byte("a\x00c"))},
		{{Path: "new.bin", NewMode: regular, New: []byte("\x00")}},
		{exec, chmod},
		{edited("mit leer zeichen.md", []byte("a\n"), []byte("b\n"))},
		{edited("ünï \t\"q\".md", []byte("a\n"), []byte("b\n"))},
		{edited("no-eol", []byte("a\nb"), []byte("a\nb\nc"))},
		{edited("no-eol-same", []byte("a\nb"), []byte("x\nb"))},
		{{Path: "empty", NewMode: regular}},
		{{Path: "gone", OldMode: regular}},
		{edited("emptied", []byte("a\n"), nil)},
		{edited("crlf", []byte("a\r\nb\r\n"), []byte("a\r\nc\r\n"))},
		{edited("func", []byte("h"+long+"\n"+strings.Repeat("- x\n", 5)+"y\n"), []byte("h"+long+"\n"+strings.Repeat("- x\n", 5)+"z\n"))},
		{edited("func-bad", []byte("h\xff\xfe\n"+strings.Repeat("- x\n", 5)+"y\n"), []byte("h\xff\xfe\n"+strings.Repeat("- x\n", 5)+"z\n"))},
		{{Path: "link", OldMode: "120000", NewMode: "120000", Old: []byte("a"), New: []byte("b")}},
	}
	names := make([]string, len(cases))
	for i := range cases {
		names[i] = cases[i][0].Path
	}
	newGit(t).same(cases, names)
}

// TestFormatRandom compares many edits of small and large files, and many
// renames, with git. The generator is seeded: a failure is found again.
func TestFormatRandom(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(7, 11))
	var cases [][]gitdiff.File
	var names []string
	add := func(name string, files []gitdiff.File) {
		cases, names = append(cases, files), append(names, fmt.Sprintf("random %s %d", name, len(cases)))
	}
	for range 120 {
		from := text(r, 1+r.IntN(60), 1+r.IntN(30))
		add("small", []gitdiff.File{edited("f.md", from, mutate(r, from, 1+r.IntN(12)))})
	}
	for range 60 {
		add("moved", moves(r))
	}
	for range 6 {
		from := text(r, 2000+r.IntN(3000), 40+r.IntN(2000))
		add("large", []gitdiff.File{edited("f.md", from, mutate(r, from, 500+r.IntN(1500)))})
	}
	for range 2 {
		add("unlike", []gitdiff.File{edited("f.md", text(r, 3000, 600), text(r, 3000, 600))})
	}
	for range 3 {
		from := text(r, 4000, 900)
		add("shuffled", []gitdiff.File{edited("f.md", from, shuffle(r, from, 25+r.IntN(60)))})
	}
	for _, every := range []int{30} {
		from, to := swapped(r, 40000, every)
		add("swapped", []gitdiff.File{edited("f.md", from, to)})
	}
	newGit(t).same(cases, names)
}

// TestAbbreviateManyObjects needs more digits than seven: so many objects are
// packed, and two ids are alike.
func TestAbbreviateManyObjects(t *testing.T) {
	t.Parallel()
	g := newGit(t)
	var in bytes.Buffer
	for i := range 17000 {
		content := fmt.Sprintf("object %d", i)
		fmt.Fprintf(&in, "blob\ndata %d\n%s\n", len(content), content)
	}
	g.run(in.Bytes(), "fast-import", "--quiet")
	for _, version := range []string{"2", "1"} {
		g.run(nil, "-c", "pack.indexVersion="+version, "repack", "-q", "-a", "-d", "--keep-unreachable")
		abbreviate, err := gitdiff.NewAbbreviate(filepath.Join(g.dir, "objects"))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < 17000; i += 500 {
			id := strings.TrimSpace(g.run(fmt.Appendf(nil, "object %d", i), "hash-object", "--stdin"))
			want := strings.TrimSpace(g.run(nil, "rev-parse", "--short", id))
			if got := abbreviate(id); got != want {
				t.Fatalf("index version %s: %s is shortened to %s, git says %s", version, id, got, want)
			}
		}
		if got := abbreviate(strings.Repeat("0", 40)); got != "00000000" {
			t.Errorf("the null id is shortened to %s", got)
		}
	}
}

// swapped is a file of distinct lines and the same with two lines of every few
// taken from elsewhere: many edits between long equal runs.
func swapped(r *rand.Rand, n, every int) (from, to []byte) {
	var a, b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&a, "line %d\n", i)
		if i%every < 2 {
			fmt.Fprintf(&b, "line %d\n", r.IntN(n))
			continue
		}
		fmt.Fprintf(&b, "line %d\n", i)
	}
	return a.Bytes(), b.Bytes()
}

// shuffle cuts src into blocks and puts them back with some swapped, some lost.
func shuffle(r *rand.Rand, src []byte, size int) []byte {
	lines := bytes.SplitAfter(src, []byte("\n"))
	var blocks [][]byte
	for len(lines) > 0 {
		n := min(size, len(lines))
		blocks = append(blocks, bytes.Join(lines[:n], nil))
		lines = lines[n:]
	}
	for i := 3; i < len(blocks); i += 2 {
		blocks[i], blocks[i-3] = blocks[i-3], mutate(r, blocks[i], 3)
	}
	return bytes.Join(blocks, nil)
}

// text is n lines out of a vocabulary of the given size, many of them blank or
// indented, as in Markdown.
func text(r *rand.Rand, n, vocabulary int) []byte {
	var b bytes.Buffer
	for range n {
		switch r.IntN(6) {
		case 0:
			b.WriteString("\n")
		case 1:
			fmt.Fprintf(&b, "%s- item %d\n", strings.Repeat("  ", r.IntN(4)), r.IntN(vocabulary))
		case 2:
			fmt.Fprintf(&b, "%s}\n", strings.Repeat("\t", r.IntN(3)))
		default:
			fmt.Fprintf(&b, "%sword %d\n", []string{"", "# ", "    "}[r.IntN(3)], r.IntN(vocabulary))
		}
	}
	if r.IntN(8) == 0 {
		return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
	}
	return b.Bytes()
}

func mutate(r *rand.Rand, src []byte, n int) []byte {
	lines := bytes.SplitAfter(src, []byte("\n"))
	for range n {
		i := r.IntN(len(lines))
		switch r.IntN(4) {
		case 0: // remove
			lines = append(lines[:i:i], lines[i+1:]...)
		case 1: // repeat a block
			j := min(len(lines), i+1+r.IntN(4))
			lines = append(lines[:j:j], append(bytes.SplitAfter(bytes.Join(lines[i:j], nil), []byte("\n")), lines[j:]...)...)
		case 2: // insert
			lines = append(lines[:i:i], append([][]byte{text(r, 1, 20)}, lines[i:]...)...)
		default:
			lines[i] = text(r, 1, 20)
		}
		if len(lines) == 0 {
			lines = [][]byte{[]byte("\n")}
		}
	}
	return bytes.Join(lines, nil)
}

// moves is a handful of files of which some move and change on the way.
func moves(r *rand.Rand) []gitdiff.File {
	byPath := map[string]gitdiff.File{}
	for i := range 2 + r.IntN(6) {
		base := fmt.Sprintf("note%d.md", r.IntN(5))
		from := text(r, 5+r.IntN(30), 30)
		old := gitdiff.File{Path: fmt.Sprintf("memory/%d/%s", i, base), OldMode: regular, Old: from}
		byPath[old.Path] = old
		if r.IntN(4) == 0 {
			base = fmt.Sprintf("note%d.md", r.IntN(5))
		}
		to := gitdiff.File{Path: fmt.Sprintf("memory/archive/%d/%s", r.IntN(3), base), NewMode: regular, New: mutate(r, from, r.IntN(20))}
		byPath[to.Path] = to
	}
	var out []gitdiff.File
	for _, f := range byPath {
		out = append(out, f)
	}
	return out
}
