package anchor

import (
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// block is a run of lines that reads as one text: a paragraph, an item, a row,
// a heading, or a line of a code fence.
type block struct {
	first int // index of the first line
	text  string
	fence string
}

// lineAt returns the 1-based line of offset at.
func (b *block) lineAt(at int) int { return b.first + 1 + strings.Count(b.text[:at], "\n") }

// blocks cuts the lines of a fact into blocks. Front matter inside a whole
// entry is left out: its fields are facts of their own.
func (r *Reader) blocks(fact *knowledge.Fact) []block {
	var out []block
	grow := false
	for i := max(fact.Line-1, 0); i < min(fact.EndLine, len(r.lines)); i++ {
		l := &r.lines[i]
		switch {
		case l.front || l.marker || strings.TrimSpace(l.text) == "":
			grow = false
		case l.fence != "" || l.row || l.heading > 0:
			out, grow = append(out, block{i, l.text, l.fence}), false
		case grow && !l.item:
			out[len(out)-1].text += "\n" + l.text
		default:
			out, grow = append(out, block{i, l.text, ""}), true
		}
	}
	return out
}

// maxBlock is how much of one paragraph is read: nobody writes longer ones.
const maxBlock = 16 << 10

// block returns the candidates of one block. What surrounds it is only read
// where it names something.
func (r *Reader) block(b block) []Candidate {
	if b.fence != "" {
		return r.fenced(b)
	}
	b.text = head(b.text, maxBlock)
	var out []Candidate
	var near [][]string
	toks := scan(b.text)
	for i, t := range toks {
		for _, c := range t.candidates() {
			if near == nil {
				near = allDirs(toks)
			}
			c.Line = b.lineAt(t.at)
			c.Dirs = append(dirsNear(near, i), r.dirsAbove(b.first)...)
			c.saying = &saying{r, b.text, t.at, t.n, b.first}
			out = append(out, c)
		}
	}
	return out
}

// fenced returns the candidates of a line of a code fence: a tree's node, or
// the arguments of a command. Example code in any language claims nothing.
func (r *Reader) fenced(b block) []Candidate {
	if r.lines[b.first].node != nil {
		return r.treeCandidates(b.first)
	}
	if !shells[b.fence] || len(b.text) > maxSpelling {
		return nil
	}
	var out []Candidate
	for _, c := range commandLine(b.text) {
		c.Line = b.first + 1
		c.Dirs = append(c.Dirs, r.cdAbove(b.first)...)
		c.saying = &saying{r, "", 0, 0, b.first}
		out = append(out, c)
	}
	return out
}

// cdAbove returns the directory that an earlier line of the same fence enters.
func (r *Reader) cdAbove(i int) []string {
	for k := i - 1; k >= 0 && r.lines[k].fence != ""; k-- {
		if f := strings.Fields(r.lines[k].text); len(f) == 2 && f[0] == "cd" && hopeless(f[1]) == "" {
			return []string{clean(strings.Trim(f[1], "/"))}
		}
	}
	return nil
}

// allDirs returns the directories of each token.
func allDirs(toks []token) [][]string {
	out := make([][]string, len(toks))
	for i, t := range toks {
		out[i] = t.dirs()
	}
	return out
}

// dirsNear returns the directories that a block names around token i: those
// before it, nearest first, then those after it.
func dirsNear(dirs [][]string, i int) []string {
	var out []string
	for k := i - 1; k >= 0; k-- {
		out = append(out, dirs[k]...)
	}
	for k := i + 1; k < len(dirs); k++ {
		out = append(out, dirs[k]...)
	}
	return out
}

// dirsAbove returns the directories named by what line i hangs under: the
// enclosing items and the lead-in, then the headings.
func (r *Reader) dirsAbove(i int) []string {
	l := &r.lines[i]
	if !l.asked {
		l.asked, l.dirs = true, r.lookAbove(i)
	}
	return l.dirs
}

func (r *Reader) lookAbove(i int) []string {
	var out []string
	for p, depth := r.lines[i].parent, 0; p >= 0 && depth < 4; p, depth = r.lines[p].parent, depth+1 {
		out = append(out, dirsOf(r.lines[p].text)...)
	}
	for h, depth := r.lines[i].under, 0; h >= 0 && depth < 4; h, depth = r.lines[h].under, depth+1 {
		out = append(out, dirsOf(r.lines[h].text)...)
	}
	return out
}

func dirsOf(text string) []string {
	var out []string
	for _, t := range scan(text) {
		out = append(out, t.dirs()...)
	}
	return out
}
