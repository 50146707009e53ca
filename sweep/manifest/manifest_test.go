package manifest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for file, tc := range map[string]struct {
		src  string
		want []Value
	}{
		"go.mod":                {"module x\n\ngo 1.25.3\n\ntoolchain go1.26\n", []Value{{Go, "1.25.3", 3}}},
		"app/pubspec.yaml":      {"name: app\nversion: 1.2.8+208\n", []Value{{Version, "1.2.8+208", 2}}},
		"package.json":          {"{\n  \"version\": \"1.2.3\",\n  \"engines\": {\"node\": \">=18.2\"}\n}", []Value{{Version, "1.2.3", 2}, {Node, "18.2", 3}}},
		"Cargo.toml":            {"[package]\nversion = \"0.1.0\"\nrust-version = \"1.80\"\n[dependencies]\nx = { version = \"2\" }\n", []Value{{Version, "0.1.0", 2}, {Rust, "1.80", 3}}},
		"pyproject.toml":        {"[project]\nversion = \"0.9\"\nrequires-python = \">=3.12\"\n", []Value{{Version, "0.9", 2}, {Python, "3.12", 3}}},
		"VERSION":               {"v1.4.0\n", []Value{{Version, "1.4.0", 1}}},
		"data/rules.json":       {"{\n \"total_rules\": 224,\n \"test_count\": 12, \"recount\": 5\n}", []Value{{"count rules", "224", 2}, {"count tests", "12", 3}}},
		"src/version.go":        {"const version = \"1.2.3\"\n", nil},
		"examples/a/go.sum":     {"go 1.24", nil},
		"package.json/nested.x": {"\"version\": \"1.2.3\"", nil},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tc.want, Read(file, []byte(tc.src))); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if Is(file) != (tc.want != nil) {
				t.Errorf("Is = %v", Is(file))
			}
		})
	}
}

func TestAside(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"examples/a/go.mod", "web/testdata/package.json", "templates/x/Cargo.toml"} {
		if Is(file) {
			t.Errorf("%s speaks for the project", file)
		}
	}
}

func TestHolds(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		key, said, value string
		want             bool
	}{
		{Go, "1.24", "1.24.3", true},
		{Go, "1.24", "1.25.0", false},
		{Go, "1.24.3", "1.24", false},
		{Python, "3.1", "3.12", false},
		{Version, "1.2", "1.2.3", false},
		{Version, "1.2.3", "1.2.3", true},
		{Count + "rules", "22", "224", false},
	} {
		if got := Holds(tc.key, tc.said, tc.value); got != tc.want {
			t.Errorf("Holds(%s, %s, %s) = %v", tc.key, tc.said, tc.value, got)
		}
	}
}
