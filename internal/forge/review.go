package forge

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/retrosweep/retrosweep/internal/proposal"
)

// Reviewer is what a person does about a proposal. No run calls it: merging and
// refusing are decisions of people.
type Reviewer interface {
	// Accept puts an open proposal into its base, in the name of who asks. Where
	// that is not ours to do it fails with a [ByHandError].
	Accept(ctx context.Context, x proposal.Existing, base proposal.Base, now time.Time) (proposal.Existing, error)
	// Reject is a person's no: from then on the proposal is listed as one that a
	// person closed, and its branch goes. A branch that somebody else changed is
	// theirs: ErrTouched.
	Reject(ctx context.Context, x proposal.Existing, reason string) error
}

// ByHandError says that a person has to merge, and how.
type ByHandError struct {
	Why  string // a half sentence
	Line string // to type, or an address to visit
}

// Error implements error.
func (e *ByHandError) Error() string { return fmt.Sprintf("%s: %s", e.Why, e.Line) }

// ErrNotOpen says that there is nothing to accept or to reject.
var ErrNotOpen = errors.New("it is not open")
