package proposal

import (
	"bytes"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Step is one layer as it applies to the base it was replayed on.
type Step struct {
	Layer   Layer             // with the edits that still change something
	Changes knowledge.Changes // against the step before
}

// Dropped is an edit of a layer that was not applied again.
type Dropped struct {
	Edit   knowledge.Edit
	Done   bool // the base has it already
	Reason string
}

// Replay applies layers to files again, oldest first: an edit that the base has
// is left out, and one that no longer fits does not take the others with it.
// Layers of which nothing is left vanish.
func Replay(read knowledge.ReadFunc, layers []Layer) (steps []Step, dropped []Dropped) {
	over := knowledge.Changes{}
	for _, l := range layers {
		edits, changes, gone := reapply(Overlay(read, over), l.Edits)
		dropped = append(dropped, gone...)
		if len(edits) == 0 {
			continue
		}
		steps = append(steps, Step{Layer: l.keep(edits), Changes: changes})
		maps.Copy(over, changes)
	}
	return steps, dropped
}

// Total is what all steps change together.
func Total(steps []Step) knowledge.Changes {
	all := knowledge.Changes{}
	for _, s := range steps {
		maps.Copy(all, s.Changes)
	}
	return all
}

// Standing says how the layers of a proposal relate to the files as they are.
func Standing(read knowledge.ReadFunc, layers []Layer) Holds {
	steps, dropped := Replay(read, layers)
	switch {
	case len(steps) > 0:
		return HoldsStill
	case slices.ContainsFunc(dropped, func(d Dropped) bool { return d.Done }):
		return HoldsDone
	}
	return HoldsGone
}

// Overlay reads through changes that are not written yet.
func Overlay(read knowledge.ReadFunc, over knowledge.Changes) knowledge.ReadFunc {
	return func(path string) ([]byte, bool) {
		if content, ok := over[path]; ok {
			return content, content != nil
		}
		return read(path)
	}
}

// reapply applies the edits of one layer. They name facts as these stand before
// the first of them, so they go in together; those that fail are taken out one
// by one.
func reapply(read knowledge.ReadFunc, edits []knowledge.Edit) (kept []knowledge.Edit, changes knowledge.Changes, dropped []Dropped) {
	if !slices.ContainsFunc(edits, func(e knowledge.Edit) bool { return mayBeIdle(read, e) }) {
		if changes, err := knowledge.Apply(read, edits); err == nil {
			return edits, changes, nil
		}
	}
	for _, e := range edits {
		if holds, reason := alone(read, e); holds != HoldsStill {
			dropped = append(dropped, Dropped{Edit: e, Done: holds == HoldsDone, Reason: reason})
			continue
		}
		kept = append(kept, e)
	}
	for len(kept) > 0 {
		changes, err := knowledge.Apply(read, kept)
		if err == nil {
			return kept, changes, dropped
		}
		i := culprit(kept, err)
		dropped = append(dropped, Dropped{Edit: kept[i], Reason: err.Error()})
		kept = slices.Delete(kept, i, i+1)
	}
	return nil, nil, dropped
}

// mayBeIdle reports whether an edit could be applied and change nothing. Most
// cannot, and need not be tried each alone, which reads a file once an edit.
func mayBeIdle(read knowledge.ReadFunc, e knowledge.Edit) bool {
	switch e.Op {
	case knowledge.OpRewrite, knowledge.OpArchive:
		return false
	case knowledge.OpAdd:
		return says(read, e.Path, e.Text)
	}
	return true
}

// culprit is the edit that an error names; the last one where it names none.
func culprit(edits []knowledge.Edit, err error) int {
	var failed *knowledge.EditError
	if errors.As(err, &failed) {
		key := EditKey(failed.Edit)
		if i := slices.IndexFunc(edits, func(e knowledge.Edit) bool { return EditKey(e) == key }); i >= 0 {
			return i
		}
	}
	return len(edits) - 1
}

const inBase = "the base has it already"

// alone says whether one edit still changes anything. Applying an addition
// twice would add it twice, so that is looked up first.
func alone(read knowledge.ReadFunc, e knowledge.Edit) (Holds, string) {
	if e.Op == knowledge.OpAdd && says(read, e.Path, e.Text) {
		return HoldsDone, inBase
	}
	changes, err := knowledge.Apply(read, []knowledge.Edit{e})
	if err != nil {
		if made(read, e) {
			return HoldsDone, inBase
		}
		return HoldsGone, err.Error()
	}
	for path, content := range changes {
		if old, ok := read(path); ok != (content != nil) || !bytes.Equal(old, content) {
			return HoldsStill, ""
		}
	}
	return HoldsDone, inBase
}

// made reports whether a file reads as if an edit that cannot be applied had
// been applied before.
func made(read knowledge.ReadFunc, e knowledge.Edit) bool {
	switch e.Op {
	case knowledge.OpReplace, knowledge.OpMerge:
		return says(read, e.Path, e.Text)
	case knowledge.OpMove:
		return says(read, e.Target(), e.Text) && (e.Target() == e.Path || !says(read, e.Path, e.Text))
	case knowledge.OpRewrite:
		content, _ := read(e.Path)
		return e.New != "" && bytes.Contains(content, []byte(e.New))
	}
	return false
}

// says reports whether a file holds a text, however its lines are broken.
func says(read knowledge.ReadFunc, path, text string) bool {
	content, ok := read(path)
	fold := func(s string) string { return " " + strings.Join(strings.Fields(s), " ") + " " }
	return ok && strings.TrimSpace(text) != "" && strings.Contains(fold(string(content)), fold(text))
}
