package pulls

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
)

var _ forge.Board = (*Forge)(nil)

// Issue is an issue that our account made.
type Issue struct {
	Number int
	Body   string
	Author Identity
	Open   bool
}

// Editors is a host that knows who edited an issue.
type Editors interface {
	// Editors are the logins of who did so since we did; "": an account that is
	// gone, or one that is not told.
	Editors(ctx context.Context, number int) ([]string, error)
}

// Notice implements [forge.Board]. Of several the oldest counts. A host that does
// not say who edited an issue names nobody, so that no tick counts there.
func (f *Forge) Notice(ctx context.Context, marker string) (forge.Notice, error) {
	issues, err := f.Host.Issues(ctx)
	if err != nil {
		return forge.Notice{}, fmt.Errorf("look for the dashboard: %w", err)
	}
	issues = slices.DeleteFunc(issues, func(i Issue) bool { return !f.Bot.Is(i.Author) || !strings.HasPrefix(i.Body, marker) })
	if len(issues) == 0 {
		return forge.Notice{}, nil
	}
	i := slices.MinFunc(issues, func(a, b Issue) int { return a.Number - b.Number })
	n := forge.Notice{Number: i.Number, Body: i.Body, Closed: !i.Open}
	if host, ok := f.Host.(Editors); ok {
		if n.Editors, err = host.Editors(ctx, i.Number); err != nil {
			return n, fmt.Errorf("read who edited issue %d: %w", i.Number, err)
		}
	}
	return n, nil
}

// Post implements [forge.Board].
func (f *Forge) Post(ctx context.Context, number int, title, body string) error {
	if len(body) > marker.MaxBody {
		return errors.New("write the dashboard: it is too long")
	}
	if err := f.Host.Post(ctx, number, title, body); err != nil {
		return fmt.Errorf("write the dashboard: %w", err)
	}
	return nil
}
