package anchor

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// node is a line of a tree drawn in a code fence.
type node struct {
	name string // as spelled, "api/" or "main.go"
	path string // joined with what it hangs under, without the tree's root
	root string // the tree's root, "" where the drawing has none
}

var (
	drawn    = regexp.MustCompile(`^([\s│|]*)(?:[├└]\s?[─-]+\s*|[|` + "`" + `+]--+\s*)(\S.*)$`)
	treeRoot = regexp.MustCompile(`^\s*(\.?[\w@.()\[\]/-]*/?)\s*(?:#.*|\(.*\)|←.*|-- .*)?$`)
	nodeName = regexp.MustCompile(`^[\w@.()\[\]*{},/+-]+`)
)

// markTrees reads the trees drawn with branches in code fences.
func markTrees(lines []line) {
	type level struct {
		col  int
		name string
	}
	var stack []level
	root := ""
	for i := range lines {
		l := &lines[i]
		if l.fence == "" {
			stack, root = stack[:0], ""
			continue
		}
		m := drawn.FindStringSubmatch(l.text)
		if m == nil {
			if r := treeRoot.FindStringSubmatch(l.text); r != nil && r[1] != "" && i+1 < len(lines) && drawn.MatchString(lines[i+1].text) {
				stack, root = stack[:0], strings.Trim(strings.TrimPrefix(r[1], "./"), "/")
				if root == "." {
					root = ""
				}
			}
			continue
		}
		name := nodeName.FindString(m[2])
		if name == "" || strings.Trim(name, "./") == "" {
			continue
		}
		col := utf8.RuneCountInString(l.text) - utf8.RuneCountInString(m[2])
		for len(stack) > 0 && stack[len(stack)-1].col >= col {
			stack = stack[:len(stack)-1]
		}
		var parts []string
		for _, s := range stack {
			parts = append(parts, s.name)
		}
		parts = append(parts, strings.Trim(name, "/"))
		l.node = &node{name: name, path: clean(strings.Join(parts, "/")), root: root}
		stack = append(stack, level{col, strings.Trim(name, "/")})
	}
}

// treeCandidates returns what a tree's node names: below the root that is
// drawn, or, where that is the repository's own name, from the top.
func (r *Reader) treeCandidates(i int) []Candidate {
	l := r.lines[i]
	name := l.node.name
	if hopeless(l.node.path) != "" || strings.ContainsAny(name, "*{}") {
		return nil
	}
	path := l.node.path
	c := Candidate{Form: FormTree, Text: strings.TrimSuffix(name, "/"), Line: i + 1, Kind: kindOf(name)}
	if c.Kind == "" {
		return nil
	}
	c.Path = path
	if l.node.root != "" && hopeless(l.node.root) == "" {
		c.Path, c.Others = clean(l.node.root+"/"+path), []string{path}
	}
	if c.Bare() && c.Kind == kindEither {
		return nil
	}
	c.Dirs = r.dirsAbove(i)
	c.saying = &saying{r, l.text, strings.Index(l.text, name), len(name), i}
	return []Candidate{c}
}
