package llmtest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Batch is how one batch goes.
type Batch struct {
	Replies []Reply // by the place of the question; a question without one is never answered
	Looks   int     // how often it is found at work before it ends
	End     string  // "completed" when empty; "failed", "expired", or "never": only a cancellation ends it
	Submit  Fault   // of the first call
	Look    Fault   // of the first look
	Broken  bool    // its file of answers holds lines of all kinds that are none
}

// BatchServer is an endpoint that takes files of questions and answers them as a
// batch, as OpenAI documents it: uploads, batches, cancellation, and files of
// answers and of errors, in no particular order.
type BatchServer struct {
	Model string

	mu      sync.Mutex
	batch   Batch
	asked   []string // the questions, a line each
	status  string
	calls   []string
	faulted map[string]bool
}

// NewBatchServer makes a handler for httptest.NewServer that takes one batch.
func NewBatchServer(model string, b Batch) *BatchServer {
	return &BatchServer{Model: model, batch: b, faulted: map[string]bool{}}
}

// Calls lists what was called: upload, submit, look, cancel, read, and what was
// deleted.
func (s *BatchServer) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Asked lists the questions of the batch, as lines of JSON.
func (s *BatchServer) Asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

// ServeHTTP serves /v1/files and /v1/batches.
func (s *BatchServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch at := strings.TrimPrefix(r.URL.Path, "/v1"); {
	case r.Method == http.MethodPost && at == "/files":
		s.upload(w, r)
	case r.Method == http.MethodPost && at == "/batches":
		s.calls = append(s.calls, "submit")
		s.status = "in_progress"
		s.say(w)
	case r.Method == http.MethodPost && at == "/batches/batch_1/cancel":
		s.cancel(w)
	case r.Method == http.MethodGet && at == "/batches/batch_1":
		s.look(w)
	case r.Method == http.MethodGet && strings.HasSuffix(at, "/content"):
		s.calls = append(s.calls, "read")
		s.answers(w, strings.Contains(at, "errors"))
	case r.Method == http.MethodDelete && strings.HasPrefix(at, "/files/"):
		s.calls = append(s.calls, "delete "+strings.TrimPrefix(at, "/files/"))
		write(w, http.StatusOK, map[string]any{"id": strings.TrimPrefix(at, "/files/"), "object": "file", "deleted": true})
	default:
		http.NotFound(w, r)
	}
}

func (s *BatchServer) upload(w http.ResponseWriter, r *http.Request) {
	s.calls = append(s.calls, "upload")
	if s.fails(w, s.batch.Submit, "submit") {
		return
	}
	file, _, err := r.FormFile("file")
	if err != nil || r.FormValue("purpose") != "batch" {
		http.Error(w, "no file for a batch", http.StatusBadRequest)
		return
	}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		s.asked = append(s.asked, lines.Text())
	}
	write(w, http.StatusOK, map[string]any{"id": "file-in", "object": "file"})
}

func (s *BatchServer) fails(w http.ResponseWriter, f Fault, at string) bool {
	if f == None || s.faulted[at] {
		return false
	}
	s.faulted[at] = true
	fault(w, Reply{Fault: f})
	return true
}

func (s *BatchServer) cancel(w http.ResponseWriter) {
	s.calls = append(s.calls, "cancel")
	if s.status != "in_progress" {
		write(w, http.StatusConflict, map[string]any{"error": map[string]any{"message": "it has ended", "type": "invalid_request_error"}})
		return
	}
	s.status = "cancelling"
	s.say(w)
}

func (s *BatchServer) look(w http.ResponseWriter) {
	s.calls = append(s.calls, "look")
	if s.fails(w, s.batch.Look, "look") {
		return
	}
	switch {
	case s.status == "cancelling":
		s.status = "cancelled"
	case s.status == "in_progress" && s.batch.End != "never":
		if s.batch.Looks--; s.batch.Looks < 0 {
			if s.status = s.batch.End; s.status == "" {
				s.status = "completed"
			}
		}
	}
	s.say(w)
}

func (s *BatchServer) say(w http.ResponseWriter) {
	b := map[string]any{"id": "batch_1", "object": "batch", "status": s.status, "input_file_id": "file-in", "output_file_id": nil, "error_file_id": nil}
	switch s.status {
	case "failed":
		b["errors"] = map[string]any{"object": "list", "data": []any{map[string]any{"code": "invalid_json_line", "message": "line 1 is not JSON", "line": 1}}}
	case "completed", "expired", "cancelled":
		b["output_file_id"], b["error_file_id"] = "file-out", "file-errors"
	}
	write(w, http.StatusOK, b)
}

// answers writes a file: the last answer first, as nothing promises an order.
func (s *BatchServer) answers(w http.ResponseWriter, errors bool) {
	if s.batch.Broken {
		_, _ = io.WriteString(w, "not json\n\n{\"custom_id\":\"q99x\"}\n{\"custom_id\":\"q-1\"}\n{}\n")
	}
	for i := len(s.asked) - 1; i >= 0; i-- {
		var r Reply
		if i < len(s.batch.Replies) {
			r = s.batch.Replies[i]
		}
		line := map[string]any{"id": fmt.Sprintf("batch_req_%d", i), "custom_id": fmt.Sprintf("q%d", i), "error": nil}
		switch late := i >= len(s.batch.Replies); {
		case late && errors && s.status == "expired":
			line["error"] = map[string]string{"code": "batch_expired", "message": "This request could not be executed before the completion window expired."}
		case late || (r.Fault != None) != errors:
			continue
		case r.Fault != None:
			line["response"] = map[string]any{"status_code": outcomes[r.Fault].status, "body": map[string]any{"error": map[string]string{"message": string(r.Fault)}}}
		default:
			line["response"] = map[string]any{"status_code": 200, "body": completion(s.Model, r)}
		}
		_ = json.NewEncoder(w).Encode(line)
	}
}
