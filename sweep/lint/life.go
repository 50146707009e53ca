package lint

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/expire"
)

// holds is for how many days a confirmation holds, by the type of a fact. What
// a person prefers does not age.
var holds = map[string]int{"project": 90, "user": 0, "feedback": 0}

const holdsDefault = 180

// alive is a fact with a life of its own, and the document it stands in.
type alive struct {
	*knowledge.Fact
	doc *knowledge.Document
}

// life checks the dates and states that facts carry.
func (c *checker) life() {
	facts := c.living()
	var plain []*knowledge.Fact
	docs := make(map[*knowledge.Fact]*knowledge.Document, len(facts))
	for _, a := range facts {
		plain = append(plain, a.Fact)
		docs[a.Fact] = a.doc
	}
	plan := expire.Decide(plain, expire.Policy{Archives: len(plain) + 1}, c.Now)
	for _, x := range plan.Due() {
		f := c.fact("life/expired", docs[x.Fact], x.Fact, "", capital(strings.SplitN(x.Reason, ";", 2)[0])+", and it still stands.")
		f.Since = &knowledge.Since{Date: x.Due.Format(time.DateOnly)}
	}
	for _, x := range plan.Unknown {
		c.fact("life/no-date", docs[x.Fact], x.Fact, "", "It "+x.Reason+".")
	}
	names := c.factNames(facts)
	for _, a := range facts {
		c.unreadable(a)
		c.superseded(a, names)
	}
	c.overdue(facts)
}

// living are the facts whose lifecycle is checked. A template and a record of
// the past have none.
func (c *checker) living() []alive {
	var out []alive
	for _, d := range c.Docs {
		if d.Format == knowledge.Archive || d.Format == knowledge.Store || d.Event || c.aside[d] {
			continue
		}
		for i := range d.Facts {
			if f := &d.Facts[i]; f.Kind == knowledge.KindEntry && !retired(f) {
				out = append(out, alive{f, d})
			}
		}
	}
	return out
}

func retired(f *knowledge.Fact) bool {
	return !f.Life.Archived.IsZero() || strings.EqualFold(f.Life.Status, "archived")
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// unreadable names dates that cannot be read, or that are yet to come.
func (c *checker) unreadable(a alive) {
	for _, key := range a.Life.Unreadable {
		if k := strings.ToLower(key); k == "ttl" || k == "expires" || c.blank(a, key) {
			continue // life/no-date says so, or nobody meant a date
		}
		c.fact("life/unreadable", a.doc, a.Fact, key, fmt.Sprintf("Its field %s holds no date that can be read.", key))
	}
	tomorrow := c.Now.AddDate(0, 0, 2)
	for _, x := range []struct {
		name string
		at   time.Time
	}{{"verified", a.Life.Verified}, {"created", a.Life.Created}, {"renewed", a.Life.Renewed}} {
		if x.at.After(tomorrow) {
			c.fact("life/unreadable", a.doc, a.Fact, x.name, fmt.Sprintf("It says %s %s, which is yet to come.", x.name, x.at.Format(time.DateOnly)))
		}
	}
}

// noDate are words for "no date" in the place of one.
var noDate = []string{"", "never", "n/a", "na", "none", "no", "tbd", "todo", "unknown", "-", "—", "null", "false", "true", "yes", "pending", "ongoing"}

func (c *checker) blank(a alive, key string) bool {
	for _, w := range slices.Concat(a.doc.Fields(a.Fact), a.doc.FrontMatter()) {
		if w.Key == key {
			return slices.Contains(noDate, strings.ToLower(strings.Trim(w.Text, " *`\"'"))) || strings.ContainsAny(w.Text, "{<[")
		}
	}
	return false
}

// factNames maps what a fact may be called by to the fact.
func (c *checker) factNames(facts []alive) map[string]alive {
	out := map[string]alive{}
	for _, a := range facts {
		for _, name := range []string{a.ID, a.Title, path.Base(a.File), a.File} {
			if key := slug(name); key != "" {
				out[key] = a
			}
		}
		for _, w := range a.doc.FrontMatter() {
			if w.Group == "" && (w.Name == "name" || w.Name == "title" || w.Name == "id") && a.Span.Start == 0 {
				out[slug(w.Text)] = a
			}
		}
	}
	return out
}

var (
	deadStatus  = []string{"superseded", "deprecated", "obsolete", "replaced", "retired"}
	wrongStatus = []string{"contradicted", "refuted", "retracted", "wrong", "disproved", "invalid", "incorrect"}
)

// superseded checks the fields by which one fact replaces another.
func (c *checker) superseded(a alive, names map[string]alive) {
	if !stores[a.doc.Format] {
		return
	}
	status := strings.ToLower(strings.TrimSpace(a.Life.Status))
	switch {
	case slices.Contains(wrongStatus, status), c.contradicted(a):
		if c.loaded(a) {
			c.fact("life/contradicted", a.doc, a.Fact, "", fmt.Sprintf("It is marked as %s, and it is still loaded.", cmp.Or(status, "contradicted")))
		}
	case a.Life.SupersededBy != "", slices.Contains(deadStatus, status):
		if c.loaded(a) {
			c.fact("life/superseded", a.doc, a.Fact, "", fmt.Sprintf("It is marked as %s, and it is still loaded.", cmp.Or(status, "superseded by "+a.Life.SupersededBy)))
		}
	}
	c.replaces(a, names)
}

// stores are the formats whose entries are facts of their own, which the fields
// of a life are about. A page of a wiki or a decision record speaks about
// something else.
var stores = map[knowledge.Format]bool{knowledge.Memory: true, knowledge.Vault: true, knowledge.Anchored: true}

func (c *checker) contradicted(a alive) bool {
	fields := a.doc.Fields(a.Fact)
	return slices.ContainsFunc(fields, func(w knowledge.Field) bool {
		return (w.Name == "contradictedby" || w.Name == "refutedby") && len(w.Items) > 0 && !slices.Contains(noDate, strings.ToLower(w.Items[0]))
	})
}

// replaces checks that what a fact supersedes knows about it.
func (c *checker) replaces(a alive, names map[string]alive) {
	for _, other := range strings.Split(a.Life.Supersedes, ",") {
		other = strings.Trim(strings.TrimSpace(other), "[]`\"'")
		if slices.Contains(noDate, strings.ToLower(other)) {
			continue
		}
		old, ok := names[slug(path.Base(other))]
		switch {
		case !ok && !c.archived(other):
			c.fact("life/dangling", a.doc, a.Fact, other, fmt.Sprintf("It supersedes %s, which is not there.", other))
		case ok && old.Fact != a.Fact && old.Life.SupersededBy == "" && !slices.Contains(deadStatus, strings.ToLower(old.Life.Status)):
			c.fact("life/superseded", old.doc, old.Fact, a.ID, fmt.Sprintf("%s:%d supersedes it, and it still reads as one that holds.", a.File, a.Line))
		}
	}
}

// archived reports whether an archive holds a fact of a name.
func (c *checker) archived(name string) bool {
	want := slug(path.Base(name))
	for _, d := range c.Docs {
		if d.Format != knowledge.Archive {
			continue
		}
		if slug(path.Base(d.Path)) == want {
			return true
		}
		for i := range d.Facts {
			if slug(d.Facts[i].ID) == want || slug(d.Facts[i].Title) == want {
				return true
			}
		}
	}
	return false
}

// loaded reports whether readers come upon a fact without looking for it: a
// memory by the index, the entries of a vault with the vault.
func (c *checker) loaded(a alive) bool {
	if a.doc.Format != knowledge.Memory {
		return true
	}
	index := c.byPath[path.Join(path.Dir(a.File), "MEMORY.md")]
	if index == nil {
		return true
	}
	for _, f := range listed(index).by[flat(path.Base(a.File))] {
		if !strings.Contains(strings.ToLower(f.Text), "superseded") {
			return true
		}
	}
	return false
}

// overdue names facts that nobody has confirmed for longer than their type
// holds. A folder or file in which no fact was ever confirmed does not keep
// that clock, and its facts are not late by it.
func (c *checker) overdue(facts []alive) {
	keeps := map[string]bool{}
	for _, a := range facts {
		if !a.Life.Verified.IsZero() {
			keeps[clock(a.doc)] = true
		}
	}
	for _, a := range facts {
		days, ok := holds[strings.ToLower(a.Type)]
		if !ok {
			days = holdsDefault
		}
		last, how := a.Life.Verified, "confirmed"
		if last.IsZero() {
			last, how = a.Life.Created, "written, and confirmed never since,"
		}
		if days == 0 || last.IsZero() || !keeps[clock(a.doc)] || !stores[a.doc.Format] && a.Life.Verified.IsZero() || c.Now.Sub(last) < time.Duration(days)*24*time.Hour {
			continue
		}
		f := c.fact("life/verify", a.doc, a.Fact, "", fmt.Sprintf("It was last %s on %s; what is of its type holds for %d days.", how, last.Format(time.DateOnly), days))
		f.Since = &knowledge.Since{Date: last.AddDate(0, 0, days).Format(time.DateOnly)}
	}
}

// clock is where facts share a habit: a directory of memories, or a file.
func clock(d *knowledge.Document) string {
	if d.Format == knowledge.Memory {
		return path.Dir(d.Path)
	}
	return d.Path
}
