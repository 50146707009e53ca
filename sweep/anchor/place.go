package anchor

import (
	"regexp"
	"strconv"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/symbols"
)

// numbered ends a spelling with the number of a line, or the last of several.
var numbered = regexp.MustCompile(`(?::L?|#L)(\d+)(?:[-–]L?(\d+))?(?::\d+)?$`)

// Lines returns the lines of files that a fact names, declared ones among them:
// the path as Path, the number of the line, the last of several, as Value.
func (r *Reader) Lines(fact *knowledge.Fact) []Candidate {
	var out []Candidate
	for _, s := range fact.Life.AnchorSymbols {
		if ref, ok := symbols.ParseRef(s); ok && ref.Line > 0 {
			out = append(out, Candidate{
				Kind: knowledge.AnchorLine, Form: FormDeclared, Text: s, Path: ref.Path, Value: strconv.Itoa(ref.Line), Line: fact.Line,
			})
		}
	}
	if fact.Kind == knowledge.KindField || r.doc.Format == knowledge.Store {
		return out
	}
	for _, b := range r.blocks(fact) {
		if b.fence == "" {
			b.text = head(b.text, maxBlock)
			out = append(out, r.linesIn(b)...)
		}
	}
	return out
}

func (r *Reader) linesIn(b block) []Candidate {
	var out []Candidate
	toks := scan(b.text)
	for i, t := range toks {
		m := numbered.FindStringSubmatch(t.word)
		if m == nil || t.form != FormSpan && t.form != FormLink && t.form != FormProse {
			continue
		}
		c, ok := parse(t.word, t.form)
		if !ok || c.Kind != knowledge.AnchorFile {
			continue
		}
		c.Kind, c.Text, c.Value = knowledge.AnchorLine, t.word, m[1]
		if m[2] != "" {
			c.Value = m[2]
		}
		c.Line = b.lineAt(t.at)
		c.Dirs = append(dirsNear(allDirs(toks), i), r.dirsAbove(b.first)...)
		c.saying = &saying{r, b.text, t.at, t.n, b.first}
		out = append(out, c)
	}
	return out
}
