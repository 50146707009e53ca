package anchor

import (
	"bytes"
	"regexp"
	"strings"
)

// line is one line of a document with where it stands.
type line struct {
	text    string
	fence   string // language of the fence it stands in, "text" where none is given, "" outside
	marker  bool   // opens or closes a fence, or is a front-matter delimiter
	front   bool   // front matter
	indent  int
	item    bool // begins a list item
	row     bool // a table row
	heading int  // level of the heading this line is, 0 if none
	under   int  // index of the heading above, -1
	parent  int  // index of the enclosing list item or lead-in line, -1
	node    *node
	asked   bool     // dirs is filled
	dirs    []string // directories named by what the line hangs under
}

var (
	fenceOpen = regexp.MustCompile("^\\s*(?:[-*+>]\\s+)?(`{3,}|~{3,})\\s*([\\w+#.-]*)")
	itemMark  = regexp.MustCompile(`^\s*(?:>\s*)*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?`)
	headMark  = regexp.MustCompile(`^(#{1,6})\s+`)
	boldLead  = regexp.MustCompile(`^\*\*[^*]+\*\*:?\s*$`)
)

// layOut splits src into lines and marks what each one is.
func layOut(src []byte) []line {
	raw := strings.Split(string(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))), "\n")
	lines := make([]line, len(raw))
	for i, t := range raw {
		t = strings.TrimSuffix(t, "\r")
		lines[i] = line{text: t, indent: indentOf(t), under: -1, parent: -1}
	}
	markFront(lines)
	markFences(lines)
	markBlocks(lines)
	markTrees(lines)
	return lines
}

func indentOf(s string) int {
	n := 0
	for _, r := range s {
		switch r {
		case ' ':
			n++
		case '\t':
			n += 4
		default:
			return n
		}
	}
	return n
}

// markFront marks YAML front matter, if the document begins with it.
func markFront(lines []line) {
	if len(lines) == 0 || strings.TrimSpace(lines[0].text) != "---" {
		return
	}
	for i := 1; i < len(lines); i++ {
		if t := strings.TrimSpace(lines[i].text); t == "---" || t == "..." {
			for k := 0; k <= i; k++ {
				lines[k].front = true
			}
			lines[0].marker, lines[i].marker = true, true
			return
		}
	}
}

// markFences marks fenced code. A fence that is never closed is taken for a
// slip of the pen: what follows it is read as text.
func markFences(lines []line) {
	open, lang, at := "", "", 0
	defer func() {
		if open == "" {
			return
		}
		for i := at; i < len(lines); i++ {
			lines[i].fence = ""
		}
	}()
	for i := range lines {
		l := &lines[i]
		if l.front {
			continue
		}
		m := fenceOpen.FindStringSubmatch(l.text)
		switch {
		case open == "" && m != nil && !strings.Contains(strings.TrimSpace(l.text)[len(m[1]):], "`"):
			open, lang, l.marker, at = m[1], strings.ToLower(m[2]), true, i
			if lang == "" {
				lang = "text"
			}
		case open != "" && m != nil && m[2] == "" && strings.HasPrefix(m[1], open):
			open, l.marker = "", true
		case open != "":
			l.fence = lang
		}
	}
}

// markBlocks finds headings, rows, items and what each line hangs under.
func markBlocks(lines []line) {
	head, lead := -1, -1
	var stack []int // enclosing list items
	for i := range lines {
		l := &lines[i]
		blank := strings.TrimSpace(l.text) == ""
		if l.front || l.marker || l.fence != "" {
			l.under = head
			l.parent = enclosing(lines, stack, l.indent+1, lead)
			continue
		}
		if blank {
			continue
		}
		if m := headMark.FindStringSubmatch(l.text); m != nil {
			l.heading, l.under = len(m[1]), above(lines, head, len(m[1]))
			head, lead, stack = i, -1, stack[:0]
			continue
		}
		l.under = head
		l.row = strings.HasPrefix(strings.TrimSpace(l.text), "|")
		l.item = itemMark.MatchString(l.text)
		for len(stack) > 0 && lines[stack[len(stack)-1]].indent >= l.indent {
			stack = stack[:len(stack)-1]
		}
		l.parent = enclosing(lines, stack, l.indent, lead)
		switch {
		case l.item:
			stack = append(stack, i)
		case !l.row && l.indent < 2: // a paragraph hangs under nothing
			l.parent = -1
			lead, stack = leadIn(l.text, i), stack[:0]
		}
	}
}

// above returns the nearest heading at or above h that is of a lower level.
func above(lines []line, h, level int) int {
	for h >= 0 && lines[h].heading >= level {
		h = lines[h].under
	}
	return h
}

// leadIn returns i if the line introduces what follows.
func leadIn(text string, i int) int {
	t := strings.TrimRight(strings.TrimSpace(text), "*_ ")
	if strings.HasSuffix(t, ":") || boldLead.MatchString(strings.TrimSpace(text)) {
		return i
	}
	return -1
}

func enclosing(lines []line, stack []int, indent, lead int) int {
	for k := len(stack) - 1; k >= 0; k-- {
		if lines[stack[k]].indent < indent {
			return stack[k]
		}
	}
	return lead
}
