package anchor

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/symbols"
)

var (
	identifier = regexp.MustCompile(`[A-Za-z_]\w{4,}`)
	distinct   = regexp.MustCompile(`[a-z0-9][A-Z]|[A-Z][A-Z0-9]+_|[a-z0-9]_[a-z0-9]`)
	oneName    = regexp.MustCompile(`^[\w$.:#>-]+(?:\([^()]*\))?$`)
	exported   = regexp.MustCompile(`^(?:\$\s+)?(?:(?:export\s+|set\s+|\$env:)([A-Z][A-Z0-9]*_[A-Z0-9_]+)\s?=|([A-Z][A-Z0-9]*_[A-Z0-9_]+)=[\w./:@-]*\s+[a-z./])`)
	flagged    = regexp.MustCompile(`(?:^|\s)--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?:[=\s]|$)`)
	subcommand = regexp.MustCompile(`^[a-z][a-z0-9]+(?:-[a-z0-9]+)*$`)
	called     = regexp.MustCompile(`^>{1,3}\s+([A-Za-z_]\w{4,})\(`)
	oneFlag    = regexp.MustCompile(`^--[a-z][a-z0-9]*(?:-[a-z0-9]+)+(?:[= ]<?[\w./-]+>?)?$`)
)

// Words returns the identifiers and the targets of task runners that a fact
// names in code spans and command lines. What they are cannot be told from the
// text; whether the code had them and has them no longer, can.
func (r *Reader) Words(fact *knowledge.Fact) []Candidate {
	out := declaredSymbols(fact)
	if r.doc.Format == knowledge.Store {
		return append(out, r.storeWords(fact)...)
	}
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

// storeWords returns the distinctive identifiers of a line of another tool's
// store: its text is no Markdown and marks no code.
func (r *Reader) storeWords(fact *knowledge.Fact) []Candidate {
	var out []Candidate
	for _, b := range r.blocks(fact) {
		for _, name := range identifier.FindAllString(fact.Text, -1) {
			at := strings.Index(b.text, name)
			if at >= 0 && distinct.MatchString(name) && !placeholds.MatchString(name) {
				out = append(out, Candidate{
					Kind: knowledge.AnchorSymbol, Form: FormProse, Text: name, Path: name, Line: b.lineAt(at),
					saying: &saying{r, b.text, at, len(name), b.first},
				})
			}
		}
	}
	return unique(out)
}

// declaredSymbols reads the entries of anchor_symbols that name something.
func declaredSymbols(fact *knowledge.Fact) []Candidate {
	var out []Candidate
	for _, s := range fact.Life.AnchorSymbols {
		if ref, ok := symbols.ParseRef(s); ok && ref.Last() != "" {
			out = append(out, Candidate{Kind: knowledge.AnchorSymbol, Form: FormDeclared, Text: s, Path: s, Line: fact.Line})
		}
	}
	return out
}

func (r *Reader) wordsOf(b block, t token) []Candidate {
	var out []Candidate
	add := func(kind knowledge.AnchorKind, text, name, tool string) {
		out = append(out, Candidate{
			Kind: kind, Form: t.form, Text: text, Path: name, Line: b.lineAt(t.at), Tool: tool,
			saying: &saying{r, b.text, t.at, t.n, b.first},
		})
	}
	for _, r := range runs(t.word) {
		add(knowledge.AnchorCommand, r.text, r.name, r.tool)
	}
	tool, sub := commandOf(t.word)
	if tool != "" || oneFlag.MatchString(t.word) {
		for _, m := range flagged.FindAllStringSubmatchIndex(t.word, -1) {
			add(knowledge.AnchorFlag, flagText(t.word, m[2], m[3]), t.word[m[2]:m[3]], tool)
		}
	}
	if sub != "" && tools[tool] == "" {
		add(knowledge.AnchorCommand, tool+" "+sub, sub, tool)
	}
	if t.form == FormCommand {
		for _, m := range exported.FindAllStringSubmatch(t.word, -1) {
			add(knowledge.AnchorEnv, m[1]+m[2], m[1]+m[2], "")
		}
		if m := called.FindStringSubmatch(t.word); m != nil && distinct.MatchString(m[1]) {
			add(knowledge.AnchorSymbol, m[1], m[1], "")
		}
		return out
	}
	for _, name := range identifiers(t.word) {
		add(knowledge.AnchorSymbol, name, name, "")
	}
	if isSetting(t.word) {
		add(knowledge.AnchorConfig, t.word, t.word, "")
	}
	return out
}

var setting = regexp.MustCompile(`^[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*(?:\.[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*){1,4}$`)

// isSetting reports whether a span is spelled as a key of a configuration is:
// words joined by dots that are no file and no host.
func isSetting(span string) bool {
	if !setting.MatchString(span) || hopeless(span) != "" || len(span) < 7 {
		return false
	}
	c, ok := parse(span, FormSpan)
	return !ok || c.Kind != knowledge.AnchorFile
}

// shortCommand is a command line that can be shown whole.
const shortCommand = 48

// flagText is how the flag t[from:to] is shown: one of a single word with its
// command, which says which of its kind it is.
func flagText(t string, from, to int) string {
	if command := prompt.ReplaceAllString(strings.TrimSpace(t[:to]), ""); !strings.Contains(t[from:to], "-") && len(command) <= shortCommand {
		return command
	}
	return "--" + t[from:to]
}

// identifiers returns the distinctive identifiers of a span that is one name or call.
func identifiers(span string) []string {
	if !oneName.MatchString(span) || strings.Contains(span, "/") {
		return nil
	}
	if c, ok := parse(span, FormSpan); ok && c.Kind == knowledge.AnchorFile {
		return nil // a file's name
	}
	call, _, _ := strings.Cut(span, "(")
	var out []string
	for _, name := range identifier.FindAllString(call, -1) {
		if distinct.MatchString(name) && !placeholds.MatchString(name) {
			out = append(out, name)
		}
	}
	return out
}

// commandOf returns the program that a command line runs and, where the next
// word may be one, its subcommand; "" where the line is none or has several.
func commandOf(text string) (tool, sub string) {
	text = prompt.ReplaceAllString(strings.TrimSpace(text), "")
	if strings.HasPrefix(text, "#") || strings.ContainsAny(text, "|;&{}") {
		return "", ""
	}
	words := strings.Fields(text)
	for i, w := range words {
		switch {
		case passing[w] || strings.Contains(w, "=") && !strings.HasPrefix(w, "-"):
			continue
		case strings.HasPrefix(w, "-"):
			return "", ""
		}
		if i+1 < len(words) && subcommand.MatchString(words[i+1]) {
			sub = words[i+1]
		}
		return base(w), sub
	}
	return "", ""
}

// passing are words before the name of a program.
var passing = set(`uv run npx bunx uvx exec sudo env pnpm yarn cargo -- poetry`)
