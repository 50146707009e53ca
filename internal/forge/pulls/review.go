package pulls

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// Accept implements [forge.Reviewer] by a merge through the API, as the account
// of the token, under the rules that the host has for it. The account that made
// a request never merges it: a token of ours is not a person's consent.
func (f *Forge) Accept(ctx context.Context, x proposal.Existing, _ proposal.Base, now time.Time) (proposal.Existing, error) {
	if x.Status != proposal.Open || x.Number == 0 {
		return x, fmt.Errorf("accept %s: %w: %s", x.Branch, forge.ErrNotOpen, x.Status)
	}
	if f.Bot.Is(f.Account) {
		return x, &forge.ByHandError{Why: "the token is that of the account which made the request, and it never merges its own; merge it there, or come with a token of yours", Line: x.URL}
	}
	err := f.Host.Merge(ctx, x.Number, x.Head.String())
	switch {
	case IsStatus(err, http.StatusConflict):
		return x, fmt.Errorf("accept %s: %w: %w", x.Branch, forge.ErrTouched, err)
	case IsStatus(err, http.StatusMethodNotAllowed, http.StatusForbidden, http.StatusUnauthorized):
		return x, &forge.ByHandError{Why: "the host does not let you merge it by its API (" + oneLine(err.Error()) + ")", Line: x.URL}
	case err != nil:
		return x, fmt.Errorf("accept %s: %w", x.Branch, err)
	}
	x.Status, x.Ended = proposal.Merged, now.UTC()
	return x, nil
}

// Reject implements [forge.Reviewer]: the request is closed without the
// mark of one that we took back, so that it counts as a person's no wherever it
// is read; then its branch goes.
func (f *Forge) Reject(ctx context.Context, x proposal.Existing, reason string) error {
	if err := f.reject(ctx, x, reason); err != nil {
		return fmt.Errorf("reject %s: %w", x.Branch, err)
	}
	return nil
}

func (f *Forge) reject(ctx context.Context, x proposal.Existing, reason string) error {
	if x.Status != proposal.Open {
		return fmt.Errorf("%w: %s", forge.ErrNotOpen, x.Status)
	}
	p, head, err := f.ready(ctx, x)
	if err != nil {
		return err
	}
	before := marker.Text(p.Body)
	said := "**Rejected**"
	if reason != "" {
		said += ": " + oneLine(reason)
	}
	if _, err := f.amend(ctx, x.Number, func(_ pull, e *edit) { e.text, e.close = said+"\n\n"+before, true }); err != nil {
		return err
	}
	err = f.push(ctx, move{branch: x.Branch, old: head, recorded: p.marker.Recorded()})
	if isRefused(err) {
		f.warn("%s is left: %v", x.Branch, err)
		return nil
	}
	return err
}
