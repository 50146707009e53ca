package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// Bounds on answers that the library reads into memory.
const (
	maxErrorBody     = 64 << 10
	maxAdvertisement = 256 << 20
)

// client returns the library's client for the address.
func (s *session) client() (transport.Transport, transport.AuthMethod, error) {
	if s.url.scheme == "ssh" {
		return s.sshClient()
	}
	if s.credential.Secret.Empty() && !s.sent {
		c, ok, err := s.options.Auth.Before(s.ctx, s.url.web())
		if err != nil {
			return nil, nil, fmt.Errorf("find a credential: %w", err)
		}
		if ok {
			s.credential, s.sent = c, true
		}
	}
	c := &http.Client{Transport: &tripper{s: s}, CheckRedirect: sameHost}
	if s.credential.Secret.Empty() {
		return githttp.NewClient(c), nil, nil
	}
	return githttp.NewClient(c), &header{s}, nil
}

// nextCredential prepares another try after a refusal: the same token in the
// form that the host asked for, then what git's helpers know.
func (s *session) nextCredential() bool {
	if s.url.scheme == "ssh" {
		return false
	}
	if s.wantsBearer && !s.bearer && s.sent {
		s.bearer = true
		return true
	}
	if s.asked {
		return false
	}
	s.asked, s.bearer = true, false
	c, ok, err := s.options.Auth.After(s.ctx, s.url.web())
	if err != nil {
		s.notes = append(s.notes, err.Error())
	}
	if ok {
		s.credential, s.sent = c, true
	}
	return ok
}

// header puts the credential into requests to the host of the address. The
// library takes it out again when a redirect leaves the origin.
type header struct{ s *session }

// Name names the method.
func (h *header) Name() string { return "http-credential" }

// String says where the credential is from.
func (h *header) String() string { return h.s.credential.String() }

// SetAuth sets the header.
func (h *header) SetAuth(r *http.Request) {
	if r.URL.Host != h.s.url.Host() || r.URL.Scheme != h.s.url.scheme {
		return
	}
	if h.s.bearer {
		r.Header.Set("Authorization", "Bearer "+h.s.credential.Secret.Reveal())
		return
	}
	r.SetBasicAuth(h.s.credential.Username, h.s.credential.Secret.Reveal())
}

// sameHost follows redirects on one host: repositories are renamed. Another host
// is for the operator to name.
func sameHost(r *http.Request, via []*http.Request) error {
	if from := via[0].URL; r.URL.Host != from.Host || r.URL.Scheme != from.Scheme {
		return fmt.Errorf("%w: from %s to %q; if that is meant, use its address", ErrRedirect, from.Host, r.URL.Scheme+"://"+r.URL.Host)
	}
	return nil
}

// baseTransport is shared by all sessions, for its connections and the
// operator's proxy.
var baseTransport = sync.OnceValue(func() http.RoundTripper {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.ResponseHeaderTimeout = DefaultStall
	return t
})

// tripper watches answers: it bounds them, keeps the session's watch, and notes
// how the host wants to be asked.
type tripper struct{ s *session }

// RoundTrip sends one request.
func (t *tripper) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := baseTransport().RoundTrip(r)
	if err != nil {
		return nil, err
	}
	t.s.alive()
	limit := int64(0)
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		limit = maxErrorBody
	case r.Method == http.MethodGet:
		limit = maxAdvertisement
	}
	if res.StatusCode == http.StatusUnauthorized {
		challenges := strings.ToLower(strings.Join(res.Header.Values("WWW-Authenticate"), ","))
		t.s.wantsBearer = strings.Contains(challenges, "bearer") && !strings.Contains(challenges, "basic")
	}
	res.Body = &body{ReadCloser: res.Body, s: t.s, bounded: limit > 0, left: limit, cut: limit == maxErrorBody}
	return res, nil
}

// body is an answer that keeps the watch and ends at a limit: quietly for the
// text of an error, of which a part will do.
type body struct {
	io.ReadCloser
	s       *session
	bounded bool
	left    int64
	cut     bool
}

func (b *body) Read(p []byte) (int, error) {
	if b.bounded && b.left <= 0 {
		if b.cut {
			return 0, io.EOF
		}
		return 0, errors.New("the answer is too long")
	}
	if b.bounded && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	if n > 0 {
		b.s.alive()
	}
	if err != nil && !errors.Is(err, io.EOF) && context.Cause(b.s.ctx) != nil {
		err = context.Cause(b.s.ctx)
	}
	return n, err
}
