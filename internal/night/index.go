package night

import (
	"context"
	"path"
	"slices"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// indexes keeps MEMORY.md, the INDEX.md of a wiki and VAULT_INDEX.json true of
// the files beside them, as these stand after the run's own edits.
func (r *run) indexes(ctx context.Context) error {
	if !r.Command.Sweep || r.To != "" {
		return nil
	}
	reader, err := proposal.NewReader(r.view, r.stack.tree)
	if err != nil {
		return err
	}
	steps, _ := proposal.Replay(reader.Read, []proposal.Layer{{Edits: append(r.offers.auto[:len(r.offers.auto):len(r.offers.auto)], r.offers.upkeep...)}})
	changes := proposal.Total(steps)
	files, err := r.filesAfter(ctx, changes)
	if err != nil {
		return err
	}
	read := proposal.Overlay(reader.Read, changes)
	for _, f := range files {
		if !knowledge.IsIndex(f) || r.ignored(f) {
			continue
		}
		x := knowledge.Index(read, f, files)
		for _, note := range x.Notes {
			r.warn("%s", note)
		}
		for _, e := range x.Edits {
			if said, ok := read(path.Join(path.Dir(f), e.Text)); ok && e.Text != "" && !repeatable(string(said)) {
				e.Value = knowledge.BareLine
			}
			r.keepIndex(e)
		}
	}
	return reader.Err
}

// repeatable reports whether what a file says of itself may stand in an index
// too: a secret or a hidden character is not copied, and would hold up the whole
// branch.
func repeatable(text string) bool {
	_, secrets := guard.Redact(text)
	return len(secrets) == 0 && len(guard.Hidden(text)) == 0
}

// keepIndex offers one edit of an index, and says so in the finding that it
// answers.
func (r *run) keepIndex(e knowledge.Edit) {
	e.Date = day(r.Now)
	what := "keep " + path.Base(e.Path) + " true"
	if e.Text != "" {
		what += " of " + e.Text
	}
	r.offer(e, knowledge.RouteUpkeep, proposal.Reason{What: what, Why: e.Reason})
	for i := range r.receipt.Findings {
		f := &r.receipt.Findings[i]
		if f.Fact.File == e.Path && f.Fact.Kind == knowledge.KindIndex && f.Anchor != nil && f.Action != nil && f.Action.Edit == nil &&
			e.Text != "" && path.Base(f.Anchor.Text) == path.Base(e.Text) {
			f.Action = &knowledge.Action{Type: knowledge.ActionEdit, Route: knowledge.RouteUpkeep, Edit: &e}
		}
	}
}

// filesAfter are the plain files of the overlay with the run's edits, sorted.
func (r *run) filesAfter(ctx context.Context, changes knowledge.Changes) ([]string, error) {
	t, err := r.view.Tree(r.stack.tree)
	if err != nil {
		return nil, err
	}
	entries, err := t.Files(ctx)
	if err != nil {
		return nil, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		if e.Mode == repo.ModeFile || e.Mode == repo.ModeExec {
			there[e.Path] = true
		}
	}
	for name, content := range changes {
		there[name] = content != nil
	}
	var out []string
	for name, is := range there {
		if is {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out, nil
}
