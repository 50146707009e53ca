package patch

import (
	"regexp"
	"slices"
	"strings"
)

var (
	suffix    = regexp.MustCompile(`\s*\((\d{4}-\d{2}-\d{2}, [0-9a-f]{7,40}(; \d{4}-\d{2}-\d{2}, [0-9a-f]{7,40})*)\)\s*$`)
	codeSpan  = regexp.MustCompile("`+([^`]+)`+")
	number    = regexp.MustCompile(`\d+(?:[.,:]\d+)*\s?(?:%|[A-Za-z]{1,4}\b)?`)
	name      = regexp.MustCompile(`\b(?:[\w.-]+/[\w./-]+|\w+\.(?:md|go|py|ts|js|sh|json|ya?ml|toml)|[A-Za-z]+[a-z][A-Z]\w*|[A-Z]{3,}\w*|\w+_\w+)\b|(?:^|\s)(--?[a-zA-Z][\w-]*)`)
	loud      = regexp.MustCompile(`^(NEVER|ALWAYS|MUST|NOT|ONLY|DON|STOP|IMPORTANT|CRITICAL|WARNING|NOTE|BEFORE|AFTER|ALL|ANY|AND|THE|FIRST|YOU|WHEN|UNLESS|USE)$`)
	condition = regexp.MustCompile(`(?i)\b(unless|except(?: for| when| if)?|only (?:if|when|for|in|on)|if|when(?:ever)?|until|while|before|after|without)\s+[\w./-]*\w`)
)

// same groups the words that open the same kind of condition.
var same = map[string]string{
	"unless": "except", "except": "except", "except for": "except", "except when": "except", "except if": "except",
	"if": "if", "when": "if", "whenever": "if", "only if": "only", "only when": "only", "only for": "only", "only in": "only", "only on": "only",
	"until": "until", "while": "while", "before": "before", "after": "after", "without": "without",
}

// bare is a rule without the day and commit behind it.
func bare(text string) string { return strings.TrimSpace(suffix.ReplaceAllString(text, "")) }

// provenanceOf is the day and commit behind a rule, "" if there is none.
func provenanceOf(text string) string {
	if m := suffix.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// joined keeps the first origin of a rule and its latest.
func joined(old, latest string) string {
	first, _, _ := strings.Cut(old, "; ")
	if first == "" || first == latest {
		return latest
	}
	return first + "; " + latest
}

// lost names the numbers, names and conditions of a rule that its new text
// does not have and the reason does not name.
func lost(before, after, reason string) []string {
	for _, text := range []*string{&before, &after, &reason} {
		*text = strings.ToValidUTF8(*text, "\uFFFD")
	}
	var out []string
	for _, token := range tokens(before) {
		if token != "" && !holds(after, token) && !holds(reason, token) && !slices.Contains(out, token) {
			out = append(out, token)
		}
	}
	for _, m := range condition.FindAllStringSubmatch(before, -1) {
		kind := same[strings.ToLower(m[1])]
		phrase := strings.Join(strings.Fields(m[0]), " ")
		if !opens(after, kind) && !holds(reason, phrase) && !slices.Contains(out, phrase) {
			out = append(out, phrase)
		}
	}
	return out
}

// tokens are the code spans, names and numbers of a text.
func tokens(text string) []string {
	var out []string
	rest := codeSpan.ReplaceAllStringFunc(text, func(span string) string {
		out = append(out, strings.TrimSpace(strings.Trim(span, "`")))
		return " "
	})
	for _, m := range name.FindAllString(rest, -1) {
		if m = strings.TrimSpace(m); !loud.MatchString(m) {
			out = append(out, m)
		}
	}
	for _, m := range number.FindAllString(rest, -1) {
		out = append(out, strings.TrimSpace(m))
	}
	return out
}

// holds reports whether a text has a token, whatever the case and spacing. A
// number is not found inside a longer one.
func holds(text, token string) bool {
	text, token = squeezed(text), squeezed(token)
	for from := 0; ; {
		at := strings.Index(text[from:], token)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(token)
		if !digitBefore(text[:start], token) && !digitAfter(text[end:], token) {
			return true
		}
		from = start + 1
	}
}

func digitBefore(text, token string) bool {
	return digit(token[0]) && text != "" && digit(text[len(text)-1])
}

func digitAfter(text, token string) bool {
	return digit(token[len(token)-1]) && text != "" && digit(text[0])
}

func digit(b byte) bool { return b >= '0' && b <= '9' }

// squeezed is a text without its spacing, but what keeps two numbers apart.
func squeezed(text string) string {
	var b strings.Builder
	last := byte(0)
	for _, f := range strings.Fields(strings.ReplaceAll(text, "`", " ")) {
		if digit(last) && digit(f[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(f)
		last = f[len(f)-1]
	}
	return strings.ToLower(b.String())
}

func opens(text, kind string) bool {
	for _, m := range condition.FindAllStringSubmatch(text, -1) {
		if same[strings.ToLower(m[1])] == kind {
			return true
		}
	}
	return false
}
