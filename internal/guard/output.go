package guard

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// OutputError says which rule a model's text breaks.
type OutputError struct {
	Rule string // for example "html", "mention", "secret"
	Why  string // what to do instead, fit to be shown to the model
}

// Error names the rule and the cause.
func (e *OutputError) Error() string { return fmt.Sprintf("text refused (%s): %s", e.Rule, e.Why) }

// OutputText returns text that a model wrote as it may stand in a knowledge
// file: one paragraph of prose, at most max runes, without blanks around it.
// What is more than that is an [OutputError], never mended.
//
// Code spans may hold what prose may not: a decorator, a generic type, a local
// address. They may not hold a secret, a foreign link or a closing keyword.
func OutputText(text string, max int) (string, error) {
	text = strings.Trim(text, " ")
	folded := norm.NFKC.String(text)
	for _, check := range []func(text, folded string, max int) *OutputError{
		checkPlain, checkSecrets, checkWords, checkLinks, checkMarkdown,
	} {
		if err := check(text, folded, max); err != nil {
			return "", err
		}
	}
	return text, nil
}

func refuse(rule, why string, args ...any) *OutputError {
	return &OutputError{Rule: rule, Why: fmt.Sprintf(why, args...)}
}

// maxWord bounds a word: longer ones are data, not prose.
const maxWord = 120

func checkPlain(text, _ string, max int) *OutputError {
	if text == "" {
		return refuse("empty", "there is no text")
	}
	if hidden := Hidden(text); len(hidden) > 0 {
		return refuse("hidden", "it holds a %s (%U)", hidden[0].Kind, hidden[0].Rune)
	}
	if strings.ContainsAny(text, "\n\r\t\uFEFF") {
		return refuse("paragraph", "it must be one paragraph on one line")
	}
	if n := utf8.RuneCountInString(text); n > max {
		return refuse("length", "%d characters, at most %d", n, max)
	}
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(word) > maxWord {
			return refuse("word", "a word of more than %d characters is not prose", maxWord)
		}
	}
	return nil
}

func checkSecrets(text, folded string, _ int) *OutputError {
	if kind, found := secretIn(text, folded); found {
		return refuse("secret", "it holds a secret (%s)", kind)
	}
	return nil
}

// reference is an issue or pull request as a forge reads it.
const reference = `(?:[\w.\-]+/[\w.\-]+)?#\d+|gh-\d+|https?://\S+/(?:issues|pull|pulls|merge_requests|-/issues)/\d+`

var (
	closing  = regexp.MustCompile(`(?i)\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?|implement(?:s|ed)?)\b[\s:*_\x60]*(?:issues?\s+)?(?:` + reference + `)`)
	command  = regexp.MustCompile(`(?i)^/[a-z][a-z0-9_\-]*(?:\s|$)|\bbors\s+(?:r|d|p|try|retry|merge)\b|\[(?:skip[ -][a-z]+|[a-z]+[ -]skip|no[ -]ci|no[ -]build)\]|\*\*\*NO_CI\*\*\*|\b(?:fixup|squash|amend|autosquash)!|\bskip-checks\s*:`)
	trailer  = regexp.MustCompile(`(?i)\b(?:co-authored-by|signed-off-by|reviewed-by|acked-by|tested-by|approved-by|change-id|retrosweep-[a-z]+)\s*:`)
	ours     = regexp.MustCompile(`(?i)\bretrosweep-[a-z]+\s*:|retrosweep:(?:begin|end|marker|slot)`)
	mention  = regexp.MustCompile(`(?:^|[^A-Za-z0-9@/.\x60])@[A-Za-z0-9_][\w\-]*`)
	address  = regexp.MustCompile(`[\w.+\-]+@[\w\-]+\.[A-Za-z]{2,}`)
	lifeLine = regexp.MustCompile(`(?i)^[*_]{0,3}(?:id|tags|ttl|expires|first seen|last verified|verified|renewed|created|status|supersedes|superseded[_ ]by|archived|reason|retire[_ ]when|anchor[_ ](?:files|symbols))[*_]{0,3}\s*:|^\[[a-z][\w\-]*-\d{3,}\]`)
)

// checkWords refuses what a forge, a bot or our own parser acts on.
func checkWords(_, folded string, _ int) *OutputError {
	switch prose := codeSpan.ReplaceAllString(folded, "`code`"); {
	case closing.MatchString(folded):
		return refuse("closing", "it would close an issue; name it without the verb")
	case command.MatchString(folded):
		return refuse("command", "it reads as a command to a bot")
	case trailer.MatchString(prose):
		return refuse("trailer", "it reads as a commit trailer; put its name into a code span")
	case ours.MatchString(folded):
		return refuse("trailer", "it reads as a marker of ours")
	case lifeLine.MatchString(folded):
		return refuse("field", "it begins like a lifecycle field")
	case mention.MatchString(prose):
		return refuse("mention", "it mentions an account; put a package or decorator into a code span")
	case address.MatchString(prose):
		return refuse("address", "it holds an e-mail address")
	default:
		return nil
	}
}

var (
	codeSpan = regexp.MustCompile("`[^`]*`")
	// link is whatever a renderer or an agent may follow.
	link      = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.\-]{1,20}://[^\s\x60<>"')\]]*|\bwww\.[^\s\x60]+|\b(?:javascript|data|vbscript|mailto|file):[^\s\x60]+`)
	localLink = regexp.MustCompile(`(?i)^(?:[a-z]+://)(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0|(?:[a-z0-9\-]+\.)*example\.(?:com|org|net))(?::\d{1,5})?(?:/[\w./{}\-]*)?[.,;:]?$`)
)

// checkLinks refuses links out of the repository, in code spans too: an agent
// may follow what a renderer does not.
func checkLinks(_, folded string, _ int) *OutputError {
	for _, found := range link.FindAllString(folded, -1) {
		if !localLink.MatchString(found) {
			return refuse("link", "it holds a link out of the repository")
		}
	}
	return nil
}
