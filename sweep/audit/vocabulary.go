package audit

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"unicode"
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
	name, ok := strings.CutPrefix(k, "flag ")
	switch {
	case !ok && strings.HasPrefix(k, "target "):
		return nil
	case !ok:
		return []string{k}
	}
	snake := strings.ReplaceAll(name, "-", "_")
	camel := camelCase(name)
	return []string{name, snake, strings.ToUpper(snake), camel, strings.ToUpper(camel[:1]) + camel[1:]}
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

var (
	declares = `(?:Bool|String|Int|Int64|Uint|Duration|Float64|StringSlice|StringArray|Count|Var)\w*\(\s*(?:&[\w.\[\]]+,\s*)?"%[1]s"|["']--%[1]s["' =<,|]|\blong\s*=\s*"%[1]s"|\.long\("%[1]s"\)|^\s*(?:-\w\s*\|\s*)?--%[1]s\s*[|)=]|Name:\s*"%[1]s"`
	shouting = regexp.MustCompile(`^[A-Z][A-Z0-9]*_[A-Z0-9_]+$`)
)

// introduces reports whether a file defines what the key names.
func introduces(file string, src []byte, k string) bool {
	switch {
	case strings.HasPrefix(k, "target "):
		return wordsOf(path.Base(file), src)[k]
	case strings.HasPrefix(k, "flag "):
		re, err := regexp.Compile(`(?m)` + strings.ReplaceAll(declares, "%[1]s", regexp.QuoteMeta(k[len("flag "):])))
		return err == nil && re.Match(src)
	case defines(src, k):
		return true
	}
	return shouting.MatchString(k) && quoted(src, k)
}

// quoted reports whether the word stands inside a string of one line.
func quoted(src []byte, word string) bool {
	re, err := regexp.Compile(`["'][^"'\n]*\b` + regexp.QuoteMeta(word) + `\b[^"'\n]*["']`)
	return err == nil && re.Match(src)
}
