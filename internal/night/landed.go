package night

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro"
)

// What people merged and then took back is a no, as closing it is. The journal
// remembers what landed by hashes of its lines: gone again, and wanted again the
// same night, or gone with nothing else put in its place. Of a queue branch the
// whole is remembered, of the upkeep branch each edit (landed_upkeep.go).

// land remembers a proposal that was merged, until it is a no or no matter any more.
func (r *run) land(x *proposal.Existing) {
	known := func(l journal.Landed) bool { return l.Slot == x.Slot && l.Content == x.Content }
	if slices.ContainsFunc(r.state.Landed, known) || len(x.Layers) == 0 {
		return
	}
	l := journal.Landed{Slot: x.Slot, Content: x.Content, At: day(r.Now), Files: x.Files}
	for _, e := range x.Edits() {
		l.Keys = append(l.Keys, proposal.EditKey(e))
		l.Lesson = l.Lesson || isLesson(e)
	}
	for _, layer := range x.Layers {
		for _, why := range layer.Why {
			l.Evidence = append(l.Evidence, evidenceOf(why)...)
		}
	}
	added, removed, ok := r.linesOf(x)
	if !ok {
		return // what it changed cannot be read any more
	}
	l.Lines, l.Was = slices.Sorted(maps.Keys(added)), slices.Sorted(maps.Keys(removed))
	if reader, err := proposal.NewReader(r.view, r.stack.base.Commit); err == nil && len(l.Lines) > 0 && !stands(reader.Read, l.Files, l.Lines, 1) {
		if stands(reader.Read, l.Files, l.Was, len(l.Was)) { // taken back before this night saw it merged
			r.refuseLanded(l)
		}
		return // else it was merged in other words
	}
	r.state.Landed = append(r.state.Landed, l)
	r.state.Landed = r.state.Landed[max(0, len(r.state.Landed)-journal.MaxLanded):]
}

// isLesson reports whether an edit is a rule that was learnt, not a correction by
// the sweep.
func isLesson(e knowledge.Edit) bool {
	return slices.Contains([]knowledge.Op{knowledge.OpAdd, knowledge.OpReplace, knowledge.OpMerge, knowledge.OpMove}, e.Op)
}

// linesOf are the lines that a proposal adds to its files and removes from them,
// by hash, as it was made.
func (r *run) linesOf(x *proposal.Existing) (added, removed map[string]bool, ok bool) {
	reader, err := proposal.NewReader(r.view, x.Fork)
	if err != nil {
		return nil, nil, false
	}
	steps, _ := proposal.Replay(reader.Read, x.Layers)
	added, removed = map[string]bool{}, map[string]bool{}
	for path, content := range proposal.Total(steps) {
		old, _ := reader.Read(path)
		compare(path, old, content, added, removed)
	}
	return added, removed, reader.Err == nil && len(steps) > 0
}

// compare adds the lines of a file that only one of two states has, by their
// place: what moves to an archive is gone from one file and new in another.
func compare(path string, old, content []byte, added, removed map[string]bool) {
	before, after := places(path, old), places(path, content)
	for k := range after {
		if !before[k] {
			added[k] = true
		}
	}
	for k := range before {
		if !after[k] {
			removed[k] = true
		}
	}
}

func places(path string, content []byte) map[string]bool {
	out := map[string]bool{}
	for line := range strings.Lines(string(content)) {
		if strings.TrimSpace(line) != "" {
			out[placeKey(path, line)] = true
		}
	}
	return out
}

// placeKey names a line of a file.
func placeKey(path, line string) string { return lineKey(path + "\x00" + strings.TrimSpace(line)) }

// takenBack turns what landed and is gone again into rejections, before anything
// is decided about what is wanted.
func (r *run) takenBack(ctx context.Context, wanted []proposal.Wanted) error {
	for i := range r.stack.existing {
		x := &r.stack.existing[i]
		in := x.Status == proposal.Merged || x.Status == proposal.Open && x.Holds == proposal.HoldsDone // as after a squash
		switch {
		case !in || x.Touched:
		case x.Kind == proposal.KindUpkeep:
			r.landUpkeep(x)
		default:
			r.land(x)
		}
	}
	reader, err := proposal.NewReader(r.view, r.stack.base.Commit)
	if err != nil {
		return err
	}
	var left []journal.Landed
	for _, l := range r.state.Landed {
		if len(l.Lines) == 0 || stands(reader.Read, l.Files, l.Lines, 1) {
			left = append(left, l)
			continue
		}
		wrong, err := r.isWrong(ctx, l)
		if err != nil {
			return err
		}
		wantedAgain := r.isWanted(l, wanted) || r.isUpkeepAgain(l)
		if wantedAgain || l.Lesson && r.isUndone(ctx, l) || wrong && stands(reader.Read, l.Files, l.Was, len(l.Was)) {
			r.refuseLanded(l)
		} else if wrong {
			left = append(left, l)
		} // else a person put there what is right
	}
	r.state.Landed = left
	return reader.Err
}

// stands reports whether at least so many of the lines are in the files.
func stands(read knowledge.ReadFunc, files, lines []string, least int) bool {
	have := map[string]bool{}
	for _, f := range files {
		content, _ := read(f)
		maps.Copy(have, places(f, content))
	}
	n := 0
	for _, k := range lines {
		if have[k] {
			n++
		}
	}
	return n >= least
}

func (r *run) isWanted(l journal.Landed, wanted []proposal.Wanted) bool {
	for _, w := range wanted {
		for _, e := range w.Edits {
			if w.Slot == l.Slot && slices.Contains(l.Keys, proposal.EditKey(e)) {
				return true
			}
		}
	}
	return false
}

// isUndone reports whether the range took the lines out and put in their place
// nothing, or what stood there before. Other words are no revert: somebody has
// written the rule anew.
func (r *run) isUndone(ctx context.Context, l journal.Landed) bool {
	if r.scope.sweep.from.IsZero() {
		return false
	}
	changes, err := r.Repo.Diff(ctx, r.scope.sweep.from, r.stack.base.Commit)
	if err != nil {
		return false
	}
	for _, c := range changes {
		if !slices.Contains(l.Files, c.From.Path) {
			continue
		}
		hunks, err := r.Repo.Hunks(c, maxClaimed)
		if err != nil {
			continue
		}
		if slices.ContainsFunc(hunks, func(h repo.Hunk) bool { return undoes(c.From.Path, h, l) }) {
			return true
		}
	}
	return false
}

func undoes(path string, h repo.Hunk, l journal.Landed) bool {
	gone := slices.ContainsFunc(h.Removed, func(line string) bool { return slices.Contains(l.Lines, placeKey(path, line)) })
	other := slices.ContainsFunc(h.Added, func(line string) bool {
		return strings.TrimSpace(line) != "" && !slices.Contains(l.Was, placeKey(path, line))
	})
	return gone && !other
}

// isWrong reports whether a sweep of all facts finds fault with the files that
// its edit was about: what a range shows of a revert is too little. A lesson that
// was written anew is a person's, and no fault.
func (r *run) isWrong(ctx context.Context, l journal.Landed) (bool, error) {
	if l.Lesson {
		return false, nil
	}
	result, err := r.again(ctx, func(path string) bool { return slices.Contains(l.Files, path) })
	if l.Fact == "" {
		return len(result.Findings) > 0, err
	}
	is := func(f knowledge.Finding) bool { return f.Fact.ID == l.Fact }
	return slices.ContainsFunc(result.Findings, is) || slices.ContainsFunc(r.receipt.Findings, is), err
}

func (r *run) refuseLanded(l journal.Landed) {
	r.warn("%s: what was merged is taken back: it is remembered like a proposal that a person closed", strings.Join(l.Files, ", "))
	at := r.Now.UTC().Truncate(time.Second)
	var all []proposal.Rejection
	if l.Slot != r.upkeepSlot() { // there each edit stands for itself, and there is no cooldown
		all = []proposal.Rejection{{Slot: l.Slot, Content: l.Content, At: at}}
	}
	for _, k := range l.Keys {
		all = append(all, proposal.Rejection{Slot: l.Slot, Content: l.Content, Key: k, At: at})
	}
	r.remember(all)
	if r.state.Candidates == nil {
		r.state.Candidates = map[string]*journal.Candidate{}
	}
	retro.Refuse(r.state.Candidates, l.Evidence, at)
	if r.lessons.Candidates != nil {
		retro.Refuse(r.lessons.Candidates, l.Evidence, at)
	}
}
