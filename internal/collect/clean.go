package collect

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"github.com/retrosweep/retrosweep/internal/guard"
)

// Item is one thing that an agent was told, fit to be kept.
type Item struct {
	Key    string // hash of its letters: the same on every machine
	Agent  string // claude or codex
	Name   string // of a memory; "" for a turn of a session
	Type   string // of a memory: feedback, project, reference or user
	Day    string // of a turn, 2026-01-31; "" where it is not known
	Text   string
	Secret bool // something was taken out of it
}

var (
	address   = regexp.MustCompile(`[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]+\.[A-Za-z]{2,}`)
	otherHome = regexp.MustCompile(`(?i)(/Users/|/home/|[A-Z]:\\Users\\)([^/\\\s"'` + "`" + `:;,)]+)`)
)

// cleaner takes out of texts what is a person's own.
type cleaner struct{ home, root, user string }

func newCleaner(home, root string) *cleaner {
	return &cleaner{home: home, root: root, user: filepath.Base(home)}
}

// text is a text without hidden characters, secrets, addresses and the paths of
// this or another machine.
func (c *cleaner) text(s string) string {
	s, _ = guard.Scrub(s)
	s, _ = guard.Redact(s)
	for _, path := range []struct{ from, to string }{{c.root, "."}, {c.home, "~"}} {
		if len(path.from) > 1 {
			s = strings.ReplaceAll(s, path.from, path.to)
			s = strings.ReplaceAll(s, notName.ReplaceAllString(path.from, "-"), path.to)
		}
	}
	s = otherHome.ReplaceAllString(s, "~")
	s = address.ReplaceAllString(s, "‹redacted:address›")
	if len(c.user) >= 3 && c.user != "root" {
		s = regexp.MustCompile(`(?i)\b`+regexp.QuoteMeta(c.user)+`\b`).ReplaceAllString(s, "‹redacted:user›")
	}
	return s
}

// frontMatter is what stands above a memory, with ids of sessions in it.
var frontMatter = regexp.MustCompile(`(?s)\A---\n.*?\n---\n`)

// memory makes an item of a page; ok is false for one that says nothing.
func (c *cleaner) memory(agent, name string, page []byte) (Item, bool) {
	raw := strings.ReplaceAll(string(page), "\r\n", "\n")
	body := strings.TrimSpace(frontMatter.ReplaceAllString(raw, ""))
	i, ok := c.item(agent, name, "", body)
	if m := memoryType.FindStringSubmatch(frontMatter.FindString(raw)); m != nil {
		i.Type = m[1]
	}
	return i, ok
}

var memoryType = regexp.MustCompile(`(?m)^[ \t]*type:[ \t]*["']?(feedback|project|reference|user)\b`)

func (c *cleaner) item(agent, name, day, body string) (Item, bool) {
	text := strings.TrimSpace(c.text(body))
	if len(strings.Fields(text)) < 3 {
		return Item{}, false
	}
	return Item{
		Key: keyOf(text), Agent: agent, Type: "feedback", Name: slug(c.text(name)), Day: day, Text: text, Secret: strings.Contains(text, "‹redacted:"),
	}, true
}

func slug(name string) string {
	if name == "" {
		return ""
	}
	return guard.Slug(name, 40)
}

// keyOf is a hash of a text's letters: blanks, case and punctuation do not count.
func keyOf(text string) string {
	folded := strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
	sum := sha256.Sum256([]byte(folded))
	return hex.EncodeToString(sum[:])[:12]
}
