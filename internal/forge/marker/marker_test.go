package marker

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/proposal"
)

const id = "3f2a1b9c4d5e6f708192a3b4c5d6e7f801234567"

func sample() Marker {
	at := time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)
	return Marker{Version: 1, Slot: "s", Content: "c", Kind: "rules", Branch: "retrosweep/rules/a-12345678", Base: "main", Fork: id, Head: id, Title: "--> t", Run: "r", At: at, Files: []string{"a.md"}}
}

func TestParseMarker(t *testing.T) {
	t.Parallel()
	m := sample()
	text := m.String()
	for name, body := range map[string]string{
		"alone": text, "in a body": "Above.\r\n\r\n" + text + "\r\nBelow.", "in an island": Island("Text --> <!-- more", m), "with a CRLF": text + "\r\n",
	} {
		got, err := Parse(body)
		if diff := cmp.Diff(m, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
	for name, body := range map[string]string{
		"nothing":         "",
		"another comment": "<!-- retrosweep:begin -->",
		"two":             text + text,
		"no JSON":         "<!-- retrosweep:v1 {x} -->",
		"cut":             text[:len(text)-20],
		"a later version": strings.Replace(text, `"version":1`, `"version":2`, 1),
		"no slot":         strings.Replace(text, `"slot":"s"`, `"slot":""`, 1),
		"not our branch":  strings.Replace(text, "retrosweep/rules/a-12345678", "main", 1),
		"no head":         strings.Replace(text, `"head":"`+id, `"head":"`, 1),
		"another type":    strings.Replace(text, `"slot":"s"`, `"slot":1`, 1),
		"over two lines":  strings.Replace(text, `,"slot"`, ",\n\"slot\"", 1),
	} {
		if got, err := Parse(body); err == nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestIslandStaysInPlace: what stands around the island is nobody's but the
// people's.
func TestIslandStaysInPlace(t *testing.T) {
	t.Parallel()
	m, next := sample(), sample()
	next.Content = "d"
	for name, c := range map[string]struct{ body, want string }{
		"island":       {"A\n" + Island("x", m) + "\nB", "A\n" + Island("y", next) + "\nB"},
		"no beginning": {"A\nx\n" + m.String() + "\nB", "A\nx\n" + next.String() + "\nB"},
		"no marker":    {"A", "A"},
	} {
		if got := Within(c.body, "y", next); got != c.want {
			t.Errorf("%s: %s", name, cmp.Diff(c.want, got))
		}
	}
	if got := Text("A\n" + Island("x <!-- y", m) + "B"); got != "x <!-- y" {
		t.Errorf("the text is %q", got)
	}
}

func TestMarkerFor(t *testing.T) {
	t.Parallel()
	was, other := sample(), "1"+id[1:]
	m := sample()
	m.Head, m.Content, m.Stage, m.Was = other, "d", Updating, &was
	if got := m.For(Hash(id)); got.Content != "c" {
		t.Error("a branch that has not moved is read as moved")
	}
	if got := m.For(Hash(other)); got.Content != "d" {
		t.Error("a branch that has moved is read as not moved")
	}
	m.Stage = Settled
	if got := m.For(Hash(id)); got.Content != "d" {
		t.Error("a branch that a person set back is read as ours")
	}
}

func TestUnpackIsBounded(t *testing.T) {
	t.Parallel()
	bomb, err := pack([]proposal.Layer{{Subject: strings.Repeat("x", maxLayers+1)}})
	if err != nil {
		t.Fatal(err)
	}
	for name, packed := range map[string]string{"nothing": "", "no base64": "§", "no gzip": "AAAA", "a bomb": bomb} {
		if layers, err := unpack(packed); err == nil {
			t.Errorf("%s: %d layers", name, len(layers))
		}
	}
}

func FuzzMarker(f *testing.F) {
	f.Add(Island("text", sample()))
	f.Add(sample().String() + sample().String())
	f.Add("<!-- retrosweep:v1 {} -->")
	f.Add("a<!-- retrosweep:begin -->b<!-- retrosweep:v1 {\"version\":1} -->")
	f.Fuzz(func(t *testing.T, body string) {
		m, err := Parse(body)
		if err != nil {
			return
		}
		// What can be read can be written again, and then reads the same.
		again, err := Parse(Within(body, "text", m))
		if err != nil {
			t.Fatalf("written again: %v", err)
		}
		if diff := cmp.Diff(m, again); diff != "" {
			t.Error(diff)
		}
	})
}

func FuzzIsland(f *testing.F) {
	f.Add("text")
	f.Add("<!-- retrosweep:v1 {\"version\":1} --> --> <!--")
	f.Add("<<!--!-- retrosweep:begin -->")
	f.Fuzz(func(t *testing.T, text string) {
		body := Island(text, sample())
		got, err := Parse(body)
		if err != nil || got.Slot != "s" || len(body) > 65536 {
			t.Errorf("%d bytes, %v", len(body), err)
		}
		if strings.Count(body, islandBegin) != 1 {
			t.Error("it has two beginnings")
		}
	})
}
