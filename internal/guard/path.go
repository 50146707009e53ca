package guard

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Bounds of a path that is written.
const (
	maxPath    = 512
	maxSegment = 200
)

// PathError says why a path is not one that may be written.
type PathError struct {
	Path string // as it came; print it through [Terminal]
	Why  string
}

// Error names the path, safe to print, and the cause.
func (e *PathError) Error() string { return fmt.Sprintf("path %q: %s", shorten(e.Path, 80), e.Why) }

// CheckPath is [CheckPath], for callers that hold a policy.
func (p *Policy) CheckPath(file string) error { return CheckPath(file) }

// CheckPath refuses a path that is not a plain, relative, slash-separated
// path with one spelling on every file system.
func CheckPath(file string) error {
	for _, check := range []func(string) string{checkShape, checkRunes, checkSegments} {
		if why := check(file); why != "" {
			return &PathError{Path: file, Why: why}
		}
	}
	return nil
}

var (
	driveLetter = regexp.MustCompile(`^[A-Za-z]:`)
	percentByte = regexp.MustCompile(`%[0-9A-Fa-f]{2}`)
)

func checkShape(file string) string {
	switch {
	case file == "":
		return "empty"
	case len(file) > maxPath:
		return fmt.Sprintf("longer than %d bytes", maxPath)
	case strings.HasPrefix(file, "/"):
		return "absolute"
	case driveLetter.MatchString(file):
		return "starts with a drive letter"
	case percentByte.MatchString(file):
		return "holds a percent-encoded byte"
	default:
		return ""
	}
}

func checkRunes(file string) string {
	if !utf8.ValidString(file) {
		return "not valid UTF-8"
	}
	if !norm.NFC.IsNormalString(file) {
		return "not in Unicode normal form C: it has a twin that looks the same"
	}
	if hidden := Hidden(file); len(hidden) > 0 {
		return fmt.Sprintf("holds a hidden character (%U, %s)", hidden[0].Rune, hidden[0].Kind)
	}
	for _, r := range file {
		if unicode.IsControl(r) {
			return fmt.Sprintf("holds a control character (%U)", r)
		}
		if strings.ContainsRune(`\:*?"<>|`, r) {
			return fmt.Sprintf("holds %q, which is not a file name everywhere", r)
		}
	}
	return ""
}

func checkSegments(file string) string {
	for segment := range strings.SplitSeq(file, "/") {
		if why := checkSegment(segment); why != "" {
			return why
		}
	}
	return ""
}

var (
	shortName = regexp.MustCompile(`(?i)^(git~|[^.]{1,6}~[0-9]{1,3}(\.|$))`)
	reserved  = regexp.MustCompile(`(?i)^(con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(\.|$)`)
)

func checkSegment(s string) string {
	switch {
	case s == "":
		return "has an empty segment"
	case s == "." || s == "..":
		return "has a segment that moves about"
	case len(s) > maxSegment:
		return fmt.Sprintf("has a segment longer than %d bytes", maxSegment)
	case strings.EqualFold(s, ".git"):
		return "reaches into a git directory"
	case shortName.MatchString(s):
		return "has a segment that is a short (8.3) name"
	case strings.HasSuffix(s, ".") || strings.HasSuffix(s, " ") || strings.HasPrefix(s, " "):
		return "has a segment that begins or ends with a space or ends with a dot"
	case strings.HasPrefix(s, "-") || strings.HasPrefix(s, "~"):
		return "has a segment that begins like an option or a home directory"
	case reserved.MatchString(s):
		return "has a segment that is a device name"
	case mixedScripts(s):
		return "has a segment that mixes look-alike scripts"
	default:
		return ""
	}
}

// mixedScripts reports a word of Latin letters with Cyrillic, Greek, Armenian
// or Cherokee ones between them.
func mixedScripts(s string) bool {
	for word := range strings.FieldsFuncSeq(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		latin, alike := false, false
		for _, r := range word {
			latin = latin || unicode.Is(unicode.Latin, r)
			alike = alike || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee)
		}
		if latin && alike {
			return true
		}
	}
	return false
}
