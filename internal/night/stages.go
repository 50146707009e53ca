package night

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/retro"
	"github.com/retrosweep/retrosweep/sweep"
)

// sweep checks facts and collects what it wants edited.
func (r *run) sweep(ctx context.Context) error {
	if !r.Command.Sweep {
		return nil
	}
	result, err := sweep.Run(ctx, sweep.Input{
		Repo: r.view, From: r.scope.sweep.from, To: r.scope.head, All: r.Command.All,
		Corpus: r.corpus, Policy: r.policy, Ignore: r.ignored, Checked: r.state.Last, Tasks: forge.TasksOf(r.forge), Now: r.Now,
		History: r.state.History, Judge: r.judge(),
		Limits:   sweep.Limits{Archives: r.Config.Limits.Archives},
		Progress: r.Progress,
	})
	if err != nil {
		return err
	}
	r.receipt.Findings, r.receipt.Facts = result.Findings, result.Facts
	r.warnAll(result.Warnings)
	r.judged(result)
	r.spent()
	why := map[string]*knowledge.Finding{}
	for i := range result.Findings {
		why[result.Findings[i].ID] = &result.Findings[i]
	}
	for _, e := range result.Edits {
		if e.Together {
			r.offerTogether(e.Edit, sweepReason(e.Edit, why[e.Finding]))
			continue
		}
		r.offer(e.Edit, e.Route, sweepReason(e.Edit, why[e.Finding]))
	}
	return nil
}

// sweepReason explains an edit that follows from a finding.
func sweepReason(e knowledge.Edit, f *knowledge.Finding) proposal.Reason {
	if f == nil {
		return proposal.Reason{What: string(e.Op) + " in " + e.Path}
	}
	what := "archive " + f.Fact.Title
	if e.Op == knowledge.OpRewrite {
		what = fmt.Sprintf("correct %s:%d", f.Fact.File, f.Fact.Line)
	}
	reason := proposal.Reason{What: what, Why: f.Reason, Evidence: f.Evidence}
	reason.Since = f.Since
	return reason
}

// retro looks for lessons in the commits and collects the edits that keep
// them.
func (r *run) retro(ctx context.Context) error {
	if r.Command.Hand != nil {
		r.receipt.Range = report.Range{To: r.scope.head.Hash.String()}
		return nil
	}
	if !r.Command.Retro {
		return r.describeRange(ctx, r.scope.sweep)
	}
	commits, err := r.Repo.Range(ctx, r.scope.retro.from, r.scope.head.Hash, 0)
	if err != nil {
		return err
	}
	for _, h := range commits.Missing {
		r.warn("commit %s is missing from the repository: what is behind it is not reviewed", short(h.String()))
	}
	commits.Commits = r.withoutCut(commits)
	r.members = newMembers(nil)
	if r.learner() != nil { // else nothing is judged, and nobody need be asked about
		r.members = newMembers(forge.MembersOf(r.forge))
	}
	result, err := retro.Run(ctx, retro.Input{
		Repo: r.view, Branch: r.scope.base(), Commits: commits.Commits, From: r.scope.retro.from, Head: r.scope.head.Hash,
		Corpus: r.corpus, Classifier: r.classes, State: r.state, Model: r.learner(), Policy: r.policy,
		Members: r.whose(ctx), Own: r.own, OwnLine: r.ownLine, Remarks: r.remarks(ctx), Now: r.Now, Progress: r.Progress,
	})
	if err != nil {
		return err
	}
	r.lessons = result
	r.tellOutsiders()
	r.spent()
	r.receipt.Lessons = result.Lessons
	r.receipt.Signals = &report.Signals{Found: result.Signals, Judged: result.Judged}
	if r.learner() == nil {
		r.receipt.Signals.Waiting = result.Signals
	} else if !result.Complete {
		r.receipt.Outcome = report.Partial
	}
	r.warnAll(result.Warnings)
	for _, e := range result.Edits {
		r.offer(e.Edit, e.Route, proposal.Reason{What: e.Title, Why: e.Why, Since: r.learnt(e.Evidence), Evidence: e.Evidence, Trial: trialOf(e.Trial)})
		r.taught(e.Edit, e.Signal)
	}
	return r.describeRange(ctx, r.widest())
}

// withoutCut leaves out the commits where a shallow clone ends: against nothing,
// every line of theirs would look new.
func (r *run) withoutCut(all repo.RangeResult) []repo.Commit {
	if len(all.Cut) == 0 {
		return all.Commits
	}
	r.warn("the clone is shallow and ends at commit %s: what changed there and before is not reviewed, and no name is looked up there; run git fetch --unshallow, or clone it whole", short(all.Cut[0].String()))
	return slices.DeleteFunc(all.Commits, func(c repo.Commit) bool { return slices.Contains(all.Cut, c.Hash) })
}

// widest is the span that the receipt names: the retro's where the sweep looks
// at every fact, and else the longer one.
func (r *run) widest() span {
	if r.scope.sweep.from.IsZero() || !r.Command.Sweep || r.scope.retro.basis == report.BasisExplicit {
		return r.scope.retro
	}
	return r.scope.sweep
}

// describeRange counts what is under review.
func (r *run) describeRange(ctx context.Context, s span) error {
	r.receipt.Range = report.Range{To: r.scope.head.Hash.String(), Basis: s.basis}
	if s.from.IsZero() && s.basis != report.BasisWatermark {
		return nil // everything: neither a beginning nor a count means anything
	}
	if !s.from.IsZero() {
		r.receipt.Range.From = s.from.String()
	}
	commits, err := r.Repo.Range(ctx, s.from, r.scope.head.Hash, 0)
	if err != nil {
		return err
	}
	changes, err := r.Repo.Diff(ctx, s.from, r.scope.head.Hash)
	r.receipt.Range.Commits, r.receipt.Range.Files = len(commits.Commits), len(changes)
	return err
}

func (r *run) warnAll(all []string) {
	for _, w := range all {
		r.warn("%s", w)
	}
}

// own reports whether we made a commit: the journal knows its id, else its
// trailers and its author say so. What is ambiguous is theirs.
func (r *run) own(c repo.Commit) bool {
	if slices.Contains(r.state.Commits, c.Hash.String()) {
		return true
	}
	_, ok := proposal.ParseTrailers(c.Message)
	return ok && c.Author.Email == r.identity().Email
}

// ownLine finds our lines again after a squash gave them another commit.
func (r *run) ownLine(line string) bool {
	_, ok := r.state.Keys[lineKey(line)]
	return ok
}

func lineKey(line string) string {
	sum := sha256.Sum256([]byte(strings.TrimSpace(line)))
	return hex.EncodeToString(sum[:16])
}
