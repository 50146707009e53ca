package anchor

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// token is one spelling in running text.
type token struct {
	at, n int // where the whole spelling stands in the block
	word  string
	form  Form
}

var (
	refDef  = regexp.MustCompile(`^\s{0,3}\[[^\]]+\]:\s+(\S+)`)
	scheme  = regexp.MustCompile(`^[A-Za-z][\w+.-]*:`)
	codey   = regexp.MustCompile(`=>|\{ | \}|;\s*$|^(?:import|from|const|let|var|func|def|class|return|export)\s|\w\(|\s=\s|\|\|`)
	stopper = " \t\n`[]()<>{}\"',;|“”‘’"
)

// maxSpelling is how far a span, a label or a link may reach: texts come from
// strangers, and looking to the end for each opening mark would never end.
const maxSpelling = 1000

// scan splits running text into spellings: code spans, links, wiki links and
// words. URLs and HTML tags are passed over.
func scan(text string) []token {
	var out []token
	if m := refDef.FindStringSubmatchIndex(text); m != nil {
		return []token{{at: m[2], n: m[3] - m[2], word: text[m[2]:m[3]], form: FormLink}}
	}
	for i := 0; i < len(text); {
		t, next := scanOne(text, i)
		if t.word != "" {
			out = append(out, t)
		}
		i = max(next, i+1)
	}
	return out
}

func scanOne(text string, i int) (token, int) {
	rest := head(text[i:], maxSpelling)
	switch {
	case rest[0] == '`':
		return scanSpan(text, i)
	case strings.HasPrefix(rest, "[["):
		if e := strings.Index(rest, "]]"); e > 2 && !strings.Contains(rest[:e], "\n") {
			return token{i, e + 2, rest[2:e], FormWiki}, i + e + 2
		}
	case rest[0] == '[':
		return scanLabel(text, i)
	case strings.HasPrefix(rest, "]("):
		return scanLink(text, i)
	case rest[0] == '<':
		if e := strings.IndexByte(rest, '>'); e > 0 && len(rest) > 1 && strings.ContainsAny(rest[1:2], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ/!") {
			return token{}, i + e + 1
		}
	case !strings.ContainsRune(stopper, rune(rest[0])):
		return scanWord(text, i)
	}
	return token{}, i + 1
}

func scanSpan(text string, i int) (token, int) {
	run := 0
	for i+run < len(text) && text[i+run] == '`' {
		run++
	}
	ticks := text[i : i+run]
	e := strings.Index(head(text[i+run:], maxSpelling), ticks)
	if e < 0 {
		return token{}, i + run
	}
	return token{i, e + 2*run, strings.TrimSpace(text[i+run : i+run+e]), FormSpan}, i + e + 2*run
}

// scanLabel passes over the label of a local link: its target says the same,
// and says it exactly.
func scanLabel(text string, i int) (token, int) {
	e := strings.Index(head(text[i:], maxSpelling), "](")
	if e < 0 || strings.ContainsAny(text[i+1:i+e], "[]") {
		return token{}, i + 1
	}
	t, next := scanLink(text, i+e)
	if t.word == "" || scheme.MatchString(t.word) && !strings.HasPrefix(t.word, "mdc:") || strings.HasPrefix(t.word, "#") {
		return token{}, i + 1
	}
	return t, next
}

func scanLink(text string, i int) (token, int) {
	rest := head(text[i+2:], maxSpelling)
	e := strings.IndexByte(rest, ')')
	if e < 0 {
		return token{}, i + 2
	}
	target := strings.TrimSpace(rest[:e])
	target, _, _ = strings.Cut(target, " ")
	return token{i + 2, e, strings.Trim(target, "<>"), FormLink}, i + e + 3
}

func scanWord(text string, i int) (token, int) {
	e := strings.IndexAny(text[i:], stopper)
	if e < 0 {
		e = len(text) - i
	}
	word := text[i : i+e]
	if k := strings.Index(word, "://"); k >= 0 {
		return token{}, i + max(strings.IndexAny(text[i:]+" ", " \t\n)>\"`"), 1)
	}
	lead := len(word) - len(strings.TrimLeft(word, "*_~#=!?:"))
	if strings.HasPrefix(word[lead:], "_") {
		lead = 0
	}
	trimmed := strings.TrimRight(word[lead:], "*_~.:!?=")
	if strings.HasPrefix(word, "__") && strings.Contains(word, "__.") {
		trimmed, lead = strings.TrimRight(word, "*.:!?"), 0
	}
	form := FormProse
	if strings.HasPrefix(trimmed, "@") {
		form = FormImport
	}
	return token{i + lead, len(trimmed), trimmed, form}, i + e
}

// candidates reads the token as paths.
func (t token) candidates() []Candidate {
	switch t.form {
	case FormWiki:
		return wiki(t.word)
	case FormLink:
		return link(t.word)
	case FormImport:
		return imported(t.word)
	case FormSpan:
		return span(t.word)
	}
	return prose(t.word)
}

// dirs returns the directories that the token names: itself, or the one of the
// file it names.
func (t token) dirs() []string {
	if t.form == FormWiki || strings.ContainsAny(t.word, " \n") {
		return nil
	}
	c, ok := parse(strings.TrimPrefix(t.word, "@"), t.form)
	if !ok || c.Kind == knowledge.AnchorGlob {
		return nil
	}
	if c.Kind == knowledge.AnchorFile {
		if d := dir(c.Path); d != "" {
			return []string{d}
		}
		return nil
	}
	return []string{c.Path}
}

// prose takes a word of running text for a path only where its shape leaves
// little doubt: slash-joined words and abbreviations are many.
func prose(word string) []Candidate {
	c, ok := parse(word, FormProse)
	if !ok || (c.Rooted && c.Kind != knowledge.AnchorFile) {
		return nil
	}
	if c.Kind == kindEither && strings.Count(c.Path, "/") < 2 {
		return nil
	}
	if c.Kind == knowledge.AnchorDir && !strings.Contains(c.Path, "/") && !strings.HasPrefix(c.Path, ".") {
		return nil
	}
	return []Candidate{c}
}

func span(word string) []Candidate {
	if strings.ContainsAny(word, " \n") {
		if codey.MatchString(word) {
			return nil
		}
		return commandLine(word)
	}
	if strings.HasPrefix(word, "@") {
		return imported(word)
	}
	if i := strings.IndexByte(word, '='); i > 0 {
		word = word[i+1:]
	}
	c, ok := parse(strings.Trim(word, `"'`), FormSpan)
	if !ok || (c.Rooted && c.Kind != knowledge.AnchorFile) {
		return nil
	}
	return []Candidate{c}
}

func imported(word string) []Candidate {
	c, ok := parse(strings.TrimPrefix(word, "@"), FormImport)
	if !ok || c.Kind != knowledge.AnchorFile || (c.Bare() && !strings.HasSuffix(c.Path, ".md")) {
		return nil
	}
	return []Candidate{c}
}

// link reads a link's target. Sites leave out extensions, so a target without
// one may be any of a few files.
func link(target string) []Candidate {
	target = strings.TrimPrefix(target, "mdc:")
	if scheme.MatchString(target) || strings.HasPrefix(target, "#") {
		return nil
	}
	if plain, err := url.PathUnescape(target); err == nil {
		target = strings.ReplaceAll(plain, " ", "\x01") // survives parse, never matches a template
	}
	c, ok := parseLink(target)
	if !ok {
		return nil
	}
	if c.Kind == kindEither {
		c.Others = []string{c.Path + ".md", c.Path + ".mdx", c.Path + "/index.md", c.Path + "/README.md"}
	}
	c.Kind = knowledge.AnchorLink
	return []Candidate{c}
}

func parseLink(target string) (Candidate, bool) {
	if i := strings.IndexAny(target, "#?"); i >= 0 {
		target = target[:i]
	}
	spaced := strings.Contains(target, "\x01")
	c, ok := parse(strings.ReplaceAll(target, "\x01", "_"), FormLink)
	if !ok || strings.ContainsAny(target, "*") {
		return c, false
	}
	if spaced {
		c.Text = strings.ReplaceAll(target, "\x01", "%20")
		c.Path = clean(strings.Trim(strings.ReplaceAll(target, "\x01", " "), "/"))
	}
	if c.Kind == kindEither && !strings.Contains(target, "/") {
		return c, false
	}
	return c, true
}

// wiki reads [[name]], [[name|shown]] and [[dir/name#part]].
func wiki(word string) []Candidate {
	word, _, _ = strings.Cut(word, "|")
	word, _, _ = strings.Cut(word, "#")
	word = strings.TrimSpace(word)
	if word == "" || strings.ContainsAny(word, "<>{}$`*[]") || hopeless(word) != "" || len(word) > 120 {
		return nil
	}
	p := clean(strings.Trim(word, "/"))
	if !strings.HasSuffix(p, ".md") {
		p += ".md"
	}
	return []Candidate{{Kind: knowledge.AnchorLink, Form: FormWiki, Text: word, Path: p}}
}
