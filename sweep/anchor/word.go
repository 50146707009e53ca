package anchor

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

var (
	identifier = regexp.MustCompile(`[A-Za-z_]\w{4,}`)
	distinct   = regexp.MustCompile(`[a-z0-9][A-Z]|[A-Z][A-Z0-9]+_|[a-z0-9]_[a-z0-9]`)
	oneName    = regexp.MustCompile(`^[\w$.:#>-]+(?:\([^()]*\))?$`)
	target     = regexp.MustCompile(`(?:^|&&\s*|;\s*)(?:\$\s+)?(make|just|npm run|pnpm run|pnpm|yarn run|yarn|bun run|npm)\s+([A-Za-z][\w:.-]*)\s*(?:$|[&;|#]|--|\w+=)`)
)

// tools maps a task runner to the one whose file it reads.
var tools = map[string]string{
	"make": "make", "just": "just", "npm run": "npm", "pnpm run": "npm", "pnpm": "npm", "yarn run": "npm", "yarn": "npm", "bun run": "npm", "npm": "npm",
}

// Words returns the identifiers and the targets of task runners that a fact
// names in code spans and command lines. What they are cannot be told from the
// text; whether the code had them and has them no longer, can.
func (r *Reader) Words(fact *knowledge.Fact) []Candidate {
	var out []Candidate
	for _, b := range r.blocks(fact) {
		switch {
		case b.fence != "" && !shells[b.fence]:
		case b.fence != "":
			out = append(out, r.wordsOf(b, token{0, len(b.text), strings.TrimSpace(b.text), FormCommand})...)
		default:
			for _, t := range scan(b.text) {
				if t.form == FormSpan {
					out = append(out, r.wordsOf(b, t)...)
				}
			}
		}
	}
	return unique(out)
}

func (r *Reader) wordsOf(b block, t token) []Candidate {
	var out []Candidate
	add := func(kind knowledge.AnchorKind, text, name string) {
		out = append(out, Candidate{
			Kind: kind, Form: t.form, Text: text, Path: name, Line: b.lineAt(t.at),
			saying: &saying{r, b.text, t.at, t.n, b.first},
		})
	}
	for _, m := range target.FindAllStringSubmatch(t.word, -1) {
		add(knowledge.AnchorCommand, m[1]+" "+m[2], m[2])
		out[len(out)-1].Tool = tools[m[1]]
	}
	if t.form != FormSpan || !oneName.MatchString(t.word) || strings.Contains(t.word, "/") {
		return out
	}
	if c, ok := parse(t.word, FormSpan); ok && c.Kind == knowledge.AnchorFile {
		return out // a file's name
	}
	call, _, _ := strings.Cut(t.word, "(")
	for _, name := range identifier.FindAllString(call, -1) {
		if distinct.MatchString(name) && !placeholds.MatchString(name) {
			add(knowledge.AnchorSymbol, name, name)
		}
	}
	return out
}
