package openai_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/llm/openai"
)

const canary = "sk-canary-5f1e0c77a9b2"

// start serves h and makes a generator for it.
func start(t *testing.T, h http.Handler, change ...func(*openai.Options)) llm.Generator {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	o := openai.Options{BaseURL: server.URL + "/v1/", Model: "qwen3", APIKey: canary}
	for _, by := range change {
		by(&o)
	}
	g, err := openai.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func question() llm.Request {
	return llm.Request{Stage: "triage", Prompt: llmtest.Prompt("How?"), MaxTokens: 77}
}

func model(name string) func(*openai.Options) {
	return func(o *openai.Options) { o.Model = name }
}

func TestConforms(t *testing.T) {
	t.Parallel()
	llmtest.Suite(t, func(t *testing.T, replies ...llmtest.Reply) llm.Generator {
		return start(t, llmtest.NewServer("qwen3", replies...))
	})
}

// Traps 1 and 2: a temperature of zero must reach the wire as nearly zero, not
// be left out; reasoning models take neither it nor max_tokens.
func TestWireByModel(t *testing.T) {
	t.Parallel()
	tests := []struct {
		model       string
		param       openai.TokenParam
		tokens      string
		temperature bool
	}{
		{"qwen3", "", "max_tokens", true},
		{"qwen3", openai.MaxCompletionTokens, "max_completion_tokens", true},
		{"gpt-4.1-mini", openai.MaxTokens, "max_tokens", true},
		{"gpt-5-mini", openai.TokensAuto, "max_completion_tokens", false},
		{"o3", "", "max_completion_tokens", false},
		{"o1-mini", openai.MaxCompletionTokens, "max_completion_tokens", false},
		{"openai/o4-mini", "", "max_completion_tokens", false},
		{"gpt-6-sol", "", "max_completion_tokens", false},
	}
	for _, tt := range tests {
		t.Run(tt.model+" "+string(tt.param), func(t *testing.T) {
			t.Parallel()
			server := llmtest.NewServer(tt.model, llmtest.Reply{Text: "{}"})
			g := start(t, server, model(tt.model), func(o *openai.Options) { o.TokenParam = tt.param })
			if _, err := g.Generate(t.Context(), question()); err != nil {
				t.Fatal(err)
			}
			wire := wireOf(t, server)
			if wire[tt.tokens] != 77.0 {
				t.Errorf("%s = %v, want 77 in %v", tt.tokens, wire[tt.tokens], wire)
			}
			if other := wire["max_tokens"]; other != nil && wire["max_completion_tokens"] != nil {
				t.Error("both token parameters were sent")
			}
			value, sent := wire["temperature"].(float64)
			if sent != tt.temperature || value > 1e-6 {
				t.Errorf("temperature sent: %v (%v), want sent: %v", sent, value, tt.temperature)
			}
		})
	}
}

func wireOf(t *testing.T, server *llmtest.Server) map[string]any {
	t.Helper()
	var wire map[string]any
	if err := json.Unmarshal(server.Seen()[0].Body, &wire); err != nil {
		t.Fatal(err)
	}
	return wire
}

func TestWireCarriesPromptSchemaAndKey(t *testing.T) {
	t.Parallel()
	server := llmtest.NewServer("qwen3", llmtest.Reply{Text: "{}"})
	g := start(t, server)
	req := question()
	req.Prompt.Name = "triage/v2 für alle"
	if _, err := g.Generate(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	seen := server.Seen()[0]
	if seen.Path != "/v1/chat/completions" || seen.Header.Get("Authorization") != "Bearer "+canary {
		t.Errorf("path %s, authorization %q", seen.Path, seen.Header.Get("Authorization"))
	}
	for _, want := range []string{
		`"messages":[{"role":"system","content":"Answer in JSON."},{"role":"user","content":"How?"}]`,
		`"type":"json_schema"`, `"name":"triage_v2_f_r_alle"`, `"strict":true`, `"additionalProperties":false`, `"stream":false`,
	} {
		if !strings.Contains(string(seen.Body), want) {
			t.Errorf("the request lacks %s:\n%s", want, seen.Body)
		}
	}
}

func TestNoKeyNoHeader(t *testing.T) {
	t.Parallel()
	server := llmtest.NewServer("qwen3", llmtest.Reply{Text: "{}"})
	g := start(t, server, func(o *openai.Options) { o.APIKey = "" })
	if _, err := g.Generate(t.Context(), question()); err != nil {
		t.Fatal(err)
	}
	if h, sent := server.Seen()[0].Header["Authorization"]; sent {
		t.Errorf("Authorization sent without a key: %q", h)
	}
}

// Traps 3, 5 and 6: every shape of error, told apart by what stands on the wire.
func TestErrorShapes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		status    int
		body      string
		header    [2]string
		kind      error
		transient bool
		want      string // in the message
	}{
		{"object", 401, `{"error":{"message":"bad key","type":"invalid_request_error","code":"invalid_api_key"}}`, [2]string{}, llm.ErrUnavailable, false, "bad key (check the API key"},
		{"string", 403, `{"error":"no entry"}`, [2]string{}, llm.ErrUnavailable, false, "no entry"},
		{"flat", 400, `{"object":"error","message":"max_tokens is too large","code":400}`, [2]string{}, llm.ErrUnavailable, false, "max_tokens is too large"},
		{"detail", 422, `{"detail":[{"msg":"field required"}]}`, [2]string{}, llm.ErrUnavailable, false, "field required"},
		{"page", 502, "<html><h1>Bad\nGateway</h1>", [2]string{}, llm.ErrUnavailable, true, "<html><h1>Bad Gateway"},
		{"empty", 500, "", [2]string{}, llm.ErrUnavailable, true, "answered 500"},
		{"quota", 429, `{"error":{"message":"pay first","code":"insufficient_quota"}}`, [2]string{}, llm.ErrUnavailable, false, "billing"},
		{"wait seconds", 429, `{"error":{"message":"slow down"}}`, [2]string{"Retry-After", "9"}, llm.ErrUnavailable, true, "slow down"},
		{"filter", 400, `{"error":{"message":"filtered","code":"content_filter"}}`, [2]string{}, llm.ErrRefused, false, "filtered"},
		{"context", 400, `{"error":{"message":"too many tokens","code":"context_length_exceeded"}}`, [2]string{}, llm.ErrRefused, false, "too many tokens"},
		{"too large", 413, `no`, [2]string{}, llm.ErrRefused, false, "413"},
		{"error under 200", 200, `{"error":{"message":"upstream died","code":502}}`, [2]string{}, llm.ErrUnavailable, true, "upstream died"},
		{"denied under 200", 200, `{"error":{"message":"who are you","code":401}}`, [2]string{}, llm.ErrUnavailable, false, "who are you"},
		{"string error under 200", 200, `{"error":"model is loading"}`, [2]string{}, llm.ErrUnavailable, true, "model is loading"},
		{"no choices", 200, `{"choices":[]}`, [2]string{}, llm.ErrUnavailable, true, "without choices"},
		{"null", 200, `null`, [2]string{}, llm.ErrUnavailable, true, "without choices"},
		{"page under 200", 200, `<!doctype html>`, [2]string{}, llm.ErrUnavailable, false, "/v1"},
		{"terminal codes", 500, "{\"error\":{\"message\":\"\\u001b]52;c;evil\\u0007 \\u202e\\nx\"}}", [2]string{}, llm.ErrUnavailable, true, "·]52;c;evil· · x"},
		{"moved", 307, "", [2]string{"Location", "https://elsewhere.example/v1"}, llm.ErrUnavailable, false, "redirects"},
		{"choices without place", 304, "", [2]string{}, llm.ErrUnavailable, false, "redirects"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			g := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.header[0] != "" {
					w.Header().Set(tt.header[0], tt.header[1])
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			_, err := g.Generate(t.Context(), question())
			var failed *llm.CallError
			if !errors.As(err, &failed) {
				t.Fatalf("got %v, want a *llm.CallError", err)
			}
			if !errors.Is(err, tt.kind) || failed.Transient != tt.transient {
				t.Errorf("kind %v, transient %v; want %v, %v", failed.Kind, failed.Transient, tt.kind, tt.transient)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("message %q lacks %q", err, tt.want)
			}
			if tt.header[1] == "9" && failed.RetryAfter != 9*time.Second {
				t.Errorf("RetryAfter = %s, want 9s", failed.RetryAfter)
			}
		})
	}
}

func TestRetryAfterAsDate(t *testing.T) {
	t.Parallel()
	g := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Date", "Mon, 30 Nov 2026 04:30:00 GMT")
		w.Header().Set("Retry-After", "Mon, 30 Nov 2026 04:30:25 GMT")
		w.WriteHeader(429)
	}))
	_, err := g.Generate(t.Context(), question())
	var failed *llm.CallError
	if !errors.As(err, &failed) || failed.RetryAfter != 25*time.Second {
		t.Errorf("got %v, want to wait 25s", err)
	}
}

// Trap 4 does not apply (nothing is streamed), but a cut answer must not pass.
func TestCutAnswer(t *testing.T) {
	t.Parallel()
	g := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"half`)
	}))
	_, err := g.Generate(t.Context(), question())
	var failed *llm.CallError
	if !errors.As(err, &failed) || !failed.Transient || !failed.Billed {
		t.Errorf("got %v, want a transient, billed failure", err)
	}
}

func TestHugeAnswer(t *testing.T) {
	t.Parallel()
	g := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"choices":[{"message":{"content":"`)
		for range 9 {
			_, _ = io.WriteString(w, strings.Repeat("a", 1<<20))
		}
		_, _ = io.WriteString(w, `"}}]}`)
	}))
	_, err := g.Generate(t.Context(), question())
	var failed *llm.CallError
	if !errors.As(err, &failed) || failed.Transient || !strings.Contains(err.Error(), "larger than 8 MiB") {
		t.Errorf("got %v, want a refusal of the size", err)
	}
}

// Trap 7: without a timeout of our own a hanging endpoint hangs the night.
func TestTimeout(t *testing.T) {
	t.Parallel()
	g := start(t, llmtest.NewServer("qwen3", llmtest.Reply{Fault: llmtest.Hangs}), func(o *openai.Options) { o.Timeout = 30 * time.Millisecond })
	_, err := g.Generate(t.Context(), question())
	var failed *llm.CallError
	if !errors.As(err, &failed) || !errors.Is(err, llm.ErrUnavailable) || !failed.Transient || !failed.Billed {
		t.Errorf("got %v, want a transient, billed ErrUnavailable", err)
	}
}

func TestDeadEndpoint(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.NotFoundHandler())
	url := server.URL
	server.Close()
	g, err := openai.New(openai.Options{BaseURL: url, Model: "qwen3"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = g.Generate(t.Context(), question())
	var failed *llm.CallError
	if !errors.As(err, &failed) || !failed.Transient || !strings.Contains(err.Error(), "refused (check the base URL") {
		t.Errorf("got %v", err)
	}
}

// llm-endpoint: the key goes to the configured host and nowhere else.
func TestAttackRedirectWithKey(t *testing.T) {
	t.Parallel()
	thief := llmtest.NewServer("qwen3", llmtest.Reply{Text: "{}"})
	other := httptest.NewServer(thief)
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		g := start(t, http.RedirectHandler(other.URL+"/v1/chat/completions", status))
		if _, err := g.Generate(t.Context(), question()); !errors.Is(err, llm.ErrUnavailable) {
			t.Errorf("%d: got %v, want ErrUnavailable", status, err)
		}
	}
	if seen := thief.Seen(); len(seen) != 0 {
		t.Errorf("a redirect was followed: %v", seen[0].Header)
	}
}

// token-leak: whatever an endpoint echoes and however things are printed, the
// key shows nowhere.
func TestAttackTokenLeak(t *testing.T) {
	t.Parallel()
	echo := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(401)
		_, _ = fmt.Fprintf(w, `{"error":{"message":"wrong key: %s"}}`, r.Header.Get("Authorization"))
	})
	var options openai.Options
	g := start(t, echo, func(o *openai.Options) { options = *o })
	_, err := g.Generate(t.Context(), question())
	if err == nil || !strings.Contains(err.Error(), "‹key›") {
		t.Fatalf("got %v, want the echoed key replaced", err)
	}
	asJSON, err2 := json.Marshal(struct{ Key openai.Secret }{options.APIKey})
	if err2 != nil {
		t.Fatal(err2)
	}
	sinks := []string{err.Error(), string(asJSON), fmt.Sprint(errors.Unwrap(err))}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		sinks = append(sinks, fmt.Sprintf(verb, options), fmt.Sprintf(verb, options.APIKey), fmt.Sprintf(verb, g), fmt.Sprintf(verb, err))
	}
	for _, s := range sinks {
		if strings.Contains(s, canary) || strings.Contains(s, fmt.Sprintf("%x", canary)) {
			t.Errorf("the key shows in %q", s)
		}
	}
}
