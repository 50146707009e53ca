package llmtest

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"sync"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// Server is an OpenAI-compatible endpoint that gives scripted replies in turn.
// Out of script it answers 418, which no real endpoint does.
type Server struct {
	Model string // named in answers

	mu      sync.Mutex
	replies []Reply
	seen    []Seen
}

// Seen is one request as it came over the wire.
type Seen struct {
	Path   string
	Header http.Header
	Body   []byte
}

// NewServer makes a handler for httptest.NewServer.
func NewServer(model string, replies ...Reply) *Server {
	return &Server{Model: model, replies: replies}
}

// Seen lists the requests so far.
func (s *Server) Seen() []Seen {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Seen(nil), s.seen...)
}

// ServeHTTP gives the next reply.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	reply, ok := s.next(Seen{r.URL.Path, r.Header.Clone(), body})
	switch {
	case !ok:
		http.Error(w, "the script has ended", http.StatusTeapot)
	case reply.Fault == Hangs:
		<-r.Context().Done()
	case reply.Fault == None:
		s.complete(w, reply)
	default:
		fault(w, reply)
	}
}

func (s *Server) next(seen Seen) (Reply, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = append(s.seen, seen)
	if len(s.replies) == 0 {
		return Reply{}, false
	}
	reply := s.replies[0]
	s.replies = s.replies[1:]
	return reply, true
}

func (s *Server) complete(w http.ResponseWriter, r Reply) {
	if r.Recorded {
		w.Header().Set(llm.RecordedHeader, "1")
	}
	write(w, http.StatusOK, completion(s.Model, r))
}

func completion(model string, r Reply) map[string]any {
	message := map[string]any{"role": "assistant", "content": r.Text}
	if r.Refusal != "" {
		message["refusal"] = r.Refusal
	}
	return map[string]any{
		"id": "chatcmpl-1", "object": "chat.completion", "model": model,
		"choices": []any{map[string]any{"index": 0, "finish_reason": r.finish(), "message": message}},
		"usage": map[string]any{
			"prompt_tokens": r.Usage.PromptTokens, "completion_tokens": r.Usage.CompletionTokens,
			"prompt_tokens_details":     map[string]int{"cached_tokens": r.Usage.CachedTokens},
			"completion_tokens_details": map[string]int{"reasoning_tokens": r.Usage.ReasoningTokens},
		},
	}
}

func fault(w http.ResponseWriter, r Reply) {
	if r.RetryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(r.RetryAfter.Seconds())))
	}
	code := map[Fault]string{TooLong: "context_length_exceeded", Missing: "model_not_found"}[r.Fault]
	switch r.Fault {
	case Garbage:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<!doctype html><title>Welcome</title>")
	case NoChoices:
		write(w, http.StatusOK, map[string]any{"object": "chat.completion", "choices": []any{}})
	default:
		write(w, outcomes[r.Fault].status, map[string]any{
			"error": map[string]any{"message": string(r.Fault), "type": "test_error", "code": code}})
	}
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}
