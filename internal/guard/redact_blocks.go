package guard

import (
	"regexp"
	"strings"
)

// keyBegin and keyEnd are the armour of a private key, of any kind. Quoting
// and diff marks may stand before them; JSON may have folded their lines.
var (
	keyBegin = regexp.MustCompile(`-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[23]:`)
	keyEnd   = regexp.MustCompile(`-----END (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----|Private-MAC:[^\n]*`)
	// keyBody is a line of a key's body or headers, behind quoting.
	keyBody = regexp.MustCompile(`^[+\-> \t"'\x60,|#/*]*(?:[A-Za-z0-9+/=\\]{8,}|[A-Za-z0-9\-]{3,20}: ?\S[^\n]{0,80}|=[A-Za-z0-9+/]{4})?[\s"'\x60,;+\\)]*$`)
	// encodedLine is a full line of wrapped base64.
	encodedLine = regexp.MustCompile(`^[+\-> \t"'\x60]*([A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76})(?:\\n)?["'\x60,+ \t\r]*$`)
)

// Bounds of key blocks.
const (
	maxKeyBlock  = 32 << 10 // bytes between begin and end
	minEncoded   = 3        // full lines of wrapped base64 that make a block without armour
	maxBodyLines = 400
)

// keyBlocks finds private keys: whole, without their end, without their
// beginning (a hunk cuts where it likes), and bare bodies.
func keyBlocks(text string) []secret {
	var all []secret
	if strings.Contains(text, "KEY-----") || strings.Contains(text, "PRIVATE KEY") || strings.Contains(text, "PuTTY-") || strings.Contains(text, "Private-MAC") {
		all = append(all, armoured(text)...)
	}
	all = append(all, bareBodies(text)...)
	return apart(all)
}

// armoured pairs each beginning with the end that comes before the next one.
func armoured(text string) []secret {
	var found []secret
	begins, ends := keyBegin.FindAllStringIndex(text, -1), keyEnd.FindAllStringIndex(text, -1)
	for i, begin := range begins {
		limit := len(text)
		if i+1 < len(begins) {
			limit = begins[i+1][0]
		}
		var end int
		for len(ends) > 0 && ends[0][0] < begin[1] { // has no beginning
			found = append(found, secret{kind: "private-key", start: bodyStart(text, ends[0][0]), end: ends[0][1]})
			ends = ends[1:]
		}
		if len(ends) > 0 && ends[0][1] <= limit && ends[0][0]-begin[1] <= maxKeyBlock {
			end, ends = ends[0][1], ends[1:]
		} else {
			end = openEnd(text[:limit], begin[1])
		}
		found = append(found, secret{kind: "private-key", start: begin[0], end: end})
	}
	for _, end := range ends {
		found = append(found, secret{kind: "private-key", start: bodyStart(text, end[0]), end: end[1]})
	}
	return apart(found)
}

// openEnd returns where a block without an end stops: behind the lines that
// still look like its body.
func openEnd(text string, from int) int {
	first, rest, more := strings.Cut(text[from:], "\n")
	end := from + len(first)
	for lines := 0; more && lines < maxBodyLines; lines++ {
		var line string
		line, rest, more = strings.Cut(rest, "\n")
		if !keyBody.MatchString(line) || strings.TrimSpace(line) == "" {
			break
		}
		end += 1 + len(line)
	}
	return end
}

// bodyStart returns where the body that leads up to end starts.
func bodyStart(text string, end int) int {
	start := strings.LastIndexByte(text[:end], '\n') + 1
	for lines := 0; start > 0 && lines < maxBodyLines; lines++ {
		before := strings.LastIndexByte(text[:start-1], '\n') + 1
		line := text[before : start-1]
		if !keyBody.MatchString(line) || strings.TrimSpace(line) == "" {
			break
		}
		start = before
	}
	return start
}

// bareBodies finds runs of wrapped base64 without armour: the middle of a key
// that a hunk shows. Digests in hexadecimal are not such.
func bareBodies(text string) []secret {
	var found []secret
	run, count, at := 0, 0, 0
	flush := func(end int) {
		if count >= minEncoded {
			found = append(found, secret{kind: "encoded-block", start: run, end: end})
		}
		count = 0
	}
	for line := range strings.SplitAfterSeq(text, "\n") {
		body := strings.TrimSuffix(line, "\n")
		m := encodedLine.FindStringSubmatch(body)
		if m != nil && !allHex(m[1]) && !oneRune(m[1]) {
			if count == 0 {
				run = at
			}
			count++
		} else {
			flush(at - 1)
		}
		at += len(line)
	}
	flush(at)
	return found
}

func allHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
