package forge

import "context"

// Members is a host that knows who may write to the repository. It is read,
// never written.
type Members interface {
	// AuthorOf returns the login behind the author of a commit, by its full id. It
	// is "" where the host does not know the commit, or no account for the
	// address in it.
	AuthorOf(ctx context.Context, commit string) (string, error)
	// MayWrite reports whether an account may write to the repository. One that
	// is not there may not.
	MayWrite(ctx context.Context, login string) (bool, error)
}

// MembersOf returns the members of a forge, nil where it has none.
func MembersOf(f Forge) Members { return as[Members](f) }
