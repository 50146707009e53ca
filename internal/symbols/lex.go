package symbols

import "strings"

// kind is what a lexeme is.
type kind byte

const (
	kindWord kind = iota
	kindNumber
	kindText // a literal, whatever is interpolated in it
	kindMark // the rest: one character, or two that are always one token
)

// lexeme is a token of a language that has no parser here.
type lexeme struct {
	span
	kind  kind
	fresh bool // it begins its line
}

// dialect is in what the tokens of such languages differ.
type dialect struct {
	quotes  string // what begins and ends a text
	enters  string // what begins code in a text, after it the code's own bracket
	leaves  byte   // the bracket that ends that code
	raw     byte   // before a quote: '#', as often as after it, or a letter
	regexes bool   // /text/ is a literal too
}

// What is looked at to tell a token.
const (
	maxHashes = 16      // before the quote of a text
	maxRegex  = 4 << 10 // bytes, for the end of a regular expression
)

// lexer reads tokens in one pass; comments are none. No source makes it fail:
// what is not closed ends with its line or with the file.
type lexer struct {
	dialect
	src   string
	out   []lexeme
	fresh bool
}

// pairs are marks of two characters. Not >>, >= and the like: they may be the
// end of type arguments.
var pairs = map[string]bool{"->": true, "=>": true, "==": true, "!=": true, "&&": true, "||": true, "??": true, "<=": true}

func (d dialect) lex(src []byte) (string, []lexeme) {
	l := lexer{dialect: d, src: string(src), fresh: true}
	for at := 0; at < len(l.src); {
		switch c := l.src[at]; {
		case c == '\n' || c == '\r':
			l.fresh = true
			at++
		case c <= ' ':
			at++
		default:
			if end := l.comment(at); end > 0 {
				at = end
				continue
			}
			at = l.next(at)
		}
	}
	return l.src, l.out
}

// next reads the token at a place and returns its end.
func (l *lexer) next(at int) int {
	how, end := kindMark, at+1
	switch c := l.src[at]; {
	case l.opens(at) != nil:
		how, end = kindText, l.text(at)
	case l.regex(at) > 0:
		how, end = kindText, l.regex(at)
	case c >= '0' && c <= '9':
		how, end = kindNumber, l.number(at)
	case isWord(c) || c == '#' && at+1 < len(l.src) && isWord(l.src[at+1]):
		how, end = kindWord, l.word(at+1)
	case c == '`':
		if n := strings.IndexAny(l.src[at+1:min(len(l.src), at+256)], "`\n"); n > 0 && l.src[at+1+n] == '`' {
			how, end = kindWord, at+n+2
		}
	case at+1 < len(l.src) && pairs[l.src[at:at+2]]:
		end = at + 2
	}
	l.out = append(l.out, lexeme{span{at, end}, how, l.fresh})
	l.fresh = false
	return end
}

func isWord(c byte) bool {
	return c == '_' || c == '$' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c >= 0x80
}

func (l *lexer) word(at int) int {
	for at < len(l.src) && isWord(l.src[at]) {
		at++
	}
	return at
}

func (l *lexer) number(at int) int {
	at = l.word(at)
	if at+1 < len(l.src) && l.src[at] == '.' && l.src[at+1] >= '0' && l.src[at+1] <= '9' {
		at = l.word(at + 1)
	}
	return at
}

// comment returns the end of the comment that begins at a place, 0 if none
// does. Comments nest.
func (l *lexer) comment(at int) int {
	rest := l.src[at:]
	if strings.HasPrefix(rest, "//") || at == 0 && strings.HasPrefix(rest, "#!") {
		if n := strings.IndexByte(rest, '\n'); n >= 0 {
			return at + n
		}
		return len(l.src)
	}
	if !strings.HasPrefix(rest, "/*") {
		return 0
	}
	depth := 0
	for i := at; i+1 < len(l.src); i++ {
		switch l.src[i : i+2] {
		case "/*":
			depth++
			i++
		case "*/":
			if depth--; depth == 0 {
				return i + 2
			}
			i++
		}
	}
	return len(l.src)
}

// literal is a text that is open, or code in one.
type literal struct {
	begin  int    // bytes before the text itself
	end    string // what closes it
	escape string // what hides a character, "" where nothing does
	lines  bool   // it may have more than one
	depth  int    // of brackets, in code
}

// opens returns the text that begins at a place, nil if none does.
func (l *lexer) opens(at int) *literal {
	i := at
	for i < len(l.src) && l.src[i] == l.raw && (l.raw == '#' && i-at < maxHashes || i == at) {
		i++
	}
	marks := l.src[at:i]
	if i == len(l.src) || strings.IndexByte(l.quotes, l.src[i]) < 0 || marks == "r" && at > 0 && isWord(l.src[at-1]) {
		return nil
	}
	lit := literal{begin: i + 1 - at, end: l.src[i : i+1], escape: `\`}
	if three := strings.Repeat(lit.end, 3); strings.HasPrefix(l.src[i:], three) {
		lit.begin, lit.end, lit.lines = i+3-at, three, true
	}
	switch {
	case l.raw == '#':
		lit.end += marks
		lit.escape += marks
	case marks != "":
		lit.escape = ""
	}
	return &lit
}

// text returns the end of the text that begins at a place. What stands around
// the place in hand is kept in a list, so that no nesting is too deep.
func (l *lexer) text(at int) int {
	around := []literal{*l.opens(at)}
	at += around[0].begin
	for at < len(l.src) && len(around) > 0 {
		top := &around[len(around)-1]
		if top.end == "" {
			at, around = l.inCode(at, top, around)
			continue
		}
		switch rest := l.src[at:]; {
		case top.escape != "" && strings.HasPrefix(rest, l.entry(top)):
			at += len(l.entry(top))
			around = append(around, literal{depth: 1})
		case top.escape != "" && strings.HasPrefix(rest, top.escape):
			at += min(len(rest), len(top.escape)+1)
		case strings.HasPrefix(rest, top.end):
			at += len(top.end)
			around = around[:len(around)-1]
		case rest[0] == '\n' && !top.lines:
			around = around[:len(around)-1]
		default:
			at++
		}
	}
	return at
}

// entry is what begins code in a text.
func (l *lexer) entry(t *literal) string {
	if l.raw == '#' {
		return t.escape + l.enters
	}
	return l.enters
}

// inCode takes one step in the code of a text.
func (l *lexer) inCode(at int, top *literal, around []literal) (int, []literal) {
	if end := l.comment(at); end > 0 {
		return end, around
	}
	if lit := l.opens(at); lit != nil {
		return at + lit.begin, append(around, *lit)
	}
	switch l.src[at] {
	case l.enters[len(l.enters)-1]:
		top.depth++
	case l.leaves:
		if top.depth--; top.depth == 0 {
			around = around[:len(around)-1]
		}
	}
	return at + 1, around
}

// regex returns the end of the regular expression that begins at a place, 0 if
// none does: it stands where a value may begin, and ends in its line.
func (l *lexer) regex(at int) int {
	if !l.regexes {
		return 0
	}
	if strings.HasPrefix(l.src[at:], "#/") {
		line := l.src[at:min(len(l.src), at+maxRegex)]
		if n := strings.Index(line[2:], "/#"); n >= 0 {
			return at + n + 4
		}
		return 0
	}
	if l.src[at] != '/' || !l.valueMayBegin() {
		return 0
	}
	line := l.src[at+1 : min(len(l.src), at+maxRegex)]
	for i := 0; i < len(line) && line[i] != '\n'; i++ {
		switch {
		case i == 0 && strings.IndexByte(" \t)/=,", line[0]) >= 0:
			return 0
		case line[i] == '\\':
			i++
		case line[i] == '/':
			return at + i + 2
		}
	}
	return 0
}

func (l *lexer) valueMayBegin() bool {
	if len(l.out) == 0 {
		return true
	}
	last := l.out[len(l.out)-1]
	switch t := l.src[last.from:last.to]; last.kind {
	case kindMark:
		return !strings.Contains(")]}>?!", t)
	case kindWord:
		return t == "return" || t == "in" || t == "case" || t == "try" || t == "await"
	default:
		return false
	}
}
