package knowledge

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An index lists the files beside it, one a line: MEMORY.md the memories,
// INDEX.md the pages of a wiki. A line is learned from the lines that are
// there; what people wrote in and around them stays.

// index makes one index true of one file, or of the vault beside it.
func (a *applier) index(e Edit) error {
	if strings.EqualFold(path.Base(e.Path), vaultIndexName) {
		return a.vaultIndex(e)
	}
	f := a.open(e.Path)
	if !f.exists {
		return ErrNoFile
	}
	target := a.open(path.Join(path.Dir(e.Path), e.Text))
	if err := oneLine("the file name", e.Text); err != nil || e.Text == "" || strings.HasPrefix(path.Clean(e.Text), "..") {
		return fmt.Errorf("%w: %q is no file beside the index", ErrStructure, e.Text)
	}
	switch {
	case !target.exists:
		return a.unlist(f, e)
	case mentions(f.doc.Source, e.Text):
		return nil
	}
	about := aboutFile(target, e.Text)
	if e.Value == BareLine {
		about = aboutTarget{name: e.Text, kind: about.kind, title: headline(stem(e.Text))}
	}
	return f.list(about)
}

// BareLine is the value of an index edit that lists a file by its name alone.
const BareLine = "bare"

// unlist moves the lines that lead to a file alone, which is gone, to the
// archive.
func (a *applier) unlist(f *file, e Edit) error {
	for {
		i := f.leadingTo(e.Text)
		if i < 0 {
			return nil
		}
		line := Edit{Op: OpArchive, Path: f.path, FactID: f.doc.Facts[i].ID, Reason: e.Reason, Date: e.Date}
		if err := a.archiveFact(f, i, line, path.Base(e.Text)); err != nil {
			return err
		}
	}
}

// leadingTo returns an index line all of whose targets are one file.
func (f *file) leadingTo(name string) int {
	for i := range f.doc.Facts {
		if l, ok := f.doc.indexLine(i); ok && !slices.ContainsFunc(l.targets, func(t string) bool { return !sameFile(t, name) }) {
			return i
		}
	}
	return -1
}

// indexLine is one line of an index and how it is written.
type indexLine struct {
	targets []string // relative to the index
	head    string   // what stands before the text: the marker, or the first pipe
	link    linkForm
	label   string
	sep     string // between the link and what is said of the file
	row     []string
	cell    int // of a row: which one holds the link
}

// linkForm is how a line names its file.
type linkForm int

const (
	linkMarkdown linkForm = iota // [label](file.md)
	linkWiki                     // [[file]]
	linkCode                     // `file.md`
)

var (
	leadLink  = regexp.MustCompile(`^(\*\*)?(?:\[([^\]\n]*)\]\(<?(?:\./)?([^)\s>#]+\.md)(?:#[^)\s]*)?>?\)|\[\[([^\]|#\n]+)(?:[#|][^\]\n]*)?\]\]|` + "`" + `([\w./-]+\.md)` + "`" + `)(\*\*)?`)
	leadSep   = regexp.MustCompile(`^(?:\s*(?:—|–|-+|:|\||→)\s*|\s+)`)
	anyTarget = regexp.MustCompile(`\]\(<?(?:\./)?([^)\s>#:]+\.md)(?:#[^)\s]*)?>?\)|\[\[([^\]|#\n]+)(?:[#|][^\]\n]*)?\]\]`)
)

// indexLine reads a fact as a line of an index: a bullet that begins with a
// link, or a row with one in a cell.
func (d *Document) indexLine(i int) (indexLine, bool) {
	f, l := &d.Facts[i], d.layout[i]
	if len(l.pieces) == 0 {
		return indexLine{}, false
	}
	s := newSource(d.Source)
	head := string(s.text[s.lineStart(l.pieces[0].Start):l.pieces[0].Start])
	text := valid(string(s.of(l.pieces[0])))
	switch bare := strings.Trim(head, " \t>"); {
	case f.Kind == KindRow, f.Kind == KindIndex && (bare == "|" || bare == "" && strings.Contains(text, "|")):
		line, ok := rowLine(text)
		line.head = head
		return line, ok
	case f.Kind != KindBullet && f.Kind != KindIndex, bare == "":
		return indexLine{}, false
	}
	m := leadLink.FindStringSubmatch(text)
	if m == nil {
		return indexLine{}, false
	}
	line := indexLine{head: head, label: m[2]}
	line.link, _ = formOf(m)
	line.sep = leadSep.FindString(text[len(m[0]):])
	line.targets = targetsIn(f.Text, m)
	return line, true
}

func formOf(m []string) (linkForm, string) {
	switch {
	case m[3] != "":
		return linkMarkdown, m[3]
	case m[4] != "":
		return linkWiki, withMD(m[4])
	}
	return linkCode, m[5]
}

func withMD(name string) string { return strings.TrimSuffix(strings.TrimSpace(name), ".md") + ".md" }

// targetsIn are all files that a line leads to, the first link's first.
func targetsIn(text string, lead []string) []string {
	_, first := formOf(lead)
	out := []string{path.Clean(first)}
	for _, m := range anyTarget.FindAllStringSubmatch(text, -1) {
		t := m[1]
		if t == "" {
			t = withMD(m[2])
		}
		if t = path.Clean(t); !slices.ContainsFunc(out, func(have string) bool { return sameFile(have, t) }) {
			out = append(out, t)
		}
	}
	return out
}

func rowLine(text string) (indexLine, bool) {
	cells := rowCells(text)
	for i, c := range cells {
		m := leadLink.FindStringSubmatch(c)
		if m == nil && i == 0 && bareFile.MatchString(c) {
			m = []string{c, "", "", "", "", c, ""}
		}
		if m == nil {
			continue
		}
		l := indexLine{row: cells, cell: i, label: m[2], targets: targetsIn(text, m)}
		l.link, _ = formOf(m)
		return l, true
	}
	return indexLine{}, false
}

var bareFile = regexp.MustCompile(`^[\w.-]+\.md$`)

// rowCells splits a row at its pipes; those that are escaped stay.
func rowCells(text string) []string {
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), "|"), "|")
	var out []string
	for _, c := range strings.Split(strings.ReplaceAll(text, `\|`, "\x00"), "|") {
		out = append(out, strings.TrimSpace(strings.ReplaceAll(c, "\x00", `\|`)))
	}
	return out
}

// mentions reports whether an index names a file in any way.
func mentions(src []byte, name string) bool {
	flat := func(s string) string { return strings.ToLower(strings.ReplaceAll(s, "-", "_")) }
	text, want := flat(string(src)), flat(stem(name))
	for at := 0; ; {
		i := strings.Index(text[at:], want)
		if i < 0 {
			return false
		}
		at += i
		before, _ := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at+len(want):])
		if !wordRune(before) && !wordRune(after) {
			return true
		}
		at += len(want)
	}
}

func wordRune(r rune) bool {
	return r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 0x80 && r != utf8.RuneError
}

// list adds a line for a file, after its nearest relative and like it.
func (f *file) list(about aboutTarget) error {
	i := f.relative(about.name, about.kind)
	if h := f.emptySection(about.kind); h >= 0 && !f.under(i, h) {
		return f.listFirst(h, i, about)
	}
	if i < 0 {
		return f.listLast(about)
	}
	l, _ := f.doc.indexLine(i)
	s := newSource(f.doc.Source)
	at := f.doc.layout[i].extent.End
	text := about.line(l, f.doc.tableHead(s, i)) + s.eol(f.doc.layout[i].extent.Start)
	if at > 0 && s.text[at-1] != '\n' { // the file ends without a line end, and will
		text = s.eol(0) + strings.TrimRight(text, "\r\n")
	}
	return f.commit(Span{at, at}, []byte(text), listed(about.name))
}

// listed expects one more line, which leads to the file alone.
func listed(name string) wanted {
	return func(doc *Document, before, after []*Fact) error {
		if len(before) != 0 || len(after) != 1 {
			return fmt.Errorf("%w: the line reads as %d facts", ErrStructure, len(after))
		}
		i := doc.index(after[0].ID)
		if l, ok := doc.indexLine(i); !ok || len(l.targets) != 1 || !sameFile(l.targets[0], path.Clean(name)) {
			return fmt.Errorf("%w: the line does not lead to %s alone", ErrStructure, name)
		}
		return nil
	}
}

// relative returns the line of the file whose name shares the most words at its
// beginning with a name, the last of several; -1 where there is no line. Under
// a heading that names the type of the file, only those count.
func (f *file) relative(name, kind string) int {
	best, most := -1, -1
	for i := range f.doc.Facts {
		l, ok := f.doc.indexLine(i)
		if !ok {
			continue
		}
		n := 2 * sharedWords(l.targets[0], name)
		if h := f.doc.Facts[i].Heading; len(h) > 0 && namesType(h[len(h)-1], kind) {
			n += 3
		}
		if n >= most {
			best, most = i, n
		}
	}
	return best
}

func sharedWords(a, b string) int {
	split := func(s string) []string {
		return strings.FieldsFunc(strings.ToLower(strings.TrimSuffix(s, ".md")), func(r rune) bool { return r == '_' || r == '-' || r == '/' || r == ' ' })
	}
	x, y := split(a), split(b)
	n := 0
	for n < len(x) && n < len(y) && x[n] == y[n] {
		n++
	}
	return n
}

func namesType(heading, kind string) bool {
	if kind == "" {
		return false
	}
	for _, w := range strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !(r >= 'a' && r <= 'z') }) {
		if w == kind || w == kind+"s" {
			return true
		}
	}
	return false
}

// emptySection is the heading of a type that has no line below it yet, -1 where
// there is none.
func (f *file) emptySection(kind string) int {
	for i := range f.doc.Facts {
		if f.doc.Facts[i].Kind != KindHeading || !namesType(f.doc.Facts[i].Text, kind) {
			continue
		}
		for j := range f.doc.Facts {
			if _, ok := f.doc.indexLine(j); ok && f.under(j, i) {
				return -1
			}
		}
		return i
	}
	return -1
}

// under reports whether a fact stands below a heading.
func (f *file) under(i, heading int) bool {
	if i < 0 {
		return false
	}
	return slices.Contains(f.doc.Facts[i].Heading, f.doc.Facts[heading].Text)
}

// listFirst adds the first line below a heading, in the way of another line.
func (f *file) listFirst(heading, like int, about aboutTarget) error {
	l := plainLine
	if like >= 0 {
		if x, _ := f.doc.indexLine(like); x.row == nil {
			l = x
		}
	}
	s := newSource(f.doc.Source)
	at := f.doc.layout[heading].extent.End
	eol := s.eol(max(at-1, 0))
	text := eol + about.line(l, nil) + eol
	switch {
	case at > 0 && s.text[at-1] != '\n':
		text = eol + strings.TrimSuffix(text, eol)
	case at < len(s.text) && !s.blank(at):
		text += eol
	}
	return f.commit(Span{at, at}, []byte(text), listed(about.name))
}

// listLast adds the first line of an index that has none.
func (f *file) listLast(about aboutTarget) error {
	s := newSource(f.doc.Source)
	eol, at := eolOf(s.text), len(s.text)
	text := about.line(plainLine, nil) + eol
	switch {
	case at == bomLen(s.text):
	case s.text[at-1] != '\n':
		text = eol + eol + strings.TrimSuffix(text, eol)
	case !s.blank(at - 1):
		text = eol + text
	}
	return f.commit(Span{at, at}, []byte(text), listed(about.name))
}

// plainLine is how a line is written where no other shows it.
var plainLine = indexLine{head: "- ", sep: ": "}

// tableHead returns the cells of the head of the table that a row stands in.
func (d *Document) tableHead(s *source, i int) []string {
	l, ok := d.indexLine(i)
	if !ok || l.row == nil {
		return nil
	}
	for n := s.line(d.layout[i].extent.Start) - 1; n > 1; n-- {
		if tableRule.MatchString(s.trimmed(s.nth(n).Start)) {
			return rowCells(s.trimmed(s.nth(n - 1).Start))
		}
	}
	return nil
}

// aboutTarget is what a line says of a file.
type aboutTarget struct {
	name, title, kind, description string
}

const maxAbout = 160 // runes that a line of an index says of a file

// aboutFile reads what a file says of itself. It is text of the repository: what
// could lead elsewhere is taken out.
func aboutFile(f *file, name string) aboutTarget {
	a := aboutTarget{name: name, kind: f.doc.kind}
	for i := range f.doc.Facts {
		x := &f.doc.Facts[i]
		if f.doc.isPage(i) {
			if a.description = x.Text; strings.Contains(x.Title, " ") {
				a.title = x.Title
			}
		}
		if x.Kind == KindHeading && a.title == "" {
			a.title = x.Text
		}
	}
	if a.title == "" {
		a.title = headline(strings.TrimPrefix(stem(name), a.kind+"_"))
	}
	a.title, a.description = onOneLine(a.title), onOneLine(a.description)
	if a.description == a.title {
		a.description = ""
	}
	return a
}

// onOneLine is a text on one line that can stand in a link or a cell.
func onOneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case r == '|':
			return '/'
		case strings.ContainsRune("[]<>", r), !unicode.IsGraphic(r) && !unicode.IsSpace(r):
			return -1
		}
		return r
	}, valid(text))
	text = normal(text)
	if strings.Count(text, "`")%2 == 1 {
		text = strings.ReplaceAll(text, "`", "")
	}
	n := 0
	for i := range text {
		if n == maxAbout {
			return strings.ReplaceAll(strings.TrimRight(text[:i], " "), "`", "") + "…"
		}
		n++
	}
	return text
}

// line writes the line of a file like another line.
func (a aboutTarget) line(l indexLine, head []string) string {
	if l.row != nil {
		return a.rowOf(l, head)
	}
	text := l.head[:len(l.head)-boxLen([]byte(l.head))]
	text += a.linkOf(l)
	if a.description == "" {
		return text
	}
	sep := l.sep
	if strings.TrimSpace(sep) == "" {
		sep = ": "
	}
	return text + sep + a.description
}

func (a aboutTarget) linkOf(l indexLine) string {
	switch l.link {
	case linkWiki:
		return "[[" + strings.TrimSuffix(a.name, ".md") + "]]"
	case linkCode:
		return "`" + a.name + "`"
	}
	label := a.title
	switch {
	case len(l.targets) == 0:
	case l.label == l.targets[0]:
		label = a.name
	case l.label == stem(l.targets[0]):
		label = stem(a.name)
	}
	return "[" + label + "](" + a.name + ")"
}

var (
	typeColumn  = regexp.MustCompile(`(?i)^\W*(type|kind|category)\W*$`)
	aboutColumn = regexp.MustCompile(`(?i)^\W*(summary|about|description|what.*|hook|contents?|notes?|topic|purpose)\W*$`)
)

// rowOf writes a row: the link in its column, the type and the description in
// those that are called so; columns that nobody can fill stay empty.
func (a aboutTarget) rowOf(l indexLine, head []string) string {
	cells := make([]string, len(l.row))
	said := false
	for i := range cells {
		name := ""
		if i < len(head) {
			name = head[i]
		}
		switch {
		case i == l.cell:
			cells[i] = a.linkOf(l)
			if bareFile.MatchString(l.row[i]) {
				cells[i] = a.name
			}
		case typeColumn.MatchString(name):
			cells[i] = a.kind
		case aboutColumn.MatchString(name), !said && i == len(cells)-1:
			cells[i], said = a.description, true
		}
	}
	text := l.head + strings.Join(cells, " | ")
	if strings.Contains(l.head, "|") {
		text += " |"
	}
	return text
}
