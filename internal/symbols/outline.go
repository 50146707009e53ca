package symbols

import "strings"

// outline reads a language of which no parser could be had: by its tokens, the
// brackets that pair, and where a declaration may begin. It is not the whole
// grammar; what it does not know it passes over.
type outline struct {
	id      string // with the number of our normalization
	dialect dialect
	reader  func(*source) reader
	drops   string // a token that a formatter adds where a line ends
	quotes  bool   // either quote makes the same text
}

// reader finds what one language declares.
type reader interface {
	// declare looks for a declaration at lexeme i and returns where to go on.
	declare(i int, where place) int
}

var outlines = map[string]*outline{
	"Swift": {id: "swift@1", dialect: swiftDialect, reader: newSwift, drops: ";"},
	"Dart":  {id: "dart@1", dialect: dartDialect, reader: newDart, quotes: true},
}

func (o *outline) name() string { return o.id }

func (o *outline) read(file string, src []byte, marks bool) (File, error) {
	if len(src) > maxParsed {
		return File{}, ErrTooLarge
	}
	s := &source{places: map[int]place{}}
	s.src, s.lex = o.dialect.lex(src)
	s.pair()
	s.walk(o.reader(s))
	f := File{Scope: scopeOf(file, "")}
	var spans []span
	f.Defs, spans = nest(s.found, newLineIndex(src))
	if marks {
		stream := o.tokens(s)
		for i := range f.Defs {
			f.Defs[i].Fingerprint = o.id + ":" + stream.hash(spans[i])
		}
	}
	return f, nil
}

// tokens are those that a fingerprint is made of.
func (o *outline) tokens(s *source) tokens {
	var out tokens
	for i, x := range s.lex {
		text := s.text(i)
		if text == o.drops {
			continue
		}
		if x.kind == kindText && o.quotes && strings.HasSuffix(text, "'") {
			text = strings.ReplaceAll(text, "'", `"`)
		}
		out = out.add(x.from, text)
	}
	return out
}

// words is a set.
func words(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// place says what may be declared between two brackets.
type place int

const (
	placeBody  place = iota // statements: what is set in them is nobody's business
	placeTop                // the file itself
	placeType               // members
	placeCases              // members, and the cases of an enum
	placeNone               // nothing
)

// source is a file with its lexemes.
type source struct {
	src    string
	lex    []lexeme
	after  []int         // of a bracket that opens: the lexeme after the one that closes it; else 0
	places map[int]place // of a brace that opens, where it is no body
	found  []found
}

func (s *source) text(i int) string {
	if i < 0 || i >= len(s.lex) {
		return ""
	}
	return s.src[s.lex[i].from:s.lex[i].to]
}

func (s *source) is(i int, text string) bool { return s.text(i) == text }

func (s *source) isWord(i int) bool { return i >= 0 && i < len(s.lex) && s.lex[i].kind == kindWord }

func (s *source) isMark(i int) bool { return i >= 0 && i < len(s.lex) && s.lex[i].kind == kindMark }

// skip returns the lexeme after i, or after the brackets that open there.
func (s *source) skip(i int) int {
	if i < len(s.after) && s.after[i] > 0 {
		return s.after[i]
	}
	return min(i+1, len(s.lex))
}

// within returns the lexeme after the brackets if they open at i with a text,
// i otherwise.
func (s *source) within(i int, open string) int {
	if s.is(i, open) {
		return max(i, s.after[i])
	}
	return i
}

// add notes a definition that has its name at a lexeme, begins at another and
// ends before a third.
func (s *source) add(name string, at, from, to int) { s.note(roleDef, name, at, from, to) }

func (s *source) note(r role, name string, at, from, to int) {
	if name, to = strings.Trim(name, "`"), min(to, len(s.lex)); name != "" && to > from {
		s.found = append(s.found, found{role: r, span: span{s.lex[from].from, s.lex[to-1].to}, name: name, key: s.lex[at].from})
	}
}

// pair finds which brackets belong together. A brace closes whatever is still
// open in it, and angles only are brackets where nothing but types is in them.
func (s *source) pair() {
	s.after = make([]int, len(s.lex))
	var open []int
	braces := 0
	drop := func(to int) {
		last := len(open) - 1
		if s.is(open[last], "<") {
			to = 0
		}
		s.after[open[last]] = to
		open = open[:last]
	}
	angles := func() {
		for len(open) > 0 && s.is(open[len(open)-1], "<") {
			drop(0)
		}
	}
	for i := range s.lex {
		switch t := s.text(i); t {
		case "(", "[", "{", "<":
			if t == "{" {
				braces++
			}
			open = append(open, i)
		case ">":
			if len(open) > 0 && s.is(open[len(open)-1], "<") {
				s.after[open[len(open)-1]] = i + 1
				open = open[:len(open)-1]
			}
		case ")", "]":
			if angles(); len(open) > 0 && s.text(open[len(open)-1]) == opener[t] {
				drop(i + 1)
			}
		case "}":
			if braces == 0 {
				continue
			}
			for !s.is(open[len(open)-1], "{") {
				drop(i)
			}
			drop(i + 1)
			braces--
		default:
			if s.lex[i].kind == kindText || s.lex[i].kind == kindMark && !strings.Contains(".,?:&@!->==", t) {
				angles()
			}
		}
	}
	for len(open) > 0 {
		drop(len(s.lex))
	}
}

var opener = map[string]string{")": "(", "]": "["}

// walk visits the lexemes in their order, those of headers excepted.
func (s *source) walk(r reader) {
	var around []int // brackets that are open
	for i := 0; i < len(s.lex); {
		for len(around) > 0 && s.after[around[len(around)-1]] <= i {
			around = around[:len(around)-1]
		}
		where := placeTop
		if len(around) > 0 {
			if where = placeNone; s.is(around[len(around)-1], "{") {
				where = s.places[around[len(around)-1]]
			}
		}
		if next := r.declare(i, where); next > i {
			i = next
			continue
		}
		if s.after[i] > 0 && !s.is(i, "<") {
			around = append(around, i)
			if s.is(i, "{") && s.places[i] == placeBody {
				s.found = append(s.found, found{role: roleLocal, span: span{s.lex[i].from, s.lex[s.after[i]-1].to}, key: -1})
			}
		}
		i++
	}
}
