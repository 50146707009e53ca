package guard

import (
	"cmp"
	"slices"
	"strings"
)

// Redact returns text with every secret in it replaced by ‹redacted:kind›, and
// the kinds that were found, one for each. It goes by the shape of a value,
// not by words: a sentence about passwords stays. It is idempotent.
//
// The same secret may stand in a file's name, a commit message or an author's
// name: those must pass here too.
func Redact(text string) (clean string, found []string) {
	clean, hits := redact(text)
	for _, h := range hits {
		found = append(found, h.kind)
	}
	return clean, found
}

// hit is a secret with its value, which never leaves this package.
type hit struct{ kind, value string }

func redact(text string) (clean string, hits []hit) {
	for _, find := range []func(string) []secret{keyBlocks, ruleSecrets, splitSecrets} {
		secrets := find(text)
		for _, s := range secrets {
			hits = append(hits, hit{s.kind, text[s.start:s.end]})
		}
		text = cover(text, secrets)
	}
	return text, hits
}

// secret is a range of a text.
type secret struct {
	kind       string
	start, end int
}

// cover replaces the secrets, which are sorted and apart. Line breaks inside a
// secret stay, so that line numbers behind it still hold.
func cover(text string, secrets []secret) string {
	if len(secrets) == 0 {
		return text
	}
	var b strings.Builder
	at := 0
	for _, s := range secrets {
		b.WriteString(text[at:s.start])
		b.WriteString("‹redacted:" + s.kind + "›")
		b.WriteString(strings.Repeat("\n", strings.Count(text[s.start:s.end], "\n")))
		at = s.end
	}
	b.WriteString(text[at:])
	return b.String()
}

// ruleSecrets finds what the rules find in text as it stands.
func ruleSecrets(text string) []secret {
	lower := strings.ToLower(text)
	var all []secret
	for i := range rules {
		if rules[i].worthTrying(lower) {
			all = append(all, rules[i].find(text)...)
		}
	}
	return apart(all)
}

// apart sorts secrets and drops those that overlap an earlier one; of two that
// start together the longer one stays.
func apart(all []secret) []secret {
	slices.SortStableFunc(all, func(a, b secret) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	kept := all[:0]
	for _, s := range all {
		if n := len(kept); n > 0 && s.start < kept[n-1].end {
			kept[n-1].end = max(kept[n-1].end, s.end)
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

// worthTrying is a cheap look before the expression runs.
func (r *rule) worthTrying(lower string) bool {
	return len(r.hints) == 0 || slices.ContainsFunc(r.hints, func(h string) bool { return strings.Contains(lower, h) })
}

// find returns the values that the rule's expression captures and its check
// accepts.
func (r *rule) find(text string) []secret {
	var found []secret
	for _, m := range r.re.FindAllStringSubmatchIndex(text, -1) {
		start, end := m[0], m[1]
		for g := 2; g+1 < len(m); g += 2 {
			if m[g] >= 0 {
				start, end = m[g], m[g+1]
				break
			}
		}
		if r.accept == nil || r.accept(text[start:end], text[end:]) {
			found = append(found, secret{kind: r.kind, start: start, end: end})
		}
	}
	return found
}
