package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/guard/canary"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// A secret of every kind stands in a memory and in a commit message; none gets
// to the model, the cache, the journal, the log or the receipt.
func TestSecretsReachNoSink(t *testing.T) {
	t.Parallel()
	var history, message strings.Builder
	fmt.Fprintf(&history, "-- commit --\nauthor: Ada <ada@shop.example>\ndate: 2026-11-29T08:00:00Z\n\nfeat: memory of what went wrong\n\n%s\n", "@MESSAGE@")
	history.WriteString("-- .claude/memory/feedback_keys.md --\n---\nname: keys\ntype: feedback\n---\n\nNever paste keys.\n")
	for _, c := range canary.All() {
		fmt.Fprintf(&history, "\nIt was about %s:\n\n%s\n", c.Kind, c.Text())
		fmt.Fprintf(&message, "about %s:\n%s\n", c.Kind, c.Text())
	}
	dir := filepath.Join(t.TempDir(), "shop")
	r, err := testkit.Build(dir, []byte(strings.Replace(history.String(), "@MESSAGE@", message.String(), 1)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })

	model, asked := nothingToRecord(t)
	cache := t.TempDir()
	var out, errs bytes.Buffer
	m := &cli.Main{
		Version: "test", Stdout: &out, Stderr: &errs, Clock: demo.Now.UTC, IsTerm: func(io.Writer) bool { return false },
		Getenv: func(name string) string {
			return map[string]string{"RETROSWEEP_CACHE": cache, "HOME": cache}[name]
		},
	}
	args := []string{"run", dir, "--apply", "-v", "--format", "json", "--limit", "0", "--model", "desk", "--base-url", model, "--now", "2026-11-30"}
	if code := m.Run(context.Background(), args); code != cli.ExitDone {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	if !strings.Contains(asked(), "‹redacted:") {
		t.Fatalf("the model was asked nothing that held a secret: %.300s", asked())
	}
	sinks := map[string]string{"request": asked(), "receipt": out.String(), "log": errs.String(), "cache": files(t, cache), "journal": journalText(t, r)}
	for name, text := range sinks {
		for _, c := range canary.All() {
			if canary.Leaks(text, c.Secret) {
				t.Errorf("%s: a secret of kind %s is there", name, c.Kind)
			}
		}
	}
}

// nothingToRecord is an endpoint that answers that there is nothing to record, and
// keeps what it was asked.
func nothingToRecord(t *testing.T) (url string, asked func() string) {
	t.Helper()
	var mu sync.Mutex
	var all strings.Builder
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mu.Lock()
		all.Write(body)
		mu.Unlock()
		_, _ = io.WriteString(w, `{"id":"x","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"{\"items\": []}"}}]}`)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/v1", func() string {
		mu.Lock()
		defer mu.Unlock()
		return all.String()
	}
}

// files is the content of every file below a directory.
func files(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, name))
		all.Write(content)
		return err
	})
	if err != nil || all.Len() == 0 {
		t.Fatalf("read %s: %d bytes, %v", dir, all.Len(), err)
	}
	return all.String()
}

// journalText is all that the journal holds.
func journalText(t *testing.T, r *repo.Repo) string {
	t.Helper()
	at, ok, err := r.Ref("refs/retrosweep/journal")
	if err != nil || !ok {
		t.Fatalf("no journal: %v", err)
	}
	tree, err := r.Tree(at)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := tree.Files(t.Context())
	if err != nil || len(entries) == 0 {
		t.Fatalf("the journal has %d files, %v", len(entries), err)
	}
	var all strings.Builder
	for _, e := range entries {
		content, err := r.Blob(e.Hash, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(content)
	}
	return all.String()
}
