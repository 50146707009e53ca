package proposal

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/retrosweep/retrosweep/internal/guard"
)

// Style is how a repository writes the subjects of its commits.
type Style struct {
	Prefix string // put before the imperative, with its colon and blank: "docs(agents): "
	Upper  bool   // the imperative begins with a capital
}

// DefaultStyle is used where the history shows no habit.
var DefaultStyle = Style{Prefix: "docs(agents): "}

// styleSample is how many subjects are looked at, newest first.
const styleSample = 50

var (
	conventional = regexp.MustCompile(`^(?:feat|fix|docs|chore|refactor|test|tests|build|ci|perf|style|revert|release|deps)(\([^()]{1,40}\))?!?: +(\S)`)
	prefixed     = regexp.MustCompile(`^[a-z0-9_.*/,{}-]{1,40}: +(\S)`)
	mechanical   = regexp.MustCompile(`^(Merge |Revert "|fixup! |squash! |WIP\b|Initial commit$|Bump )`)
)

// DetectStyle reads the habit of a history from its subjects, newest first.
// More than half of the subjects make a habit; merges, reverts and other
// subjects that tools write do not count.
func DetectStyle(subjects []string) Style {
	var n, conv, scoped, pre, upper, convUpper, preUpper int
	for _, s := range subjects {
		s = strings.TrimSpace(s)
		if s == "" || mechanical.MatchString(s) {
			continue
		}
		if n++; n > styleSample {
			n--
			break
		}
		if m := conventional.FindStringSubmatch(s); m != nil {
			conv, scoped, convUpper = conv+1, scoped+btoi(m[1] != ""), convUpper+btoi(isUpper(m[2]))
		} else if m := prefixed.FindStringSubmatch(s); m != nil {
			pre, preUpper = pre+1, preUpper+btoi(isUpper(m[1]))
		} else {
			upper += btoi(isUpper(s))
		}
	}
	plain := n - conv - pre
	switch {
	case n < 3:
		return DefaultStyle
	case conv*2 > n && scoped == 0:
		return Style{Prefix: "docs: ", Upper: convUpper*2 > conv}
	case conv*2 > n:
		return Style{Prefix: DefaultStyle.Prefix, Upper: convUpper*2 > conv}
	case pre*2 > n:
		return Style{Prefix: "agents: ", Upper: preUpper*2 > pre}
	case plain*2 > n:
		return Style{Upper: upper*2 > plain}
	}
	return DefaultStyle
}

// ParseStyle reads the configured style: auto, conventional, prefix or plain.
// Auto reads the subjects; an unknown word counts as auto.
func ParseStyle(name string, subjects []string) Style {
	switch name {
	case "conventional":
		return DefaultStyle
	case "prefix":
		return Style{Prefix: "agents: "}
	case "plain":
		return Style{Upper: true}
	}
	return DetectStyle(subjects)
}

// maxTitle is the longest title: hosts and git log cut longer ones.
const maxTitle = 72

// Title puts an imperative ("correct two paths in AGENTS.md") into the style.
func (s Style) Title(imperative string) string {
	imperative = guard.Title(imperative, maxText)
	if s.Upper {
		r, size := utf8.DecodeRuneInString(imperative)
		imperative = string(unicode.ToUpper(r)) + imperative[size:]
	}
	return shorten(s.Prefix+imperative, maxTitle)
}

// shorten cuts s between words to at most limit runes.
func shorten(s string, limit int) string {
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	cut := string([]rune(s)[:limit-1])
	if i := strings.LastIndexByte(cut, ' '); i > limit/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " ,;:") + "…"
}

func isUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
