package knowledge_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func TestFieldsAsTheyAreWritten(t *testing.T) {
	t.Parallel()
	page := knowledge.Parse("skills/ship/SKILL.md", []byte("---\nname: ship\nmetadata:\n  Owner: ada\ntags: [a, b]\n---\n# Ship\n"), knowledge.Instruction)
	want := []knowledge.Field{
		{Key: "name", Name: "name", Text: "ship", Items: []string{"ship"}, Line: 2},
		{Key: "Owner", Name: "owner", Group: "metadata", Text: "ada", Items: []string{"ada"}, Line: 4},
		{Key: "tags", Name: "tags", Items: []string{"a", "b"}, Line: 5},
	}
	var got []knowledge.Field
	for _, f := range page.FrontMatter() {
		if f.Name != "metadata" {
			got = append(got, f)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("front matter (-want +got):\n%s", diff)
	}
	vault := knowledge.Parse("KNOWLEDGE_VAULT.md", []byte("### BLOCKED_PATTERNS\n\n- **ID**: B-001\n- **Tags**: #a/b\n- **Issue**: it breaks\n"), knowledge.Vault)
	entry, ok := vault.Fact("B-001")
	if !ok {
		t.Fatal("no entry B-001")
	}
	fields := vault.Fields(entry)
	if len(fields) != 3 || fields[1].Name != "tags" || fields[1].Line != 4 || fields[1].Text != "#a/b" {
		t.Errorf("fields of the entry: %+v", fields)
	}
}
