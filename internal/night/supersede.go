package night

import (
	"context"
	"slices"
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
	docs := slices.DeleteFunc(slices.Clone(r.corpus.Docs), func(d *knowledge.Document) bool {
		return d.Format == knowledge.Archive || d.Format == knowledge.Instruction
	})
	names := knowledge.NewNames(docs)
	for _, d := range docs {
		if r.ignored(d.Path) {
			continue
		}
		for i := range d.Facts {
			f := &d.Facts[i]
			r.otherSide(names, f, f.Life.Supersedes, "superseded_by")
			r.otherSide(names, f, f.Life.SupersededBy, "supersedes")
		}
	}
	return nil
}

// otherSide has the facts that a list names say of f what it says of them. One
// that says something of that kind already is left to a person, and so are two
// that would take each other's place.
func (r *run) otherSide(names *knowledge.Names, f *knowledge.Fact, list, field string) {
	for _, name := range strings.Split(list, ",") {
		o := names.Only(name, f.File)
		if o == nil || o == f || o.Life.SupersededBy != "" || o.Life.Supersedes != "" || !r.corpus.Doc(o.File).HasFields(o) {
			continue
		}
		r.offer(knowledge.Edit{Op: knowledge.OpSetField, Path: o.File, FactID: o.ID, Field: field, Value: reference(f, o), Date: day(r.Now)},
			knowledge.RouteUpkeep, proposal.Reason{What: "supersede " + o.Title, Why: f.File + " says so"})
	}
}
