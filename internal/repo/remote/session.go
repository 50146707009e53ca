package remote

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// DefaultStall is how long a host may say nothing.
const DefaultStall = 3 * time.Minute

// Options say how to reach a host.
type Options struct {
	Auth       credentials.Auth
	SSHKey     string        // a private key file, instead of the agent and the usual ones
	KnownHosts string        // instead of ~/.ssh/known_hosts and the system's
	Stall      time.Duration // 0: DefaultStall
}

// session is what fetching and pushing have in common.
type session struct {
	url        URL
	options    Options
	ctx        context.Context
	cancel     context.CancelCauseFunc
	watch      *time.Timer
	credential credentials.Credential
	sent       bool     // some credential was offered
	asked      bool     // git's helpers were asked
	bearer     bool     // the token is sent in this form
	notes      []string // about keys that could not be used

	wantsBearer bool // the host takes no other form

	advertised *packp.AdvRefs
}

func newSession(ctx context.Context, u URL, o Options) *session {
	if o.Stall == 0 {
		o.Stall = DefaultStall
	}
	s := &session{url: u, options: o}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	s.watch = time.AfterFunc(o.Stall, func() { s.cancel(ErrStalled) })
	return s
}

// alive says that the host has just said something.
func (s *session) alive() { s.watch.Reset(s.options.Stall) }

func (s *session) close() {
	s.watch.Stop()
	s.cancel(context.Canceled)
}

// Refs are the references that the remote advertises, by full name, without
// HEAD and without what tags point to.
func (s *session) Refs() map[string]plumbing.Hash { return maps.Clone(s.advertised.References) }

// Head is the branch that the remote's HEAD names, by its full name, "" if it
// names none. Old servers do not say; then a branch at the same commit is taken.
func (s *session) Head() string {
	for _, pair := range s.advertised.Capabilities.Get(capability.SymRef) {
		if target, ok := strings.CutPrefix(pair, "HEAD:"); ok {
			return target
		}
	}
	if s.advertised.Head == nil {
		return ""
	}
	names := slices.Sorted(maps.Keys(s.advertised.References))
	for _, first := range []string{"refs/heads/main", "refs/heads/master"} {
		names = append([]string{first}, names...)
	}
	for _, name := range names {
		if h, ok := s.advertised.References[name]; ok && h == *s.advertised.Head && strings.HasPrefix(name, "refs/heads/") {
			return name
		}
	}
	return ""
}

// Can reports whether the remote has a capability.
func (s *session) Can(c capability.Capability) bool { return s.advertised.Capabilities.Supports(c) }

// connect opens a session with what can be known before the host is asked, and
// when it refuses, once more with what can be found out then.
func connect[T transport.Session](s *session, op string, open func(transport.Transport, *transport.Endpoint, transport.AuthMethod) (T, error)) (T, error) {
	t, err := try(s, open)
	for kindOfOrNil(err) == ErrAuth && s.nextCredential() {
		t, err = try(s, open)
	}
	if err != nil {
		err = s.explain(op, err)
		s.close()
	}
	return t, err
}

func kindOfOrNil(err error) error {
	if err == nil {
		return nil
	}
	return kindOf(err)
}

// try connects and reads the advertisement. The SSH library dials without
// looking at a context, so it is left behind when that ends.
func try[T transport.Session](s *session, open func(transport.Transport, *transport.Endpoint, transport.AuthMethod) (T, error)) (T, error) {
	type result struct {
		session T
		refs    *packp.AdvRefs
		err     error
	}
	done := make(chan result, 1)
	go func() {
		var r result
		client, auth, err := s.client()
		if err == nil {
			r.session, err = open(client, s.url.endpoint(), auth)
		}
		if err == nil {
			r.refs, err = r.session.AdvertisedReferencesContext(s.ctx)
			if err != nil || s.ctx.Err() != nil {
				r.session.Close() // nobody will: the error at hand is the one that counts
			}
		}
		r.err = err
		done <- r
	}()
	select {
	case r := <-done:
		s.alive()
		s.advertised = r.refs
		return r.session, r.err
	case <-s.ctx.Done():
		var none T
		return none, context.Cause(s.ctx)
	}
}

// progress is the reader of a pack that keeps the watch and counts.
type progress struct {
	r    io.Reader
	s    *session
	n    int64
	tell func(n int64)
}

func (p *progress) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if n > 0 {
		p.s.alive()
		p.n += int64(n)
		p.tell(p.n)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = p.s.explain("fetch", err)
	}
	return n, err
}
