package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// source is a repository that a command is about, and where it came from.
type source struct {
	repo   *repo.Repo
	name   string       // in receipts, slots and caches
	branch string       // of the remote's HEAD; "" for a local repository
	remote night.Remote // nil for a local repository
}

// open opens a path as it is. A URL is fetched into a clone of the program's
// own; so is the origin of a path that is to be pushed: what is pushed is built
// on the remote's tip, never on local commits.
func (m *Main) open(ctx context.Context, f *flags, c config.Operator, where string) (source, error) {
	push := f.push || c.Delivery.Push
	switch {
	case remote.IsURL(where) && f.apply && !push:
		return source{}, usageError{fmt.Errorf("%s: an apply on a URL has to be pushed, or its branches would stay in a cache; add --push, or leave --apply out", where)}
	case remote.IsURL(where):
		return m.fetch(ctx, f, c, where)
	}
	r, err := repo.Open(ctx, where)
	if errors.Is(err, fs.ErrNotExist) {
		return source{}, usageError{err}
	}
	if err != nil || !push || !f.apply {
		return source{repo: r, name: identityOf(r)}, err
	}
	origin := r.RemoteURL()
	if err := r.Close(); err != nil {
		return source{}, err
	}
	if !remote.IsURL(origin) {
		return source{}, usageError{fmt.Errorf("--push: %s has no remote named origin with a URL: name the URL instead of the path", where)}
	}
	return m.fetch(ctx, f, c, origin)
}

func identityOf(r *repo.Repo) string {
	if r == nil {
		return ""
	}
	return night.Identity(r)
}

// fetch brings the clone of a URL up to date.
func (m *Main) fetch(ctx context.Context, f *flags, c config.Operator, address string) (source, error) {
	u, err := remote.ParseURL(address)
	if err != nil {
		return source{}, usageError{err}
	}
	cache, err := m.cacheDir()
	if err != nil {
		return source{}, usageError{err}
	}
	o, err := m.connect(ctx, address, c.Forge, f.apply)
	if err != nil {
		return source{}, err
	}
	if err := o.commitBy(c.Delivery.Commits, f.apply); err != nil {
		return source{}, usageError{err}
	}
	o.auto, o.people = c.Delivery.AutoMerge, policyOf(c.Delivery)
	o.options.Progress = m.progress(f)
	r, fetched, err := repo.Sync(ctx, cloneDir(cache, address), o.options)
	if err != nil {
		return source{}, err
	}
	o.store = r
	if o.ledger, err = newLedger(r, c.Journal, m.warn); err != nil {
		return source{}, errors.Join(err, r.Close())
	}
	return source{repo: r, name: nameOf(u.String()), branch: fetched.HEADBranch, remote: o}, nil
}

// policyOf is how pull requests are made: a reviewer with an organization is a
// team of it.
func policyOf(d config.Delivery) github.Policy {
	p := github.Policy{Draft: d.Draft}
	for _, r := range d.Reviewers {
		if _, team, ok := strings.Cut(r, "/"); ok {
			p.Teams = append(p.Teams, team)
		} else {
			p.Reviewers = append(p.Reviewers, r)
		}
	}
	return p
}

// cloneDir is where the clone of a remote is kept.
func cloneDir(cache, address string) string {
	if u, err := remote.ParseURL(address); err == nil {
		address = u.String()
	}
	return filepath.Join(cache, "clones", fmt.Sprintf("%.16x", sha256.Sum256([]byte(address))))
}

// nameOf is host/owner/name: without scheme, user and .git.
func nameOf(address string) string {
	if i := strings.Index(address, "://"); i >= 0 {
		address = address[i+3:]
	}
	if i := strings.IndexByte(address, '@'); i >= 0 {
		address = address[i+1:]
	}
	return strings.TrimSuffix(strings.Replace(address, ":", "/", 1), ".git")
}

// How long what is in the private cache is kept. A lesson waits at most 60 days for
// a second signal; an answer older than that is asked for no more.
const (
	keepAnswers  = 90 * 24 * time.Hour
	keepBorrowed = 24 * time.Hour
)

// tidyCache removes what earlier runs left in the private cache and nobody reads
// any more: old answers, and copies that a killed dry run borrowed. What cannot
// be removed only costs room.
func (m *Main) tidyCache(log *slog.Logger) {
	dir, err := m.cacheDir()
	if err != nil {
		return // there is none
	}
	now := m.Clock()
	n, err := llm.PruneCache(dir, now.Add(-keepAnswers))
	if err != nil {
		log.Warn("tidy the cache", "error", err)
	}
	log.Debug("tidied the cache", "answers", n)
	old, _ := filepath.Glob(filepath.Join(dir, borrowedDir, "*")) // a bad pattern only
	for _, path := range old {
		if info, err := os.Lstat(path); err == nil && info.ModTime().Before(now.Add(-keepBorrowed)) {
			if err := os.RemoveAll(path); err != nil {
				log.Warn("tidy the cache", "error", err)
			}
		}
	}
}

// borrowedDir is where dry runs fetch what a shallow clone lacks.
const borrowedDir = "borrowed"

// cacheDir is the private cache: answers and clones.
func (m *Main) cacheDir() (string, error) {
	dir, err := llm.DefaultCacheDir()
	if dir = cmp.Or(m.Getenv("RETROSWEEP_CACHE"), dir); dir == "" {
		return "", fmt.Errorf("there is no cache directory: name one in RETROSWEEP_CACHE (%w)", err)
	}
	return dir, nil
}
