package local

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// record is what a host would remember of a pull request. It is one file of a
// commit whose parent is the branch as we left it.
type record struct {
	Version  int              `json:"version"`
	Slot     string           `json:"slot"`
	Content  string           `json:"content"`
	Kind     string           `json:"kind"`
	Branch   string           `json:"branch"`
	Base     string           `json:"base"`
	Fork     string           `json:"fork"`
	Head     string           `json:"head"`
	Previous string           `json:"previous,omitempty"` // of a move that is not confirmed
	Pending  bool             `json:"pending,omitempty"`
	Closing  bool             `json:"closing,omitempty"`
	Title    string           `json:"title"`
	Run      string           `json:"run"`
	At       time.Time        `json:"at"`
	Files    []string         `json:"files"`
	Layers   []proposal.Layer `json:"layers"`
}

const (
	recordFile    = "record.json"
	recordVersion = 1
	maxRecord     = 4 << 20
)

func newRecord(d proposal.Draft) record {
	return record{
		Version: recordVersion, Slot: d.Slot, Content: d.Content, Kind: d.Kind, Branch: d.Branch,
		Base: d.Base.Name, Fork: d.Base.Commit.String(), Head: d.Head.String(),
		Title: d.Title, Run: d.Run, At: d.At.UTC(), Files: d.Files, Layers: d.Layers,
	}
}

func (r record) existing() proposal.Existing {
	return proposal.Existing{
		Slot: r.Slot, Content: r.Content, Kind: r.Kind, Branch: r.Branch, Base: r.Base, Fork: hash(r.Fork),
		Title: r.Title, Layers: r.Layers, Files: r.Files, Run: r.Run, At: r.At,
	}
}

// recordRef is the reference of the record of a branch.
func recordRef(branch string) string {
	return records + strings.TrimPrefix(branch, proposal.Prefix+"/")
}

// record reads the record of a branch; a damaged one counts as none.
func (f *Forge) record(branch string) (rec record, known bool, err error) {
	rec, at, err := f.current(branch)
	return rec, err == nil && !at.IsZero() && rec.Version == recordVersion, err
}

// current reads the record of a branch and where its reference stands.
func (f *Forge) current(branch string) (record, repo.Hash, error) {
	at, ok, err := f.repo.Ref(recordRef(branch))
	if err != nil || !ok {
		return record{}, repo.Hash{}, err
	}
	rec, err := f.read(at)
	if errors.Is(err, errDamaged) {
		return record{}, at, nil
	}
	return rec, at, err
}

var errDamaged = errors.New("the record is damaged")

func (f *Forge) read(at repo.Hash) (record, error) {
	var rec record
	tree, err := f.repo.Tree(at)
	if err != nil {
		return rec, fmt.Errorf("%w: %w", errDamaged, err)
	}
	e, ok, err := tree.Entry(recordFile)
	if err != nil || !ok {
		return rec, fmt.Errorf("%w: it has no %s: %w", errDamaged, recordFile, err)
	}
	b, err := f.repo.Blob(e.Hash, maxRecord)
	if err != nil {
		return rec, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if err := json.Unmarshal(b, &rec); err != nil {
		return record{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if rec.Version != recordVersion || !strings.HasPrefix(rec.Branch, proposal.Prefix+"/") {
		return record{}, fmt.Errorf("%w: version %d, branch %q", errDamaged, rec.Version, rec.Branch)
	}
	return rec, nil
}

// same reports whether two records say the same.
func (r record) same(other record) bool {
	a, errA := json.Marshal(r)
	b, errB := json.Marshal(other)
	return errA == nil && errB == nil && bytes.Equal(a, b)
}

// write makes rec the record of its branch, from where its reference stood.
func (f *Forge) write(rec record, old repo.Hash) (repo.Hash, error) {
	b, err := json.MarshalIndent(rec, "", " ")
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the record: %w", err)
	}
	tree, err := f.repo.WriteTree(repo.Hash{}, map[string][]byte{recordFile: append(b, '\n')})
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the record: %w", err)
	}
	sig := repo.Signature{Name: f.id.Name, Email: f.id.Email, When: rec.At.Truncate(time.Second)}
	h, err := f.repo.WriteCommit(repo.NewCommit{
		Tree: tree, Parents: []repo.Hash{hash(rec.Head)}, Author: sig, Committer: sig,
		Message: "record of " + rec.Branch,
	})
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the record: %w", err)
	}
	if h == old {
		return h, nil
	}
	if err := f.repo.UpdateRef(recordRef(rec.Branch), old, h); err != nil {
		return repo.Hash{}, fmt.Errorf("write the record: %w", err)
	}
	return h, nil
}

// hash reads a full commit id; what is none is zero.
func hash(s string) repo.Hash {
	var h repo.Hash
	if b, err := hex.DecodeString(s); err == nil && len(b) == len(h) {
		copy(h[:], b)
	}
	return h
}
