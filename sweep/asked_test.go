package sweep_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write again what is asked in testdata/judge")

// Which facts reach the judge, by histories of our own: the section "asked" of
// each file lists them as file:line and what is shown of the code.
func TestWhoIsAsked(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/judge/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no histories: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			a := txtar.Parse(src)
			var want string
			for i, f := range a.Files {
				if f.Name == "asked" {
					want = string(f.Data)
					a.Files = append(a.Files[:i], a.Files[i+1:]...)
					break
				}
			}
			c := newCourt(t, string(txtar.Format(a)), verdict("unknown", "", 0, ""))
			c.sweep(t, "first")
			var got strings.Builder
			for _, p := range c.judge.asked {
				got.WriteString(shown(p.User))
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(&txtar.Archive{Comment: a.Comment, Files: append(a.Files, txtar.File{Name: "asked", Data: []byte(got.String())})}), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(want, got.String()); diff != "" {
				t.Errorf("asked (-want +got):\n%s", diff)
			}
		})
	}
}

// shown is a question without what is the same in all.
func shown(user string) string {
	var b strings.Builder
	for line := range strings.Lines(user) {
		switch {
		case strings.HasPrefix(line, "⟦"), strings.HasPrefix(line, "Lines are"), strings.HasPrefix(line, "Does the"), strings.TrimSpace(line) == "",
			strings.HasPrefix(line, "# What"), strings.HasPrefix(line, "under:"):
		case strings.HasPrefix(line, "# The claim"):
			b.WriteString("----\n")
		default:
			b.WriteString(strings.TrimRight(line, " \n") + "\n")
		}
	}
	return b.String()
}
