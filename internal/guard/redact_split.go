package guard

import (
	"regexp"
	"strings"
)

// lineJoint is what stands between two halves of a value that somebody broke
// over lines: closing quote, concatenation, line break, diff mark, quote.
var lineJoint = regexp.MustCompile(`["'\x60]?[ \t]*[+\\.&,]?[ \t]*\r?\n[+\-> ]?[ \t]*(?:[+.&][ \t]*)?["'\x60]?`)

// splitSecrets finds tokens that are broken over lines: it takes the joints
// out, looks for the shapes that a prefix tells, and maps what spans a joint
// back.
func splitSecrets(text string) []secret {
	if !strings.Contains(text, "\n") {
		return nil
	}
	joined, origin, joints := unjoin(text)
	lower := strings.ToLower(joined)
	var all []secret
	for i := range rules {
		if !rules[i].token || !rules[i].worthTrying(lower) {
			continue
		}
		for _, s := range rules[i].find(joined) {
			if spans(joints, s) && closes(joined, joints, s.end) {
				all = append(all, secret{kind: s.kind, start: origin(s.start), end: origin(s.end-1) + 1})
			}
		}
	}
	return apart(all)
}

// unjoin returns text without its line joints, the function that maps an
// offset of that back, and the offsets at which joints were.
func unjoin(text string) (joined string, origin func(int) int, joints []int) {
	var b strings.Builder
	var added []int // bytes taken out up to and including each joint
	at, out := 0, 0
	for _, m := range lineJoint.FindAllStringIndex(text, -1) {
		b.WriteString(text[at:m[0]])
		out += m[1] - m[0]
		joints, added = append(joints, b.Len()), append(added, out)
		at = m[1]
	}
	b.WriteString(text[at:])
	origin = func(offset int) int {
		if i := jointsUpTo(joints, offset); i > 0 {
			return offset + added[i-1]
		}
		return offset
	}
	return b.String(), origin, joints
}

// jointsUpTo counts the joints at or before offset.
func jointsUpTo(joints []int, offset int) int {
	lo, hi := 0, len(joints)
	for lo < hi {
		if mid := (lo + hi) / 2; joints[mid] <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo
}

// closes reports that nothing but a quote or punctuation follows on the line:
// else the second half is the beginning of a line of its own.
func closes(joined string, joints []int, end int) bool {
	if end == len(joined) || jointsUpTo(joints, end) > jointsUpTo(joints, end-1) {
		return true
	}
	return strings.ContainsRune("\"'`;,)}]\\\r\n", rune(joined[end]))
}

func spans(joints []int, s secret) bool {
	return jointsUpTo(joints, s.end-1) > jointsUpTo(joints, s.start)
}
