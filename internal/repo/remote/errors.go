package remote

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strings"
	"unicode"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// What can be wrong with a remote. An [Error] wraps one of them.
var (
	ErrAuth        = errors.New("the host wants another credential")
	ErrForbidden   = errors.New("the credential may not do this")
	ErrNotFound    = errors.New("no such repository, or the credential may not see it")
	ErrUnreachable = errors.New("the host does not answer as a git host") // may pass
	ErrBroke       = errors.New("the host broke off with an error of its own")
	ErrRedirect    = errors.New("the host redirects to another one")
	ErrStalled     = errors.New("the host stopped answering") // may pass
)

const maxDetail = 400

// Error is a failure of one operation on one remote. Its text is what we say
// plus at most a line of the host's, cleaned of secrets and of control
// characters; the library's own error is not kept, since it holds the host's
// answer as it came.
type Error struct {
	Op, URL string
	Kind    error
	Detail  string
}

// Error says operation, subject and cause.
func (e *Error) Error() string {
	s := fmt.Sprintf("%s %s: %v", e.Op, e.URL, e.Kind)
	if e.Detail != "" {
		s += " (" + e.Detail + ")"
	}
	return s
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// HostKeyError says that the host's key is not the one in known_hosts, or that
// there is none.
type HostKeyError struct {
	Host        string
	Changed     bool   // known_hosts has another key for the host
	Line        string // the line to add, if the fingerprint is right
	Fingerprint string
	File        string // where to add it
}

// Error says how to mend it.
func (e *HostKeyError) Error() string {
	if e.Changed {
		return fmt.Sprintf("the SSH host key of %s is not the one in %s: somebody may be in between; if the host has changed its key, "+
			"check that the new fingerprint %s is the host's and replace the line by:\n%s", e.Host, e.File, e.Fingerprint, e.Line)
	}
	return fmt.Sprintf("the SSH host key of %s is not known: check that %s is the fingerprint that the host publishes, then add this line to %s:\n%s",
		e.Host, e.Fingerprint, e.File, e.Line)
}

// explain turns an error of the library into one of ours.
func (s *session) explain(op string, err error) error {
	if err == nil {
		return nil
	}
	var hostKey *HostKeyError
	if errors.As(err, &hostKey) {
		return fmt.Errorf("%s %s: %w", op, s.url, hostKey)
	}
	if cause := context.Cause(s.ctx); cause != nil && !errors.Is(err, ErrAuth) {
		return fmt.Errorf("%s %s: %w", op, s.url, cause)
	}
	if IsEmpty(err) {
		return fmt.Errorf("%s %s: %w", op, s.url, ErrEmpty)
	}
	e := &Error{Op: op, URL: s.url.String(), Kind: kindOf(err), Detail: s.Clean(err.Error())}
	switch {
	case e.Kind == ErrAuth && !s.sent:
		e.Kind, e.Detail = fmt.Errorf("%w: %w", ErrAuth, credentials.ErrNone), s.Clean(strings.Join(s.notes, "; "))
	case e.Kind == ErrAuth && s.url.scheme != "ssh":
		e.Detail = s.Clean("sent that of " + s.credential.Source + "; " + e.Detail)
	case e.Kind == ErrAuth:
		e.Detail = s.Clean(strings.Join(append(s.notes, e.Detail), "; "))
	}
	return e
}

func kindOf(err error) error {
	var netErr net.Error
	text := err.Error()
	switch {
	case errors.Is(err, ErrRedirect):
		return ErrRedirect
	case errors.Is(err, transport.ErrAuthenticationRequired), strings.Contains(text, "unable to authenticate"), errors.Is(err, ErrAuth):
		return ErrAuth
	case errors.Is(err, transport.ErrAuthorizationFailed):
		return ErrForbidden
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return ErrNotFound
	case errors.As(err, &netErr) && netErr.Timeout():
		return ErrStalled
	}
	if strings.HasPrefix(text, "unexpected error: ") { // what the host says beside the data when it gives up
		return ErrBroke
	}
	return ErrUnreachable
}

// Clean makes a text of the host safe to show: one line of bounded length,
// without control characters and without the secret that the host was sent.
func (s *session) Clean(text string) string {
	for _, form := range s.secretForms() {
		text = strings.ReplaceAll(text, form, "‹secret›")
	}
	return oneLine(text, maxDetail)
}

func (s *session) secretForms() []string {
	secret := s.credential.Secret.Reveal()
	if secret == "" {
		return nil
	}
	pair := s.credential.Username + ":" + secret
	return []string{base64.StdEncoding.EncodeToString([]byte(pair)), base64.StdEncoding.EncodeToString([]byte(secret)), secret}
}

func oneLine(text string, max int) string {
	text = strings.ToValidUTF8(text, "?")
	text = strings.Join(strings.FieldsFunc(text, unicode.IsSpace), " ")
	text = strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, text)
	if runes := []rune(text); len(runes) > max {
		return string(runes[:max]) + "…"
	}
	return text
}
