package github_test

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, no := range []bool{false, true} {
		w := newWorld(t, func(f *githubfake.Options, _ *github.Options) { f.NoCreate = no })
		c := w.dial(githubfake.Token)
		a, err := c.Check(t.Context(), "acme", "shop")
		if err != nil || !a.Push || a.Default != "main" || !a.Actions || a.MayCreate == no || a.Left != 4999 {
			t.Errorf("it is %+v, %v", a, err)
		}
		w.fake.Inject(githubfake.Fault{Path: "/workflow$", Status: 403})
		if a, err := c.Check(t.Context(), "acme", "shop"); err != nil || a.Actions {
			t.Errorf("where settings may not be read it is %+v, %v", a, err)
		}
		if _, err := c.Check(t.Context(), "acme", "other"); err == nil {
			t.Error("a repository that is not there passes")
		}
		if n := len(w.fake.Writes()); n != 0 {
			t.Errorf("%d writes", n)
		}
	}
}
