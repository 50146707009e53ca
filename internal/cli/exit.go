package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// Exit codes. They are a contract with cron, Kubernetes and CI: 1 and 2 are
// for a person, 3 is worth another try, 4 says that the receipt names what is
// left.
const (
	ExitDone     = 0
	ExitFindings = 1
	ExitUsage    = 2
	ExitPassing  = 3
	ExitPartial  = 4
)

// usageError is a fault of the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// codeError ends the program with a code; a nil cause prints nothing.
type codeError struct {
	code  int
	cause error
}

func (e codeError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit %d", e.code)
	}
	return e.cause.Error()
}

func (e codeError) Unwrap() error { return e.cause }

// exit prints err for a person and returns its code.
func (m *Main) exit(err error) int {
	if err == nil {
		return ExitDone
	}
	var coded codeError
	if errors.As(err, &coded) && coded.cause == nil {
		return coded.code
	}
	fmt.Fprintf(m.Stderr, "retrosweep: %s\n", guard.Terminal(err.Error()))
	return codeOf(err)
}

func codeOf(err error) int {
	var coded codeError
	var usage usageError
	var faults *config.Faults
	var hostKey *remote.HostKeyError
	switch {
	case errors.As(err, &coded):
		return coded.code
	case errors.As(err, &usage), errors.As(err, &faults), errors.Is(err, repo.ErrNotRepository), errors.Is(err, repo.ErrEmpty), errors.Is(err, repo.ErrFormat),
		errors.As(err, &hostKey), errors.Is(err, remote.ErrURL), errors.Is(err, credentials.ErrNone), errors.Is(err, remote.ErrAuth),
		errors.Is(err, remote.ErrForbidden), errors.Is(err, remote.ErrNotFound):
		return ExitUsage
	case errors.Is(err, context.Canceled):
		return ExitPassing
	default:
		return ExitPassing
	}
}
