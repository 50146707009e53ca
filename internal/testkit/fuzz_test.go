package testkit

import (
	"strings"
	"testing"
)

// FuzzParse: any text is a history or an error, and a history that parses can be
// built or is refused with the number of a commit.
func FuzzParse(f *testing.F) {
	f.Add([]byte(history))
	f.Add([]byte("-- commit --\nmerge: x\nmove: a -> b\nlink: a -> b\n\nm\n-- a --\nx\n-- commit --\ndate: 2026-03-02T10:00:00Z\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		commits, err := parse(src)
		if err != nil || len(commits) > 5 || strings.Count(string(src), "/") > 50 {
			return
		}
		for _, c := range commits {
			if strings.ContainsAny(c.Branch+c.Tag, "/.\x00") || c.Branch == "" {
				return
			}
		}
		r, err := Build(t.TempDir(), src)
		if err != nil {
			return
		}
		defer r.Close()
		refs, err := r.Refs("refs/heads/")
		if err != nil {
			t.Fatal(err)
		}
		for name, h := range refs {
			if _, err := r.Commit(h); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}
