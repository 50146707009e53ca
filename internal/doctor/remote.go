package doctor

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// Remote is a repository at a URL.
type Remote struct {
	Options  repo.RemoteOptions
	Source   string // where the credential is from, if that is known already
	Dir      string // of the clone that nights keep
	Pushing  bool   // nights are configured to push
	PushTest bool   // a person wants to know whether the host takes the namespace

	store *repo.Repo
}

// Close gives the clone back.
func (r *Remote) Close() error {
	if r.store == nil {
		return nil
	}
	return r.store.Close()
}

// Checks are what a night on the URL needs, each only where the one before it
// went well.
func (r *Remote) Checks() []Check {
	return []Check{{"address", func(context.Context) Result {
		u, err := remote.ParseURL(r.Options.URL)
		if err != nil {
			return fail(err, "write it as https://HOST/OWNER/NAME or ssh://git@HOST/OWNER/NAME; a token goes into "+credentials.OwnVariable)
		}
		return ok("%s", u).then(Check{"credential", r.credential}, Check{"read access", r.read})
	}}}
}

// credential says where a credential was found, and never what it is.
func (r *Remote) credential(ctx context.Context) Result {
	u, err := url.Parse(r.Options.URL)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return ok("SSH: the agent and the keys of this account; the next line says whether the host takes one")
	}
	if r.Source != "" {
		return ok("from %s", r.Source)
	}
	c, found, err := r.Options.Auth.Before(ctx, u)
	if err == nil && !found {
		c, found, err = r.Options.Auth.After(ctx, u)
	}
	switch {
	case err != nil:
		return warn(err.Error(), "set "+credentials.OwnVariable+" instead of asking a helper")
	case found:
		return ok("from %s", c.Source)
	}
	return warn("none: enough to read a public repository, not to push", remedyToken)
}

const remedyToken = "set " + credentials.OwnVariable + " (or, for a GitHub host, " + credentials.GitHubVariable + " or " + credentials.CLIVariable +
	"), configure a credential helper of git's, or use an ssh:// URL with a key"

func (r *Remote) read(ctx context.Context) Result {
	refs, err := repo.RemoteRefs(ctx, r.Options, "refs/heads/")
	switch {
	case remote.IsEmpty(err):
		return fail(err, "push a first commit: a night reviews commits")
	case err != nil:
		return fail(err, remedyFor(err, "read"))
	}
	return ok("the host lets us read; branches: %d", len(refs)).then(Check{"fetch", r.fetch})
}

// remedyFor is what to do when a host does not let us read or write.
func remedyFor(err error, what string) string {
	var hostKey *remote.HostKeyError
	switch {
	case errors.As(err, &hostKey):
		return "add the line above to " + hostKey.File + ", when the fingerprint is the one that the host publishes"
	case errors.Is(err, credentials.ErrNone):
		return remedyToken
	case errors.Is(err, remote.ErrAuth):
		return "make a new token (or key): this one is wrong, expired or not meant for this host"
	case errors.Is(err, remote.ErrForbidden):
		return "give the account behind the credential the right to " + what + " this repository (on GitHub: contents: write)"
	case errors.Is(err, remote.ErrNotFound):
		return "look at the spelling of the URL; a private repository looks the same to who may not see it"
	case errors.Is(err, remote.ErrRedirect):
		return "name the address that the host redirects to"
	}
	return "look whether this machine reaches the host: proxy, firewall, DNS; then try again"
}

func (r *Remote) fetch(ctx context.Context) Result {
	store, fetched, err := repo.Sync(ctx, r.Dir, r.Options)
	switch {
	case errors.Is(err, repo.ErrBusy):
		return unknown(err.Error(), "a night is at work: look again when it is over")
	case errors.Is(err, repo.ErrOtherRemote):
		return fail(err, "remove "+r.Dir+", or name another directory in RETROSWEEP_CACHE")
	case err != nil:
		return fail(err, remedyFor(err, "read"))
	}
	r.store = store
	how := "brought up to date"
	if fetched.Cloned {
		how = "cloned"
	}
	checks := append(about(store), Disk("disk for the clone", store.GitDir()), Check{"push access", r.push})
	if r.PushTest {
		checks = append(checks, Check{"push test", r.pushTest})
	}
	return ok("%s in %s", how, r.Dir).then(checks...)
}

// push opens a session for writing and moves a branch to where it is: the host
// says whether we may, and nothing is sent.
func (r *Remote) push(ctx context.Context) Result {
	name, at, err := r.store.Head()
	if err != nil || name == "" {
		return unknown("the remote's HEAD names no branch to compare with", "set the default branch of the repository")
	}
	err = r.store.Push(ctx, r.Options, []repo.RefUpdate{{Name: "refs/heads/" + name, Old: at, New: at}})
	switch {
	case errors.Is(err, repo.ErrRefMoved):
		return ok("the host lets us push (%s moved meanwhile)", name)
	case err != nil && !r.Pushing && errors.Is(err, credentials.ErrNone):
		return warn("not without a credential: only dry runs", remedyToken)
	case err != nil:
		return fail(err, remedyFor(err, "push to"))
	}
	return ok("the host lets us push; rules for single branches show only at a push")
}

// pushTest makes two references in one step and takes them away again, as a
// night does with its journal and branches.
func (r *Remote) pushTest(ctx context.Context) Result {
	_, at, err := r.store.Head()
	if err != nil {
		return unknown(err.Error(), "")
	}
	if err := r.sweepUp(ctx); err != nil {
		return fail(err, remedyRefused)
	}
	var made, gone []repo.RefUpdate
	for _, name := range testRefs {
		made = append(made, repo.RefUpdate{Name: name, New: at})
		gone = append(gone, repo.RefUpdate{Name: name, Old: at})
	}
	if err := r.store.Push(ctx, r.Options, made); err != nil {
		return fail(err, remedyRefused)
	}
	if err := r.store.Push(ctx, r.Options, gone); err != nil {
		return warn("the host takes "+namespace+"* but does not let us delete there: "+err.Error(), "delete by hand: git push "+r.Options.URL+" :"+strings.Join(testRefs, " :"))
	}
	return ok("the host takes %s*, two references in one step, and deletes them", namespace)
}

var testRefs = []string{namespace + "doctor", namespace + "doctor-too"}

const remedyRefused = "allow references below " + namespace + " on the host (rulesets, receive.hideRefs, hooks): nights keep their journal there"

// sweepUp removes what a test before this one left.
func (r *Remote) sweepUp(ctx context.Context) error {
	var left []repo.RefUpdate
	for _, name := range testRefs {
		at, there, err := r.store.Ref(name)
		if err != nil {
			return err
		}
		if there {
			left = append(left, repo.RefUpdate{Name: name, Old: at})
		}
	}
	if err := r.store.Push(ctx, r.Options, left); err != nil {
		return fmt.Errorf("remove what an earlier test left: %w", err)
	}
	return nil
}
