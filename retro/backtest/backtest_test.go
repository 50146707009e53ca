package backtest

import (
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal/signaltest"
)

// bySubject finds commits by the first words of their messages.
func bySubject(t *testing.T, all []repo.Commit, subjects ...string) (out []repo.Hash) {
	t.Helper()
	for _, s := range subjects {
		n := len(out)
		for _, c := range all {
			if strings.HasPrefix(c.Message, s) {
				out = append(out, c.Hash)
			}
		}
		if len(out) != n+1 {
			t.Fatalf("%q names %d commits", s, len(out)-n)
		}
	}
	return out
}

func TestRun(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "past.txtar")
	both := []string{"no cache\n", "no cache there"}
	for _, tt := range []struct {
		name, kind, pattern string
		corrections         []string
		want                string
		clean               bool
	}{
		{"what was wrong, wherever it came from", Line, `return cachedClient\b`, both, "would have caught 2 of 2, 0 hits on 4 other commits", true},
		{"at the end of a line only", Line, `cachedClient \}$`, both, "would have caught 2 of 2, 0 hits on 4 other commits", true},
		{"too wide", Line, `return cached\w+`, both, "would have caught 2 of 2, 1 hits on 4 other commits", false},
		{"one mistake of two", Line, `func New\(\) \*Client \{ return cached`, both, "would have caught 1 of 2, 0 hits on 4 other commits", false},
		{"never made", Line, `return staleClient`, both, "would have caught 0 of 2, 0 hits on 4 other commits", false},
		{"a path", Path, `^tmp/.*\.go$`, []string{"no scratch"}, "would have caught 1 of 1, 0 hits on 5 other commits", true},
		{"no correction", Line, `return cachedClient`, nil, "would have caught 0 of 0, 2 hits on 6 other commits", false},
	} {
		c, err := Parse(tt.kind, tt.pattern)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got, err := c.Run(t.Context(), r, commits, bySubject(t, commits, tt.corrections...))
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != tt.want || got.Clean() != tt.clean {
			t.Errorf("%s: %s, clean %v; want %s, %v", tt.name, got, got.Clean(), tt.want, tt.clean)
		}
	}
}

// Commands stand in pages too, between fences; what is said of them there is no
// code. What only moves is neither brought nor taken away, and a page that shows
// the wrong sample does not bring back what left the code.
func TestPagesAndMoves(t *testing.T) {
	t.Parallel()
	r, commits := signaltest.File(t, "pages.txtar")
	c, err := Parse(Line, `\bshop sync\b`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		corrections []string
		want        string
		hits        []string
	}{
		{[]string{"the skill", "the test", "the tool"}, "would have caught 3 of 3, 1 hits on 4 other commits", []string{"a page"}},
		{[]string{"the skill", "note it", "move the"}, "would have caught 1 of 3, 3 hits on 4 other commits", []string{"a page", "the tool", "begin"}},
	} {
		got, err := c.Run(t.Context(), r, commits, bySubject(t, commits, tt.corrections...))
		if err != nil {
			t.Fatal(err)
		}
		if got.String() != tt.want || !slices.Equal(got.Hits, bySubject(t, commits, tt.hits...)) {
			t.Errorf("%v: %s %v, want %s", tt.corrections, got, got.Hits, tt.want)
		}
	}
}

// A pattern is untrusted: it must be about something, and safe to show.
func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string][2]string{
		"another kind":     {"shell", "rm -rf"},
		"nothing":          {Line, ""},
		"everything":       {Line, ".*"},
		"any word":         {Line, `\w+\s+\w+`},
		"one of two":       {Line, `(dangerous|.)`},
		"optional":         {Line, `(dangerous)?`},
		"two letters":      {Line, `if`},
		"look ahead":       {Line, `foo(?!bar)`},
		"not closed":       {Line, `foo(bar`},
		"a code span":      {Line, "foo`bar`"},
		"two lines":        {Line, "foo\nbar"},
		"hidden":           {Line, "foo\u202ebar"},
		"a secret":         {Line, "AKIA" + "IOSFODNN7ABCDEFG"},
		"long":             {Path, strings.Repeat("long/", 40)},
		"too many repeats": {Line, `(foobar{1000}){1000}`},
	} {
		if c, err := Parse(tt[0], tt[1]); err == nil {
			t.Errorf("%s: %q is taken: %+v", name, tt[1], c)
		}
	}
}

func TestThousands(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 2118: "2,118", 1002003: "1,002,003"} {
		if got := thousands(n); got != want {
			t.Errorf("thousands(%d) = %s, want %s", n, got, want)
		}
	}
}
