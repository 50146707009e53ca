package knowledge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// VAULT_INDEX.json tells agents which lines of a vault to read for a tag. It is
// derived, so it is kept true; how it is written (indented or not, ranges as
// pairs, strings or objects) and what else it holds is its owner's.

const vaultIndexName = "VAULT_INDEX.json"

// lineRange is the first and the last line of an entry, from 1.
type lineRange struct{ from, to int }

// errIndexShape says that an index is written in a way that is not known.
var errIndexShape = fmt.Errorf("%w: the index is written in a way that is not known", ErrUnsupported)

// tagRanges lists the entries of a vault by tag, in their order.
func tagRanges(d *Document) (tags []string, of map[string][]lineRange) {
	of = map[string][]lineRange{}
	for i := range d.Facts {
		f := &d.Facts[i]
		if f.Kind != KindEntry || d.layout[i].style != styleVault {
			continue
		}
		field, _ := findField(d.layout[i].fields, "tags")
		for _, t := range strings.FieldsFunc(field.text, func(r rune) bool { return r == ',' || unicode.IsSpace(r) }) {
			t = bareTag(t)
			if t == "" || slices.Contains(of[t], lineRange{f.Line, f.EndLine}) {
				continue
			}
			if of[t] == nil {
				tags = append(tags, t)
			}
			of[t] = append(of[t], lineRange{f.Line, f.EndLine})
		}
	}
	return tags, of
}

func bareTag(t string) string {
	return strings.TrimFunc(t, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("#`\"'", r) })
}

// wantedRanges are those of a key: of the tag itself, or of all tags below it
// where no entry has it.
func wantedRanges(key string, tags []string, of map[string][]lineRange) []lineRange {
	tag := bareTag(key)
	if of[tag] != nil {
		return of[tag]
	}
	var out []lineRange
	for _, t := range tags {
		if strings.HasPrefix(t, tag+"/") {
			for _, r := range of[t] {
				if !slices.Contains(out, r) {
					out = append(out, r)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b lineRange) int { return a.from - b.from })
	return out
}

// reindex returns an index that is true of a vault; the same bytes where it is
// already.
func reindex(src []byte, vault *Document) ([]byte, error) {
	members, ok := tagMembers(src)
	if !ok {
		return nil, errIndexShape
	}
	style, err := learnRanges(src, members)
	if err != nil {
		return nil, err
	}
	tags, of := tagRanges(vault)
	out, known := src, map[string]bool{}
	for i := len(members) - 1; i >= 0; i-- {
		m := members[i]
		known[bareTag(m.key)] = true
		have, ok := style.parse(string(src[m.value.Start:m.value.End]))
		if want := wantedRanges(m.key, tags, of); ok && !slices.Equal(have, want) {
			out = splice(out, m.value, []byte(style.render(want)))
		}
	}
	for _, t := range tags {
		if !known[t] {
			if out, err = addMember(out, t, style.render(of[t])); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// member is one key of a JSON object with the place of its value.
type member struct {
	key   string
	at    int // of the key
	value Span
}

// tagMembers returns the members of the object that maps tags to lines: one
// under a key of that meaning, else the whole.
func tagMembers(src []byte) ([]member, bool) {
	start := bomLen(src)
	if !json.Valid(src[start:]) {
		return nil, false
	}
	top, ok := objectAt(src, skipSpace(src, start))
	if !ok {
		return nil, false
	}
	for _, m := range top {
		switch strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(m.key)) {
		case "tags", "index", "tagindex", "ranges", "lines":
			if inner, ok := objectAt(src, m.value.Start); ok {
				return onlyRanges(src, inner), true
			}
		}
	}
	top = onlyRanges(src, top)
	return top, len(top) > 0
}

// onlyRanges leaves out what is no list of lines, such as a version.
func onlyRanges(src []byte, all []member) []member {
	return slices.DeleteFunc(all, func(m member) bool {
		raw := string(src[m.value.Start:m.value.End])
		_, ok := shapeOf(raw)
		return !ok && !emptyList.MatchString(raw) || !strings.HasPrefix(m.key, "#") && strings.EqualFold(m.key, "version")
	})
}

func skipSpace(src []byte, at int) int {
	for at < len(src) && (space(src[at]) || src[at] == '\n' || src[at] == '\r') {
		at++
	}
	return at
}

// objectAt reads the members of the object that begins at an offset of valid
// JSON.
func objectAt(src []byte, at int) ([]member, bool) {
	if at >= len(src) || src[at] != '{' {
		return nil, false
	}
	var out []member
	at = skipSpace(src, at+1)
	for at < len(src) && src[at] == '"' {
		m := member{at: at}
		end := skipValue(src, at)
		if json.Unmarshal(src[at:end], &m.key) != nil {
			return nil, false
		}
		at = skipSpace(src, skipSpace(src, end)+1) // past the colon
		m.value = Span{at, skipValue(src, at)}
		out = append(out, m)
		if at = skipSpace(src, m.value.End); at < len(src) && src[at] == ',' {
			at = skipSpace(src, at+1)
		}
	}
	return out, true
}

// skipValue returns the end of the value that begins at an offset of valid
// JSON.
func skipValue(src []byte, at int) int {
	depth := 0
	for i := at; i < len(src); i++ {
		switch c := src[i]; {
		case c == '"':
			i = endQuote(src, i)
			if depth == 0 {
				return i + 1
			}
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1
			} else if depth < 0 { // a number that ends with what it stands in
				return i
			}
		case depth == 0 && (c == ',' || space(c) || c == '\n' || c == '\r'):
			return i
		}
	}
	return len(src)
}

// endQuote returns the closing quote of the string that opens at an offset.
func endQuote(src []byte, at int) int {
	for i := at + 1; i < len(src); i++ {
		switch src[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(src) - 1
}

// rangeShape is a way to write one range.
type rangeShape struct {
	list    *regexp.Regexp // what a value of such ranges begins with
	element *regexp.Regexp
}

var (
	emptyList   = regexp.MustCompile(`^\[\s*\]$`)
	twoNumbers  = regexp.MustCompile(`\d+`)
	rangeShapes = []rangeShape{
		{regexp.MustCompile(`^\[\s*\[`), regexp.MustCompile(`\[\s*\d+\s*,\s*\d+\s*\]`)},
		{regexp.MustCompile(`^(?:\[\s*)?"`), regexp.MustCompile(`"[A-Za-z]?\d+\s*[-–:,.]+\s*[A-Za-z]?\d+"`)},
		{regexp.MustCompile(`^(?:\[\s*)?\{`), regexp.MustCompile(`\{[^{}]*\}`)},
		{regexp.MustCompile(`^\[\s*\d`), regexp.MustCompile(`\d+\s*,\s*\d+`)},
	}
)

// rangeStyle is how an index writes the ranges of a tag.
type rangeStyle struct {
	shape                rangeShape
	open, between, close string
	parts                [3]string // around the two numbers of a range
}

// endFirst is an object that names the last line before the first one, as
// writers that sort their keys do.
var endFirst = regexp.MustCompile(`(?i)^\{\s*"[^"]*(?:end|last|stop|until|\bto)[^"]*"`)

// turned swaps a range between how it is and how it is written.
func (r lineRange) turned(by bool) lineRange {
	if by {
		return lineRange{r.to, r.from}
	}
	return r
}

// shapeOf tells how a value is written: nothing but ranges of one shape.
func shapeOf(raw string) (rangeShape, bool) {
	for _, s := range rangeShapes {
		if !s.list.MatchString(raw) {
			continue
		}
		rest := s.element.ReplaceAllStringFunc(raw, func(e string) string {
			if len(twoNumbers.FindAllString(e, -1)) == 2 {
				return ""
			}
			return e
		})
		return s, strings.Trim(rest, "[], \t\r\n") == "" && rest != raw
	}
	return rangeShape{}, false
}

// learnRanges takes the style of the values that there are.
func learnRanges(src []byte, all []member) (rangeStyle, error) {
	s := rangeStyle{shape: rangeShapes[0], open: "[", between: ", ", close: "]", parts: [3]string{"[", ", ", "]"}}
	first, several := "", ""
	for _, m := range all {
		raw := string(src[m.value.Start:m.value.End])
		if shape, ok := shapeOf(raw); ok {
			if first == "" {
				first, s.shape = raw, shape
			}
			if several == "" && len(shape.element.FindAllString(raw, -1)) > 1 {
				several = raw
			}
		} else if !emptyList.MatchString(raw) {
			return s, errIndexShape
		}
	}
	if first == "" {
		return s, nil
	}
	at := s.shape.element.FindAllStringIndex(first, -1)
	s.open, s.close = first[:at[0][0]], first[at[len(at)-1][1]:]
	element := first[at[0][0]:at[0][1]]
	n := twoNumbers.FindAllStringIndex(element, -1)
	s.parts = [3]string{element[:n[0][0]], element[n[0][1]:n[1][0]], element[n[1][1]:]}
	switch {
	case several != "":
		at = s.shape.element.FindAllStringIndex(several, -1)
		s.between = several[at[0][1]:at[1][0]]
	case strings.Contains(s.open, "\n"):
		s.between = "," + strings.TrimPrefix(s.open, "[")
	case strings.HasSuffix(s.parts[1], ",") || s.parts[1] == ",":
		s.between = ","
	}
	return s, nil
}

// parse reads a value; false where it is written otherwise than the others.
func (s rangeStyle) parse(raw string) ([]lineRange, bool) {
	if emptyList.MatchString(raw) {
		return nil, true
	}
	shape, ok := shapeOf(raw)
	if !ok {
		return nil, false
	}
	var out []lineRange
	for _, e := range shape.element.FindAllString(raw, -1) {
		n := twoNumbers.FindAllString(e, -1)
		from, err1 := strconv.Atoi(n[0])
		to, err2 := strconv.Atoi(n[1])
		if err1 != nil || err2 != nil {
			return nil, false
		}
		out = append(out, lineRange{from, to}.turned(endFirst.MatchString(e)))
	}
	return out, true
}

// render writes a value. A tag that no entry has any more keeps its key.
func (s rangeStyle) render(all []lineRange) string {
	if len(all) == 0 {
		return "[]"
	}
	parts := make([]string, len(all))
	for i, r := range all {
		r = r.turned(endFirst.MatchString(s.parts[0]))
		parts[i] = s.parts[0] + strconv.Itoa(r.from) + s.parts[1] + strconv.Itoa(r.to) + s.parts[2]
	}
	open, closing := s.open, s.close
	if len(all) > 1 && open == "" { // one range stood alone
		open, closing = "[", "]"
	}
	return open + strings.Join(parts, s.between) + closing
}

// addMember adds a tag to the object, in the order and with the space that the
// others have.
func addMember(src []byte, tag, value string) ([]byte, error) {
	all, ok := tagMembers(src)
	if !ok || len(all) == 0 {
		return nil, errIndexShape
	}
	name := tag
	if strings.HasPrefix(all[0].key, "#") {
		name = "#" + tag
	}
	key, err := json.Marshal(name)
	if err != nil {
		return nil, err
	}
	last := all[len(all)-1]
	colon := string(src[skipValue(src, last.at):last.value.Start])
	gap := ", "
	if len(all) > 1 {
		gap = string(src[all[len(all)-2].value.End:last.at])
	} else if before := bytes.LastIndexByte(src[:last.at], '{'); before >= 0 {
		gap = "," + string(src[before+1:last.at])
	}
	text := string(key) + colon + value
	if slices.IsSortedFunc(all, func(a, b member) int { return strings.Compare(a.key, b.key) }) {
		for _, m := range all {
			if m.key > name {
				return splice(src, Span{m.at, m.at}, []byte(text+gap)), nil
			}
		}
	}
	return splice(src, Span{last.value.End, last.value.End}, []byte(gap+text)), nil
}

// vaultIndex makes an index true of the vault beside it.
func (a *applier) vaultIndex(e Edit) error {
	f, vault := a.open(e.Path), a.open(path.Join(path.Dir(e.Path), vaultFile))
	if !f.exists || !vault.exists {
		return ErrNoFile
	}
	src, err := reindex(f.doc.Source, vault.asVault())
	if err != nil {
		return err
	}
	f.write(src)
	return nil
}

const vaultFile = "KNOWLEDGE_VAULT.md"

func (f *file) asVault() *Document {
	if f.doc.Format == Vault {
		return f.doc
	}
	return Parse(f.path, f.doc.Source, Vault)
}

// keepVaultIndexes carries the indexes along that were true of their vaults
// before the edits. One that was not is left for an edit of its own, so that
// an archive and its restore are exact whatever the index says.
func (a *applier) keepVaultIndexes() {
	for name, f := range a.files {
		if path.Base(name) != vaultFile || bytes.Equal(f.before, f.doc.Source) || !f.existed {
			continue
		}
		index := path.Join(path.Dir(name), vaultIndexName)
		if _, named := a.files[index]; named {
			continue
		}
		x := a.open(index)
		if !x.exists {
			continue
		}
		was, err := reindex(x.doc.Source, Parse(name, f.before, Vault))
		if err != nil || !bytes.Equal(was, x.doc.Source) {
			continue
		}
		if now, err := reindex(x.doc.Source, f.asVault()); err == nil {
			x.write(now)
		}
	}
}
