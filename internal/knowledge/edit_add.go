package knowledge

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// add puts a new bullet at the end of a section, in the way the file writes
// its bullets. A section or a file that is not there is made.
func (a *applier) add(e Edit) error {
	f := a.open(e.Path)
	switch f.doc.Format {
	case Vault, Anchored, Archive:
		return fmt.Errorf("%w: a %s file takes whole entries", ErrUnsupported, f.doc.Format)
	}
	lines, err := textLines(e.Text)
	if err != nil {
		return err
	}
	return f.put(e.Section, lines)
}

// put makes a bullet of lines in a section.
func (f *file) put(section string, lines []string) error {
	section = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(section), "#"))
	if err := oneLine("the section", section); err != nil {
		return err
	}
	switch {
	case !f.exists && f.doc.Format == Memory:
		return fmt.Errorf("%w: a memory begins with front matter and is not made of one bullet", ErrUnsupported)
	case !f.exists:
		return f.create(section, lines)
	}
	s := newSource(f.doc.Source)
	where, ok := f.section(section)
	if !ok {
		return f.addSection(s, section, lines)
	}
	if last, prev := f.lastBullet(where); last >= 0 {
		return f.addAfter(s, last, prev, lines)
	}
	return f.addFirst(s, where, lines)
}

func (f *file) create(section string, lines []string) error {
	text := "# " + headline(f.path) + "\n\n"
	if section != "" {
		text += "## " + section + "\n\n"
	}
	text += "- " + f.carried + strings.Join(lines, "\n  ") + "\n"
	return f.commit(Span{0, 0}, []byte(text), added(lines, section))
}

// headline makes a heading of a file name.
func headline(name string) string {
	words := strings.Fields(strings.NewReplacer("-", " ", "_", " ").Replace(stem(path.Base(name))))
	text := []rune(strings.Join(words, " "))
	if len(text) > 0 {
		text[0] = unicode.ToUpper(text[0])
	}
	return string(text)
}

// added expects one new bullet that says lines, and nothing else but the
// headings that were made for it.
func added(lines []string, section string) wanted {
	return func(_ *Document, before, after []*Fact) error {
		bullets := 0
		for _, x := range after {
			switch x.Kind {
			case KindBullet, KindIndex:
				bullets++
			case KindHeading:
			default:
				return fmt.Errorf("%w: a %s comes with the bullet", ErrStructure, x.Kind)
			}
			if x.Kind == KindHeading && section == "" && len(after) > 2 {
				return fmt.Errorf("%w: the bullet brings headings", ErrStructure)
			}
		}
		if len(before) != 0 || bullets != 1 {
			return fmt.Errorf("%w: %d facts become %d", ErrStructure, len(before), len(after))
		}
		last := after[len(after)-1]
		if want := normal(strings.Join(lines, " ")); normal(last.Text) != want && normal(last.Text) != acePrefix.ReplaceAllString(want, "") {
			return fmt.Errorf("%w: the text reads as %q", ErrStructure, title(last.Text))
		}
		if section != "" && (len(last.Heading) == 0 || !strings.EqualFold(normal(last.Heading[len(last.Heading)-1]), normal(section))) {
			return fmt.Errorf("%w: the bullet does not stand under %q", ErrStructure, section)
		}
		return nil
	}
}

// section returns the range of facts that stand directly under a heading,
// the heading first. Without a section that is the last one with bullets.
func (f *file) section(name string) (where [2]int, ok bool) {
	facts := f.doc.Facts
	at := -1
	for i := range facts {
		switch {
		case name != "" && facts[i].Kind == KindHeading && strings.EqualFold(normal(facts[i].Text), normal(name)) && at < 0:
			at = i
		case name == "" && (facts[i].Kind == KindBullet || facts[i].Kind == KindIndex):
			at = f.headingOf(i)
		}
	}
	if at < 0 {
		return where, name == "" && len(facts) > 0 && f.bare(&where)
	}
	depth := len(facts[at].Heading) + 1
	if facts[at].Kind != KindHeading {
		depth = len(facts[at].Heading)
	}
	end := at + 1
	for end < len(facts) && facts[end].Kind != KindHeading && len(facts[end].Heading) == depth {
		end++
	}
	return [2]int{at, end}, true
}

// bare is the range of a page without headings or bullets.
func (f *file) bare(where *[2]int) bool {
	*where = [2]int{len(f.doc.Facts) - 1, len(f.doc.Facts)}
	return true
}

// headingOf returns the heading above fact i, or the first fact of the page
// where it has none.
func (f *file) headingOf(i int) int {
	for j := i; j >= 0; j-- {
		if f.doc.Facts[j].Kind == KindHeading {
			return j
		}
		if j == 0 || len(f.doc.Facts[j-1].Heading) != len(f.doc.Facts[i].Heading) && f.doc.Facts[j-1].Kind != KindHeading {
			return j
		}
	}
	return i
}

// lastBullet returns the last bullet of a section that is not nested in
// another, and the one before it in the same list (-1: none).
func (f *file) lastBullet(where [2]int) (last, prev int) {
	last, prev = -1, -1
	for i := where[0]; i < where[1]; i++ {
		if k := f.doc.Facts[i].Kind; k != KindBullet && k != KindIndex {
			continue
		}
		if last >= 0 && f.doc.layout[i].extent.Start < f.doc.layout[last].extent.End {
			continue
		}
		last, prev = i, last
	}
	return last, prev
}

var (
	orderedMark = regexp.MustCompile(`^(\d{1,9})([.)])`)
	acePrefix   = regexp.MustCompile(`^\[([A-Za-z][\w-]*)-(\d{3,8})\] helpful=\d+ harmful=\d+ :: `)
)

// addAfter adds a bullet after another, with its marker and line end, and
// with a blank line between them where the list is written so.
func (f *file) addAfter(s *source, last, prev int, lines []string) error {
	fact, l := &f.doc.Facts[last], f.doc.layout[last]
	eol := s.eol(l.extent.Start)
	start := s.lineStart(fact.Span.Start)
	mark := string(s.text[start:l.pieces[0].Start])
	mark = mark[:len(mark)-boxLen([]byte(mark))-l.own]
	if m := orderedMark.FindStringSubmatch(strings.TrimLeft(mark, " \t>")); m != nil {
		n, _ := strconv.Atoi(m[1])
		mark = strings.Replace(mark, m[0], strconv.Itoa(n+1)+m[2], 1)
	}
	own := cmp.Or(f.carried, f.nextACE(s))
	text := mark + own + strings.Join(lines, eol+blankMark(mark)) + eol
	if prev >= 0 && start > 0 && s.blank(start-1) {
		text = eol + text
	}
	at := l.extent.End
	if at > 0 && s.text[at-1] != '\n' {
		text = eol + text
	}
	return f.commit(Span{at, at}, []byte(text), added(lines, ""))
}

// blankMark is white space as wide as a marker; quote marks stay.
func blankMark(mark string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, mark)
}

// nextACE returns the counter that a new line of an ACE playbook begins with,
// "" where the file has none.
func (f *file) nextACE(s *source) string {
	slug, most, width := "", 0, 5
	for i := range f.doc.Facts {
		l := f.doc.layout[i]
		if l.own == 0 {
			continue
		}
		m := acePrefix.FindSubmatch(s.text[l.pieces[0].Start-l.own:])
		if m == nil {
			continue
		}
		if n, _ := strconv.Atoi(string(m[2])); n >= most {
			slug, most, width = string(m[1]), n, len(m[2])
		}
	}
	if slug == "" {
		return ""
	}
	return fmt.Sprintf("[%s-%0*d] helpful=0 harmful=0 :: ", slug, width, most+1)
}

// addFirst adds the first bullet of a section, after what stands there.
func (f *file) addFirst(s *source, where [2]int, lines []string) error {
	at := f.doc.layout[where[0]].extent.End
	for i := where[0]; i < where[1]; i++ {
		at = max(at, f.doc.layout[i].extent.End)
	}
	if f.doc.isPage(where[0]) {
		at = len(s.text)
	}
	at = f.afterFence(s, at)
	eol := s.eol(max(at-1, 0))
	text := eol + "- " + f.carried + strings.Join(lines, eol+"  ") + eol
	switch {
	case at > 0 && s.text[at-1] != '\n':
		text = eol + text
	case at < len(s.text) && !s.blank(at):
		text += eol
	}
	return f.commit(Span{at, at}, []byte(text), added(lines, ""))
}

// afterFence moves past the closing line of a code fence whose last line ends
// at at.
func (f *file) afterFence(s *source, at int) int {
	if at < len(s.text) {
		line := strings.TrimSpace(string(s.text[at:s.lineEnd(at)]))
		if len(line) >= 3 && (strings.Trim(line, "`") == "" || strings.Trim(line, "~") == "") {
			return s.lineEnd(at)
		}
	}
	return at
}

// addSection adds a section at the end of the file.
func (f *file) addSection(s *source, section string, lines []string) error {
	eol := eolOf(s.text)
	text := "- " + f.carried + strings.Join(lines, eol+"  ") + eol
	if section != "" {
		text = f.level(s) + " " + section + eol + eol + text
	}
	switch at := len(s.text); {
	case at == 0 || at == bomLen(s.text):
	case s.text[at-1] != '\n':
		text = eol + eol + text
	case !s.blank(at - 1):
		text = eol + text
	}
	return f.commit(Span{len(s.text), len(s.text)}, []byte(text), added(lines, section))
}

// level is the mark of the headings that sections of the file have: two, or
// one where the file has several of the first level and none below.
func (f *file) level(s *source) string {
	tops := 0
	for i := range f.doc.Facts {
		if x := &f.doc.Facts[i]; x.Kind == KindHeading {
			if s.text[x.Span.Start] == '#' && strings.HasPrefix(string(s.text[x.Span.Start:x.Span.End]), "##") {
				return "##"
			}
			tops++
		}
	}
	if tops > 1 {
		return "#"
	}
	return "##"
}
