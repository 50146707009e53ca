package night

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// Verb is what a person does to one fact.
type Verb string

// The verbs.
const (
	VerbArchive   Verb = "archive"
	VerbRestore   Verb = "restore"
	VerbVerify    Verb = "verify"
	VerbRenew     Verb = "renew"
	VerbSupersede Verb = "supersede"
)

// Hand is what a person asks for about one fact. Its edits are delivered as a
// night's edits are: the same routes, the same branches.
type Hand struct {
	Verb   Verb
	Fact   string // the fact's id, the beginning of it, or file:line
	Other  string // of supersede: the fact that takes its place
	Reason string
	By     string // who confirms: "person", perhaps with a hash that tells persons apart
}

// byHand finds the fact and does what is asked.
func (r *run) byHand(ctx context.Context) error {
	h := r.Command.Hand
	if h == nil {
		return nil
	}
	fact, err := r.one(h.Fact, h.Verb == VerbRestore)
	if err != nil {
		return err
	}
	do := map[Verb]func(context.Context, *knowledge.Fact) error{
		VerbArchive: r.archiveByHand, VerbRestore: r.restoreByHand, VerbVerify: r.verify, VerbRenew: r.renew, VerbSupersede: r.supersede,
	}[h.Verb]
	if do == nil {
		return fmt.Errorf("%s: no such thing can be done to a fact", h.Verb)
	}
	if err := do(ctx, fact); err != nil {
		return fmt.Errorf("%s: %w", h.Fact, err)
	}
	return nil
}

func (r *run) archiveByHand(_ context.Context, f *knowledge.Fact) error {
	r.offerHand(knowledge.Edit{Op: knowledge.OpArchive, Path: f.File, FactID: f.ID}, f)
	return nil
}

func (r *run) restoreByHand(_ context.Context, f *knowledge.Fact) error {
	e := knowledge.Edit{Op: knowledge.OpRestore}
	var ok bool
	if e.Path, e.FactID, ok = r.corpus.Doc(f.File).Origin(f); !ok {
		return fmt.Errorf("%s does not say where it stood", f.File)
	}
	r.offerHand(e, f)
	return nil
}

// renew begins the time of a fact anew. What does not end by a TTL has no time
// that could begin.
func (r *run) renew(_ context.Context, f *knowledge.Fact) error {
	l, today := f.Life, day(r.Now)
	switch {
	case l.SupersededBy != "":
		return fmt.Errorf("it is superseded by %s", l.SupersededBy)
	case l.TTL <= 0:
		return fmt.Errorf("it has no TTL, so there is no time to begin anew; `retrosweep verify` says that it is still true")
	case !l.Expires.IsZero() && !l.Expires.After(today):
		return fmt.Errorf("it expired on %s whatever its TTL is: change that date by hand", date(l.Expires))
	case l.Renewed.Equal(today), l.Renewed.IsZero() && l.Created.Equal(today):
		r.warn("%s:%d: its time began today already", f.File, f.Line)
		return nil
	}
	r.offerHand(knowledge.Edit{Op: knowledge.OpSetField, Path: f.File, FactID: f.ID, Field: "renewed", Value: date(today)}, f)
	return nil
}

// supersede says of two facts that one takes the place of the other. Both stay
// where they are.
func (r *run) supersede(_ context.Context, old *knowledge.Fact) error {
	fresh, err := r.one(r.Command.Hand.Other, false)
	if err != nil {
		return err
	}
	if err := r.mayTake(fresh, old); err != nil {
		return err
	}
	for _, side := range []struct {
		of, to       *knowledge.Fact
		field, value string
	}{
		{old, fresh, "superseded_by", old.Life.SupersededBy},
		{fresh, old, "supersedes", fresh.Life.Supersedes},
	} {
		if named(side.value, side.to, side.of) {
			continue
		}
		value := reference(side.to, side.of)
		if side.value != "" {
			value = side.value + ", " + value
		}
		r.offerHand(knowledge.Edit{Op: knowledge.OpSetField, Path: side.of.File, FactID: side.of.ID, Field: side.field, Value: value}, side.of)
	}
	return nil
}

// mayTake says why one fact cannot take the place of another.
func (r *run) mayTake(fresh, old *knowledge.Fact) error {
	for _, f := range []*knowledge.Fact{old, fresh} {
		if !r.corpus.Doc(f.File).HasFields(f) {
			return fmt.Errorf("%s:%d is a %s and has no fields to say so in: archive the old one with --reason instead", f.File, f.Line, f.Kind)
		}
	}
	switch {
	case fresh == old:
		return fmt.Errorf("a fact cannot take its own place")
	case old.Life.SupersededBy != "" && !named(old.Life.SupersededBy, fresh, old):
		return fmt.Errorf("it is superseded by %s already", old.Life.SupersededBy)
	case named(fresh.Life.SupersededBy, old, fresh):
		return fmt.Errorf("%s is superseded by it: two facts cannot take each other's place", r.Command.Hand.Other)
	}
	return nil
}

// named reports whether a list of references names a fact.
func named(list string, f, from *knowledge.Fact) bool {
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name != "" && f.Called(name, from.File) {
			return true
		}
	}
	return false
}

// reference is how the entry of one fact names another.
func reference(f, from *knowledge.Fact) string { return f.Name(from.File) }

func (r *run) offerHand(e knowledge.Edit, f *knowledge.Fact) {
	h := r.Command.Hand
	e.Reason, e.Date = h.Reason, day(r.Now)
	r.offer(e, knowledge.RouteAuto, proposal.Reason{What: string(h.Verb) + " " + f.Title, Why: h.Reason})
}

// one is the fact that a person names.
func (r *run) one(name string, archived bool) (*knowledge.Fact, error) {
	found := r.find(name, archived)
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("%s: no such fact; `retrosweep sweep --all --format json` lists ids, file:line works too", name)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("%s: %d facts fit (%s, %s, ...): say more of the id", name, len(found), found[0].ID, found[1].ID)
}

// find lists the facts that a name fits: the whole id alone, else all that
// begin with it.
func (r *run) find(name string, archived bool) []*knowledge.Fact {
	var begin []*knowledge.Fact
	file, line := place(name)
	for _, d := range r.corpus.Docs {
		if (d.Format == knowledge.Archive) != archived {
			continue
		}
		for i := range d.Facts {
			switch f := &d.Facts[i]; {
			case f.ID == name, f.File == file && f.Line <= line && line <= f.EndLine:
				return []*knowledge.Fact{f}
			case len(name) >= 6 && strings.HasPrefix(f.ID, name):
				begin = append(begin, f)
			}
		}
	}
	return begin
}

// place splits file:line; a line of 0 fits nothing.
func place(s string) (string, int) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", 0
	}
	line, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return "", 0
	}
	return s[:i], line
}
