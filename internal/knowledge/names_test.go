package knowledge

import (
	"fmt"
	"testing"
)

// The index says what asking every fact says.
func TestNamesOnly(t *testing.T) {
	var docs []*Document
	for i := range 4 {
		src := fmt.Sprintf("---\nid: entry-%d\ntype: decision\n---\n# Entry %d\n\n- one\n- two\n", i, i)
		docs = append(docs, Parse(fmt.Sprintf("vault/page_%d.md", i), []byte(src), Vault))
	}
	docs = append(docs, Parse("other/page_1.md", []byte("# Page\n\n- text\n"), Vault), Parse("memory/page-3.md", []byte("---\nname: x\n---\ntext\n"), Memory))
	names := NewNames(docs)
	asked := []string{"", " ", "entry-1", "ENTRY-1", "`entry-2`", "[[page_3]]", "page-3", "page_1.md", "vault/page_1.md", "../vault/page_2.md", "nobody"}
	for _, d := range docs {
		for i := range d.Facts {
			asked = append(asked, d.Facts[i].ID)
		}
	}
	met := 0
	for _, from := range []string{"vault/page_0.md", "other/page_1.md", "memory/page-3.md", "AGENTS.md"} {
		for _, name := range asked {
			want := only(docs, name, from)
			if got := names.Only(name, from); got != want {
				t.Errorf("%q in %s: got %v, want %v", name, from, got, want)
			}
			if want != nil {
				met++
			}
		}
	}
	if met < 20 {
		t.Errorf("only %d names mean something", met)
	}
}

func only(docs []*Document, name, from string) *Fact {
	var found *Fact
	for _, d := range docs {
		for i := range d.Facts {
			if !d.Facts[i].Called(name, from) {
				continue
			}
			if found != nil {
				return nil
			}
			found = &d.Facts[i]
		}
	}
	return found
}
