package audit

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"unicode"

	"github.com/retrosweep/retrosweep/internal/symbols"
)

// vocabulary is the words that are looked for in code: keys by the tokens that
// show them.
type vocabulary map[string][]string

func newVocabulary(keys []string) vocabulary {
	v := vocabulary{}
	for _, k := range keys {
		for _, t := range spellings(k) {
			v[t] = append(v[t], k)
		}
	}
	return v
}

// spellings returns the tokens that show a key in code. Argument parsers make
// flags of the names of fields.
func spellings(k string) []string {
	if ref, ok := declaredRef(k); ok {
		return []string{ref.Last()}
	}
	if name, ok := strings.CutPrefix(k, "sub "); ok {
		return []string{name}
	}
	if name, ok := strings.CutPrefix(k, "conf "); ok {
		return []string{name[strings.LastIndexByte(name, '.')+1:]}
	}
	name, ok := strings.CutPrefix(k, "flag ")
	switch {
	case !ok && strings.HasPrefix(k, "target "):
		if t := targetSpelling(k); t != "" {
			return []string{t}
		}
		return nil
	case !ok && shouting.MatchString(k):
		return append(ends(k), k, strings.ToLower(k)) // settings are read from fields by such names
	case !ok:
		return []string{k}
	}
	snake := strings.ReplaceAll(name, "-", "_")
	camel := camelCase(name)
	return []string{name, snake, strings.ToUpper(snake), camel, strings.ToUpper(camel[:1]) + camel[1:]}
}

// ends are what a variable's name may be put together with where it is read: its
// last words, two or more, with the underscore before them.
func ends(name string) []string {
	var out []string
	for i := 1; i < len(name); i++ {
		if name[i] == '_' && strings.Contains(name[i+1:], "_") {
			out = append(out, name[i:])
		}
	}
	return out
}

// declaredRef reads the key of a declared symbol.
func declaredRef(k string) (symbols.Ref, bool) {
	name, ok := strings.CutPrefix(k, "symbol ")
	if !ok {
		return symbols.Ref{}, false
	}
	return symbols.ParseRef(name)
}

func camelCase(dashed string) string {
	var b strings.Builder
	for i, part := range strings.Split(dashed, "-") {
		r := []rune(part)
		if i > 0 && len(r) > 0 {
			r[0] = unicode.ToUpper(r[0])
		}
		b.WriteString(string(r))
	}
	return b.String()
}

// shows calls yield for each key that the code of a file shows, maybe more than
// once.
func (v vocabulary) shows(src []byte, yield func(key string)) {
	for token := range tokens(src) {
		for _, k := range v[string(token)] {
			yield(k)
		}
	}
}

// tokens yields the identifiers of src, and the dashed words that they are part
// of.
func tokens(src []byte) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for i := 0; i < len(src); {
			if !inToken[src[i]] {
				i++
				continue
			}
			end := i
			for end < len(src) && inToken[src[end]] {
				end++
			}
			if !parts(src[i:end], yield) {
				return
			}
			i = end
		}
	}
}

// parts yields a run and, where it has dashes, the words between them.
func parts(run []byte, yield func([]byte) bool) bool {
	run = bytes.Trim(run, "-")
	if !yield(run) {
		return false
	}
	for rest := run; bytes.IndexByte(rest, '-') >= 0; {
		word, after, _ := bytes.Cut(rest, []byte("-"))
		if !yield(word) || bytes.IndexByte(after, '-') < 0 && !yield(after) {
			return false
		}
		rest = after
	}
	return true
}

var inToken = func() (t [256]bool) {
	for c := range t {
		t[c] = c == '_' || c == '-' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
	}
	return t
}()

// In these, the word that is asked about stands as the mark \x01: they are
// matched against single lines.
var (
	defining = regexp.MustCompile(`\b(?:func|function|def|class|type|interface|enum|struct|trait|const|let|var|val|fn|fun|void|static|export|define|mod|public|private|protected|async|final|abstract)\s+(?:\([^)\n]*\)\s*)?(?:[\w<>\[\],.?*&]+\s+){0,4}[*&]?\x01|^\s*\x01\s*(?::?=|:|\([^)\n]*\)\s*[{:]|,?$)|\b[A-Z]\w*[<>\w?]*\s+\x01\s*[({]`)
	spelled  = regexp.MustCompile(`["']\x01["']`)
	flagging = regexp.MustCompile(oneFlag + `|Name:\s*"\x01"`)
	flagWord = regexp.MustCompile(oneFlag)
	quoting  = regexp.MustCompile(`["'][^"']*\x01[^"']*["']`)
	reading  = regexp.MustCompile(`(?i:getenv|environ|lookupenv|\benv)\w*\W{1,6}\x01|\$\{?\x01`)
	shouting = regexp.MustCompile(`^[A-Z][A-Z0-9]*_[A-Z0-9_]+$`)
)

const oneFlag = `(?:Bool|String|Int|Int64|Uint|Duration|Float64|StringSlice|StringArray|Count|Var)\w*\(\s*(?:&[\w.\[\]]+,\s*)?"\x01"|(?:add_argument|[oO]ption|\bon|[fF]lag|\b[aA]rg)\w*\(.*--\x01|^\s*(?:["']-\w["'],\s*)?["']--\x01["' =<]|(?:case|==|includes\(|has\(|startsWith\(|HasPrefix\(\w+,)\s*["']--\x01|\blong\s*=\s*"\x01"|\.long\("\x01"\)|^\s*(?:-\w\s*\|\s*)?--\x01\s*[|)=]`

// lastTest is the file that was asked about last: a file is asked about once for
// each word that it shares with the documents.
var lastTest atomic.Pointer[struct {
	file string
	is   bool
}]

// isTest reports whether a file is one of the tests.
func isTest(file string) bool {
	if last := lastTest.Load(); last != nil && last.file == file {
		return last.is
	}
	is := tests.MatchString(file)
	lastTest.Store(&struct {
		file string
		is   bool
	}{file, is})
	return is
}

// introduces reports whether a file defines what the key names. The strings of a
// test define nothing.
func introduces(file string, src []byte, k string) bool {
	if ref, ok := declaredRef(k); ok {
		return ref.In(file, src)
	}
	switch {
	case strings.HasPrefix(k, "target "):
		return targetsOf(file, src)[k]
	case narrow(k):
		return !isTest(file) && defines(file, src, k)
	case strings.HasPrefix(k, "flag "):
		return !isTest(file) && onLine(src, k[len("flag "):], flagging)
	case onLine(src, k, defining) && defined(file, src, k):
		return true
	}
	if shouting.MatchString(k) && onLine(src, k, reading) {
		return true
	}
	return !isTest(file) && (onLine(src, k, spelled) || shouting.MatchString(k) && onLine(src, k, quoting))
}

// defined reports whether the parser, where this build has one for the language,
// finds a definition: a line alone cannot tell one from an import, a parameter,
// or a variable of a function.
func defined(file string, src []byte, name string) bool {
	return !symbols.Parsed(file) || symbols.Ref{Names: []string{name}}.In(file, src)
}

// around is how much of a long line is looked at on each side of a word.
const around = 300

// onLine reports whether a line with the word has the shape.
func onLine(src []byte, word string, shape *regexp.Regexp) bool {
	return anywhere(src, word, func(before, after []byte) bool { return shape.Match(slices.Concat(before, []byte{1}, after)) })
}

// anywhere reports whether the word stands somewhere so that what is before and
// after it on its line fits.
func anywhere(src []byte, word string, fits func(before, after []byte) bool) bool {
	for from := 0; ; {
		i := bytes.Index(src[from:], []byte(word))
		if i < 0 {
			return false
		}
		at, end := from+i, from+i+len(word)
		from = end
		if at > 0 && inWord(src[at-1]) || end < len(src) && inWord(src[end]) {
			continue
		}
		before, after := src[max(0, at-around):at], src[end:min(len(src), end+around)]
		before = before[bytes.LastIndexByte(before, '\n')+1:]
		if n := bytes.IndexByte(after, '\n'); n >= 0 {
			after = after[:n]
		}
		if fits(before, after) {
			return true
		}
	}
}

func inWord(c byte) bool { return c != '-' && inToken[c] }
