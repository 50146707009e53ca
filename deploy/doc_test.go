// Package deploy_test holds the deploy files together with Go alone: the same
// night at the same time, the exit codes of the program, nothing unpinned, no
// secret, and pages that lead to the end. What needs other programs is in
// deploy/checks and .ci/deploy.
package deploy_test

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// read is a file under deploy/.
func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// tree decodes a YAML file; a key that stands twice is an error.
func tree(t *testing.T, name string) node {
	t.Helper()
	var v any
	if err := yaml.Unmarshal([]byte(read(t, name)), &v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return node{t, name, v}
}

// node is a value inside a decoded file, with the way that led there.
type node struct {
	t     *testing.T
	where string
	v     any
}

// at goes down by keys; a key that is not there fails the test.
func (n node) at(keys ...string) node {
	n.t.Helper()
	for _, k := range keys {
		m, ok := n.v.(map[string]any)
		if _, has := m[k]; !ok || !has {
			n.t.Fatalf("%s has no %s", n.where, k)
		}
		n = node{n.t, n.where + "/" + k, m[k]}
	}
	return n
}

// has reports whether the key is there.
func (n node) has(key string) bool {
	m, _ := n.v.(map[string]any)
	_, ok := m[key]
	return ok
}

// list is the items of a sequence.
func (n node) list() []node {
	n.t.Helper()
	all, ok := n.v.([]any)
	if !ok {
		n.t.Fatalf("%s is no list", n.where)
	}
	var out []node
	for _, v := range all {
		out = append(out, node{n.t, n.where + "[]", v})
	}
	return out
}

func (n node) text() string {
	n.t.Helper()
	s, ok := n.v.(string)
	if !ok {
		n.t.Fatalf("%s is %v, no text", n.where, n.v)
	}
	return s
}

func (n node) ints() []int {
	n.t.Helper()
	var out []int
	for _, x := range n.list() {
		i, ok := x.v.(int)
		if !ok {
			n.t.Fatalf("%s is %v, no number", x.where, x.v)
		}
		out = append(out, i)
	}
	return out
}

func (n node) is(want any) {
	n.t.Helper()
	if n.v != want {
		n.t.Errorf("%s is %v, not %v", n.where, n.v, want)
	}
}

// cronJob and container are the two places that most tests look at.
func cronJob(t *testing.T) node {
	t.Helper()
	return tree(t, "kubernetes/base/cronjob.yaml").at("spec")
}

func container(t *testing.T) node {
	t.Helper()
	return cronJob(t).at("jobTemplate", "spec", "template", "spec", "containers").list()[0]
}

// unit is the lines of a systemd unit, by key, in order.
func unit(t *testing.T, name string) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	for line := range strings.Lines(read(t, name)) {
		key, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if ok && !strings.HasPrefix(key, "#") {
			out[key] = append(out[key], value)
		}
	}
	return out
}

// files are all files under deploy/ but the checks' module.
func files(t *testing.T) []string {
	t.Helper()
	var all []string
	err := fs.WalkDir(os.DirFS("."), ".", func(p string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && p == "checks" {
			return fs.SkipDir
		}
		if err == nil && !d.IsDir() && !strings.HasSuffix(p, ".go") {
			all = append(all, p)
		}
		return err
	})
	if err != nil || len(all) < 15 {
		t.Fatalf("%d files, %v", len(all), err)
	}
	return all
}

// first is the first group of the first match.
func first(t *testing.T, pattern, text string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(text)
	if m == nil {
		t.Fatalf("nothing matches %s", pattern)
	}
	return m[1]
}
