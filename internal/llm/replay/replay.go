// Package replay answers chat completion requests from recordings, and makes
// those recordings. It is a server like any other to the rest of the program: a
// replayed answer takes the same client, checks and guards as a live one, and
// only a response header tells the difference.
//
// A recording is one JSON file {"request": ..., "reply": "text"}. It is found by
// the hash of the parsed request; whatever is not recorded is refused, never
// answered by something near it.
package replay

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/retrosweep/retrosweep/internal/llm"
)

// maxRequest bounds one request body.
const maxRequest = 8 << 20

// Cassette is the shape of a recording.
type Cassette struct {
	Request json.RawMessage `json:"request"`
	Reply   string          `json:"reply"`
}

// Handler replays the recordings of one file system. It is safe for concurrent
// use.
type Handler struct {
	tapes map[string]tape

	mu     sync.Mutex
	played map[string]bool
	missed []string
}

type tape struct {
	file  string
	reply string
	lines []string // the request, readable
}

// New reads every .json file of the file system. A broken one, or two that
// answer the same request differently, is an error that names the files.
func New(recordings fs.FS) (*Handler, error) {
	h := &Handler{tapes: map[string]tape{}, played: map[string]bool{}}
	err := fs.WalkDir(recordings, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path.Ext(name) != ".json" {
			return err
		}
		return h.load(recordings, name)
	})
	if err != nil {
		return nil, fmt.Errorf("read recorded answers: %w", err)
	}
	return h, nil
}

func (h *Handler) load(recordings fs.FS, name string) error {
	raw, err := fs.ReadFile(recordings, name)
	if err != nil {
		return err
	}
	var c Cassette
	if err := json.Unmarshal(raw, &c); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	req, err := parse(c.Request)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if c.Reply == "" {
		return fmt.Errorf("%s: the reply is missing", name)
	}
	key := req.key()
	if other, ok := h.tapes[key]; ok && other.reply != c.Reply {
		return fmt.Errorf("%s and %s answer the same request differently", other.file, name)
	}
	h.tapes[key] = tape{file: name, reply: c.Reply, lines: req.lines()}
	return nil
}

// ServeHTTP answers POST .../chat/completions and GET .../models.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/models"):
		answer(w, http.StatusOK, map[string]any{"object": "list", "data": []any{}})
	case r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/chat/completions"):
		h.complete(w, r)
	default:
		fail(w, http.StatusNotFound, "no_such_path", "no such path")
	}
}

func (h *Handler) complete(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		fail(w, http.StatusRequestEntityTooLarge, "too_large", "the request cannot be read")
		return
	}
	req, err := parse(raw)
	if err != nil {
		fail(w, http.StatusBadRequest, "not_json", err.Error())
		return
	}
	if req["stream"] == true {
		fail(w, http.StatusBadRequest, "no_streams", "recorded answers are not streamed")
		return
	}
	reply, ok := h.play(req)
	if !ok {
		fail(w, http.StatusNotFound, "not_recorded", h.miss(req))
		return
	}
	w.Header().Set(llm.RecordedHeader, "1")
	answer(w, http.StatusOK, completion(req, reply))
}

func (h *Handler) play(req request) (string, bool) {
	key := req.key()
	h.mu.Lock()
	defer h.mu.Unlock()
	t, ok := h.tapes[key]
	if !ok {
		h.missed = append(h.missed, key)
		return "", false
	}
	h.played[key] = true
	return t.reply, true
}

// Missed lists the requests that no recording answers, in the order they came.
func (h *Handler) Missed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.missed)
}

// Unplayed lists the recordings that no request asked for, by file name.
func (h *Handler) Unplayed() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var files []string
	for key, t := range h.tapes {
		if !h.played[key] {
			files = append(files, t.file)
		}
	}
	sort.Strings(files)
	return files
}

// completion is the answer in the protocol's shape. Tokens are counted roughly,
// four bytes each: a recording is no bill.
func completion(req request, reply string) map[string]any {
	prompt := 0
	for _, m := range req.messages() {
		prompt += roughly(m.text)
	}
	return map[string]any{
		"id": "chatcmpl-" + req.key(), "object": "chat.completion", "created": 0, "model": req["model"],
		"usage": map[string]int{"prompt_tokens": prompt, "completion_tokens": roughly(reply), "total_tokens": prompt + roughly(reply)},
		"choices": []any{map[string]any{
			"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": reply},
		}},
	}
}

func roughly(text string) int { return max(1, (len(text)+3)/4) }

func fail(w http.ResponseWriter, status int, code, message string) {
	answer(w, status, map[string]any{"error": map[string]string{"message": message, "type": "invalid_request_error", "code": code}})
}

func answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body) // the client is gone: nobody to tell
}
