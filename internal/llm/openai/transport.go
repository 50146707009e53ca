package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// maxBody bounds one answer: far above any honest one, far below trouble.
const maxBody = 8 << 20

var (
	errTooLarge = errors.New("the answer is larger than 8 MiB")
	errRedirect = errors.New("the endpoint redirects elsewhere, which is not followed")
	errOtherURL = errors.New("request to a host that is not the configured one")
)

// transport is what the library lacks: it keeps the key to one host, refuses
// redirects, reads bounded answers and notes what the library's errors drop.
type transport struct {
	next      http.RoundTripper
	base      *url.URL
	authorize func(http.Header) // a closure, so that no printing of structs shows the key
}

func newTransport(base *url.URL, key Secret, given *http.Client) *transport {
	t := &transport{base: base, authorize: func(http.Header) {}}
	if key != "" {
		t.authorize = func(h http.Header) { h.Set("Authorization", "Bearer "+string(key)) }
	}
	switch shared, ok := http.DefaultTransport.(*http.Transport); {
	case given != nil && given.Transport != nil:
		t.next = given.Transport
	case ok:
		t.next = shared.Clone()
	default:
		t.next = http.DefaultTransport
	}
	return t
}

// RoundTrip makes one request and reads its whole answer.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host != t.base.Host || req.URL.Scheme != t.base.Scheme {
		return nil, errOtherURL
	}
	req = req.Clone(req.Context())
	t.authorize(req.Header)
	seen := observedFrom(req.Context())
	seen.sent = true
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	seen.note(resp)
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return nil, errRedirect
	}
	body, err := readBounded(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	seen.body, seen.whole = body, true
	resp.Body = io.NopCloser(bytes.NewReader(seen.body))
	return resp, nil
}

func readBounded(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxBody+1))
	if err == nil && len(body) > maxBody {
		err = errTooLarge
	}
	return body, err
}

// observed is what one call saw on the wire.
type observed struct {
	sent       bool
	whole      bool // the body was read to its end
	status     int
	retryAfter time.Duration
	recorded   bool
	body       []byte
}

type observedKey struct{}

func withObserved(ctx context.Context, o *observed) context.Context {
	return context.WithValue(ctx, observedKey{}, o)
}

func observedFrom(ctx context.Context) *observed {
	if o, ok := ctx.Value(observedKey{}).(*observed); ok {
		return o
	}
	return &observed{}
}

func (o *observed) note(resp *http.Response) {
	o.status = resp.StatusCode
	o.recorded = resp.Header.Get(llm.RecordedHeader) == "1"
	o.retryAfter = retryAfter(resp.Header)
}

// retryAfter reads seconds, or a date against the answer's own clock.
func retryAfter(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.ParseFloat(value, 64); err == nil && n > 0 {
		return time.Duration(min(n, 86400) * float64(time.Second))
	}
	at, err := http.ParseTime(value)
	now, err2 := http.ParseTime(h.Get("Date"))
	if err != nil || err2 != nil || !at.After(now) {
		return 0
	}
	return at.Sub(now)
}

// said finds what an error body tells, in any of the shapes seen: OpenAI's
// object, a plain string, a flat message, or no JSON at all.
func (o *observed) said() (message, code string, isError bool) {
	var body struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  json.RawMessage `json:"detail"`
	}
	if json.Unmarshal(o.body, &body) != nil {
		return string(o.body), "", false
	}
	if len(body.Error) == 0 || string(body.Error) == "null" {
		return body.Message + text(body.Detail), "", false
	}
	var object struct {
		Message json.RawMessage `json:"message"`
		Code    json.RawMessage `json:"code"`
		Type    string          `json:"type"`
	}
	if json.Unmarshal(body.Error, &object) != nil {
		return text(body.Error), "", true
	}
	code = text(object.Code)
	if code == "" {
		code = object.Type
	}
	return text(object.Message), code, true
}

// text is a JSON string's value, or the JSON itself.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}
