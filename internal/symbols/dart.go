package symbols

var dartDialect = dialect{quotes: `'"`, enters: "${", leaves: '}', raw: 'r'}

// dart finds the declarations of Dart. Most have no word that says what they
// are: a member is what stands where one may, and looks like one.
type dart struct{ *source }

func newDart(s *source) reader {
	for i := range s.lex { // the cases of a switch look like functions
		if body := i + 1; s.is(i, "switch") && s.is(body, "(") {
			if body = s.skip(body); s.is(body, "{") {
				s.places[body] = placeNone
			}
		}
	}
	return dart{s}
}

var (
	// Before a declaration, if a word follows; the others are reserved.
	dartModifiers = words(`external static abstract covariant augment base sealed interface mixin factory late macro`)
	dartBindings  = words(`final const var`)
	dartReserved  = words(`assert await break case catch continue default do else enum extends false finally for if in is new null rethrow return
		super switch this throw true try while with yield class`)
)

func (s dart) declare(i int, where place) int {
	switch {
	case where == placeNone:
		return i
	case where == placeCases && s.is(i-1, "{"):
		return s.cases(i)
	case i > 0 && !s.is(i-1, ";") && !s.is(i-1, "{") && !s.is(i-1, "}"):
		return i
	}
	at := s.prefix(i)
	if where == placeTop {
		if next := s.top(i, at); next > 0 {
			return next
		}
	}
	if next := s.member(i, at, where); next > 0 {
		return next
	}
	return at
}

// prefix returns the lexeme after annotations and modifiers.
func (s dart) prefix(i int) int {
	for i < len(s.lex) {
		t := s.text(i)
		switch {
		case t == "@" && s.isWord(i+1):
			i = s.annotation(i + 1)
		case dartBindings[t] || dartModifiers[t] && s.isWord(i+1) && !s.isName(i):
			i++
		case t == "static" && s.is(i+1, "("):
			i++
		default:
			return i
		}
	}
	return i
}

// isName reports whether a word that may modify declares instead: mixin M.
func (s dart) isName(i int) bool {
	return s.is(i, "mixin") && !s.is(i+1, "class")
}

// annotation returns the lexeme after the annotation with the name at i.
func (s dart) annotation(i int) int {
	for i++; s.is(i, ".") && s.isWord(i+1); i += 2 {
	}
	i = s.within(i, "<")
	if s.is(i, "(") && s.lex[i].from == s.lex[i-1].to {
		return s.skip(i)
	}
	return i
}

// top notes what only a file declares.
func (s dart) top(from, at int) int {
	switch t := s.text(at); {
	case t == "extension":
		return s.extension(from, at)
	case t == "import" || t == "export" || t == "part" || t == "library" && s.is(at+1, ";"):
		return s.end(at, "")
	case !s.isWord(at + 1):
		return 0
	}
	switch s.text(at) {
	case "library":
		return s.end(at, "")
	case "class", "mixin":
		return s.typ(roleDef, from, at+1, placeType)
	case "enum":
		return s.typ(roleDef, from, at+1, placeCases)
	case "typedef":
		return s.typedef(from, at+1)
	}
	return 0
}

// typ notes a type with the name at a lexeme.
func (s dart) typ(r role, from, at int, inside place) int {
	body := at + 1
	for body < len(s.lex) && !s.is(body, "{") && !s.is(body, ";") && !s.is(body, "}") {
		body = s.skip(body)
	}
	if !s.is(body, "{") {
		s.note(r, s.text(at), at, from, body+1)
		return body
	}
	s.places[body] = inside
	s.note(r, s.text(at), at, from, s.after[body])
	return body
}

// extension notes an extension and its members. Those of one without a name
// have that of the type that it extends.
func (s dart) extension(from, at int) int {
	switch i := s.within(at+1, "<"); {
	case s.is(at+1, "type") && s.isWord(at+2) && !s.is(at+2, "on"):
		if at += 2; s.is(at, "const") {
			at++
		}
		return s.represented(from, at)
	case !s.is(i, "on"):
		return s.typ(roleDef, from, at+1, placeType)
	default:
		return s.typ(roleScope, from, i+1, placeType)
	}
}

// represented notes an extension type and what it stands for.
func (s dart) represented(from, at int) int {
	i := s.within(at+1, "<")
	if s.is(i, ".") {
		i += 2
	}
	body := s.typ(roleDef, from, at, placeType)
	if s.is(i, "(") {
		if last := s.skip(i) - 2; s.isWord(last) {
			s.add(s.text(last), last, i+1, last+1)
		}
	}
	return body
}

// typedef notes the old form, in which the name stands before parameters, too.
func (s dart) typedef(from, at int) int {
	end := s.end(at, "")
	name := at
	if !s.is(s.within(at+1, "<"), "=") {
		for i := at; i < end; i = s.skip(i) {
			if s.is(i, "(") && s.isWord(i-1) {
				name = i - 1
			} else if s.is(i, "<") && s.is(s.skip(i), "(") && s.isWord(i-1) {
				name = i - 1
			}
		}
	}
	s.add(s.text(name), name, from, end+1)
	return end
}

// end returns the lexeme of the semicolon that ends a statement, or of a mark
// that is looked for.
func (s dart) end(i int, mark string) int {
	for i < len(s.lex) {
		switch s.text(i) {
		case ";", "}", ")", "]", mark:
			return i
		}
		i = s.skip(i)
	}
	return i
}

// member notes a function or variables. In a body they are only looked for as
// far as a function has a body of its own.
func (s dart) member(from, at int, where place) int {
	name := -1
	for i := at; i < len(s.lex); {
		t := s.text(i)
		switch {
		case t == "get" && s.isWord(i+1):
			return s.function(from, i+1, i+2, where)
		case t == "operator" && s.isMark(i+1) && !s.is(i+1, ";") && !s.is(i+1, ",") && !s.is(i+1, "="):
			return s.operator(from, i, where)
		case t == "Function" && (s.is(i+1, "(") || s.is(i+1, "<")):
			i = s.within(s.within(i+1, "<"), "(")
			name = -1
		case s.isWord(i):
			if dartReserved[t] {
				return 0
			}
			name = i
			i++
		case t == "?" || t == "." && name >= 0:
			i++
		case t == "<" && s.after[i] > 0 || t == "(" && name < 0:
			i = s.skip(i)
		case t == "(":
			return s.function(from, name, s.skip(i), where)
		case (t == "=" || t == ";" || t == ",") && name > from && where != placeBody:
			return s.values(from, name, i)
		default:
			return 0
		}
	}
	return 0
}

func (s dart) operator(from, at int, where place) int {
	i := at + 2
	if s.is(at+1, "[") {
		i = s.skip(at + 1)
	}
	for s.isMark(i) && !s.is(i, "(") && s.lex[i].from == s.lex[i-1].to {
		i++
	}
	if !s.is(i, "(") {
		return 0
	}
	name := "operator" + s.src[s.lex[at+1].from:s.lex[i-1].to]
	return s.callable(name, from, at, s.skip(i), where)
}

func (s dart) function(from, name, i int, where place) int {
	return s.callable(s.text(name), from, name, i, where)
}

// callable notes what goes on at i after its parameters.
func (s dart) callable(name string, from, at, i int, where place) int {
	for s.is(i, "async") || s.is(i, "sync") || s.is(i, "*") || s.is(i, "native") {
		i++
	}
	end := i
	switch t := s.text(i); {
	case t == "{":
		end = s.after[i]
	case t == "=>":
		end = s.end(i+1, "") + 1
	case where == placeBody:
		return 0
	case t == ";":
		end = i + 1
	case t == "=":
		i = s.end(i, "")
		end = i + 1
	case t == ":" && where != placeTop:
		if i = s.initialized(i + 1); s.is(i, "{") {
			end = s.after[i]
		} else {
			end = i + 1
		}
	default:
		return 0
	}
	s.add(name, at, from, end)
	if s.is(i, "{") {
		return i
	}
	return i + 1
}

// initialized returns the body of a constructor, or the semicolon instead of
// one. Not every brace is a body: fields may be set to maps.
func (s dart) initialized(i int) int {
	for i < len(s.lex) && !s.is(i, ";") && !s.is(i, "}") {
		if s.is(i, "{") && !s.is(i-1, "const") && (!s.isMark(i-1) || s.is(i-1, ")") || s.is(i-1, "]") || s.is(i-1, "}")) {
			return i
		}
		i = s.skip(i)
	}
	return i
}

// values notes variables: the first has the name at a lexeme, and goes on at i.
func (s dart) values(from, name, i int) int {
	names, next := []int{name}, i
	for {
		if i = s.end(i, ","); !s.is(i, ",") {
			break
		}
		if i++; s.isWord(i) && (s.is(i+1, "=") || s.is(i+1, ",") || s.is(i+1, ";")) {
			names = append(names, i)
		}
	}
	for _, n := range names {
		s.add(s.text(n), n, from, i+1)
	}
	return next + 1
}

// cases notes the values of an enum, of which i is the first, and returns what
// they end before.
func (s dart) cases(i int) int {
	for i < len(s.lex) {
		from := i
		for s.is(i, "@") {
			i = s.annotation(i + 1)
		}
		if !s.isWord(i) {
			break
		}
		at := i
		i = s.end(i, ",")
		s.add(s.text(at), at, from, i)
		if !s.is(i, ",") {
			break
		}
		i++
	}
	return i
}
