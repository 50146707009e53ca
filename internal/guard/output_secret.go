package guard

import (
	"encoding/base64"
	"encoding/hex"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// secretIn looks for a secret in text as it stands and in the ways in which
// one is smuggled past that look: folded, spaced out, backwards, in base64 or
// hexadecimal, as a list of numbers, percent-encoded.
func secretIn(text, folded string) (kind string, found bool) {
	for _, view := range append([]string{text, folded, reversed(text)}, disguises(folded)...) {
		if _, kinds := Redact(view); len(kinds) > 0 {
			return kinds[0], true
		}
	}
	return "", false
}

var (
	base64Run  = regexp.MustCompile(`[A-Za-z0-9+/_\-]{20,}={0,2}`)
	hexRun     = regexp.MustCompile(`(?:[0-9A-Fa-f]{2}[ :\-]?){12,}`)
	numberList = regexp.MustCompile(`(?:\d{2,3}[,; ]+){11,}\d{2,3}`)
	number     = regexp.MustCompile(`\d+`)
	spacedRun  = regexp.MustCompile(`(?:\S[ ._\-|·]){15,}\S`)
)

// maxUnescape bounds how often a text is percent-decoded.
const maxUnescape = 4

// disguises returns what the encoded runs of text decode to.
func disguises(text string) []string {
	var views []string
	for plain := text; percentByte.MatchString(plain) && len(views) < maxUnescape; {
		plain = percentByte.ReplaceAllStringFunc(plain, func(b string) string {
			code, _ := strconv.ParseUint(b[1:], 16, 8) // the expression admits nothing else
			return string([]byte{byte(code)})
		})
		views = append(views, plain)
	}
	for _, run := range base64Run.FindAllString(text, -1) {
		run = strings.NewReplacer("-", "+", "_", "/", "=", "").Replace(run)
		if b, err := base64.RawStdEncoding.DecodeString(run); err == nil {
			views = append(views, string(b), reversed(string(b)))
		}
	}
	for _, run := range hexRun.FindAllString(text, -1) {
		if b, err := hex.DecodeString(strings.NewReplacer(" ", "", ":", "", "-", "").Replace(run)); err == nil {
			views = append(views, string(b), reversed(string(b)))
		}
	}
	for _, run := range numberList.FindAllString(text, -1) {
		views = append(views, fromNumbers(run))
	}
	for _, run := range spacedRun.FindAllString(text, -1) {
		views = append(views, closedUp(run))
	}
	return views
}

// fromNumbers reads a list of character codes.
func fromNumbers(run string) string {
	var b strings.Builder
	for _, n := range number.FindAllString(run, -1) {
		if code, err := strconv.Atoi(n); err == nil && code < unicode.MaxASCII {
			b.WriteByte(byte(code))
		}
	}
	return b.String()
}

// closedUp takes every second rune: the separators of a spaced-out run.
func closedUp(run string) string {
	var b strings.Builder
	for i, r := range []rune(run) {
		if i%2 == 0 {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func reversed(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}
