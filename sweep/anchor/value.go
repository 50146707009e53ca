package anchor

import (
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/manifest"
)

var (
	language = regexp.MustCompile("\\b(Go|Golang|Node(?:\\.js)?|Python|Rust)\\b(\\s+version)?[\\s:*_`(]{1,6}(?:>=\\s*)?v?(\\d+(?:\\.\\d+){1,2}|\\d\\d)\\b\\+?")
	needing  = regexp.MustCompile(`(?i)\b(?:requires?|required|prerequisites?|minimum|at least|must have|or (?:later|newer|higher|above)|install(?:ed)?)\b`)
	release  = regexp.MustCompile("(?i)\\b(?:current|latest)\\s+(?:release|version)\\b[\\s:*_`(=]{1,8}v?(\\d+\\.\\d+\\.\\d+(?:[\\w.+-]*\\w)?)")
	number   = regexp.MustCompile(`(?:^|[^\w.,#/–—-])(\d{2,6})[*_]*\s+([a-z-]+)(?:\s+([a-z]+))?`)
	keys     = map[string]string{"Go": manifest.Go, "Golang": manifest.Go, "Node": manifest.Node, "Node.js": manifest.Node, "Python": manifest.Python, "Rust": manifest.Rust}
)

// Values returns what a fact says of values that manifests hold: the version of
// the project, the languages' versions that it needs, and counts. Path is the
// manifest's key and Value what the text says.
func (r *Reader) Values(fact *knowledge.Fact) []Candidate {
	var out []Candidate
	if fact.Kind == knowledge.KindField {
		return nil
	}
	for _, b := range r.blocks(fact) {
		if b.fence == "" {
			b.text = head(b.text, maxBlock)
			out = append(out, r.languages(b)...)
			out = append(out, r.releases(b)...)
			out = append(out, r.counts(b)...)
		}
	}
	return out
}

// languages returns the versions that are needed. That a feature came with a
// version is no claim about the project.
func (r *Reader) languages(b block) []Candidate {
	var out []Candidate
	needs := needing.MatchString(b.text) || r.lines[b.first].under >= 0 && needing.MatchString(r.lines[r.lines[b.first].under].text)
	for _, m := range language.FindAllStringSubmatchIndex(b.text, -1) {
		if needs || m[4] >= 0 {
			out = append(out, r.value(b, m[0], m[1], keys[b.text[m[2]:m[3]]], b.text[m[6]:m[7]]))
		}
	}
	return out
}

// units measure; nobody has so many of them.
var units = set(`seconds minutes hours days weeks months years times bytes characters chars lines words tokens pixels percents points degrees`)

func (r *Reader) counts(b block) []Candidate {
	var out []Candidate
	for _, m := range number.FindAllStringSubmatchIndex(b.text, -1) {
		for _, noun := range [][]int{m[4:6], m[6:8]} { // 12 rules, 12 built-in rules
			if noun[0] >= 0 && strings.HasSuffix(b.text[noun[0]:noun[1]], "s") && !units[b.text[noun[0]:noun[1]]] {
				out = append(out, r.value(b, m[2], noun[1], manifest.Count+b.text[noun[0]:noun[1]], b.text[m[2]:m[3]]))
			}
		}
	}
	return out
}

func (r *Reader) releases(b block) []Candidate {
	var out []Candidate
	for _, m := range release.FindAllStringSubmatchIndex(b.text, -1) {
		out = append(out, r.value(b, m[0], m[1], manifest.Version, b.text[m[2]:m[3]]))
	}
	return out
}

func (r *Reader) value(b block, from, to int, key, said string) Candidate {
	return Candidate{
		Kind: knowledge.AnchorValue, Form: FormProse, Text: strings.TrimSpace(b.text[from:to]), Path: key, Value: said,
		Line: b.lineAt(from), saying: &saying{r, b.text, from, to - from, b.first},
	}
}
