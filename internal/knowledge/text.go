package knowledge

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"
	"strings"
)

// normal is text as it is compared: runs of white space are one space, so a
// wrapped line is the same claim.
func normal(text string) string {
	if plain(text) {
		return text
	}
	return strings.Join(strings.Fields(text), " ")
}

// plain reports whether a text is normal already, as most are.
func plain(text string) bool {
	last := byte(' ')
	for i := range len(text) {
		c := text[i]
		if c >= 0x80 || c < ' ' || c == ' ' && last == ' ' {
			return false
		}
		last = c
	}
	return last != ' '
}

// hashOf names texts. The parts are told apart by a byte that no normalized
// text holds.
func hashOf(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:8])
}

// ids gives names to facts. Equal texts under equal headings are told apart by
// their order.
type ids struct {
	taken map[string]bool
	twins map[string]int // how often a name was asked for
}

// fresh derives the id of a fact that has none of its own from its normalized
// text.
func (n *ids) fresh(f *Fact, text string) string {
	head := strings.Join(f.Heading, "\x1f")
	if f.Kind == KindEntry && f.Span.Start == 0 {
		text = "" // a page is named by its path: its text may change
	}
	base := hashOf(f.File, head, text)
	for id := base; ; id = hashOf(f.File, head, text, strconv.Itoa(n.twins[base])) {
		n.twins[base]++
		if !n.taken[id] {
			n.taken[id] = true
			return id
		}
	}
}

var ownID = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9]*([-_.:/][A-Za-z0-9]+)+$|^[A-Za-z]+[0-9]+$`)
var looksHashed = regexp.MustCompile(`^[0-9a-f]{16}$`)

// validID returns an entry's own id where it can serve as one: short, plain,
// and not to be taken for a hash.
func validID(id string) string {
	id = strings.TrimSpace(id)
	if len(id) > 64 || !ownID.MatchString(id) || looksHashed.MatchString(id) {
		return ""
	}
	return id
}

const titleRunes = 72

// title is the beginning of a text on one line.
func title(text string) string { return shorten(normal(text)) }

func shorten(t string) string {
	if len(t) <= titleRunes {
		return t
	}
	n := 0
	for i := range t {
		if n == titleRunes {
			return strings.TrimRight(t[:i], " ") + "…"
		}
		n++
	}
	return t
}
