package repo

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// TestWanted: of what a host advertises only names that are safe as file names
// and ours to mirror are taken.
func TestWanted(t *testing.T) {
	t.Parallel()
	advertised := map[string]Hash{}
	for _, name := range []string{
		"refs/heads/main", "refs/heads/--upload-pack=touch", "refs/retrosweep/journal", "refs/heads/ünï",
		"HEAD", "refs/tags/v1", "refs/pull/1/head", "refs/heads/../../config", "refs/heads/a/../../../../x", "refs/heads/x.lock", "refs/heads/.x",
		"refs/heads/a..b", "refs/heads/a:b", "refs/heads/a b", "refs/heads/a\nb", "refs/heads/*", "refs/heads/a^", "refs/heads/@{1}", "refs/heads/",
		"/refs/heads/x", "refs/heads//x", "refs/headsx", "refs/replace/x", "refs/heads/" + strings.Repeat("a", 5000),
	} {
		advertised[name] = Hash{1}
	}
	got := slices.Sorted(maps.Keys(wanted(advertised)))
	want := []string{"refs/heads/main", "refs/heads/ünï", "refs/retrosweep/journal"}
	if !slices.Equal(got, want) {
		t.Errorf("wanted %q", got)
	}
}

// TestCopyPack refuses everything but a whole pack.
func TestCopyPack(t *testing.T) {
	t.Parallel()
	empty := "PACK\x00\x00\x00\x02\x00\x00\x00\x00\x02\x9d\x08\x82\x3b\xd8\xa8\xea\xb5\x10\xad\x6a\xc7\x5c\x82\x3c\xfd\x3e\xd3\x1e"
	tests := map[string]error{"": errNoObjects, empty: errNoObjects, "PACK": nil, "<html>": nil, empty[:31] + "x": nil, empty[:20]: nil, strings.Repeat("x", 100): nil}
	for text, want := range tests {
		f, err := os.Create(filepath.Join(t.TempDir(), "pack"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := copyPack(f, oneByte{strings.NewReader(text)}); err == nil || want != nil && !errors.Is(err, want) || want == nil && errors.Is(err, errNoObjects) {
			t.Errorf("%.40q: %v", text, err)
		}
	}
}

// oneByte gives one byte at a time.
type oneByte struct{ r *strings.Reader }

func (o oneByte) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

func TestVerdict(t *testing.T) {
	t.Parallel()
	updates := []RefUpdate{{Name: "refs/heads/a", New: Hash{1}}, {Name: "refs/retrosweep/b", New: Hash{1}}}
	tests := []struct {
		a, b, message string
		moved         bool
		ref           string
	}{
		{"failed to update ref", "atomic push failure", "", true, ""},
		{"atomic push failure", "non-fast-forward", "", true, ""},
		{"incorrect old value provided", "", "", true, ""},
		{"atomic push failure", "protected branch hook declined", "GH006", false, "refs/retrosweep/b"},
		{"protected branch hook declined", "atomic push failure", "GH006", false, "refs/heads/a"},
		{"pre-receive hook declined", "pre-receive hook declined", "no refs/retrosweep/b here", false, "refs/retrosweep/b"},
		{"pre-receive hook declined", "pre-receive hook declined", "", false, "refs/heads/a"},
	}
	for _, test := range tests {
		report := remote.Report{Reasons: map[string]string{"refs/heads/a": test.a}}
		if test.b != "" {
			report.Reasons["refs/retrosweep/b"] = test.b
		}
		if test.message != "" {
			report.Messages = []string{test.message}
		}
		err := verdict(report, updates)
		var refused *RefusedError
		if errors.Is(err, ErrRefMoved) != test.moved || errors.As(err, &refused) == test.moved || refused != nil && refused.Ref != test.ref {
			t.Errorf("%+v: %v", test, err)
		}
	}
	if err := verdict(remote.Report{}, updates); err != nil {
		t.Errorf("nothing refused: %v", err)
	}
}

// TestIndexOfGarbage is an error where go-git has to find it out, too.
func TestIndexOfGarbage(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	file := filepath.Join(t.TempDir(), "bad.pack")
	if err := os.WriteFile(file, []byte("PACK\x00\x00\x00\x02\x00\x00\x00\x05garbage garbage garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := indexPack(context.Background(), file, file+".idx"); err == nil {
		t.Error("garbage was indexed")
	}
}
