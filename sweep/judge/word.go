package judge

import (
	"regexp"
	"slices"
	"strings"
)

// tests are files whose definitions no claim is about unless it names the file.
var tests = regexp.MustCompile(`(?i)(?:^|/)(?:tests?|__tests__|spec)/|(?:^|[/_.-])tests?\.\w+$|_test\.|\.(?:test|spec)\.`)

// hint is a word of a claim that is worth looking for in code: a number, or a
// name with a mark inside.
var hint = regexp.MustCompile(`\d+(?:\.\d+)+|\d{2,}|[A-Za-z_]\w*(?:[-.:/]\w+)+|[A-Za-z]+_\w+|[a-z]+[A-Z]\w*|[A-Z][A-Z0-9]{2,}`)

func wordByte(b byte) bool {
	return b == '_' || b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= 0x80
}

// hasWord reports whether a line has a text that is no part of a longer word.
func hasWord(line, text string) bool {
	for at := 0; text != ""; {
		i := strings.Index(line[at:], text)
		if i < 0 {
			return false
		}
		i += at
		end := i + len(text)
		if (i == 0 || !wordByte(line[i-1]) || !wordByte(text[0])) && (end == len(line) || !wordByte(line[end]) || !wordByte(text[len(text)-1])) {
			return true
		}
		at = i + 1
	}
	return false
}

// hasAny reports whether a line has one of the terms.
func hasAny(line string, terms []string) bool {
	return slices.ContainsFunc(terms, func(t string) bool { return hasWord(line, t) })
}

// shortestName is the length under which a word is taken for no name of code.
const shortestName = 5

// eachWord calls yield for each word of a text until it returns false.
func eachWord[T string | []byte](text T, yield func(T) bool) {
	start := -1
	for i := 0; i <= len(text); i++ {
		if i < len(text) && wordByte(text[i]) {
			if start < 0 {
				start = i
			}
			continue
		}
		if start >= 0 && !yield(text[start:i]) {
			return
		}
		start = -1
	}
}

var (
	humps  = regexp.MustCompile(`[A-Z]?[a-z]{3,}|\d{2,}|[A-Z]{3,}`)
	common = map[string]bool{}
)

func init() {
	for _, w := range strings.Fields(`the and for with from that this when then else not are was use used uses using file files code name names
		type types return returns value values call calls called function functions method methods class test tests new get set run string
		const let var async await import export true false null none self data error errors result results before after into must should
		only each all any one two its our your they them have has will can may which where what how also via per see`) {
		common[w] = true
	}
}

// ideas are the words of a text as people and code both write them: refreshToken
// and "refresh the token" share two.
func ideas(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range humps.FindAllString(text, -1) {
		if w = strings.TrimSuffix(strings.ToLower(w), "s"); !common[w] && !common[w+"s"] {
			out[w] = true
		}
	}
	return out
}
