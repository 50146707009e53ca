package config

import (
	"regexp"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Member reports whether the author with this address is a member. Where no
// members are configured, everybody is.
func (t Trust) Member(email string) bool {
	for _, pattern := range t.Members {
		expr := "(?is)^" + strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*") + "$"
		if ok, err := regexp.MatchString(expr, email); ok && err == nil {
			return true
		}
	}
	return len(t.Members) == 0
}

// Ignored returns the first entry that leaves path out on the day of now.
func Ignored(list []Ignore, path string, now time.Time) (Ignore, bool) {
	for _, i := range list {
		if !i.Until.IsZero() && !now.Before(i.Until.AddDate(0, 0, 1)) {
			continue
		}
		if ok, err := doublestar.Match(i.Path, path); ok && err == nil {
			return i, true
		}
	}
	return Ignore{}, false
}

// Rules are the formats as a classifier takes them: the operator's first.
func Rules(o Operator, r Repository) []knowledge.Rule {
	var rules []knowledge.Rule
	for _, f := range append(append([]Format(nil), o.Knowledge...), r.Knowledge...) {
		rules = append(rules, knowledge.Rule{Path: f.Path, Format: f.Format})
	}
	return rules
}
