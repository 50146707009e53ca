package journal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
)

const maxFileBytes = 16 << 20

// Signer writes the journal's commits.
var signer = repo.Signature{Name: "retrosweep", Email: "retrosweep@localhost"}

// Load reads the journal. Without one it returns an empty state and the zero
// hash. A file that cannot be read is named in State.Faults and the rest is
// read: what is lost makes the next run do less or ask again, nothing else.
func Load(ctx context.Context, r *repo.Repo) (*State, repo.Hash, error) {
	s := empty()
	head, ok, err := r.Ref(Ref)
	if err != nil {
		return nil, repo.Hash{}, fmt.Errorf("read journal: %w", err)
	}
	if !ok {
		return s, repo.Hash{}, nil
	}
	files, err := list(ctx, r, head)
	if err != nil {
		return nil, repo.Hash{}, fmt.Errorf("read journal: %w", err)
	}
	for _, e := range files {
		b, err := r.Blob(e.Hash, maxFileBytes)
		if err == nil {
			err = s.decode(e.Path, b)
		}
		if err != nil {
			s.Faults = append(s.Faults, fmt.Sprintf("%s: %v", e.Path, err))
		}
	}
	return s, head, nil
}

func list(ctx context.Context, r *repo.Repo, head repo.Hash) ([]repo.Entry, error) {
	t, err := r.Tree(head)
	if err != nil {
		return nil, err
	}
	files, err := t.Files(ctx)
	if errors.Is(err, repo.ErrMissing) {
		err = nil // what could be read is enough
	}
	return files, err
}

func empty() *State {
	return &State{
		Branches: map[string]*Watermark{}, Candidates: map[string]*Candidate{}, Verdicts: map[string][]Verdict{},
		Keys: map[string]string{}, Receipts: map[string]json.RawMessage{},
	}
}

// decode reads one file of the journal. Files it does not know are left alone
// on disk and here: a later version's.
func (s *State) decode(path string, b []byte) error {
	dir, name, nested := strings.Cut(path, "/")
	if !nested {
		switch path {
		case "watermark.json":
			return decodeWatermarks(b, s.Branches)
		case "backlog.json":
			return decodeInto(b, &s.Backlog)
		case "rejections.json":
			return decodeInto(b, &s.Rejections)
		case "corrections.json":
			return decodeInto(b, &s.Corrections)
		case "acted.json":
			return decodeInto(b, &s.Acted)
		case "waiting.json":
			return decodeInto(b, &s.Waiting)
		case "landed.json":
			return decodeInto(b, &s.Landed)
		case "commits.json":
			return decodeInto(b, &s.Commits)
		case "lease.json":
			return decodeInto(b, &s.Lease)
		}
		return nil
	}
	switch dir {
	case "candidates":
		var c Candidate
		if err := decodeInto(b, &c); err != nil {
			return err
		}
		if c.ID+".json" != name {
			return errors.New("the candidate has another id than its file")
		}
		s.Candidates[c.ID] = &c
	case "verdicts":
		return decodeEntries(b, s.Verdicts)
	case "keys":
		return decodeEntries(b, s.Keys)
	case "receipts":
		if !json.Valid(b) {
			return errors.New("not JSON")
		}
		s.Receipts[strings.TrimSuffix(name, ".json")] = json.RawMessage(b)
	}
	return nil
}

func decodeWatermarks(b []byte, into map[string]*Watermark) error {
	var marks map[string]*Watermark
	if err := json.Unmarshal(b, &marks); err != nil {
		return err
	}
	for branch, w := range marks {
		if w != nil {
			into[branch] = w
		}
	}
	return nil
}

// decodeInto leaves the target as it was when the file is broken.
func decodeInto[T any](b []byte, into *T) error {
	var v T
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	*into = v
	return nil
}

func decodeEntries[V any](b []byte, into map[string]V) error {
	var v map[string]V
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	maps.Copy(into, v)
	return nil
}

// Save writes the journal on top of old, which is what Load returned, and
// returns its new commit. When nothing changed it writes nothing and returns
// old. When somebody else moved the journal it is a repo.ErrRefMoved.
func Save(ctx context.Context, r *repo.Repo, s *State, old repo.Hash, at time.Time) (repo.Hash, error) {
	h, err := save(ctx, r, s, old, at)
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write journal: %w", err)
	}
	return h, nil
}

func save(ctx context.Context, r *repo.Repo, s *State, old repo.Hash, at time.Time) (repo.Hash, error) {
	changes, err := s.encode()
	if err != nil {
		return repo.Hash{}, err
	}
	var before repo.Hash // the tree of old
	if !old.IsZero() {
		files, err := list(ctx, r, old)
		if err != nil {
			return repo.Hash{}, err
		}
		for _, e := range files {
			if _, kept := changes[e.Path]; !kept && ours(e.Path) {
				changes[e.Path] = nil
			}
		}
		c, err := r.Commit(old)
		if err != nil {
			return repo.Hash{}, err
		}
		before = c.Tree
	}
	if len(changes) == 0 && old.IsZero() {
		return old, nil
	}
	tree, err := r.WriteTree(before, changes)
	if err != nil || tree == before {
		return old, err
	}
	return commit(r, tree, old, at)
}

func commit(r *repo.Repo, tree, old repo.Hash, at time.Time) (repo.Hash, error) {
	by := signer
	by.When = at.UTC()
	c := repo.NewCommit{Tree: tree, Author: by, Committer: by, Message: "journal"}
	if !old.IsZero() {
		c.Parents = []repo.Hash{old}
	}
	h, err := r.WriteCommit(c)
	if err != nil {
		return repo.Hash{}, err
	}
	return h, r.UpdateRef(Ref, old, h)
}

// ours is true for the files that decode reads, so that a file of a later
// version outlives an earlier one's save.
func ours(path string) bool {
	dir, _, nested := strings.Cut(path, "/")
	if nested {
		return slices.Contains([]string{"candidates", "verdicts", "keys", "receipts"}, dir)
	}
	return slices.Contains([]string{"watermark.json", "backlog.json", "rejections.json", "corrections.json", "waiting.json", "landed.json", "acted.json", "commits.json", "lease.json"}, path)
}

// encode returns the files of the journal. Empty parts have none, so an empty
// journal is no commit.
func (s *State) encode() (map[string][]byte, error) {
	f := files{content: map[string][]byte{}}
	marks := maps.Clone(s.Branches)
	maps.DeleteFunc(marks, func(_ string, w *Watermark) bool { return w == nil || *w == Watermark{} })
	f.add("watermark.json", marks, len(marks))
	f.add("backlog.json", s.Backlog, len(s.Backlog))
	f.add("rejections.json", s.Rejections, len(s.Rejections))
	f.add("corrections.json", s.Corrections, len(s.Corrections))
	f.add("waiting.json", s.Waiting, len(s.Waiting))
	f.add("landed.json", s.Landed, len(s.Landed))
	if !s.Acted.IsZero() {
		f.add("acted.json", s.Acted, 1)
	}
	f.add("commits.json", s.Commits, len(s.Commits))
	if s.Lease != nil {
		f.add("lease.json", s.Lease, 1)
	}
	for id, c := range s.Candidates {
		if c == nil || c.ID != id {
			return nil, fmt.Errorf("candidate %q is filed under another id", id)
		}
		f.addNamed("candidates", id, c)
	}
	sharded(&f, "verdicts", s.Verdicts)
	sharded(&f, "keys", s.Keys)
	for run, receipt := range s.recentReceipts() {
		f.addNamed("receipts", run, receipt)
	}
	return f.content, f.err
}

// files collects what a save writes, and the first error.
type files struct {
	content map[string][]byte
	err     error
}

func (f *files) add(path string, v any, n int) {
	if n == 0 || f.err != nil {
		return
	}
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		f.err = fmt.Errorf("%s: %w", path, err)
		return
	}
	f.content[path] = append(b, '\n')
}

func (f *files) addNamed(dir, name string, v any) {
	if !safeName(name) && f.err == nil {
		f.err = fmt.Errorf("%s: %q cannot name a file", dir, name)
	}
	f.add(dir+"/"+name+".json", v, 1)
}

// sharded spreads entries over files by the first two characters of their key,
// so that a night rewrites a few small files and not one large one.
func sharded[V any](f *files, dir string, entries map[string]V) {
	shards := map[string]map[string]V{}
	for key, v := range entries {
		shard := "00"
		if len(key) >= 2 && safeName(key[:2]) {
			shard = key[:2]
		}
		if shards[shard] == nil {
			shards[shard] = map[string]V{}
		}
		shards[shard][key] = v
	}
	for shard, entries := range shards {
		f.add(dir+"/"+shard+".json", entries, len(entries))
	}
}

// recentReceipts are the last receipts by the time at which their run started.
func (s *State) recentReceipts() map[string]json.RawMessage {
	started := map[string]string{}
	for run, b := range s.Receipts {
		var r struct{ Started time.Time }
		if json.Unmarshal(b, &r) == nil {
			started[run] = r.Started.UTC().Format(time.RFC3339Nano)
		}
	}
	runs := slices.SortedFunc(maps.Keys(s.Receipts), func(a, b string) int {
		return cmp.Or(cmp.Compare(started[a], started[b]), cmp.Compare(a, b))
	})
	recent := map[string]json.RawMessage{}
	for _, run := range runs[max(0, len(runs)-MaxReceipts):] {
		recent[run] = s.Receipts[run]
	}
	return recent
}

func safeName(s string) bool {
	return s != "" && len(s) <= 128 && strings.Trim(s, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_") == ""
}
