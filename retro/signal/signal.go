// Package signal turns commits into signals: groups of hunks with a class and a
// weight. A signal says where to look first for a lesson. Signals rank, they do
// not gate: whatever is not looked at tonight waits in the backlog, and what is
// left out for good (own commits, binary, generated, vendored and minified
// files) is named in [Result.Skipped].
//
// Whether a signal is an explicit correction (a person said so) is decided here,
// by its class and its author, and by nothing that a model says.
//
// An author is who the host says the address belongs to, where there is a host
// that knows. The address itself anybody can write; who merges the commit vouches
// for it. An address of a coding agent is an agent's wherever it comes from.
//
// What is vendored follows Linguist's list (enry), less what people write by hand
// all the same. Its start-up costs about 20 ms of CPU and 8 MB.
package signal

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Class says what kind of hunk a signal is.
type Class string

// Classes, the strongest first.
const (
	Revert      Class = "revert"      // a change that takes another back, by its message or its content
	Feedback    Class = "feedback"    // a feedback memory added or changed
	Review      Class = "review"      // lines that a reviewer remarked on
	AgentEdit   Class = "agent-edit"  // a person sets right what an agent wrote
	Instruction Class = "instruction" // an instruction file: CLAUDE.md, AGENTS.md, rules, skills
	Lesson      Class = "lesson"      // a playbook, lessons file, vault or other memory
	FixAgain    Class = "fix-again"   // lines of a fix, fixed again within thirty days
	Note        Class = "note"        // a TODO or HACK that says why
	CI          Class = "ci-fix"      // what made the checks pass again
	Change      Class = "change"      // any other hunk
)

// Trust says who wrote a commit.
type Trust string

// Kinds of authors.
const (
	Member   Trust = "member"   // a person whose word counts
	Agent    Trust = "agent"    // a bot or coding agent
	Outsider Trust = "outsider" // anybody else
)

// Signal is a group of hunks of one file in one commit.
type Signal struct {
	ID       string
	Class    Class
	Weight   int
	Commit   repo.Commit
	Parent   repo.Hash // the commit the hunks are against; zero for a root commit
	Path     string    // as at the commit; the old path where the file went away
	Change   repo.Change
	Hunks    []repo.Hunk
	Trust    Trust
	Explicit bool // a member corrected something: decided by class and author alone
	Remarks  []Remark

	knowledge bool
}

// Line is the first line of the signal, in the new file or, where nothing was
// added, in the old one.
func (s *Signal) Line() int {
	if len(s.Hunks) == 0 {
		return 0
	}
	if len(s.Hunks[0].Added) == 0 && s.Hunks[0].OldLine > 0 {
		return s.Hunks[0].OldLine
	}
	return s.Hunks[0].NewLine
}

// Removed reports whether the file went away in this commit.
func (s *Signal) Removed() bool { return s.Change.Kind == repo.Deleted }

// Rank sorts signals by weight, then newest first, then by id: the same signals
// always stand in the same order.
func Rank(signals []*Signal) {
	slices.SortFunc(signals, func(a, b *Signal) int {
		return cmp.Or(
			cmp.Compare(b.Weight, a.Weight),
			b.Commit.Committer.When.Compare(a.Commit.Committer.When),
			cmp.Compare(a.Commit.Hash.String(), b.Commit.Hash.String()),
			cmp.Compare(a.Path, b.Path),
			cmp.Compare(a.Line(), b.Line()),
			cmp.Compare(a.ID, b.ID),
		)
	})
}

// identify gives s its id: a hash of where it stands and what it changes, so
// that the same hunk has the same id every night.
func identify(s *Signal) {
	h := sha256.New()
	fmt.Fprintf(h, "%s\x00%s\x00", s.Commit.Hash, s.Path)
	for _, hunk := range s.Hunks {
		fmt.Fprintf(h, "%d\x00%d\x00%s\x00%s\x00", hunk.OldLine, hunk.NewLine,
			strings.Join(hunk.Removed, "\n"), strings.Join(hunk.Added, "\n"))
	}
	s.ID = "s" + hex.EncodeToString(h.Sum(nil))[:12]
}
