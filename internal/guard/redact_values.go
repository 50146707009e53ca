package guard

import (
	"math"
	"regexp"
	"strings"
	"unicode"
)

// placeholder is what stands where a secret would, in examples and templates.
var placeholder = regexp.MustCompile(`(?i)^(?:\$|%[A-Za-z({]|<|\{|\[|\(|@|#|\\|x{3,}|\*{3,}|\.{3,}|-{3,}|_{3,}|your|my[_-]|example|changeme|change[_-]me|password|passwd|secret|redacted|placeholder|dummy|process\.|os\.|env\.|config\.|settings\.|self\.|this\.|none$|null$|nil$|true$|false$|undefined$)`)

// literal accepts a value that is written out, not referred to.
func literal(value, _ string) bool {
	return !placeholder.MatchString(value) && !oneRune(value) && !strings.ContainsAny(value, "{}()$<>")
}

// passphrase accepts a literal that is more than a word or two: those name a
// thing ("hashed", "webhook_secret") more often than they are one.
func passphrase(value, rest string) bool {
	return literal(value, rest) && !(len(value) < 20 && words.MatchString(value))
}

var (
	words = regexp.MustCompile(`^[A-Za-z]+(?:[_\-. ][A-Za-z]+)*$`)
	// wordy are words with numbers between them: names of algorithms, versions.
	wordy = regexp.MustCompile(`^(?:[A-Za-z]{1,12}[0-9]{0,4}|[0-9]{1,4})(?:[_\-.](?:[A-Za-z]{1,12}[0-9]{0,4}|[0-9]{1,4})){2,}$`)
)

// envValue is the value of a line NAME=value.
func envValue(value, rest string) bool {
	return literal(value, rest) && strings.IndexFunc(value, unicode.IsDigit) >= 0 && !strings.Contains(value, "://") && !pathLike.MatchString(value)
}

var pathLike = regexp.MustCompile(`^(?:\.{0,2}/|[A-Za-z]:\\)[A-Za-z0-9_./\\-]*$`)

func lettersAndDigits(value, rest string) bool {
	return literal(value, rest) && strings.IndexFunc(value, unicode.IsDigit) >= 0 && strings.IndexFunc(value, unicode.IsLetter) >= 0
}

// Bounds of what looks drawn at random.
const (
	minEntropy = 3.3 // bits a character; English identifiers of 20 runes stay under 3.6, but hold no digits
	minDigits  = 2
)

// randomValue accepts a value that looks drawn at random: not a call, a path,
// an identifier or a version.
func randomValue(value, rest string) bool {
	if strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "[") || !lettersAndDigits(value, rest) {
		return false
	}
	if pathLike.MatchString(value) || wordy.MatchString(value) || dotted.MatchString(value) || strings.Count(value, "/") > 2 && strings.Contains(value, ".") {
		return false
	}
	return twoDigits(value, rest) && entropy(value) >= minEntropy
}

// twoDigits tells drawn characters from words.
func twoDigits(value, _ string) bool {
	digits := 0
	for _, r := range value {
		if unicode.IsDigit(r) {
			digits++
		}
	}
	return digits >= minDigits
}

// dotted is a chain of identifiers: a reference, a host, a file name.
var dotted = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_\-]{0,20}(?:\.[A-Za-z_][A-Za-z0-9_\-]{0,20})+$`)

// entropy is Shannon's, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}

func oneRune(s string) bool { return s != "" && strings.Count(s, s[:1]) == len(s) }
