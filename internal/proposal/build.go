package proposal

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Change is what a run brings to one branch.
type Change struct {
	Slot, Kind, Branch string
	Base               Base
	Existing           *Existing         // the proposal as it stands; nil: it is new
	Parent             repo.Hash         // what the branch is built on: the base, or the branch as it is
	Held               []Layer           // what Parent holds already
	Replay             []Layer           // what is applied again before the run's own layer
	Layer              Layer             // the run's own; its subject and body are written here
	Reasons            map[string]Reason // by [EditKey]; an edit without one is explained by what it does
	Style              Style
	Identity           Identity
	SignedOffBy        string
	Host               Host // where people read it
}

// Built is a branch that is written and that nothing points at yet.
type Built struct {
	Draft   Draft
	Diff    Diff // against the base
	Dropped []Dropped
	Changed bool // false: it would say what it says already, and is left as it is
}

// Build writes the commits of a branch: one for each layer that is replayed,
// and one for the run's own edits. The same input gives the same commit ids.
// A scratch view of the repository makes it the dry run of itself.
func Build(ctx context.Context, r *repo.Repo, c Change) (Built, error) {
	b := builder{repo: r, change: c, head: c.Parent, layers: c.Held}
	if err := b.replay(); err != nil {
		return Built{}, fmt.Errorf("build %s: %w", c.Branch, err)
	}
	if err := b.own(); err != nil {
		return Built{}, fmt.Errorf("build %s: %w", c.Branch, err)
	}
	changed := b.changed()
	if !changed && c.Existing != nil {
		b.head, b.layers = c.Existing.Head, c.Existing.Layers
	}
	diff, err := DiffTrees(ctx, r, c.Base.Commit, b.head)
	if err != nil {
		return Built{}, fmt.Errorf("build %s: %w", c.Branch, err)
	}
	return Built{Draft: b.draft(diff), Diff: diff, Dropped: b.dropped, Changed: changed}, nil
}

// changed reports whether there is a reason to write: a branch that is merely
// behind its base, and says what it would say, has none.
func (b *builder) changed() bool {
	x := b.change.Existing
	if x == nil {
		return b.head != b.change.Base.Commit
	}
	return x.Conflict || x.Content != Content((&Existing{Layers: b.layers}).Edits())
}

type builder struct {
	repo    *repo.Repo
	change  Change
	head    repo.Hash
	layers  []Layer
	dropped []Dropped
}

func (b *builder) replay() error {
	if len(b.change.Replay) == 0 {
		return nil
	}
	reader, err := NewReader(b.repo, b.head)
	if err != nil {
		return err
	}
	steps, dropped := Replay(reader.Read, b.change.Replay)
	if reader.Err != nil {
		return reader.Err
	}
	b.dropped = dropped
	for _, s := range steps {
		if err := b.commit(s.Layer, s.Changes); err != nil {
			return err
		}
	}
	return nil
}

// own applies the edits of the run itself.
func (b *builder) own() error {
	reader, err := NewReader(b.repo, b.head)
	if err != nil {
		return err
	}
	layer := b.explained()
	kept, changes, dropped := reapply(reader.Read, layer.Edits)
	if reader.Err != nil {
		return reader.Err
	}
	b.dropped = append(b.dropped, dropped...)
	if len(kept) == 0 {
		return nil
	}
	layer = layer.keep(kept)
	layer.Subject = cmp.Or(layer.Subject, b.change.Style.Title(Imperative(kept)))
	layer.Body = cmp.Or(layer.Body, CommitBody(layer.reasons()))
	return b.commit(layer, changes)
}

// explained is the run's own layer with the reason of each edit. An edit that is
// on the branch already keeps the reason that it came with.
func (b *builder) explained() Layer {
	before := map[string]Reason{}
	if x := b.change.Existing; x != nil {
		for _, l := range x.Layers {
			for i, e := range l.Edits {
				before[EditKey(e)] = l.reason(i)
			}
		}
	}
	layer := b.change.Layer
	layer.Why = nil
	for i, e := range layer.Edits {
		why, ok := b.change.Reasons[EditKey(e)]
		if old, held := before[EditKey(e)]; !ok && held {
			why, ok = old, true
		}
		if !ok {
			why = layer.reason(i)
		}
		layer.Why = append(layer.Why, why.bare())
	}
	return layer
}

func (b *builder) commit(l Layer, changes knowledge.Changes) error {
	t := Trailers{Run: l.Run, Range: l.Range, Key: l.Key, Slot: b.change.Slot, Content: Content(l.Edits), SignedOffBy: b.change.SignedOffBy}
	id := b.change.Identity
	if id == (Identity{}) {
		id = DefaultIdentity
	}
	h, err := Commit(b.repo, b.head, maps.Clone(changes), Message(l.Subject, l.Body, t), id, l.At)
	if err != nil {
		return err
	}
	l.Commit = h.String()
	b.head, b.layers = h, append(b.layers[:len(b.layers):len(b.layers)], l)
	return nil
}

func (b *builder) draft(diff Diff) Draft {
	c := b.change
	edits := (&Existing{Layers: b.layers}).Edits()
	return Draft{
		Slot: c.Slot, Content: Content(edits), Kind: c.Kind, Branch: c.Branch, Base: c.Base, Head: b.head,
		Title: c.Style.Title(Imperative(edits)), Layers: b.layers, Files: diff.Files, Run: c.Layer.Run,
		At: c.Layer.At.UTC().Truncate(time.Second), Labels: []string{Prefix, c.Kind},
		Body: Body(BodyInput{
			Kind: c.Kind, Layers: b.layers, Parts: diff.Parts, Base: c.Base.Name, Branch: c.Branch,
			Host: c.Host,
		}),
	}
}
