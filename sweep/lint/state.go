package lint

import (
	"bytes"
	"fmt"
	"path"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

var dayIn = regexp.MustCompile(`\b20\d\d[-/.](0[1-9]|1[0-2])[-/.]([0-2]\d|3[01])\b`)

var (
	stateHead = regexp.MustCompile(`(?i)^\W*(the\s+)?(current\s+(state|status|values?|facts)|states?|where (it|we|things) stands?)(\W*|\s+\(.*\)\W*)$`)
	stateLine = regexp.MustCompile("^(?:\\*\\*|__|`)?([^:*`|\n]{2,48}?)(?:\\*\\*|__|`)?\\s*(?::\\*\\*|:__|:|=|\\|)\\s*(\\S.*)$")
	logHead   = regexp.MustCompile(`(?i)^\W*(event\s+|decision\s+|change\s+)?log(\W*|\s+\(.*\)\W*)$|^\W*(events|history|timeline)\W*$`)
)

// states checks the blocks of current states in wiki pages: a dated value a
// key, replaced in place.
func (c *checker) states(d *knowledge.Document) {
	if d.Format != knowledge.Wiki || d.Event {
		return
	}
	dated := pageDate(d)
	first := map[string]*knowledge.Fact{}
	for i := range d.Facts {
		f := &d.Facts[i]
		if f.Event || f.Kind != knowledge.KindBullet && f.Kind != knowledge.KindRow || !under(f, stateHead) {
			continue
		}
		m := stateLine.FindStringSubmatch(f.Text)
		if m == nil {
			continue
		}
		key := strings.ToLower(strings.Join(f.Heading, "\x1f") + "\x1f" + strings.Join(strings.Fields(m[1]), " "))
		if before := first[key]; before != nil {
			c.twoValues(d, f, before, m)
			continue
		}
		first[key] = f
		if !dated && !dayIn.MatchString(f.Text) && !dayIn.MatchString(strings.Join(f.Heading, " ")) && !dayIn.MatchString(f.Parent) {
			c.fact("state/no-date", d, f, "", fmt.Sprintf("It does not say as of when %s holds.", strings.TrimSpace(m[1])))
		}
	}
}

func (c *checker) twoValues(d *knowledge.Document, f, before *knowledge.Fact, m []string) {
	other := stateLine.FindStringSubmatch(before.Text)
	if other == nil || strings.EqualFold(strings.TrimSpace(m[2]), strings.TrimSpace(other[2])) {
		return
	}
	out := c.fact("state/two-values", d, f, "", fmt.Sprintf("Line %d gives %s another value.", before.Line, strings.TrimSpace(m[1])))
	out.Evidence = []knowledge.Quote{{Path: d.Path, Line: before.Line, Quote: cut(before.Text, 160)}}
}

// pageDate reports whether the front matter of a page dates what it says.
func pageDate(d *knowledge.Document) bool {
	for _, w := range d.FrontMatter() {
		switch w.Name {
		case "created", "verified", "updated", "modified", "asof", "lastupdated", "timestamp", "renewed":
			if dayIn.MatchString(w.Text) {
				return true
			}
		}
	}
	return false
}

// under reports whether one of the headings above a fact is of a kind.
func under(f *knowledge.Fact, kind *regexp.Regexp) bool {
	for _, h := range f.Heading {
		if kind.MatchString(strings.Trim(h, "*_`# ")) {
			return true
		}
	}
	return false
}

// events compares the log of a page with the last commit. What was written
// there stays; a line may be archived and nothing else.
func (c *checker) events(d *knowledge.Document) {
	if c.Head == nil || d.Format != knowledge.Wiki && d.Format != knowledge.Playbook {
		return
	}
	src, ok := c.Head(d.Path)
	if !ok || bytes.Equal(src, d.Source) {
		return
	}
	was := knowledge.Parse(d.Path, src, d.Format)
	now := map[string]bool{}
	for _, o := range c.archives(d) {
		for i := range o.Facts {
			now[o.Facts[i].Claim] = true
		}
	}
	had := map[string]bool{}
	for i := range was.Facts {
		had[was.Facts[i].Claim] = true
	}
	for i := range was.Facts {
		if f := &was.Facts[i]; logged(was, f) && !now[f.Claim] {
			c.changed(d, f, had)
		}
	}
}

// uncompared is 1 for a document with a log where there is no commit to compare
// it with.
func (c *checker) uncompared(d *knowledge.Document) int {
	if c.Head != nil || d.Format != knowledge.Wiki && d.Format != knowledge.Playbook {
		return 0
	}
	for i := range d.Facts {
		if logged(d, &d.Facts[i]) {
			return 1
		}
	}
	return 0
}

// archives are the document and what is archived beside it.
func (c *checker) archives(d *knowledge.Document) []*knowledge.Document {
	out := []*knowledge.Document{d}
	for _, p := range []string{knowledge.ArchivePath(d.Path, d.Format), "ARCHIVED_KNOWLEDGE.md", path.Join(path.Dir(d.Path), "ARCHIVED_KNOWLEDGE.md")} {
		if o := c.byPath[p]; o != nil {
			out = append(out, o)
		}
	}
	return out
}

// logged reports whether a fact is a line of a log: in a file or under a
// heading of that name, with its day in it or above it.
func logged(d *knowledge.Document, f *knowledge.Fact) bool {
	if f.Kind != knowledge.KindBullet && f.Kind != knowledge.KindRow && f.Kind != knowledge.KindParagraph {
		return false
	}
	log := strings.EqualFold(path.Base(d.Path), "log.md") || under(f, logHead)
	return log && (dayIn.MatchString(f.Text) || dayIn.MatchString(strings.Join(f.Heading, " ")) || dayIn.MatchString(f.Parent))
}

// changed reports a committed event that is not there as it was: at the new
// line with the same day, or at the heading it stood under.
func (c *checker) changed(d *knowledge.Document, was *knowledge.Fact, had map[string]bool) {
	day := dayIn.FindString(was.Text)
	quote := []knowledge.Quote{{Commit: "HEAD", Path: d.Path, Line: was.Line, Quote: cut(strings.Join(strings.Fields(was.Text), " "), 160)}}
	for i := range d.Facts {
		f := &d.Facts[i]
		if logged(d, f) && !had[f.Claim] && dayIn.FindString(f.Text) == day && strings.Join(f.Heading, "/") == strings.Join(was.Heading, "/") {
			c.fact("event/edited", d, f, was.Claim, fmt.Sprintf("The last commit has it otherwise: %s", quote[0].Quote)).Evidence = quote
			return
		}
	}
	line := 1
	for i := range d.Facts {
		if f := &d.Facts[i]; f.Kind == knowledge.KindHeading && strings.EqualFold(f.Text, last(was.Heading)) {
			line = f.Line
		}
	}
	c.line("event/edited", d, line, was.Claim, fmt.Sprintf("A line of the log is gone: %s", quote[0].Quote)).Evidence = quote
}
