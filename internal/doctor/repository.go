package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/config"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Local reports on a repository at a path. Who calls it is given the opened
// repository, to close it in the end, and may have more to look at.
func Local(path string, now func() time.Time, opened func(r *repo.Repo) []Check) Check {
	return Check{"repository", func(ctx context.Context) Result {
		r, err := repo.Open(ctx, path)
		if err != nil {
			return fail(err, "name a working tree, a bare repository or a clone URL: retrosweep doctor REPO")
		}
		kind := "with a working tree"
		if r.Bare() {
			kind = "bare"
		}
		writable := Writable("git directory", r.GitDir(), "an apply writes objects and references there: give this account write access, or only do dry runs")
		return ok("%s, %s", path, kind).then(about(r)...).then(writable, locks(r.GitDir(), now), Disk("disk for the repository", r.GitDir())).then(opened(r)...)
	}}
}

// about are the checks of an opened repository.
func about(r *repo.Repo) []Check {
	return []Check{
		{"branch", func(context.Context) Result { return branch(r) }},
		{"history", func(context.Context) Result { return history(r) }},
		{config.RepositoryName, func(context.Context) Result { return repositoryFile(r) }},
		{"journal", func(context.Context) Result { return ours(r) }},
	}
}

func branch(r *repo.Repo) Result {
	name, at, err := r.Head()
	switch {
	case errors.Is(err, repo.ErrEmpty):
		return fail(err, "make a first commit: a night reviews commits")
	case err != nil:
		return fail(err, "check out a branch, or name one with --branch")
	case name == "":
		return warn(fmt.Sprintf("HEAD is detached at %.10s", at), "nights remember where they stopped by branch: name one with --branch")
	}
	return ok("%s at %.10s", name, at)
}

func history(r *repo.Repo) Result {
	if r.Shallow() {
		return warn("shallow: commits behind the boundary are not seen, and facts that broke there count as never checked",
			"git fetch --unshallow; in GitHub Actions, fetch-depth: 0 of actions/checkout")
	}
	return ok("whole")
}

// maxLocked is how long a lock of a reference may be held: git and we hold one
// for milliseconds.
const maxLocked = time.Minute

// locks looks for locks of references that a killed process left: they keep out
// every later one, ours and git's.
func locks(gitDir string, now func() time.Time) Check {
	return Check{"locks", func(context.Context) Result {
		var left []string
		err := filepath.WalkDir(gitDir, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return nil // somebody else's, or gone by now
			case d.IsDir() && (d.Name() == "objects" || d.Name() == "modules"):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".lock" || d.Name() == "retrosweep.lock":
				return nil
			}
			if info, err := d.Info(); err == nil && now().Sub(info.ModTime()) > maxLocked {
				left = append(left, path)
			}
			return nil
		})
		if err != nil {
			return unknown(err.Error(), "")
		}
		if len(left) > 0 {
			return fail(fmt.Errorf("left by a process that was killed:\n%s", strings.Join(left, "\n")),
				"when no git and no retrosweep is running there, remove them: rm "+strings.Join(left, " "))
		}
		return ok("none left behind")
	}}
}

// maxConfig bounds the file, as a run does.
const maxConfig = 1 << 20

func repositoryFile(r *repo.Repo) Result {
	content, there, err := readAtHead(r, config.RepositoryName)
	if err != nil {
		return fail(err, "commit a "+config.RepositoryName+" that can be read, or none")
	}
	if !there {
		return ok("none at HEAD: the defaults hold")
	}
	parsed, err := config.ParseRepository(content)
	switch {
	case err != nil:
		return fail(err, "correct these places and commit: a night reads the file from the branch's tip")
	case !parsed.Enabled:
		return warn("enabled: false: every night leaves this repository alone", "commit enabled: true")
	}
	return ok("read from HEAD")
}

func readAtHead(r *repo.Repo, file string) (content []byte, there bool, err error) {
	_, at, err := r.Head()
	if err != nil {
		return nil, false, err
	}
	tree, err := r.Tree(at)
	if err != nil {
		return nil, false, err
	}
	entry, there, err := tree.Entry(file)
	if err != nil || !there {
		return nil, false, err
	}
	content, err = r.Blob(entry.Hash, maxConfig)
	return content, true, err
}

// ours says which references of the program there are.
func ours(r *repo.Repo) Result {
	refs, err := r.Refs(namespace)
	if err != nil {
		return fail(err, "run 'git fsck' in "+r.GitDir())
	}
	if len(refs) == 0 {
		return ok("none yet: the first apply makes %sjournal", namespace)
	}
	if refs[namespace+"journal"].IsZero() {
		return warn(fmt.Sprintf("%d references below %s, without a journal", len(refs), namespace),
			"nights begin as if they were the first; proposals are found again by their marks")
	}
	return ok("%sjournal is there: an earlier night was here", namespace)
}

const namespace = "refs/retrosweep/"
