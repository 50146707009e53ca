package night

import (
	"context"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/retro"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// firstReviews is how far back a first run asks for reviews.
const firstReviews = 7 * 24 * time.Hour

// remarks asks the host what reviewers said of the changes that were merged
// since the last run. A host that does not answer costs the night nothing else.
func (r *run) remarks(ctx context.Context) []signal.Remark {
	host := forge.ReviewedOf(r.forge)
	if host == nil || r.Model == nil {
		return nil
	}
	all, warning, err := host.Remarks(ctx, r.reviewedSince())
	if err != nil {
		r.unwell("what reviewers said could not be read from the host")
		r.warn("what reviewers said is not looked at tonight: %v", err)
		return nil
	}
	if warning != "" {
		r.warn("%s", warning)
	}
	out := make([]signal.Remark, 0, len(all))
	for _, m := range all {
		out = append(out, signal.Remark{Commits: m.Commits, Path: m.Path, Text: m.Text, Trust: r.trustIn(ctx, m), Requested: m.Requested})
	}
	return out
}

// trustIn says whose word a remark is: a member's is that of who may write to
// the repository, by the host's account. What the host says beside the remark
// holds for who belongs to the organisation too, and may only read.
func (r *run) trustIn(ctx context.Context, m forge.Remark) retro.Trust {
	switch {
	case m.Bot:
		return retro.Agent
	case m.Writes && (r.members.host == nil || r.members.mayWrite(ctx, m.Login)):
		return retro.Member
	}
	return retro.Outsider
}

func (r *run) reviewedSince() time.Time {
	if from := r.scope.retro.from; !from.IsZero() {
		if c, err := r.Repo.Commit(from); err == nil {
			return c.Committer.When
		}
	}
	return r.Now.Add(-firstReviews)
}

// trialOf is a back-test as a proposal shows it.
func trialOf(t *retro.Trial) *proposal.Trial {
	if t == nil {
		return nil
	}
	return &proposal.Trial{
		Kind: t.Kind, Pattern: t.Pattern, Mistakes: t.Mistakes, Caught: t.Caught, Others: t.Others, Hits: len(t.Hits),
	}
}
