package guard_test

import (
	"bytes"
	"testing"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// An archive whose last fact went home may go away; one whose facts are lost
// may not.
func TestEmptiedArchiveMayGo(t *testing.T) {
	t.Parallel()
	vault := []byte("# Vault\n\n### BLOCKED_PATTERNS\n- **ID**: B-001\n- **Issue**: Boxes in invoices.\n- **TTL**: indefinite\n")
	read := func(path string) ([]byte, bool) { return vault, path == "KNOWLEDGE_VAULT.md" }
	archived, err := knowledge.Apply(read, []knowledge.Edit{{Op: knowledge.OpArchive, Path: "KNOWLEDGE_VAULT.md", FactID: "B-001", Reason: "mended"}})
	if err != nil {
		t.Fatal(err)
	}
	archive, left := archived["ARCHIVED_KNOWLEDGE.md"], archived["KNOWLEDGE_VAULT.md"]
	gone := guard.FileChange{Path: "ARCHIVED_KNOWLEDGE.md", OldMode: "100644", Old: archive}
	home := guard.FileChange{Path: "KNOWLEDGE_VAULT.md", OldMode: "100644", NewMode: "100644", Old: left, New: vault}
	p := guard.NewPolicy(nil, guard.Routes{}, guard.Routes{})
	if err := p.CheckDiff(knowledge.RouteUpkeep, []guard.FileChange{gone, home}); err != nil {
		t.Errorf("a restored fact: %v", err)
	}
	home.New = bytes.Replace(vault, []byte("Boxes in invoices."), []byte("Boxes."), 1)
	if err := p.CheckDiff(knowledge.RouteUpkeep, []guard.FileChange{gone, home}); err == nil {
		t.Error("a fact that comes back changed passes")
	}
	if err := p.CheckDiff(knowledge.RouteUpkeep, []guard.FileChange{gone}); err == nil {
		t.Error("an archive that goes away with its fact passes")
	}
}
