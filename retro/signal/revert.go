package signal

import (
	"regexp"
	"strings"
)

var (
	revertSubject = regexp.MustCompile(`(?i)^(\w+(\([^)]*\))?!?:\s*)?revert(s|ed|ing)?\b`)
	revertBody    = regexp.MustCompile(`(?i)\bthis\s+reverts\s+commits?\s+[0-9a-f]{7,40}\b[^.\n]*\.?`)
	trailer       = regexp.MustCompile(`^[A-Za-z][A-Za-z-]*-[A-Za-z-]+:\s|^(🤖|Generated with|Conflicts:|# )`)
	causal        = regexp.MustCompile(`(?i)\b(because|since|due to|broke|breaks|caused|causes|causing|wrong|instead)\b`)
)

// revertOf reports whether a commit takes another back, and whether its message
// gives a reason beyond saying so.
func revertOf(message string) (revert, reason bool) {
	subject, body, _ := strings.Cut(strings.TrimSpace(message), "\n")
	if !revertSubject.MatchString(subject) && !revertBody.MatchString(body) {
		return false, false
	}
	return true, len(strings.Fields(prose(body))) >= 3 || causal.MatchString(unquoted(subject))
}

// prose is what is left of a message body without the standard sentence and the
// trailers.
func prose(body string) string {
	var kept []string
	for line := range strings.Lines(revertBody.ReplaceAllString(body, "")) {
		if line = strings.TrimSpace(line); !trailer.MatchString(line) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}

// unquoted drops what stands in double quotes: the subject of the commit that
// is taken back, not a reason.
func unquoted(subject string) string {
	first, last := strings.IndexByte(subject, '"'), strings.LastIndexByte(subject, '"')
	if first < 0 || first == last {
		return subject
	}
	return subject[:first] + subject[last+1:]
}

func subjectOf(message string) string {
	subject, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return subject
}
