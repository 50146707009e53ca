package night

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/sweep/clock"
)

// stampEvery is how often at most a file is told that a claim was confirmed.
// The journal is told every time.
const stampEvery = 30 * 24 * time.Hour

// verify notes that a person holds a claim to be true of the code as it is: in
// the journal, and in the file where the fact carries such a field already.
func (r *run) verify(ctx context.Context, f *knowledge.Fact) error {
	if f.Life.SupersededBy != "" {
		return fmt.Errorf("it is superseded by %s: verify that one", f.Life.SupersededBy)
	}
	reader, err := clock.NewReader(ctx, r.view, r.scope.head.Tree)
	if err != nil {
		return err
	}
	face, err := reader.Face(ctx, r.corpus.Doc(f.File), f)
	if err != nil {
		return err
	}
	if len(face.Gone) > 0 {
		return fmt.Errorf("it names %s, which is not there: correct the text first, or archive it", anchorTexts(face.Gone))
	}
	r.confirmed(f, face, knowledge.Fresh, r.Command.Hand.By)
	return nil
}

// confirmed notes what somebody who looked said of a claim. It is the only way
// to the verification clock: nothing else in this program calls stamp.
func (r *run) confirmed(f *knowledge.Fact, face clock.Face, verdict knowledge.Verdict, by string) {
	r.keepCheck(f, face, verdict, by)
	c := report.Check{Fact: f.Ref(), Claim: f.Claim, Verdict: verdict, By: by, At: r.Now.UTC().Truncate(time.Second), Note: note(face)}
	for _, m := range face.Marks {
		c.Anchors = append(c.Anchors, report.CheckedAnchor{Kind: m.Anchor.Kind, Text: m.Anchor.Text, Path: m.Path, Fingerprint: m.Print, Reason: m.Why})
	}
	if verdict == knowledge.Fresh {
		c.Stamped = r.stamp(f)
	}
	r.receipt.Checks = append(r.receipt.Checks, c)
}

// keepCheck notes a check in the journal.
func (r *run) keepCheck(f *knowledge.Fact, face clock.Face, verdict knowledge.Verdict, by string) {
	v := journal.Verdict{
		Claim: f.Claim, Fact: f.ID, Verdict: string(verdict), By: by, At: r.Now,
		Commit: r.scope.head.Hash.String(), Tree: r.scope.head.Tree.String(),
	}
	face.Record(&v)
	r.state.Note(v)
}

// note says what a check cannot do.
func note(face clock.Face) string {
	switch {
	case len(face.Marks) == 0:
		return "it names nothing that code can look up: the date is kept, and no change of the code will ask for another look"
	case face.Unreadable() != "":
		return "one of these cannot be compared later, so nights will not call it fresh"
	}
	return ""
}

// stamp offers the date for the file: only where the entry has the field, not
// on an instruction surface, and not more often than every 30 days.
func (r *run) stamp(f *knowledge.Fact) bool {
	d := r.corpus.Doc(f.File)
	_, carries := d.Field(f, "verified")
	route, _ := r.policy.Route(f.File)
	today := day(r.Now)
	switch {
	case !carries, d.Format == knowledge.Instruction, route.Stricter(knowledge.RouteUpkeep) != knowledge.RouteUpkeep:
		return false
	case today.Sub(f.Life.Verified) < stampEvery:
		return false
	}
	r.offer(knowledge.Edit{Op: knowledge.OpSetField, Path: f.File, FactID: f.ID, Field: "verified", Value: date(today), Date: today},
		knowledge.RouteUpkeep, proposal.Reason{What: "date " + f.Title, Why: "somebody confirmed it"})
	return true
}

func anchorTexts(all []knowledge.Anchor) string {
	var out []string
	for _, a := range all {
		out = append(out, a.Text)
	}
	return strings.Join(out, ", ")
}

// date is a day as files have it.
func date(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// Person names who confirmed a claim without an address: a hash of it, or no
// more than that it was a person.
func Person(email string) string {
	email = strings.ToLower(strings.TrimSpace(email))
	if email == "" {
		return person
	}
	sum := sha256.Sum256([]byte(email))
	return person + ":" + hex.EncodeToString(sum[:6])
}

const person = "person"
