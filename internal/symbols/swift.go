package symbols

import "strings"

var swiftDialect = dialect{quotes: `"`, enters: "(", leaves: ')', raw: '#', regexes: true}

// swift finds the declarations of Swift.
type swift struct{ *source }

func newSwift(s *source) reader { return swift{s} }

var (
	swiftModifiers = words(`public private internal fileprivate open package static class final override required convenience lazy weak unowned
		mutating nonmutating dynamic optional indirect prefix postfix infix nonisolated isolated distributed borrowing consuming sending __consuming`)
	swiftKeywords = words(`struct class enum protocol actor extension func init deinit subscript let var typealias associatedtype macro
		precedencegroup case import operator`)
	swiftDirectives = words(`#if #elseif #else #endif #sourceLocation #warning #error`)
	// What goes on with the line before, though it begins one.
	swiftGoesOn = words(`is as where else in throws rethrows async catch`)
)

func (s swift) declare(i int, where place) int {
	switch {
	case s.directive(i):
		for i++; i < len(s.lex) && !s.lex[i].fresh; i++ {
		}
		return i
	case where == placeNone || !s.begins(i):
		return i
	}
	at := s.prefix(i)
	if next := s.declaration(i, at, where); next > 0 {
		return next
	}
	return at
}

func (s swift) directive(i int) bool { return s.lex[i].fresh && swiftDirectives[s.text(i)] }

// begins reports whether a statement may begin at a lexeme.
func (s swift) begins(i int) bool {
	switch before := s.text(i - 1); before {
	case "", "{", "}", ";":
		return true
	default:
		return s.lex[i].fresh && before != ","
	}
}

// prefix returns the lexeme after attributes and modifiers.
func (s swift) prefix(i int) int {
	for i < len(s.lex) {
		switch {
		case s.is(i, "@") && s.isWord(i+1):
			i = s.attribute(i + 1)
		case !s.modifies(i):
			return i
		case s.is(i+1, "("):
			i = s.skip(i + 1)
		default:
			i++
		}
	}
	return i
}

// attribute returns the lexeme after the attribute with the name at i.
func (s swift) attribute(i int) int {
	for i++; s.is(i, ".") && s.isWord(i+1); i += 2 {
	}
	i = s.within(i, "<")
	if s.is(i, "(") && s.lex[i].from == s.lex[i-1].to {
		return s.skip(i)
	}
	return i
}

// modifies reports whether the word at i modifies what follows it.
func (s swift) modifies(i int) bool {
	if !s.isWord(i) || !swiftModifiers[s.text(i)] {
		return false
	}
	if s.is(i+1, "(") {
		switch s.text(i + 2) {
		case "set", "get", "safe", "unsafe", "nonsending":
			i = s.skip(i+1) - 1
		}
	}
	next := s.text(i + 1)
	if s.is(i, "class") {
		return swiftKeywords[next] || swiftModifiers[next] && !s.isHeader(i+2)
	}
	return swiftKeywords[next] || swiftModifiers[next] || next == "@"
}

// isHeader reports whether the header of a type goes on at i, after its name.
func (s swift) isHeader(i int) bool {
	return s.is(i, "{") || s.is(i, ":") || s.is(i, "<") || s.is(i, "where") || s.is(i, "~")
}

// declaration notes what is declared at a lexeme, from its prefix on, and
// returns where to go on: 0 where nothing is.
func (s swift) declaration(from, at int, where place) int {
	switch t := s.text(at); t {
	case "struct", "class", "protocol", "enum", "actor":
		return s.typ(from, at, t)
	case "extension":
		return s.extension(from, at)
	case "func":
		return s.function(from, at)
	case "init", "deinit", "subscript":
		next := s.text(at + 1)
		if where != placeType && where != placeCases || !strings.Contains("(<?!{", next) || next == "" {
			return 0
		}
		return s.callable(t, from, at, at+1)
	case "let", "var":
		if where == placeBody {
			return 0
		}
		return s.values(from, at)
	case "typealias", "associatedtype", "macro", "precedencegroup":
		if !s.isWord(at+1) || s.lex[at+1].fresh {
			return 0
		}
		end := s.end(at+2, "")
		s.add(s.text(at+1), at+1, from, end)
		return at + 2
	case "case":
		if where == placeCases {
			return s.cases(at + 1)
		}
	}
	return 0
}

func (s swift) typ(from, at int, word string) int {
	if !s.isWord(at+1) || !s.isHeader(at+2) {
		return 0
	}
	body := s.header(at + 2)
	if !s.is(body, "{") {
		return 0
	}
	s.places[body] = placeType
	if word == "enum" {
		s.places[body] = placeCases
	}
	s.add(s.text(at+1), at+1, from, s.after[body])
	return body
}

// extension gives the name of the type that it extends to its members.
func (s swift) extension(from, at int) int {
	var name []string
	i := at + 1
	if s.is(i, "[") { // short for one of two types
		name = []string{"Array"}
		if s.is(s.skip(i+1), ":") {
			name = []string{"Dictionary"}
		}
	}
	for ; s.isWord(i) && !s.is(i, "where"); i++ {
		name = append(name, strings.Trim(s.text(i), "`"))
		if i = s.within(i+1, "<"); !s.is(i, ".") {
			break
		}
	}
	body := s.header(i)
	if !s.is(body, "{") {
		return 0
	}
	s.places[body] = placeType
	s.note(roleScope, strings.Join(name, "."), at, from, s.after[body])
	return body
}

func (s swift) function(from, at int) int {
	i := at + 2
	if s.isMark(at + 1) { // an operator: all that stands together
		for s.isMark(i) && !s.is(i, "(") && s.lex[i].from == s.lex[i-1].to && !(s.is(i, "<") && s.isWord(i+1)) {
			i++
		}
	} else if !s.isWord(at + 1) {
		return 0
	}
	return s.callable(s.src[s.lex[at+1].from:s.lex[i-1].to], from, at+1, i)
}

// callable notes what has parameters, from which i is the first lexeme.
func (s swift) callable(name string, from, at, i int) int {
	body := s.header(i)
	end := body
	if s.is(body, "{") {
		end = s.after[body]
	}
	s.add(name, at, from, end)
	return body
}

// header returns the brace of a body, or what else a header ends before.
func (s swift) header(i int) int {
	for i < len(s.lex) {
		switch s.text(i) {
		case "{", "}", ";", ")", "]":
			return i
		}
		if s.lex[i].fresh && s.opens(i) {
			return i
		}
		i = s.skip(i)
	}
	return i
}

// opens reports whether nothing but a declaration can begin at a lexeme.
func (s swift) opens(i int) bool {
	t := s.text(i)
	switch {
	case s.is(i-1, ",") || s.is(i-1, "="):
		return false
	case s.directive(i) || t == "@" || s.modifies(i) || t == "case":
		return true
	case t == "init" || t == "subscript" || t == "deinit":
		return strings.Contains("(<?!{", s.text(i+1))
	case t == "func":
		return true
	}
	return swiftKeywords[t] && s.isWord(i+1) || (t == "let" || t == "var") && s.is(i+1, "(")
}

// end returns the lexeme before which a statement ends, or a mark in it that is
// looked for.
func (s swift) end(i int, mark string) int {
	for i < len(s.lex) {
		switch t := s.text(i); t {
		case ";", "}", ")", "]":
			return i
		case mark:
			return i
		}
		if s.lex[i].fresh && s.breaks(i) {
			return i
		}
		i = s.skip(i)
	}
	return i
}

// breaks reports whether what begins a line begins a statement.
func (s swift) breaks(i int) bool {
	if s.opens(i) {
		return true
	}
	if s.isMark(i-1) && !strings.Contains(")]}>?!", s.text(i-1)) {
		return false
	}
	return !swiftGoesOn[s.text(i)] && (!s.isMark(i) || s.is(i, "(") || s.is(i, "["))
}

// values notes what a let or a var names.
func (s swift) values(from, at int) int {
	var names []int
	i := at + 1
	for {
		switch next := s.skip(i); {
		case s.isWord(i):
			names = append(names, i)
		case s.is(i, "("):
			for k := i + 1; k < next; k++ {
				if s.isWord(k) && (s.is(k+1, ",") || s.is(k+1, ")")) {
					names = append(names, k)
				}
			}
		}
		if i = s.end(s.skip(i), ","); !s.is(i, ",") {
			break
		}
		i++
	}
	for _, n := range names {
		if !s.is(n, "_") {
			s.add(s.text(n), n, from, i)
		}
	}
	return at + 1
}

// cases notes the cases of an enum, of which i is the first.
func (s swift) cases(i int) int {
	for s.isWord(i) {
		end := s.end(i+1, ",")
		s.add(s.text(i), i, i, end)
		if i = end; !s.is(i, ",") {
			break
		}
		i++
	}
	return i
}
