package lint

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/pair"
)

// setting is a key with one value, as a fact states it.
type setting struct {
	pair.Statement
	key, value string
	kind       valueKind
}

// valueKind says what a value is; only values of one kind contradict.
type valueKind int

const (
	noValue valueKind = iota
	aNumber
	anAddress
)

var (
	keyValue = regexp.MustCompile("^(?:\\*\\*|__|`)?([A-Za-z][A-Za-z0-9 _./-]{1,48}?)(?:\\*\\*|__|`)?\\s*(?::\\*\\*|:__|:|=)\\s*(.+)$")
	quantity = regexp.MustCompile(`(?i)^[v=~^≥<>]*\s*(\d+(?:[.,]\d+)*)\+?\s*(%|ms|s|sec|seconds?|m|min|minutes?|h|hours?|d|days?|weeks?|kb|mb|gb|kib|mib|gib|chars|characters|lines|columns|spaces|tokens|px|k)?$`)
	address  = regexp.MustCompile(`^(?:https?://)?(?:localhost|127\.0\.0\.1|[a-z0-9-]+(?:\.[a-z0-9-]+)+)(?::\d+)(?:/\S*)?$`)
)

// vague are keys that mean another thing wherever they stand.
var vague = map[string]bool{}

func init() {
	for _, w := range strings.Fields("example examples note notes step phase version date status priority severity type default value values name id title count total " +
		"result results score size time duration effort estimate weight level line lines limit max min maximum minimum section part page pages rule rules item items " +
		"exit code return returns option options input output tests test coverage files file issue pr tokens cost budget impact confidence likelihood risk day week " +
		"week month year created updated modified verified expires ttl age order index number timeout retries attempts iterations threshold depth width height") {
		vague[w] = true
	}
}

// values looks for a key that a startup surface and another page, which are
// read together, give different values.
func (c *checker) values() {
	byKey := map[string][]setting{}
	var keys []string
	for _, d := range c.Docs {
		for _, s := range c.settings(d) {
			if byKey[s.key] == nil {
				keys = append(keys, s.key)
			}
			byKey[s.key] = append(byKey[s.key], s)
		}
	}
	slices.Sort(keys)
	for _, k := range keys {
		c.disagree(byKey[k])
	}
}

// settings reads the keys of a document that it gives one value. A key with
// several is a list of its own.
func (c *checker) settings(d *knowledge.Document) []setting {
	if !pair.Comparable(d) && d.Format != knowledge.Wiki && d.Format != knowledge.Docs || d.Event || c.aside[d] {
		return nil
	}
	kin := pair.ReachOf(d)
	kin.Ambient = kin.Ambient || d.Format == knowledge.Wiki || d.Format == knowledge.Docs
	var out []setting
	times := map[string]int{}
	for i := range d.Facts {
		f := &d.Facts[i]
		if !pair.Prose(f) || len(f.Text) > 200 || !strings.ContainsAny(f.Text, ":=|") || !strings.ContainsAny(f.Text, "0123456789") {
			continue
		}
		if s, ok := settingOf(f); ok {
			times[s.key]++
			s.Statement = pair.Statement{Fact: f, Doc: d, Reach: kin}
			out = append(out, s)
		}
	}
	return slices.DeleteFunc(out, func(s setting) bool { return times[s.key] > 1 })
}

// settingOf reads "key: value" and two cells of a table row.
func settingOf(f *knowledge.Fact) (setting, bool) {
	var key, value string
	if f.Kind == knowledge.KindRow {
		cells := strings.Split(f.Text, "|")
		if len(cells) != 2 {
			return setting{}, false
		}
		key, value = cells[0], cells[1]
	} else if m := keyValue.FindStringSubmatch(strings.TrimSpace(f.Text)); m != nil {
		key, value = m[1], m[2]
	}
	key = strings.ToLower(strings.Join(strings.Fields(strings.Trim(key, " *_`")), " "))
	value = strings.Trim(strings.TrimSpace(value), "*`.\"' ")
	kind := kindOf(value)
	if kind == noValue || len(key) < 4 || !telling(key) {
		return setting{}, false
	}
	return setting{key: key, value: strings.ToLower(value), kind: kind}, true
}

func kindOf(value string) valueKind {
	switch {
	case quantity.MatchString(value):
		return aNumber
	case address.MatchString(strings.ToLower(value)):
		return anAddress
	}
	return noValue
}

// telling reports whether a key names one thing wherever it stands: more than
// one word, not all of them vague, or a name in capitals or with an underscore.
func telling(key string) bool {
	ws := strings.FieldsFunc(key, func(r rune) bool { return r == ' ' || r == '-' || r == '/' || r == '.' })
	if strings.Contains(key, "_") {
		return true
	}
	said := 0
	for _, w := range ws {
		if !vague[w] && !pair.Small(w) {
			said++
		}
	}
	return said >= 2 || said == 1 && len(ws) >= 2
}

// disagree names the first page that gives a key another value than a startup
// surface does. A folder may have values of its own.
func (c *checker) disagree(all []setting) {
	for i := range all {
		a := &all[i]
		if !a.Doc.Startup {
			continue
		}
		for j := range all {
			b := &all[j]
			if a.Doc == b.Doc || b.Doc.Startup && j < i || a.kind != b.kind || equalValue(a.value, b.value) || a.Scope != b.Scope || !a.Together(b.Reach) || !near(a, b) {
				continue
			}
			out := c.fact("conflict/value", a.Doc, a.Fact, b.Doc.Path+a.key, fmt.Sprintf("It gives %s as %s, and %s as %s.", a.key, a.value, at(&b.Statement), b.value))
			out.Anchor = &knowledge.Anchor{Kind: knowledge.AnchorValue, Text: a.key}
			out.Evidence = []knowledge.Quote{quote(&b.Statement)}
			break
		}
	}
}

// near reports whether two settings stand under headings that share a word, or
// name something that needs no heading.
func near(a, b *setting) bool {
	if strings.Contains(a.key, "_") {
		return true
	}
	x, y := pair.WordsOf(last(a.Fact.Heading)).Set, pair.WordsOf(last(b.Fact.Heading)).Set
	onlyX, _ := pair.Difference(x, y)
	return len(onlyX) < len(x) || len(x)+len(y) == 0
}

func last(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1]
}

// equalValue compares values without their decoration: 20 and 20.x and v20 are
// no contradiction.
func equalValue(a, b string) bool {
	trim := func(s string) string { return strings.TrimLeft(strings.TrimRight(s, "+ x."), "v=~^<>≥ ") }
	a, b = trim(a), trim(b)
	return a == b || strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".") || strings.ReplaceAll(a, ",", "") == strings.ReplaceAll(b, ",", "")
}
