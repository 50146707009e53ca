package repo

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// HostKeyError says that an SSH host's key is not known, with the line to add.
type HostKeyError = remote.HostKeyError

// RemoteOptions say how to reach a remote repository and how much of it to take.
type RemoteOptions struct {
	URL        string
	Auth       credentials.Auth
	Progress   func(string)  // lines of progress, cleaned for a terminal; may be nil
	SSHKey     string        // a private key file, instead of the agent and the usual ones
	KnownHosts string        // a file, instead of ~/.ssh/known_hosts and the system's
	Stall      time.Duration // how long the host may say nothing; 0: [remote.DefaultStall]
	Depth      Depth         // of a clone, and of what a fetch adds
}

// Depth is how much history to take: the zero value means all of it.
type Depth struct {
	Commits int       // so many from each branch back
	Since   time.Time // or what was committed since then
}

func (o RemoteOptions) reach() remote.Options {
	return remote.Options{Auth: o.Auth, SSHKey: o.SSHKey, KnownHosts: o.KnownHosts, Stall: o.Stall}
}

func (o RemoteOptions) tell(text string) {
	if o.Progress != nil {
		o.Progress(text)
	}
}

// mirrored are the references that a clone has, as they are on the remote.
var mirrored = []string{branchPrefix, "refs/retrosweep/"}

func isMirrored(name string) bool {
	return checkRefName(name) == nil && slices.ContainsFunc(mirrored, func(p string) bool { return strings.HasPrefix(name, p) })
}

// wanted are the mirrored ones of what a remote has.
func wanted(refs map[string]Hash) map[string]Hash {
	refs = maps.Clone(refs)
	maps.DeleteFunc(refs, func(name string, _ Hash) bool { return !isMirrored(name) })
	return refs
}

// RemoteURL is the address of the remote that a clone is of, without user name
// and password; "" when there is none. A path of this machine is returned as it
// stands.
func (r *Repo) RemoteURL() string {
	raw := r.originURL()
	if i := strings.Index(raw, "://"); i >= 0 {
		rest := raw[i+3:]
		authority, path, _ := strings.Cut(rest, "/")
		if at := strings.LastIndexByte(authority, '@'); at >= 0 && !strings.HasPrefix(raw, "ssh://") {
			return raw[:i+3] + authority[at+1:] + "/" + path
		}
	}
	return raw
}

func (r *Repo) originURL() string {
	b, err := readSmall(filepath.Join(r.common, "config"))
	if err != nil {
		return ""
	}
	c := config.New()
	if err := config.NewDecoder(strings.NewReader(string(b))).Decode(c); err != nil {
		return ""
	}
	return c.Section("remote").Subsection("origin").Option("url")
}

// initMirror makes an empty bare repository that git takes for a mirror of u.
func initMirror(dir string, u remote.URL) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return err
		}
	}
	text := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = true\n[remote \"origin\"]\n\turl = \"" + u.String() + "\"\n"
	for _, prefix := range mirrored {
		text += fmt.Sprintf("\tfetch = \"+%s*:%s*\"\n", prefix, prefix)
	}
	// The mark is first: without it the directory is nobody's to replace.
	for _, file := range [][2]string{{mirrorMark, u.String() + "\n"}, {"config", text}, {"HEAD", "ref: refs/heads/main\n"}} {
		if err := os.WriteFile(filepath.Join(dir, file[0]), []byte(file[1]), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// mirrorMark is a file in a mirror that says which remote it is of.
const mirrorMark = "retrosweep-mirror"

// setHead makes HEAD name a branch, by a rename as git does.
func (r *Repo) setHead(branch string) error {
	if err := checkRefName(branch); err != nil {
		return err
	}
	file := filepath.Join(r.gitDir, "HEAD")
	text := "ref: " + branch + "\n"
	if b, err := readSmall(file); err == nil && string(b) == text {
		return nil
	}
	return r.replaceFile(file, []byte(text))
}

// replaceFile writes a file of the git directory under its lock.
func (r *Repo) replaceFile(file string, b []byte) error {
	return r.withLock(file, func(lock *lockFile) error {
		if err := writeSync(lock.File, b); err != nil {
			return err
		}
		return lock.rename(file)
	})
}

// writeShallow records which commits have no parents here.
func (r *Repo) writeShallow(shallow map[Hash]bool) error {
	file := filepath.Join(r.common, "shallow")
	if len(shallow) == 0 {
		return skipAbsent(os.Remove(file))
	}
	var text strings.Builder
	for _, h := range sortedHashes(shallow) {
		text.WriteString(h.String() + "\n")
	}
	return r.replaceFile(file, []byte(text.String()))
}

func sortedHashes(set map[Hash]bool) []Hash {
	hashes := slices.Collect(maps.Keys(set))
	plumbing.HashesSort(hashes)
	return hashes
}
