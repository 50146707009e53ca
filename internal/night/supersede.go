package night

import (
	"context"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// supersessions completes what a person has said on one side alone: of two facts
// of which one takes the place of the other, both should say so.
func (r *run) supersessions(context.Context) error {
	if !r.Command.Sweep || r.To != "" {
		return nil
	}
	for _, d := range r.corpus.Docs {
		if d.Format == knowledge.Archive || d.Format == knowledge.Instruction || r.ignored(d.Path) {
			continue
		}
		for i := range d.Facts {
			f := &d.Facts[i]
			r.otherSide(f, f.Life.Supersedes, "superseded_by")
			r.otherSide(f, f.Life.SupersededBy, "supersedes")
		}
	}
	return nil
}

// otherSide has the facts that a list names say of f what it says of them. One
// that says something of that kind already is left to a person, and so are two
// that would take each other's place.
func (r *run) otherSide(f *knowledge.Fact, list, field string) {
	for _, name := range strings.Split(list, ",") {
		o := r.called(name, f)
		if o == nil || o == f || o.Life.SupersededBy != "" || o.Life.Supersedes != "" || !r.corpus.Doc(o.File).HasFields(o) {
			continue
		}
		r.offer(knowledge.Edit{Op: knowledge.OpSetField, Path: o.File, FactID: o.ID, Field: field, Value: reference(f, o), Date: day(r.Now)},
			knowledge.RouteUpkeep, proposal.Reason{What: "supersede " + o.Title, Why: f.File + " says so"})
	}
}

// called is the one fact that f names, nil where it names none or several.
func (r *run) called(name string, f *knowledge.Fact) *knowledge.Fact {
	var found *knowledge.Fact
	for _, d := range r.corpus.Docs {
		if d.Format == knowledge.Archive || d.Format == knowledge.Instruction {
			continue
		}
		for i := range d.Facts {
			if !d.Facts[i].Called(name, f.File) {
				continue
			}
			if found != nil {
				return nil
			}
			found = &d.Facts[i]
		}
	}
	return found
}
