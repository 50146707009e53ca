// Package testkit builds git repositories from text, so that a test shows the
// history it is about. The same text makes the same commit ids everywhere, and
// no git binary is needed.
//
// A history is one txtar archive. A file named "commit" starts a commit: headers,
// an empty line and the message; the files behind it are written by that commit
// with their full content.
//
//	-- commit --
//	author: Ada Byron <ada@acme.dev>
//	date: 2026-03-02T10:00:00Z
//
//	feat: add the checkout
//	-- src/checkout.go --
//	package src
//
// Headers, all optional:
//
//	author: NAME <ADDRESS>     default: the author of the commit before
//	committer: NAME <ADDRESS>  default: the author
//	date: RFC 3339             default: an hour after the commit before
//	committed: RFC 3339        default: date
//	branch: NAME               default: main; the commit goes on top of it
//	parent: LABEL              instead of the branch's tip ("none": a root commit)
//	merge: LABEL               another parent; repeatable
//	label: NAME                a name for this commit in later headers; a branch name means its tip
//	tag: NAME                  a lightweight tag
//	delete: PATH               repeatable; a directory goes with all that is below it
//	move: OLD -> NEW           repeatable; files and directories
//	exec: PATH                 makes a file executable
//	link: PATH -> TARGET       a symbolic link
//	submodule: PATH -> COMMIT  a gitlink, 40 hex digits
//
// HEAD names main, whether or not it has a commit.
package testkit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Build makes a repository with this history in dir and opens it. It is bare,
// unless dir ends in "/.git": then the directory above it is opened, which has a
// .git and no files.
func Build(dir string, history []byte) (*repo.Repo, error) {
	commits, err := parse(history)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", dir, err)
	}
	open, err := initRepository(dir)
	if err != nil {
		return nil, fmt.Errorf("build %s: %w", dir, err)
	}
	r, err := repo.Open(context.Background(), open)
	if err != nil {
		return nil, err
	}
	if err := Extend(r, commits); err != nil {
		return nil, errors.Join(fmt.Errorf("build %s: %w", dir, err), r.Close())
	}
	return r, nil
}

// initRepository makes what git init makes, as little of it as git accepts, and
// returns the path to open.
func initRepository(dir string) (string, error) {
	open, bare := dir, "true"
	if filepath.Base(dir) == ".git" {
		open, bare = filepath.Dir(dir), "false"
	}
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o755); err != nil {
			return "", err
		}
	}
	files := map[string]string{
		"HEAD":   "ref: refs/heads/main\n",
		"config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = " + bare + "\n",
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.ReplaceAll(content, "\r", "")), 0o644); err != nil {
			return "", err
		}
	}
	return open, nil
}
