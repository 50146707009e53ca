package marker

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

const (
	// maxPacked is what of a body the layers may take. An update holds them twice.
	maxPacked = 18 << 10
	// maxLayers bounds what they unpack to.
	maxLayers = 8 << 20

	recordRefs = "refs/retrosweep/layers/"
	recordFile = "layers.json"
)

// Records keeps the edits of proposals where a later run finds them: in the body
// or, where they are too large for one, in git.
type Records struct {
	Store  *repo.Repo
	Author proposal.Identity // of the commits that hold records
}

// Keep puts the layers of a draft into its marker, or, where they are too
// large, into a commit that a reference of its own holds; record is that commit.
func (r Records) Keep(m *Marker, layers []proposal.Layer) (record repo.Hash, err error) {
	packed, err := pack(layers)
	if err != nil {
		return record, err
	}
	if len(packed) <= maxPacked {
		m.Layers = packed
		return record, nil
	}
	if record, err = r.writeRecord(layers, m.At); err == nil {
		m.Record = record.String()
	}
	return record, err
}

func (r Records) writeRecord(layers []proposal.Layer, at time.Time) (repo.Hash, error) {
	b, err := json.Marshal(layers)
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the record: %w", err)
	}
	tree, err := r.Store.WriteTree(repo.Hash{}, map[string][]byte{recordFile: b})
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the record: %w", err)
	}
	sig := repo.Signature{Name: r.Author.Name, Email: r.Author.Email, When: at.Truncate(time.Second)}
	h, err := r.Store.WriteCommit(repo.NewCommit{Tree: tree, Author: sig, Committer: sig, Message: "edits of a proposal"})
	if err != nil {
		return repo.Hash{}, fmt.Errorf("write the record: %w", err)
	}
	return h, nil
}

// Join is a commit that holds one record as its own and keeps another with it.
func (r Records) Join(record, other repo.Hash) (repo.Hash, error) {
	c, err := r.Store.Commit(record)
	if err != nil {
		return repo.Hash{}, fmt.Errorf("join two records: %w", err)
	}
	h, err := r.Store.WriteCommit(repo.NewCommit{Tree: c.Tree, Parents: []repo.Hash{record, other}, Author: c.Author, Committer: c.Committer, Message: c.Message})
	if err != nil {
		return repo.Hash{}, fmt.Errorf("join two records: %w", err)
	}
	return h, nil
}

// Layers returns what [Records.Keep] kept. What does not add up to the content of
// the marker was changed by somebody else.
func (r Records) Layers(m Marker) ([]proposal.Layer, error) {
	layers, err := r.unpack(m)
	if err != nil {
		return nil, err
	}
	x := proposal.Existing{Layers: layers}
	if proposal.Content(x.Edits()) != m.Content {
		return nil, fmt.Errorf("%w: the edits are not those of the content", ErrDamaged)
	}
	return layers, nil
}

func (r Records) unpack(m Marker) ([]proposal.Layer, error) {
	if m.Record == "" {
		return unpack(m.Layers)
	}
	tree, err := r.Store.Tree(Hash(m.Record))
	if err != nil {
		return nil, fmt.Errorf("%w: the record: %w", ErrDamaged, err)
	}
	e, ok, err := tree.Entry(recordFile)
	if err != nil || !ok {
		return nil, fmt.Errorf("%w: the record holds no %s: %w", ErrDamaged, recordFile, err)
	}
	b, err := r.Store.Blob(e.Hash, maxLayers)
	if err != nil {
		return nil, fmt.Errorf("%w: the record: %w", ErrDamaged, err)
	}
	return decode(b)
}

// pack makes layers fit into a comment: no character of it can end one.
func pack(layers []proposal.Layer) (string, error) {
	b, err := json.Marshal(layers)
	if err != nil {
		return "", fmt.Errorf("pack the edits: %w", err)
	}
	var packed bytes.Buffer
	z, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = z.Write(b)
	}
	if err == nil {
		err = z.Close()
	}
	if err != nil {
		return "", fmt.Errorf("pack the edits: %w", err)
	}
	return base64.StdEncoding.EncodeToString(packed.Bytes()), nil
}

func unpack(packed string) ([]proposal.Layer, error) {
	z, err := gzip.NewReader(base64.NewDecoder(base64.StdEncoding, strings.NewReader(packed)))
	if err != nil {
		return nil, fmt.Errorf("%w: the edits: %w", ErrDamaged, err)
	}
	b, err := io.ReadAll(io.LimitReader(z, maxLayers+1))
	if err == nil && len(b) > maxLayers {
		err = errors.New("too large")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the edits: %w", ErrDamaged, err)
	}
	return decode(b)
}

func decode(b []byte) ([]proposal.Layer, error) {
	var layers []proposal.Layer
	if err := json.Unmarshal(b, &layers); err != nil {
		return nil, fmt.Errorf("%w: the edits: %w", ErrDamaged, err)
	}
	return layers, nil
}

// RecordRef is the reference that holds the record of a branch.
func RecordRef(branch string) string {
	return recordRefs + strings.TrimPrefix(branch, proposal.Prefix+"/")
}

// Hash reads a full commit id; what is none is zero.
func Hash(s string) repo.Hash {
	var h repo.Hash
	if b, err := hex.DecodeString(s); err == nil && len(b) == len(h) {
		copy(h[:], b)
	}
	return h
}
