package lint

import (
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// An ignore comment is
//
//	<!-- retrosweep-ignore RULE why, until 2027-01-31 -->
//
// on the line that it is about or above it, or retrosweep-ignore-file for a
// whole file. RULE may be a family (link/*). The reason is required, because
// somebody will ask; the day is not.
var ignoreComment = regexp.MustCompile(`<!--\s*retrosweep-ignore(-file)?\b\s*(.*?)\s*-->`)

var (
	untilDay = regexp.MustCompile(`(?i)[,;(]?\s*\buntil:?\s+(\S+?)\)?\s*$`)
	ruleName = regexp.MustCompile(`^[a-z]+/[a-z-]+$|^[a-z]+/\*$|^\*$`)
)

// ignore is one comment.
type ignore struct {
	rule, reason string
	until        time.Time
	line, covers int // where it stands, and the line it is about; 0: the whole file
	used         bool
}

func (i *ignore) hides(f *knowledge.Finding) bool {
	if ok, err := path.Match(i.rule, f.Rule); i.rule != "*" && (err != nil || !ok) {
		return false
	}
	return i.covers == 0 || f.Fact.Line == i.covers || f.Fact.Line == i.line || f.Fact.Line < i.covers && i.covers <= f.Fact.EndLine
}

// unignored takes out the findings that a comment hides, and adds those about
// the comments themselves.
func (c *checker) unignored() (kept []knowledge.Finding, hidden int) {
	lists := map[*knowledge.Document][]*ignore{}
	for _, d := range c.Docs {
		if strings.Contains(string(d.Source), "retrosweep-ignore") {
			lists[d] = c.ignores(d)
		}
	}
	for i := range c.found {
		f := &c.found[i]
		if d := c.where[i]; d != nil && hide(lists[d], f) {
			hidden++
			continue
		}
		kept = append(kept, *f)
	}
	n := len(c.found)
	for _, d := range c.Docs {
		for _, i := range lists[d] {
			if !i.used {
				c.line("ignore/unused", d, i.line, i.rule, fmt.Sprintf("Nothing of %s is found there any more.", i.rule))
			}
		}
	}
	return append(kept, c.found[n:]...), hidden
}

func hide(list []*ignore, f *knowledge.Finding) bool {
	for _, i := range list {
		if i.hides(f) && !strings.HasPrefix(f.Rule, "ignore/") {
			i.used = true
			return true
		}
	}
	return false
}

// ignores reads the comments of a document that are to be followed, and reports
// the others. Those in code show how it is done.
func (c *checker) ignores(d *knowledge.Document) []*ignore {
	code := map[int]bool{}
	for i := range d.Facts {
		if f := &d.Facts[i]; f.Kind == knowledge.KindCode {
			code[f.Line] = true
		}
	}
	var out []*ignore
	lines := strings.Split(string(d.Source), "\n")
	for n, text := range lines {
		m := ignoreComment.FindStringSubmatchIndex(text)
		if m == nil || code[n+1] || strings.Count(text[:m[0]], "`")%2 == 1 {
			continue
		}
		i, why := readIgnore(text[m[4]:m[5]])
		i.line = n + 1
		if why != "" {
			c.line("ignore/reason", d, n+1, text[m[4]:m[5]], why)
			continue
		}
		if !i.until.IsZero() && !c.Now.Before(i.until.AddDate(0, 0, 1)) {
			c.line("ignore/expired", d, n+1, i.rule, fmt.Sprintf("The ignore of %s (%s) ended on %s.", i.rule, i.reason, i.until.Format(time.DateOnly)))
			continue
		}
		if m[2] < 0 {
			i.covers = covered(lines, n, strings.TrimSpace(text[:m[0]]+text[m[1]:]) == "")
		}
		out = append(out, &i)
	}
	return out
}

// covered is the line that a comment is about: its own, or the next that is not
// blank where it stands alone.
func covered(lines []string, n int, alone bool) int {
	if !alone {
		return n + 1
	}
	for i := n + 1; i < len(lines); i++ {
		if t := strings.TrimSpace(lines[i]); t != "" && !ignoreComment.MatchString(t) {
			return i + 1
		}
	}
	return n + 1
}

// readIgnore reads what a comment says: a rule, a reason, a day.
func readIgnore(text string) (i ignore, why string) {
	name, rest, _ := strings.Cut(text, " ")
	i.rule = strings.TrimRight(name, ":,")
	if !ruleName.MatchString(i.rule) {
		return i, fmt.Sprintf("It names no rule (%q); retrosweep lint --rules lists them.", cut(name, 40))
	}
	if m := untilDay.FindStringSubmatchIndex(rest); m != nil {
		day, err := time.Parse(time.DateOnly, rest[m[2]:m[3]])
		if err != nil {
			return i, fmt.Sprintf("Its day %q is none; write until 2027-01-31.", cut(rest[m[2]:m[3]], 40))
		}
		i.until, rest = day, rest[:m[0]]
	}
	i.reason = strings.Trim(rest, " :,;-–—")
	if i.reason == "" {
		return i, "It gives no reason why " + i.rule + " is ignored, and somebody will ask."
	}
	return i, ""
}
