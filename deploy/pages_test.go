package deploy_test

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// parts are what a page has so that a newcomer gets to the end and back.
var parts = []string{"Before you start", "Steps", "See that it worked", "Stop it", "What each secret may do"}

func ways(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, e := range entries {
		if e.IsDir() && e.Name() != "checks" {
			all = append(all, e.Name())
		}
	}
	if len(all) < 6 {
		t.Fatalf("%d ways: %q", len(all), all)
	}
	return all
}

func TestEveryWayHasAPageWithAllItsParts(t *testing.T) {
	t.Parallel()
	chooser := read(t, "README.md")
	for _, way := range ways(t) {
		page := read(t, way+"/README.md")
		at := -1
		for _, part := range parts {
			i := strings.Index(page, "\n## "+part+"\n")
			if i <= at {
				t.Errorf("%s/README.md: %q is not where it belongs", way, part)
			}
			at = i
		}
		if !strings.Contains(chooser, "("+way+"/README.md)") {
			t.Errorf("the chooser does not lead to %s", way)
		}
	}
}

// Every file of a way is named by its page or by a file that is.
func TestEveryFileIsOnAPage(t *testing.T) {
	t.Parallel()
	var pages strings.Builder
	for _, name := range files(t) {
		if strings.HasSuffix(name, ".md") || path.Base(name) == "kustomization.yaml" || path.Base(name) == "Containerfile" {
			pages.WriteString(read(t, name))
		}
	}
	for _, name := range files(t) {
		if base := path.Base(name); base != "README.md" && base != "kustomization.yaml" && !strings.Contains(pages.String(), base) {
			t.Errorf("no page says what %s is for", name)
		}
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		for _, m := range link.FindAllStringSubmatch(read(t, name), -1) {
			target := path.Join(path.Dir(name), m[1])
			if m[1] == "" {
				target = name
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if m[2] != "" && !slices.Contains(anchors(read(t, target)), m[2]) {
				t.Errorf("%s: %s has no heading #%s", name, target, m[2])
			}
		}
	}
}

// anchors are the headings as a forge makes links of them.
func anchors(page string) []string {
	var out []string
	for _, m := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		kept := regexp.MustCompile(`[^a-z0-9 -]`).ReplaceAllString(strings.ToLower(m[1]), "")
		out = append(out, strings.ReplaceAll(kept, " ", "-"))
	}
	return out
}

// Files that a page's commands copy out of deploy/ are there.
func TestCopiedFilesAreThere(t *testing.T) {
	t.Parallel()
	n := 0
	for _, name := range files(t) {
		if !strings.HasSuffix(name, ".md") {
			continue
		}
		for _, m := range regexp.MustCompile(`deploy/[\w@./-]+`).FindAllString(read(t, name), -1) {
			n++
			target := strings.TrimRight(strings.TrimPrefix(m, "deploy/"), ".")
			if strings.HasPrefix(target, "kubernetes/overlays/shop") { // made by the page's first step
				continue
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s names %s: %v", name, m, err)
			}
		}
	}
	if n < 10 {
		t.Fatalf("%d paths found", n)
	}
}
