package proposal_test

import (
	"maps"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
)

const (
	ship  = ".claude/skills/ship/SKILL.md"
	guide = "AGENTS.md"
)

// shelf is a skill with a rule, and a guide; rule moves from one to the other.
func shelf() (knowledge.Changes, knowledge.Edit) {
	files := knowledge.Changes{ship: []byte("# Ship\n\n- Pass -f to cp.\n- Tag first.\n"), guide: []byte("# Guide\n\n- Quote paths.\n")}
	doc := knowledge.Parse(ship, files[ship], knowledge.Instruction)
	return files, knowledge.Edit{Op: knowledge.OpMove, Path: ship, To: guide, Section: "Guide", FactID: doc.Facts[1].ID, Text: doc.Facts[1].Text}
}

// A move stands as long as the rule is where it was; done, it is done, and where
// people changed the rule it is gone.
func TestMoveIsReplayed(t *testing.T) {
	t.Parallel()
	files, e := shelf()
	read := proposal.Overlay(func(string) ([]byte, bool) { return nil, false }, files)
	layers := []proposal.Layer{{Edits: []knowledge.Edit{e}}}
	steps, _ := proposal.Replay(read, layers)
	if got := proposal.Standing(read, layers); got != proposal.HoldsStill || len(steps) != 1 || len(steps[0].Changes) != 2 {
		t.Fatalf("%v %+v", got, steps)
	}
	done := maps.Clone(files)
	maps.Copy(done, steps[0].Changes)
	if got := proposal.Standing(proposal.Overlay(read, done), layers); got != proposal.HoldsDone {
		t.Errorf("after the move: %v", got)
	}
	files[ship] = []byte(strings.ReplaceAll(string(files[ship]), "cp.", "cp and mv."))
	if got := proposal.Standing(read, layers); got != proposal.HoldsGone {
		t.Errorf("after people changed the rule: %v", got)
	}
}

// A reader sees both ends of a move.
func TestBodyShowsBothEnds(t *testing.T) {
	t.Parallel()
	files, e := shelf()
	read := proposal.Overlay(func(string) ([]byte, bool) { return nil, false }, files)
	layers := []proposal.Layer{{Edits: []knowledge.Edit{e}}}
	steps, _ := proposal.Replay(read, layers)
	in := proposal.BodyInput{Kind: "rules", Base: "main", Branch: "retrosweep/rules/agents-1a2b3c4d", Layers: layers}
	for _, path := range []string{ship, guide} {
		in.Parts = append(in.Parts, gitdiff.File{Path: path, OldMode: "100644", NewMode: "100644", Old: files[path], New: steps[0].Changes[path]})
	}
	got := proposal.Body(in)
	for _, want := range []string{"Moves a rule to `AGENTS.md`", "```diff\n+ - Pass -f to cp.\n```", "Out of `" + ship + "`:\n\n```diff\n- - Pass -f to cp.\n```"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not hold %q:\n%s", want, got)
		}
	}
}
