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
