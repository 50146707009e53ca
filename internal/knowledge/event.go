package knowledge

import (
	"path"
	"regexp"
	"strings"
)

// Records of what happened stay true and may name what is gone. They are told
// by where they stand (a decision record, a dated file) and by the heading
// above them (a log, a dated or versioned section).

var (
	eventDirs = regexp.MustCompile(`(?i)(^|/)(adrs?|decision-records|changelogs?|post-?mortems?|release-notes)/|` +
		`(^|/)(docs?|wiki|knowledge|notes)/(.*/)?(decisions|solutions|incidents|retros|retrospectives|archived?|handoffs?|journal)/`)
	eventNames = regexp.MustCompile(`(?i)^(log|changelog|changes|history|release[-_]?notes|news|journal|what-flopped|postmortem.*|adr[-_ ]?\d+.*|tech[-_]?debt)\.(md|mdc|txt)$`)
	datedName  = regexp.MustCompile(`(^|[^0-9])20\d\d[-_.]?(0[1-9]|1[0-2])([-_.]?([0-2]\d|3[01]))?([^0-9]|$)`)

	eventHeading = regexp.MustCompile(`(?i)^(\W*)(\d+(\.\d+)*[.)]?\s+)?(the\s+)?(change\s?log|changes|log|history|release notes|version history|revision history|recent changes|` +
		`what'?s new|timeline|journal|work log|session log|decision log|event log|archived?|completed|done|resolved|past incidents|incidents|postmortems?)(\W*|\s+\(.*\)\W*)$`)
	datedHeading   = regexp.MustCompile(`^\W*20\d\d[-/.](0[1-9]|1[0-2])([-/.]([0-2]\d|3[01]))?\b|(\(|[—–-]\s)20\d\d-(0[1-9]|1[0-2])-([0-2]\d|3[01])\)?\W*$`)
	stateHeading   = regexp.MustCompile(`(?i)\b(current|state|status|as of|updated|verified|validated|reviewed)\b`)
	versionHeading = regexp.MustCompile(`^\[?v?\d+\.\d+\.\d+([-+.][\w.]+)?\]?\s*([-–—(:]|$)`)
)

// eventPath reports whether a whole file is a dated record. An index of
// records (a README among them) lists what stands now, and yet it names
// records only.
func eventPath(name string) bool {
	base := path.Base(name)
	return eventDirs.MatchString(name) || eventNames.MatchString(base) || datedName.MatchString(base)
}

// eventSection reports whether one of the headings opens a record. A dated
// state ("Status (2026-03-19)") is replaced in place and is none.
func eventSection(headings []string) bool {
	for _, h := range headings {
		if eventTitle(strings.Trim(h, "*_`# ")) {
			return true
		}
	}
	return false
}

// maxEventTitle is longer than any name of a log; longer headings are told
// by their date or version alone.
const maxEventTitle = 48

func eventTitle(h string) bool {
	switch {
	case h == "":
		return false
	case len(h) <= maxEventTitle && eventHeading.MatchString(h):
		return true
	case strings.Contains(h, "20") && datedHeading.MatchString(h):
		return !stateHeading.MatchString(h)
	}
	return strings.IndexByte("[vV0123456789", h[0]) >= 0 && versionHeading.MatchString(h)
}
