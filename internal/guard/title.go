package guard

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

var (
	anyReference = regexp.MustCompile(`(?i)#(\d)|\bgh-(\d)`)
	anyCommand   = regexp.MustCompile(`(?i)\[((?:skip|no)[ -][a-z]+|[a-z]+[ -]skip)\]|\*\*\*(NO_CI)\*\*\*|\b(fixup|squash|amend|autosquash)!`)
	anyTrailer   = regexp.MustCompile(`(?i)\b([a-z]+-(?:by|id|checks)|retrosweep-[a-z]+):`)
	titleLead    = "-–—/!#>*+=.,;:|~^ \t"
)

// titleInput bounds what is read of a text for its title, in bytes.
const titleInput = 8 << 10

// Title returns text as a commit subject or a proposal's title: one line of at
// most max runes, without anything that mentions, links, closes or commands,
// and without secrets. It mends instead of refusing: what it writes is ours.
// It is empty where nothing is left.
func Title(text string, max int) string {
	text = text[:min(len(text), titleInput)]
	for range 8 { // taking one thing out may bring another together
		next := titleOnce(text, max)
		if next == text {
			return next
		}
		text = next
	}
	return shorten(strings.ReplaceAll(Slug(text, max), "-", " "), max)
}

func titleOnce(text string, max int) string {
	text, _ = Scrub(text)
	text, _ = Redact(norm.NFKC.String(text))
	text = strings.Join(strings.Fields(text), " ")
	text = link.ReplaceAllString(text, "link")
	text = anyCommand.ReplaceAllString(text, "$1$2$3")
	text = anyTrailer.ReplaceAllString(text, "$1")
	text = anyReference.ReplaceAllString(text, "$1$2")
	text = strings.NewReplacer("@", "", "<", "‹", ">", "›", "![", "[", "](", "] (").Replace(text)
	text = strings.TrimLeft(text, titleLead)
	return strings.TrimRight(shorten(text, max), " ")
}

// Slug returns text as a part of a branch name: [a-z0-9-], at most max bytes,
// "untitled" where nothing is left.
func Slug(text string, max int) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFKD.String(text) {
		r = unicode.ToLower(r)
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		case unicode.Is(unicode.Mn, r) || r == '\'': // accents and apostrophes part no words
		default:
			gap = true
		}
	}
	slug := b.String()
	slug = strings.Trim(slug[:min(len(slug), max)], "-")
	if slug == "" {
		return "untitled"[:min(max, utf8.RuneCountInString("untitled"))]
	}
	return slug
}
