package replay_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/llm/openai"
	"github.com/retrosweep/retrosweep/internal/llm/replay"
)

const asked = `{"model":"gpt-5-mini","messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"first\nsecond line\nthird"}],"temperature":1e-45,"max_completion_tokens":400}`

func tape(request, reply string) *fstest.MapFile {
	raw, _ := json.Marshal(replay.Cassette{Request: json.RawMessage(request), Reply: reply})
	return &fstest.MapFile{Data: raw}
}

func handler(t *testing.T, tapes fstest.MapFS) *replay.Handler {
	t.Helper()
	h, err := replay.New(tapes)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func post(h http.Handler, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
	return w
}

// The hash is of what is asked: neither layout, nor order, nor volatile fields
// count, and everything else does.
func TestKey(t *testing.T) {
	t.Parallel()
	key := func(raw string) string {
		t.Helper()
		k, err := replay.Key([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		return k
	}
	base := key(`{"model":"m","messages":[{"role":"user","content":"<é>"}],"n":1}`)
	for _, same := range []string{
		` { "n" : 1 , "messages" : [ { "content" : "\u003c\u00e9>" , "role" : "user" } ] , "model" : "m" } `,
		`{"model":"m","messages":[{"role":"user","content":"<é>"}],"n":1,"stream":false,"user":"u","metadata":{"a":"b"},"store":true,"seed":7,"service_tier":"flex","prompt_cache_key":"k","safety_identifier":"s"}`,
	} {
		if key(same) != base {
			t.Errorf("another key for the same question: %s", same)
		}
	}
	for _, other := range []string{
		`{"model":"M","messages":[{"role":"user","content":"<é>"}],"n":1}`,
		`{"model":"m","messages":[{"role":"user","content":"<é> "}],"n":1}`,
		`{"model":"m","messages":[{"role":"user","content":"<é>"}],"n":2}`,
		`{"model":"m","messages":[{"role":"user","content":"<é>"}]}`,
	} {
		if key(other) == base {
			t.Errorf("the same key for another question: %s", other)
		}
	}
	// As computed by other tools that write recordings of this shape.
	if base != "db174c90da380391" {
		t.Errorf("key %s: recordings made elsewhere would carry another name", base)
	}
	for _, bad := range []string{"", "null", "[]", `"x"`, "{} {}", "{"} {
		if _, err := replay.Key([]byte(bad)); err == nil {
			t.Errorf("Key(%q) has no error", bad)
		}
	}
}

func TestReplays(t *testing.T) {
	t.Parallel()
	h := handler(t, fstest.MapFS{"a.json": tape(asked, "⟂ \"yes\"\n"), "deep/b.json": tape(`{"model":"other"}`, "no"), "README.md": {Data: []byte("no tape")}})
	w := post(h, "/v1/chat/completions", strings.Replace(asked, `"model"`, `"seed":3,"model"`, 1))
	if w.Code != 200 || w.Header().Get(llm.RecordedHeader) != "1" {
		t.Fatalf("%d, headers %v: %s", w.Code, w.Header(), w.Body)
	}
	var got struct {
		Model   string
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct{ Content string }
		}
		Usage struct {
			PromptTokens     int `json:"prompt_tokens"`
			CompletionTokens int `json:"completion_tokens"`
		}
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Model != "gpt-5-mini" || got.Choices[0].Message.Content != "⟂ \"yes\"\n" || got.Choices[0].FinishReason != "stop" {
		t.Errorf("got %+v", got)
	}
	if got.Usage.PromptTokens != 9 || got.Usage.CompletionTokens != 3 {
		t.Errorf("usage %+v, want 9 and 3 (four bytes a token)", got.Usage)
	}
	if diff := cmp.Diff([]string{"deep/b.json"}, h.Unplayed()); diff != "" {
		t.Errorf("unplayed (-want +got):\n%s", diff)
	}
	if len(h.Missed()) != 0 {
		t.Errorf("missed %v", h.Missed())
	}
}

// A miss is an error that says where the request leaves the nearest recording;
// it is never answered by something near it.
func TestMissNamesTheFirstDifference(t *testing.T) {
	t.Parallel()
	tapes := fstest.MapFS{"near.json": tape(asked, "near"), "far.json": tape(`{"model":"other","messages":[]}`, "far")}
	tests := map[string]struct{ request, want string }{
		"text":      {strings.Replace(asked, "second line", "second lime", 1), `near.json) differs first in line 8: recorded "second line", asked "second lime"`},
		"parameter": {strings.Replace(asked, "400", "500", 1), `line 1: recorded "max_completion_tokens: 400", asked "max_completion_tokens: 500"`},
		"more":      {strings.Replace(asked, "third", `third\nfourth`, 1), `line 10: recorded "(end)", asked "fourth"`},
		"less":      {strings.Replace(asked, `\nthird`, ``, 1), `line 9: recorded "third", asked "(end)"`},
		"long line": {strings.Replace(asked, "Be brief.", strings.Repeat("é", 300)+"!", 1), `recorded "Be brief.", asked "é`},
		"format":    {strings.Replace(asked, `"model"`, `"response_format":{"type":"json_schema"},"model"`, 1), `asked "response_format"`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := handler(t, tapes)
			w := post(h, "/chat/completions", tt.request)
			var body struct {
				Error struct{ Message, Code string }
			}
			if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
				t.Fatal(err)
			}
			key, err := replay.Key([]byte(tt.request))
			if err != nil {
				t.Fatal(err)
			}
			if w.Code != 404 || body.Error.Code != "not_recorded" || w.Header().Get(llm.RecordedHeader) != "" {
				t.Errorf("%d, %+v, headers %v", w.Code, body, w.Header())
			}
			if m := body.Error.Message; !strings.Contains(m, tt.want) || !strings.Contains(m, key) || len(m) > 700 {
				t.Errorf("message %q (%d bytes) lacks %q or the hash %s", m, len(m), tt.want, key)
			}
			if diff := cmp.Diff([]string{key}, h.Missed()); diff != "" {
				t.Errorf("missed (-want +got):\n%s", diff)
			}
		})
	}
}

func TestOtherRequests(t *testing.T) {
	t.Parallel()
	h := handler(t, fstest.MapFS{})
	tests := []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"GET", "/v1/models", "", 200, `"list"`},
		{"GET", "/v1/chat/completions", "", 404, "no such path"},
		{"POST", "/v1/embeddings", "{}", 404, "no such path"},
		{"POST", "/v1/chat/completions", "not json", 400, "not a JSON object"},
		{"POST", "/v1/chat/completions", `{"stream":true}`, 400, "not streamed"},
		{"POST", "/v1/chat/completions", `{}`, 404, "nothing is recorded"},
		{"POST", "/v1/chat/completions", strings.Repeat(" ", 9<<20), 413, "cannot be read"},
	}
	for _, tt := range tests {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.body)))
		if w.Code != tt.code || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s %s %.20q: %d %s, want %d with %q", tt.method, tt.path, tt.body, w.Code, w.Body, tt.code, tt.want)
		}
	}
}

func TestBrokenRecordingsAreErrors(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		tapes fstest.MapFS
		want  string
	}{
		"not JSON":       {fstest.MapFS{"x/bad.json": {Data: []byte("{")}}, "x/bad.json"},
		"no request":     {fstest.MapFS{"bad.json": {Data: []byte(`{"reply":"a"}`)}}, "bad.json: the request is"},
		"no reply":       {fstest.MapFS{"bad.json": {Data: []byte(`{"request":{}}`)}}, "bad.json: the reply is missing"},
		"contradictions": {fstest.MapFS{"a.json": tape(asked, "yes"), "b.json": tape(asked, "no")}, "a.json and b.json answer the same request differently"},
	}
	for name, tt := range tests {
		if _, err := replay.New(tt.tapes); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", name, err, tt.want)
		}
	}
	if _, err := replay.New(os.DirFS(filepath.Join(t.TempDir(), "missing"))); err == nil {
		t.Error("a missing directory is no empty one")
	}
}

// client asks through the real adapter at url.
func client(t *testing.T, url string) *llm.Client {
	t.Helper()
	g, err := openai.New(openai.Options{BaseURL: url + "/v1", Model: "qwen3", APIKey: "sk-canary-77"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := llm.New(llm.Options{Default: llm.Stage{Generator: g}, Retry: llm.Retry{Sleep: func(context.Context, time.Duration) error { return nil }}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func ask(t *testing.T, c *llm.Client, user string) (string, error) {
	t.Helper()
	var out struct {
		Answer string `json:"answer"`
	}
	err := c.Ask(t.Context(), "triage", llmtest.Prompt(user), &out)
	return out.Answer, err
}

// The whole way round: record at a live endpoint, repair turn included, then
// replay without it, and see a changed question miss.
func TestRecordThenReplay(t *testing.T) {
	t.Parallel()
	live := llmtest.NewServer("qwen3", llmtest.Reply{Text: "Sure!"}, llmtest.Reply{Text: `{"answer":"<42>"}`})
	upstream := httptest.NewServer(live)
	t.Cleanup(upstream.Close)
	dir := filepath.Join(t.TempDir(), "tapes")
	recorder := record(t, upstream.URL+"/api/v3/", dir)
	if got, err := ask(t, client(t, recorder.url), "How?"); err != nil || got != "<42>" {
		t.Fatalf("recording: %q, %v", got, err)
	}
	if len(recorder.Faults()) != 0 {
		t.Fatalf("faults %v", recorder.Faults())
	}
	if seen := live.Seen()[0]; seen.Path != "/api/v3/chat/completions" || seen.Header.Get("Authorization") != "Bearer sk-canary-77" {
		t.Errorf("upstream saw %s with %q", seen.Path, seen.Header.Get("Authorization"))
	}

	h := handlerOf(t, dir)
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	c := client(t, server.URL)
	if got, err := ask(t, c, "How?"); err != nil || got != "<42>" {
		t.Fatalf("replay: %q, %v", got, err)
	}
	if !c.Sent()[0].Recorded || c.Usage()["triage"].Recorded != 2 || len(h.Unplayed()) != 0 {
		t.Errorf("sent %+v, usage %+v, unplayed %v", c.Sent(), c.Usage(), h.Unplayed())
	}
	_, err := ask(t, c, "How then?")
	if !errors.Is(err, llm.ErrUnavailable) || !strings.Contains(err.Error(), `recorded "How?", asked "How then?" (check that prompts`) {
		t.Errorf("a changed question: %v", err)
	}
}

type running struct {
	*replay.Recorder
	url string
}

func record(t *testing.T, upstream, dir string) running {
	t.Helper()
	to, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	r, err := replay.NewRecorder(to, dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	return running{r, server.URL}
}

func handlerOf(t *testing.T, dir string) *replay.Handler {
	t.Helper()
	h, err := replay.New(os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// token-leak: no header, and so no key, reaches a recording.
func TestAttackRecordingHoldsNoKey(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(llmtest.NewServer("qwen3", llmtest.Reply{Text: `{"answer":"a"}`}))
	t.Cleanup(upstream.Close)
	dir := t.TempDir()
	if _, err := ask(t, client(t, record(t, upstream.URL, dir).url), "How?"); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 {
		t.Fatalf("files %v, %v", files, err)
	}
	raw, err := os.ReadFile(files[0])
	if err != nil || strings.Contains(string(raw), "canary") || !strings.Contains(string(raw), `"content": "How?"`) {
		t.Errorf("recording: %s (%v)", raw, err)
	}
}

// Only a whole answer is recorded; any other reaches the client as it was.
func TestRecorderKeepsOnlyWholeAnswers(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		status int
		body   string
		faults int
	}{
		"error":       {429, `{"error":{"message":"slow down"}}`, 0},
		"cut":         {200, `{"choices":[{"finish_reason":"length","message":{"content":"{"}}]}`, 1},
		"no text":     {200, `{"choices":[{"finish_reason":"stop","message":{"refusal":"no"}}]}`, 1},
		"two choices": {200, `{"choices":[{"message":{"content":"a"}},{"message":{"content":"b"}}]}`, 1},
		"page":        {200, `<html>`, 1},
		"redirect":    {302, ``, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			}))
			t.Cleanup(upstream.Close)
			dir := t.TempDir()
			r := record(t, upstream.URL, dir)
			w := post(r, "/v1/chat/completions", asked)
			if w.Code != tt.status || w.Body.String() != tt.body {
				t.Errorf("passed on %d %q", w.Code, w.Body)
			}
			if files, _ := filepath.Glob(filepath.Join(dir, "*")); len(files) != 0 || len(r.Faults()) != tt.faults {
				t.Errorf("files %v, faults %v; want none and %d", files, r.Faults(), tt.faults)
			}
		})
	}
}

func TestRecorderUpstreamDown(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.NotFoundHandler())
	upstream.Close()
	r := record(t, upstream.URL, t.TempDir())
	if w := post(r, "/v1/chat/completions", asked); w.Code != 502 || !strings.Contains(w.Body.String(), "cannot be reached") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	if w := post(r, "/v1/models", "{}"); w.Code != 404 {
		t.Errorf("other path: %d", w.Code)
	}
}
