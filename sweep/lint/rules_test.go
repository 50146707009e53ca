package lint_test

import (
	"flag"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/lint"
)

var update = flag.Bool("update", false, "write what is found into the archives")

var today = time.Date(2026, 11, 30, 0, 0, 0, 0, time.UTC)

// tree is a working tree in memory.
type tree map[string]string

// input reads a tree as the program would; head are the files of the last
// commit.
func (t tree) input(head tree) lint.Input {
	classes := knowledge.NewClassifier(nil)
	in := lint.Input{
		Now: today,
		Exists: func(p string) bool {
			for name := range t {
				if name == p || strings.HasPrefix(name, p+"/") {
					return true
				}
			}
			return false
		},
		Named: func(base string) (out []string) {
			for name := range t {
				if path.Base(name) == base {
					out = append(out, name)
				}
			}
			sort.Strings(out)
			return out
		},
		Read:    func(p string) ([]byte, bool) { s, ok := t[p]; return []byte(s), ok },
		Ignored: func(p string) bool { return strings.HasPrefix(p, "dist/") },
		Route:   func(string) knowledge.Route { return knowledge.RouteUpkeep },
	}
	if head != nil {
		in.Head = func(p string) ([]byte, bool) { s, ok := head[p]; return []byte(s), ok }
	}
	names := make([]string, 0, len(t))
	for name := range t {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		switch f, _, ok := classes.Classify(name); {
		case strings.HasSuffix(name, ".unread"):
			in.Unread = append(in.Unread, lint.Unread{Path: strings.TrimSuffix(name, ".unread"), Why: strings.TrimSpace(t[name])})
		case ok:
			in.Docs = append(in.Docs, knowledge.Parse(name, []byte(t[name]), f))
		}
	}
	return in
}

// decode makes what an archive cannot hold: ‹U+200B›, ‹x80›, and ‹fill 1000› for
// so many words.
func decode(s string) string {
	for {
		i := strings.Index(s, "‹")
		j := strings.Index(s, "›")
		if i < 0 || j < i {
			return s
		}
		var r rune
		var b byte
		code := s[i+len("‹") : j]
		with := ""
		if n := 0; strings.HasPrefix(code, "fill ") {
			_, _ = fmt.Sscanf(code, "fill %d", &n)
			with = strings.Repeat("word ", n)
		} else if _, err := fmt.Sscanf(code, "U+%X", &r); err == nil {
			with = string(r)
		} else if _, err := fmt.Sscanf(code, "x%X", &b); err == nil {
			with = string([]byte{b})
		}
		s = s[:i] + with + s[j+len("›"):]
	}
}

// split takes an archive apart: the trees fires and quiet, the commits below
// them, and what is wanted.
func split(a *txtar.Archive) (trees, heads map[string]tree, want string) {
	trees, heads = map[string]tree{"fires": {}, "quiet": {}}, map[string]tree{}
	for _, f := range a.Files {
		dir, name, _ := strings.Cut(f.Name, "/")
		switch {
		case f.Name == "want":
			want = string(f.Data)
		case strings.HasSuffix(dir, ".head"):
			dir = strings.TrimSuffix(dir, ".head")
			if heads[dir] == nil {
				heads[dir] = tree{}
			}
			heads[dir][name] = decode(string(f.Data))
		default:
			trees[dir][name] = decode(string(f.Data))
		}
	}
	return trees, heads, want
}

func lines(r lint.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d %s %s: %s\n", f.Fact.File, f.Fact.Line, f.Severity, f.Rule, f.Reason)
	}
	return b.String()
}

// TestRules holds a case for every rule: a tree in which it fires, with all
// that is found there, and one that looks much the same in which nothing is.
func TestRules(t *testing.T) {
	t.Parallel()
	for _, r := range lint.Rules() {
		t.Run(r.ID, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join("testdata", strings.ReplaceAll(r.ID, "/", "_")+".txtar")
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatalf("every rule has a case: %v", err)
			}
			trees, heads, want := split(a)
			got := lines(lint.Check(trees["fires"].input(heads["fires"])))
			if !strings.Contains(got, " "+r.ID+": ") {
				t.Errorf("the rule does not fire; found:\n%s", got)
			}
			if *update {
				rewrite(t, file, a, got)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("findings (-want +got):\n%s", diff)
			}
			if quiet := lines(lint.Check(trees["quiet"].input(heads["quiet"]))); quiet != "" || len(trees["quiet"]) == 0 {
				t.Errorf("the quiet tree (%d files) has findings:\n%s", len(trees["quiet"]), quiet)
			}
		})
	}
}

func rewrite(t *testing.T, file string, a *txtar.Archive, want string) {
	t.Helper()
	for i := range a.Files {
		if a.Files[i].Name == "want" {
			a.Files[i].Data = []byte(want)
		}
	}
	if err := os.WriteFile(file, txtar.Format(a), 0o644); err != nil {
		t.Fatal(err)
	}
}
