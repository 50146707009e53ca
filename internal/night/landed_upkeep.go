package night

import (
	"maps"
	"slices"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// landUpkeep remembers the edits of a merged upkeep branch, each for itself: a
// person may take one of them back and keep the others. The host goes on listing
// the branch until the next one is opened, so an entry without lines says that it
// was seen.
func (r *run) landUpkeep(x *proposal.Existing) {
	seen := journal.Landed{Slot: x.Slot, Content: x.Content, At: day(r.Now), Files: []string{}, Keys: []string{}, Lines: []string{}}
	known := func(l journal.Landed) bool {
		return l.Slot == seen.Slot && l.Content == seen.Content && len(l.Lines) == 0
	}
	if x.Slot != r.upkeepSlot() || len(x.Layers) == 0 || slices.ContainsFunc(r.state.Landed, known) {
		return
	}
	all, ok := r.editsLanded(x)
	if !ok {
		return
	}
	r.state.Landed = append(append(r.state.Landed, all...), seen)
	r.state.Landed = r.state.Landed[max(0, len(r.state.Landed)-journal.MaxLanded):]
}

// editsLanded are the edits of an upkeep branch with the lines that each changes.
// An index follows from what it lists and a stamp from a check: taking these back
// refuses nothing.
func (r *run) editsLanded(x *proposal.Existing) (all []journal.Landed, ok bool) {
	reader, err := proposal.NewReader(r.view, x.Fork)
	if err != nil {
		return nil, false
	}
	over := knowledge.Changes{}
	for _, layer := range x.Layers {
		read := proposal.Overlay(reader.Read, over)
		for i, e := range layer.Edits {
			l := journal.Landed{Slot: x.Slot, Content: proposal.Content(layer.Edits[i : i+1]), Keys: []string{proposal.EditKey(e)}, At: day(r.Now), Fact: e.FactID, Lesson: isLesson(e)}
			_, refused := proposal.Allowed(x.Slot, layer.Edits[i:i+1], r.rejections())
			if refused > 0 || !l.Lesson && e.Op != knowledge.OpRewrite && e.Op != knowledge.OpArchive || !placed(&l, read, e) {
				continue
			}
			if len(layer.Why) == len(layer.Edits) {
				l.Evidence = evidenceOf(layer.Why[i])
			}
			all = append(all, l)
		}
		steps, _ := proposal.Replay(read, []proposal.Layer{layer})
		maps.Copy(over, proposal.Total(steps))
	}
	distinguish(all)
	return all, reader.Err == nil
}

// placed fills in what one edit changes; false where that is nothing.
func placed(l *journal.Landed, read knowledge.ReadFunc, e knowledge.Edit) bool {
	added, removed := map[string]bool{}, map[string]bool{}
	steps, _ := proposal.Replay(read, []proposal.Layer{{Edits: []knowledge.Edit{e}}})
	for path, content := range proposal.Total(steps) {
		old, _ := read(path)
		compare(path, old, content, added, removed)
		l.Files = append(l.Files, path)
	}
	slices.Sort(l.Files)
	l.Lines, l.Was = slices.Sorted(maps.Keys(added)), slices.Sorted(maps.Keys(removed))
	return len(l.Lines) > 0
}

// distinguish leaves out the lines that several edits add, such as the heading of
// an archive or the day in it: while one of these edits stands, they do.
func distinguish(all []journal.Landed) {
	times := map[string]int{}
	for _, l := range all {
		for _, k := range l.Lines {
			times[k]++
		}
	}
	for i := range all {
		own := slices.DeleteFunc(slices.Clone(all[i].Lines), func(k string) bool { return times[k] > 1 })
		if len(own) > 0 {
			all[i].Lines = own
		}
	}
}

// isUpkeepAgain reports whether a night wants an edit of the upkeep branch again
// that had landed there.
func (r *run) isUpkeepAgain(l journal.Landed) bool {
	return l.Slot == r.upkeepSlot() && slices.ContainsFunc(r.offers.upkeep, func(e knowledge.Edit) bool {
		return slices.Contains(l.Keys, proposal.EditKey(e))
	})
}
