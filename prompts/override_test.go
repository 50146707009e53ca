package prompts

import (
	"strings"
	"testing"
	"testing/fstest"
)

// What the operator writes is asked, under a version of its own; the schema and
// all else stays. It is not parallel: the templates are the process's.
func TestOperatorsPrompts(t *testing.T) {
	t.Cleanup(func() { overrides.Store(nil) })
	own, err := Triage(triageData())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"patch.system.tmpl": "{{.Nothing", "triage.user.tmpl": "{{end}}"} {
		if err := Override(fstest.MapFS{name: {Data: []byte(text)}}); err == nil {
			t.Errorf("%s: %q is taken", name, text)
		}
	}
	if again, err := Triage(triageData()); err != nil || again.Version != own.Version {
		t.Fatalf("a refused override changed the prompt: %v", err)
	}
	if err := Override(fstest.MapFS{
		"triage.system.tmpl": {Data: []byte("Look for lessons about money.")}, "triage.schema.json": {Data: []byte("{}")},
		"triage.user.tmpl": {Data: []byte("{{range .Commits}}{{.Message}}{{end}}")},
	}); err != nil {
		t.Fatal(err)
	}
	theirs, err := Triage(triageData())
	if err != nil {
		t.Fatal(err)
	}
	if strings.TrimSpace(theirs.System) != "Look for lessons about money." || theirs.Version == own.Version || string(theirs.Schema) != string(own.Schema) {
		t.Errorf("%+v", theirs)
	}
	if strings.Contains(theirs.User, "expired tokens") {
		t.Error("a template that forgets its fence shows the text of a repository")
	}
	if p, err := Patch(patchData()); err != nil || !strings.HasPrefix(p.System, "You keep the playbooks") {
		t.Errorf("the other prompts stay: %v", err)
	}
}
