package knowledge

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "write the golden files again")

// Every archive holds sources and, beside each, what is read of it.
func TestParse(t *testing.T) {
	t.Parallel()
	archives, err := filepath.Glob("testdata/parse/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			golden(t, name)
		})
	}
}

func golden(t *testing.T, name string) {
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	ar := txtar.Parse(src)
	want := map[string]string{}
	var sources []txtar.File
	for _, f := range ar.Files {
		if of, ok := strings.CutSuffix(f.Name, ".want"); ok {
			want[of] = string(f.Data)
		} else {
			sources = append(sources, f)
		}
	}
	ar.Files = nil
	for _, f := range sources {
		d := parseAs(f.Name, f.Data)
		sound(t, d)
		got := dump(d)
		if diff := cmp.Diff(want[f.Name], got); diff != "" && !*update {
			t.Errorf("%s:\n%s", f.Name, diff)
		}
		ar.Files = append(ar.Files, f, txtar.File{Name: f.Name + ".want", Data: []byte(got)})
	}
	if *update {
		if err := os.WriteFile(name, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// dump writes a document as a person would check it: a line a fact.
func dump(d *Document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s startup=%v event=%v\n", d.Format, d.Startup, d.Event)
	for i := range d.Facts {
		f := &d.Facts[i]
		fmt.Fprintf(&b, "%d-%d %s %q", f.Line, f.EndLine, f.Kind, f.Text)
		for _, part := range []struct{ name, value string }{
			{"under", strings.Join(f.Heading, " / ")}, {"after", f.Parent}, {"fence", f.Fence}, {"type", f.Type},
		} {
			if part.value != "" {
				fmt.Fprintf(&b, " %s=%q", part.name, part.value)
			}
		}
		if !looksHashed.MatchString(f.ID) {
			fmt.Fprintf(&b, " id=%s", f.ID)
		}
		if f.Event && !d.Event {
			b.WriteString(" event")
		}
		b.WriteString(dumpLife(f.Life) + "\n")
	}
	for _, f := range d.Faults {
		fmt.Fprintf(&b, "fault %d %s: %s\n", f.Line, f.Rule, f.Text)
	}
	return b.String()
}

func dumpLife(l Lifecycle) string {
	var b strings.Builder
	for _, d := range []struct {
		name string
		at   time.Time
	}{{"created", l.Created}, {"verified", l.Verified}, {"renewed", l.Renewed}, {"expires", l.Expires}, {"archived", l.Archived}} {
		if !d.at.IsZero() {
			fmt.Fprintf(&b, " %s=%s", d.name, d.at.Format(time.DateOnly))
		}
	}
	if l.TTL > 0 || l.Indefinite {
		fmt.Fprintf(&b, " ttl=%d indefinite=%v", l.TTL/(24*time.Hour), l.Indefinite)
	}
	for _, s := range []struct{ name, value string }{{"retire_when", l.RetireWhen}, {"supersedes", l.Supersedes}, {"superseded_by", l.SupersededBy},
		{"status", l.Status}, {"files", strings.Join(l.AnchorFiles, " ")}, {"symbols", strings.Join(l.AnchorSymbols, " ")}, {"unreadable", strings.Join(l.Unreadable, " ")}} {
		if s.value != "" {
			fmt.Fprintf(&b, " %s=%q", s.name, s.value)
		}
	}
	return b.String()
}
