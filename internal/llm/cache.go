package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/prompts"
)

// DefaultCacheDir is where answers are remembered: private to the user, and in
// no repository.
func DefaultCacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find the user's cache directory: %w", err)
	}
	return filepath.Join(dir, "retrosweep"), nil
}

// remembered is one cached answer: the text that passed the check, and what the
// question cost when it was asked. The question itself is not kept.
type remembered struct {
	Key      string `json:"key"`
	Text     string `json:"text"`
	Usage    Usage  `json:"usage"`
	Recorded bool   `json:"recorded,omitempty"`
}

// cache keeps answers under dir/answers/<2>/<64>.json. An empty dir keeps none.
type cache struct{ dir string }

// cacheKey covers everything that an answer depends on. Repositories do not
// share answers.
func cacheKey(repository string, at Info, p prompts.Prompt) string {
	h := sha256.New()
	for _, part := range []string{"answers/v1", repository, at.Endpoint, at.Model, p.Name, p.Version, p.System, p.User, string(p.Schema)} {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}

func (c cache) path(key string) string {
	return filepath.Join(c.dir, "answers", key[:2], key+".json")
}

// load finds an answer. Whatever cannot be read is a miss.
func (c cache) load(key string) (remembered, bool) {
	if c.dir == "" {
		return remembered{}, false
	}
	f, err := os.Open(c.path(key))
	if err != nil {
		return remembered{}, false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return remembered{}, false
	}
	var r remembered
	raw, err := io.ReadAll(io.LimitReader(f, 4*maxAnswer))
	if err != nil || json.Unmarshal(raw, &r) != nil || r.Key != key {
		return remembered{}, false
	}
	return r, true
}

// save writes an answer whole or not at all.
func (c cache) save(r remembered) error {
	if c.dir == "" {
		return nil
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("write a cached answer: %w", err)
	}
	path := c.path(r.Key)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("write a cached answer: %w", err)
	}
	if err := writeWhole(path, raw); err != nil {
		return fmt.Errorf("write a cached answer: %w", err)
	}
	return nil
}

// PruneCache removes the answers written before a time and returns how many. A
// range that was reviewed is not asked about again, so old answers only cost
// room.
func PruneCache(dir string, before time.Time) (int, error) {
	paths, err := filepath.Glob(filepath.Join(globEscape.Replace(dir), "answers", "??", "*.json"))
	if err != nil {
		return 0, fmt.Errorf("prune cached answers: %w", err)
	}
	n := 0
	for _, path := range paths {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || !info.ModTime().Before(before) {
			continue
		}
		if err := os.Remove(path); err != nil {
			return n, fmt.Errorf("prune cached answers: %w", err)
		}
		n++
	}
	return n, nil
}

var globEscape = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// writeWhole writes beside the file and renames; the file is the user's alone.
func writeWhole(path string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*") // made with mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
