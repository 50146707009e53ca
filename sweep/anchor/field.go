package anchor

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

var (
	fieldKey = regexp.MustCompile(`^\s*(?:-\s+)?[\w.-]+:\s*`)
	driftSig = regexp.MustCompile(`@(?:sig:)?[0-9a-z]{6,}$`)
)

// fields reads front-matter fields that hold paths or globs, whether or not
// they are strict YAML.
func (r *Reader) fields(fact *knowledge.Fact) []Candidate {
	var out []Candidate
	for i := max(fact.Line-1, 0); i < min(fact.EndLine, len(r.lines)); i++ {
		text := fieldKey.ReplaceAllString(r.lines[i].text, "")
		text = strings.TrimPrefix(strings.TrimSpace(text), "- ")
		for _, w := range splitList(text) {
			c, ok := parse(driftSig.ReplaceAllString(w, ""), FormField)
			if !ok || c.Bare() && c.Kind != knowledge.AnchorFile {
				continue
			}
			c.Line = i + 1
			out = append(out, c)
		}
	}
	return out
}

// splitList splits at commas and blanks outside braces and strips quotes and
// brackets.
func splitList(s string) []string {
	depth := 0
	words := strings.FieldsFunc(s, func(r rune) bool {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		case ',', ' ', '\t':
			return depth <= 0
		}
		return false
	})
	var out []string
	for _, w := range words {
		if w = strings.Trim(w, `"'[]`); w != "" {
			out = append(out, w)
		}
	}
	return out
}

// declared reads an entry of anchor_files: a path, a directory, a glob, with an
// optional #symbol.
func declared(p string, at int) []Candidate {
	p, _, _ = strings.Cut(strings.TrimSpace(p), "#")
	if p == "" {
		return nil
	}
	c := Candidate{Form: FormDeclared, Text: p, Line: at, Kind: knowledge.AnchorFile}
	c.Path = clean(strings.Trim(strings.TrimPrefix(p, "./"), "/"))
	switch {
	case c.Path == "":
		return nil
	case strings.ContainsAny(p, "*?{["):
		c.Kind = knowledge.AnchorGlob
	case strings.HasSuffix(p, "/"):
		c.Kind = knowledge.AnchorDir
	case !isFileName(base(c.Path)):
		c.Kind = kindEither
	}
	return []Candidate{c}
}
