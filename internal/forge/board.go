package forge

import "context"

// Notice is the dashboard as the host has it.
type Notice struct {
	Number  int      // of the issue; 0: there is none
	Body    string   // as it stands, with what people ticked
	Closed  bool     // a person closed it: they want none
	Editors []string // logins of who edited it since we wrote it last; "": an account that is gone
}

// Board is a host that can hold a dashboard: one issue of our own account, found
// by its marker.
type Board interface {
	// Notice reads the dashboard.
	Notice(ctx context.Context, marker string) (Notice, error)
	// Post makes it say body; number 0 makes a new one.
	Post(ctx context.Context, number int, title, body string) error
}

// BoardOf returns the board of a forge, nil where it has none. That of a dry run
// takes nothing.
func BoardOf(f Forge) Board {
	b := as[Board](f)
	if _, dry := f.(readOnly); dry && b != nil {
		return readOnlyBoard{b}
	}
	return b
}

type readOnlyBoard struct{ Board }

func (readOnlyBoard) Post(context.Context, int, string, string) error { return ErrReadOnly }
