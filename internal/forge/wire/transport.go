package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// Clock is time as the transport sees it.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

const (
	callTimeout = 30 * time.Second // of one attempt, with the body
	writeGap    = time.Second      // between two writes, as GitHub asks
	maxAnswer   = 32 << 20
	maxAttempts = 4
)

// DefaultPause is the longest that one limit is waited for.
const DefaultPause = 5 * time.Minute

// Credential gives the token that is valid now.
type Credential interface {
	Token(ctx context.Context) (credentials.Secret, error)
}

// Token is a credential that does not change.
type Token struct{ credentials.Secret }

// Token implements [Credential].
func (t Token) Token(context.Context) (credentials.Secret, error) { return t.Secret, nil }

// Transport is the only way to an API, see [New]. It makes every call carry the token to
// this one host and no other, ends it after a while, reads the answer to a
// bounded end, waits where the host asks for it, repeats reads that failed in
// passing, and makes one write at a time.
type Transport struct {
	Options

	writing   sync.Mutex
	lastWrite time.Time
	writes    int
	memory    memory
}

// Options are what a transport is made of; all but the credential are needed.
type Options struct {
	Name       string     // of the host, in messages
	Host       *url.URL   // the address of the API
	Credential Credential // nil: the request brings its own
	Next       http.RoundTripper
	Clock      Clock
	MaxPause   time.Duration // the longest limit that is waited for
}

// New returns the way to one host.
func New(o Options) *Transport { return &Transport{Options: o} }

// Client is an HTTP client on this way alone.
func (t *Transport) Client() *http.Client {
	return &http.Client{Transport: t, CheckRedirect: CheckRedirect}
}

// hidden stands where the host sent the token back.
const hidden = "[secret]"

// RoundTrip implements [http.RoundTripper].
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != t.Host.Host || req.URL.Scheme != t.Host.Scheme {
		return nil, fmt.Errorf("refused: %s is not the host of the token", req.URL.Host)
	}
	if !isRead(req) {
		t.writing.Lock()
		defer t.writing.Unlock()
		if t.writes++; t.writes > maxWrites {
			return nil, ErrBudget
		}
		if err := t.gap(req.Context()); err != nil {
			return nil, err
		}
		defer func() { t.lastWrite = t.Clock.Now() }()
	}
	for attempt := 0; ; attempt++ {
		a, err := t.once(req)
		wait, again := t.again(req, a, err, attempt)
		if !again {
			if err != nil {
				return nil, err
			}
			return a.response(req), nil
		}
		if wait > t.MaxPause {
			return nil, &LimitError{Host: t.Name, Status: a.status, Until: t.Clock.Now().Add(wait)}
		}
		if err := t.Clock.Sleep(req.Context(), wait); err != nil {
			return nil, fmt.Errorf("wait to call again: %w", err)
		}
	}
}

// again says whether and when the same call is made again: a limit has done
// nothing, so a write may be repeated after one; after other faults only a read.
func (t *Transport) again(req *http.Request, a answer, err error, attempt int) (time.Duration, bool) {
	if attempt+1 >= maxAttempts || req.Context().Err() != nil {
		return 0, false
	}
	if err != nil {
		var refused *answerError
		return time.Second << attempt, isRead(req) && !errors.As(err, &refused)
	}
	if wait, limited := pause(a, t.Clock.Now(), attempt); limited {
		return wait, true
	}
	return time.Second << attempt, isRead(req) && passing(a.status)
}

// gap keeps writes apart.
func (t *Transport) gap(ctx context.Context) error {
	if t.lastWrite.IsZero() {
		return nil
	}
	if d := writeGap - t.Clock.Now().Sub(t.lastWrite); d > 0 {
		return t.Clock.Sleep(ctx, d)
	}
	return nil
}

func isRead(req *http.Request) bool {
	return req.Method == http.MethodGet || req.Method == http.MethodHead
}

// once makes one attempt.
func (t *Transport) once(req *http.Request) (answer, error) {
	ctx, cancel := context.WithTimeout(req.Context(), callTimeout)
	defer cancel()
	out := req.Clone(ctx)
	if req.GetBody != nil {
		body, err := req.GetBody()
		if err != nil {
			return answer{}, fmt.Errorf("send the request: %w", err)
		}
		out.Body = body
	}
	token, err := t.authorize(ctx, out)
	if err != nil {
		return answer{}, err
	}
	t.memory.ask(out)
	resp, err := t.Next.RoundTrip(out)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer+1))
	if err != nil {
		return answer{}, fmt.Errorf("read the answer: %w", err)
	}
	a := answer{status: resp.StatusCode, header: resp.Header, body: body}
	if !token.Empty() { // what echoes the request, as proxies do, must not reach an error
		a.body = bytes.ReplaceAll(body, []byte(token.Reveal()), []byte(hidden))
	}
	if err := a.check(); err != nil {
		return a, err
	}
	return t.memory.complete(out, a)
}

func (t *Transport) authorize(ctx context.Context, req *http.Request) (credentials.Secret, error) {
	if t.Credential == nil {
		return credentials.Secret{}, nil
	}
	token, err := t.Credential.Token(ctx)
	if err != nil {
		return token, fmt.Errorf("get a token: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token.Reveal())
	return token, nil
}

// answerError is an answer that another try would not make better.
type answerError struct{ reason string }

func (e *answerError) Error() string { return e.reason }

// check refuses what is no answer of the API, whatever its status says.
func (a answer) check() error {
	if len(a.body) > maxAnswer {
		return &answerError{fmt.Sprintf("the answer is larger than %d MB", maxAnswer>>20)}
	}
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if a.status < 300 && len(a.body) > 0 && (err != nil || !strings.HasSuffix(kind, "json")) {
		return &answerError{fmt.Sprintf("the answer is %s, not JSON: is this the address of an API?", kindOf(kind))}
	}
	return nil
}

func kindOf(kind string) string {
	if kind == "" {
		return "of no type"
	}
	return kind
}

// response is the answer as the client library takes it. The limits are taken
// out: waiting is done, and the library would refuse calls by a clock of its own.
func (a answer) response(req *http.Request) *http.Response {
	for _, h := range []string{"X-RateLimit-Remaining", "X-RateLimit-Limit", "X-RateLimit-Reset", "RateLimit-Remaining", "RateLimit-Limit", "RateLimit-Reset"} {
		a.header.Del(h)
	}
	a.header.Del("Content-Length")
	return &http.Response{
		Status: fmt.Sprintf("%d %s", a.status, http.StatusText(a.status)), StatusCode: a.status,
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: a.header,
		Body: io.NopCloser(bytes.NewReader(a.body)), ContentLength: int64(len(a.body)), Request: req,
	}
}

// errRedirect is what a redirect becomes that is not followed.
var errRedirect = errors.New("the redirect is refused")

// CheckRedirect follows a few redirects of reads on the same host: a renamed
// repository has one.
func CheckRedirect(req *http.Request, via []*http.Request) error {
	first := via[0]
	switch {
	case req.URL.Host != first.URL.Host || req.URL.Scheme != first.URL.Scheme:
		return fmt.Errorf("%w: it leads from %s to %s", errRedirect, first.URL.Host, req.URL.Host)
	case req.Method != first.Method:
		return fmt.Errorf("%w: it would turn %s into %s", errRedirect, first.Method, req.Method)
	case len(via) > 3:
		return fmt.Errorf("%w: it is the fourth", errRedirect)
	}
	return nil
}

// CheckEndpoint refuses plain HTTP, but to this machine.
func CheckEndpoint(u *url.URL) error {
	switch {
	case u.Host == "" || u.User != nil || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("the address of the API must be https://host/, without a name or password in it")
	case u.Scheme == "http" && !credentials.Loopback(u.Hostname()):
		return fmt.Errorf("%s: plain http would show the token to the network: use https", u.Host)
	}
	return nil
}

// System is the clock of the machine.
type System struct{}

// Now implements [Clock].
func (System) Now() time.Time { return time.Now() }

// Sleep implements [Clock].
func (System) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
