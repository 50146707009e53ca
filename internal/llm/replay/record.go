package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Recorder passes requests on to a real endpoint and keeps what it answered. It
// records request and reply alone: no header, and so no key, reaches a file.
type Recorder struct {
	dir   string
	proxy *httputil.ReverseProxy

	mu     sync.Mutex
	faults []error
}

// maxReply bounds one answer that is recorded.
const maxReply = 8 << 20

// NewRecorder records into dir what upstream answers. The upstream is a checked
// base URL: it ends before /chat/completions, and replaces everything before
// that. A nil transport is the default one.
func NewRecorder(upstream *url.URL, dir string, transport http.RoundTripper) (*Recorder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("record answers: %w", err)
	}
	r := &Recorder{dir: dir}
	r.proxy = &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(upstream)
			p.Out.URL.Path = strings.TrimRight(upstream.Path, "/") + "/chat/completions"
			p.Out.URL.RawPath = ""
			p.Out.Header.Del("Accept-Encoding") // so that the reply can be read
		},
		ModifyResponse: r.keep,
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, err error) {
			fail(w, http.StatusBadGateway, "upstream", "the recorded endpoint cannot be reached: "+err.Error())
		},
	}
	return r, nil
}

type requestBody struct{}

// ServeHTTP proxies POST .../chat/completions.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost || !strings.HasSuffix(req.URL.Path, "/chat/completions") {
		fail(w, http.StatusNotFound, "no_such_path", "no such path")
		return
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxRequest))
	if err != nil {
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "the request cannot be read")
		return
	}
	req = req.WithContext(withBody(req.Context(), raw))
	req.Body = io.NopCloser(bytes.NewReader(raw))
	r.proxy.ServeHTTP(w, req)
}

// keep records a whole answer and passes every answer on.
func (r *Recorder) keep(resp *http.Response) error {
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxReply+1))
	if err == nil && len(raw) > maxReply {
		err = errors.New("the answer is too large")
	}
	_ = resp.Body.Close()
	if err != nil {
		return err
	}
	resp.Body = io.NopCloser(bytes.NewReader(raw))
	if resp.StatusCode != http.StatusOK {
		return nil
	}
	if err := r.record(bodyFrom(resp.Request.Context()), raw); err != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.faults = append(r.faults, err)
	}
	return nil
}

// Faults lists the answers that could not be recorded, and why.
func (r *Recorder) Faults() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]error(nil), r.faults...)
}

func (r *Recorder) record(request, response []byte) error {
	key, err := Key(request)
	if err != nil {
		return err
	}
	reply, err := replyOf(response)
	if err != nil {
		return fmt.Errorf("request %s is not recorded: %w", key, err)
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(Cassette{Request: request, Reply: reply}); err != nil {
		return fmt.Errorf("record request %s: %w", key, err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, key+".json"), b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("record request %s: %w", key, err)
	}
	return nil
}

// replyOf takes the text out of a finished answer; any other is not recorded,
// as a recording could not show how it ended.
func replyOf(response []byte) (string, error) {
	var a struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content string `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(response, &a); err != nil {
		return "", fmt.Errorf("the answer is not a chat completion: %w", err)
	}
	if len(a.Choices) != 1 || a.Choices[0].Message.Content == "" {
		return "", fmt.Errorf("the answer has %d choices or no text", len(a.Choices))
	}
	if why := a.Choices[0].FinishReason; why != "" && why != "stop" {
		return "", fmt.Errorf("the answer ended by %q", why)
	}
	return a.Choices[0].Message.Content, nil
}

func withBody(ctx context.Context, raw []byte) context.Context {
	return context.WithValue(ctx, requestBody{}, raw)
}

func bodyFrom(ctx context.Context) []byte {
	raw, _ := ctx.Value(requestBody{}).([]byte)
	return raw
}
