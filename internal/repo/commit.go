package repo

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"
)

const (
	maxCommitBytes = 16 << 20
	maxTreeBytes   = 64 << 20
	maxTagDepth    = 8
)

// Commit reads a commit. At a shallow boundary it has no parents (see
// [Repo.Boundary]).
func (r *Repo) Commit(h Hash) (Commit, error) {
	if c, ok := r.commits.get(h); ok {
		return c, nil
	}
	t, b, err := r.objects.read(h, maxCommitBytes)
	if err != nil {
		return Commit{}, fmt.Errorf("read commit: %w", err)
	}
	if t != plumbing.CommitObject {
		return Commit{}, fmt.Errorf("read commit %s: it is a %s", h, t)
	}
	c, err := parseCommit(h, b)
	if err != nil {
		return Commit{}, err
	}
	if r.shallow[h] {
		c.Parents = nil
	}
	r.commits.put(h, c, len(b)+256)
	return c, nil
}

// parseCommit reads the header fields that we use and leaves out the rest
// (signatures, merge tags). go-git's decoder does the same through buffered
// readers and costs several times as much, which a history walk feels.
func parseCommit(h Hash, b []byte) (Commit, error) {
	c := Commit{Hash: h, Author: Signature{When: minTime}, Committer: Signature{When: minTime}}
	head, message, _ := bytes.Cut(b, []byte("\n\n"))
	latin1 := false
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		key, value, _ := bytes.Cut(line, []byte(" "))
		switch string(key) {
		case "tree":
			c.Tree = plumbing.NewHash(string(value))
		case "parent":
			c.Parents = append(c.Parents, plumbing.NewHash(string(value)))
		case "author":
			c.Author = signature(value)
		case "committer":
			c.Committer = signature(value)
		case "encoding":
			latin1 = isLatin1(string(value))
		}
	}
	if c.Tree.IsZero() {
		return c, fmt.Errorf("commit %s: %w (damaged: it names no tree)", h, ErrMissing)
	}
	c.Message = text(message, latin1)
	if latin1 {
		c.Author.Name = text([]byte(c.Author.Name), true)
		c.Committer.Name = text([]byte(c.Committer.Name), true)
	}
	return c, nil
}

// The years that time.Time can write as JSON.
var minTime, maxTime = time.Unix(0, 0).UTC(), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// signature reads an author line. Dates come from the repository: what cannot
// be written as JSON later (years past 9999, zones past a day) is brought into
// range here.
func signature(b []byte) Signature {
	var s object.Signature
	s.Decode(b)
	when := s.When
	if s.When.IsZero() || when.Before(minTime) {
		when = minTime
	}
	if when.After(maxTime) {
		when = maxTime
	}
	if _, offset := when.Zone(); offset <= -24*3600 || offset >= 24*3600 {
		when = when.UTC()
	}
	return Signature{Name: s.Name, Email: s.Email, When: when}
}

func isLatin1(name string) bool {
	switch strings.ToLower(name) {
	case "iso-8859-1", "iso8859-1", "latin1", "latin-1", "iso_8859-1":
		return true
	}
	return false
}

func text(b []byte, latin1 bool) string {
	if !latin1 {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}

// peel follows annotated tags to a commit.
func (r *Repo) peel(h Hash) (Hash, error) {
	for range maxTagDepth {
		if _, ok := r.commits.get(h); ok {
			return h, nil
		}
		t, b, err := r.objects.read(h, maxCommitBytes)
		switch {
		case errors.Is(err, ErrTooLarge) && t != plumbing.TagObject && t != plumbing.CommitObject:
			return Hash{}, fmt.Errorf("%s is a %s, not a commit", h, t)
		case err != nil:
			return Hash{}, err
		case t == plumbing.CommitObject:
			return h, nil
		case t != plumbing.TagObject:
			return Hash{}, fmt.Errorf("%s is a %s, not a commit", h, t)
		}
		line, _, _ := strings.Cut(string(b), "\n")
		h = plumbing.NewHash(strings.TrimPrefix(line, "object "))
	}
	return Hash{}, fmt.Errorf("%s: tags of tags nest too deeply", h)
}

// Blob reads the content of a file. One larger than max bytes is an
// [ErrTooLarge], found on its header.
func (r *Repo) Blob(h Hash, max int64) ([]byte, error) {
	b, err := r.blob(h, max)
	return slices.Clone(b), err // it may be the base of others
}

// blob is [Repo.Blob] for who neither keeps nor changes what it returns.
func (r *Repo) blob(h Hash, max int64) ([]byte, error) {
	t, b, err := r.objects.read(h, max)
	if err != nil {
		return nil, fmt.Errorf("read file: %w", err)
	}
	if t != plumbing.BlobObject {
		return nil, fmt.Errorf("read file %s: it is a %s", h, t)
	}
	return b, nil
}
