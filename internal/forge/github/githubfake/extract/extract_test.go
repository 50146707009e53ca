package extract

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// full has every path that is kept, and one that is not.
func full(t *testing.T) []byte {
	t.Helper()
	ref := func(name string) node { return node{"$ref": "#/components/schemas/" + name} }
	paths := node{"/gone": node{"get": node{"operationId": "gone"}}}
	for path, methods := range kept {
		item := node{"trace": node{"operationId": "left out"}}
		for _, m := range methods {
			item[m] = node{"operationId": m + path, "description": "prose", "responses": node{"200": node{
				"description": "prose", "content": node{"application/json": node{"schema": ref("a"), "examples": node{"x": 1}}},
			}}}
		}
		paths[path] = item
	}
	schemas := node{
		"a": node{"type": "object", "properties": node{"description": node{"type": "string", "description": "prose"}, "b": ref("b")}},
		"b": node{"type": "object", "properties": node{"a": ref("a")}},
		"c": node{"type": "string"},
	}
	b, err := json.Marshal(node{"openapi": "3.0.3", "info": node{"title": "t", "version": "1"}, "paths": paths, "components": node{"schemas": schemas}})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCut(t *testing.T) {
	t.Parallel()
	small, err := Cut(full(t))
	if err != nil {
		t.Fatal(err)
	}
	var doc node
	if err := json.Unmarshal(small, &doc); err != nil {
		t.Fatal(err)
	}
	if n := len(find(doc, "paths").(node)); n != len(kept) {
		t.Errorf("%d paths stay", n)
	}
	schemas, _ := find(doc, "components", "schemas").(node)
	if len(schemas) != 2 || find(schemas, "a", "properties", "description", "type") != "string" {
		t.Errorf("the components are %v", schemas)
	}
	for _, gone := range []string{"prose", "examples", "left out", "gone"} {
		if strings.Contains(string(small), gone) {
			t.Errorf("%q stays", gone)
		}
	}
	again, err := Cut(full(t))
	if err != nil || string(again) != string(small) {
		t.Errorf("the second time it is another: %v", err)
	}
}

func TestCutRefuses(t *testing.T) {
	t.Parallel()
	for name, doc := range map[string]string{
		"no JSON":             "{",
		"a path is missing":   `{"paths":{}}`,
		"a component is gone": strings.Replace(string(full(t)), `"b":{"properties"`, `"x":{"properties"`, 1),
		"a foreign reference": strings.ReplaceAll(string(full(t)), "#/components/schemas/a", "other.json"),
	} {
		if _, err := Cut([]byte(doc)); err == nil {
			t.Errorf("%s: it is cut", name)
		}
	}
}

var fresh = flag.String("full", "", "a whole description, to make the extract from again (see extract.sh)")

// TestExtractIsOurs: the committed extract holds just what is kept.
func TestExtractIsOurs(t *testing.T) {
	t.Parallel()
	at := filepath.Join("..", "openapi.json")
	if *fresh != "" {
		renew(t, at)
	}
	b, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Cut(b)
	if err != nil {
		t.Fatalf("run extract.sh: %v", err)
	}
	if string(again) != string(b) {
		t.Error("the extract is not what extract.sh makes: run it again")
	}
}

func renew(t *testing.T, at string) {
	t.Helper()
	whole, err := os.ReadFile(*fresh)
	if err != nil {
		t.Fatal(err)
	}
	small, err := Cut(whole)
	if err == nil {
		err = os.WriteFile(at, small, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
