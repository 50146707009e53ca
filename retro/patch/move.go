package patch

import (
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
)

// reach ranks documents by how often their rules are read: in every session, when
// work is about them, or as no rule at all.
func reach(d *knowledge.Document) int {
	switch {
	case d.Format == knowledge.Instruction && d.Startup:
		return 2
	case d.Format == knowledge.Instruction, d.Format == knowledge.Playbook && !d.Event:
		return 1
	}
	return 0
}

// Places are the documents to which a rule may move: those that are read more
// often than its own, the sections of its own, and from one playbook to another.
// So nothing leaves an instruction file for where fewer read it, whatever a model
// says.
func Places(r *rules.Rule, docs []*knowledge.Document) []*knowledge.Document {
	var out []*knowledge.Document
	for _, d := range docs {
		switch {
		case reach(d) == 0 || reach(r.Doc) == 0:
		case d.Path == r.Doc.Path, reach(d) > reach(r.Doc), r.Playbook() && d.Format == knowledge.Playbook:
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(a, b *knowledge.Document) int { return reach(b) - reach(a) })
	return out[:min(len(out), maxPlaybooks)]
}

// move takes the rule that did not prevent its mistake to where it is read. Not a
// word of it is the model's: only which of the places, and under which of the
// headings that stand there.
func (q Question) move(out *Edit, e prompts.PatchEdit) error {
	r := q.rule(e.Target)
	switch {
	case !q.Failed:
		return fmt.Errorf("only a rule that did not prevent its mistake moves")
	case r == nil:
		return fmt.Errorf("its target is none of the rules that were shown")
	case e.Path == nil || !slices.ContainsFunc(q.Places, func(d *knowledge.Document) bool { return d.Path == *e.Path }):
		return fmt.Errorf("where it moves to is none of the places that were offered")
	}
	section := "Rules"
	if e.Section != nil && strings.TrimSpace(*e.Section) != "" {
		section = strings.TrimSpace(strings.TrimLeft(*e.Section, "# "))
		to := q.Places[slices.IndexFunc(q.Places, func(d *knowledge.Document) bool { return d.Path == *e.Path })]
		if !slices.Contains(sections(to), section) {
			return fmt.Errorf("its section is no heading of %s", to.Path)
		}
	}
	if shown := q.shown(); rules.Overlap(r.Fact.Text, shown) < minShared {
		return fmt.Errorf("the rule bears on nothing that its lesson or evidence says")
	}
	out.Op, out.Path, out.To, out.FactID, out.Section, out.Text, out.Old = knowledge.OpMove, r.Doc.Path, *e.Path, r.Fact.ID, section, r.Fact.Text, r
	return nil
}
