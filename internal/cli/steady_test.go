package cli_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/llm/replay"
)

// steady is a model that does not change its mind: asked about what a broken-off
// night has changed a little, it says what it said about the recorded request
// that is nearest. What does not fit is dropped by the checks, as always.
type steady struct{ tapes []replay.Cassette }

func newSteady(t *testing.T) string {
	t.Helper()
	s := steady{}
	tapes := recordings(t, nil)
	err := fs.WalkDir(tapes, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(tapes, name)
		if err != nil {
			return err
		}
		var c replay.Cassette
		s.tapes = append(s.tapes, c)
		return json.Unmarshal(raw, &s.tapes[len(s.tapes)-1])
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL + "/v1"
}

// ServeHTTP answers a chat completion.
func (s steady) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	best, most := "", -1
	for _, tape := range s.tapes {
		if n := common(string(tape.Request), string(raw)); n > most {
			best, most = tape.Reply, n
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{ // a client that died does not listen
		"id": "steady", "object": "chat.completion", "model": "steady",
		"usage":   map[string]int{"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
		"choices": []any{map[string]any{"index": 0, "finish_reason": "stop", "message": map[string]string{"role": "assistant", "content": best}}},
	})
}

// common counts the lines that two requests share; in JSON they end in \n.
func common(a, b string) int {
	lines := map[string]bool{}
	for line := range strings.SplitSeq(a, `\n`) {
		lines[line] = true
	}
	n := 0
	for line := range strings.SplitSeq(b, `\n`) {
		if lines[line] {
			n++
		}
	}
	return n
}
