package forge

import (
	"context"
	"time"
)

// Remark is what somebody said in the review of a change that was merged. All
// of its text is untrusted.
type Remark struct {
	Pull      int
	Commits   []string // full ids of the change's commits, and of its merge
	Path      string   // "" for the change as a whole
	Text      string
	Login     string // who said it
	Author    string // login of who made the change
	Writes    bool   // the host says that the reviewer may write to the repository
	Bot       bool
	Requested bool // changes were requested
	At        time.Time
}

// Reviewed is a host that knows what reviewers said. It is read, never written.
type Reviewed interface {
	// Remarks returns what was said of changes that were merged after since,
	// oldest first. More than the host's reader is willing to look at is left
	// out, and said in the warning.
	Remarks(ctx context.Context, since time.Time) (all []Remark, warning string, err error)
}

// ReviewedOf returns the reviews of a forge, nil where it has none.
func ReviewedOf(f Forge) Reviewed { return as[Reviewed](f) }
