package knowledge

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStore(t *testing.T) {
	t.Parallel()
	src := "\xef\xbb\xbf" + `{"id":"mx-1","type":"pattern","name":"dedup","description":"record.ts checks first.","files":["src/record.ts"],"dir_anchors":["src/lib"],"more":{"a":1}}
{"type":"failure","description":"It broke.","resolution":"Mend it."}

{"type":"pattern"}
not JSON
{"description":12}
{"type":"convention","recorded_at":"2026-04-30T19:16:08.572Z","content":"Say \"why\"."}`
	d := Parse(".mulch/expertise/cli.jsonl", []byte(src), Store)
	var got []string
	for _, f := range d.Facts {
		got = append(got, strings.Join(append([]string{f.Type, f.Title, f.Text}, f.Life.AnchorFiles...), "|"))
	}
	want := []string{"pattern|dedup|record.ts checks first.|src/record.ts|src/lib", "failure|It broke. Mend it.|It broke.\nMend it.", "convention|Say \"why\".|Say \"why\"."}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if d.Facts[0].ID != "mx-1" || d.Facts[0].Line != 1 || d.Facts[1].Line != 2 || !d.Facts[1].Event || d.Facts[2].Life.Created.Year() != 2026 || d.Facts[2].Line != 7 {
		t.Errorf("facts %+v", d.Facts)
	}
	if len(d.Faults) != 2 || d.Faults[0].Line != 5 || d.Faults[1].Line != 6 {
		t.Errorf("faults %+v", d.Faults)
	}
}

func TestStoreIsNeverWritten(t *testing.T) {
	t.Parallel()
	f, r, ok := NewClassifier(nil).Classify(".mulch/expertise/cli.jsonl")
	if f != Store || r != RouteNever || !ok {
		t.Errorf("Classify = %s %s %v", f, r, ok)
	}
	if _, _, ok := NewClassifier(nil).Classify("data/cli.jsonl"); ok {
		t.Error("any JSON lines are taken for knowledge")
	}
}
