package github

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/repo"
)

var _ pulls.Committer = (*host)(nil)

// Commit implements [pulls.Committer] by the API of git's own objects. Author and
// committer are left to the host: it signs what an app makes in no other name.
// The tree must come out as the one that was checked here.
func (h *host) Commit(ctx context.Context, c repo.Commit, parent repo.Hash) (repo.Hash, error) {
	made, err := h.commit(ctx, c, parent)
	if err != nil {
		return made, fmt.Errorf("commit through the API: %w", err)
	}
	return made, nil
}

func (h *host) commit(ctx context.Context, c repo.Commit, parent repo.Hash) (repo.Hash, error) {
	if err := h.tree(ctx, c); err != nil {
		return repo.Hash{}, err
	}
	message := strings.TrimRight(c.Message, "\n")
	made, _, err := h.client.Git.CreateCommit(ctx, h.owner, h.repo, &github.Commit{
		Message: &message, Tree: &github.Tree{SHA: github.String(c.Tree.String())}, Parents: []*github.Commit{{SHA: github.String(parent.String())}},
	}, nil)
	if err != nil {
		return repo.Hash{}, hint(failure(err))
	}
	id := marker.Hash(made.GetSHA())
	if id.IsZero() || made.GetTree().GetSHA() != c.Tree.String() || len(made.Parents) != 1 || made.Parents[0].GetSHA() != parent.String() {
		return repo.Hash{}, fmt.Errorf("the host made another commit than the one it was asked for: %.40q, tree %.40q", made.GetSHA(), made.GetTree().GetSHA())
	}
	if !made.GetVerification().GetVerified() && !h.unsigned {
		h.unsigned = true
		h.warn("the host did not sign a commit of " + h.bot.Login + ": it signs what a GitHub App commits")
	}
	return id, h.adopt(id, made)
}

// tree lets the host build the tree of a commit on that of its parent.
func (h *host) tree(ctx context.Context, c repo.Commit) error {
	changes, err := h.store.Diff(ctx, c.Parents[0], c.Hash)
	if err != nil || len(changes) == 0 {
		return err
	}
	base, err := h.store.Commit(c.Parents[0])
	if err != nil {
		return err
	}
	var entries []*github.TreeEntry
	for _, change := range changes {
		e, err := h.entry(ctx, change)
		if err != nil {
			return err
		}
		entries = append(entries, e)
	}
	t, _, err := h.client.Git.CreateTree(ctx, h.owner, h.repo, base.Tree.String(), entries)
	if err == nil && t.GetSHA() != c.Tree.String() {
		err = fmt.Errorf("the host made the tree %.40q of what is %s here", t.GetSHA(), c.Tree)
	}
	return hint(failure(err))
}

var modes = map[repo.Mode]string{repo.ModeFile: "100644", repo.ModeExec: "100755", repo.ModeSymlink: "120000"}

// maxBlob is more than a knowledge file has.
const maxBlob = 8 << 20

// entry is one change as the host takes it: text as it is, other bytes as an
// object of their own, and a file that goes without either.
func (h *host) entry(ctx context.Context, c repo.Change) (*github.TreeEntry, error) {
	if c.To.Path == "" {
		return &github.TreeEntry{Path: &c.From.Path, Mode: github.String(modes[repo.ModeFile]), Type: github.String("blob")}, nil
	}
	mode, ok := modes[c.To.Mode]
	if !ok {
		return nil, fmt.Errorf("%s is no file", c.To.Path)
	}
	b, err := h.store.Blob(c.To.Hash, maxBlob)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", c.To.Path, err)
	}
	e := &github.TreeEntry{Path: &c.To.Path, Mode: &mode, Type: github.String("blob")}
	if text := string(b); utf8.ValidString(text) && text != "" {
		e.Content = &text
		return e, nil
	}
	blob, _, err := h.client.Git.CreateBlob(ctx, h.owner, h.repo, &github.Blob{Content: github.String(base64.StdEncoding.EncodeToString(b)), Encoding: github.String("base64")})
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", c.To.Path, failure(err))
	}
	e.SHA = blob.SHA
	return e, nil
}

// adopt writes the host's commit into the store, so that this run can build on it.
// Where its bytes cannot be put together again the next fetch brings it.
func (h *host) adopt(id repo.Hash, c *github.Commit) error {
	for _, raw := range bytesOf(c) {
		if ok, err := h.store.AdoptCommit(id, []byte(raw)); ok || err != nil {
			return err
		}
	}
	return nil
}

// bytesOf are the bytes that a commit may have: the text that was signed with the
// signature put into its header, or what an unsigned one says of itself.
func bytesOf(c *github.Commit) (out []string) {
	signed, signature := c.GetVerification().GetPayload(), c.GetVerification().GetSignature()
	header, message, ok := strings.Cut(signed, "\n\n")
	if ok && signature != "" {
		for _, s := range []string{signature, strings.TrimRight(signature, "\n"), strings.TrimRight(signature, "\n") + "\n"} {
			out = append(out, header+"\ngpgsig "+strings.ReplaceAll(s, "\n", "\n ")+"\n\n"+message)
		}
		return out
	}
	header = "tree " + c.GetTree().GetSHA() + "\n"
	for _, p := range c.Parents {
		header += "parent " + p.GetSHA() + "\n"
	}
	header += line("author", c.GetAuthor()) + line("committer", c.GetCommitter())
	return []string{header + "\n" + c.GetMessage(), header + "\n" + c.GetMessage() + "\n"}
}

func line(name string, who *github.CommitAuthor) string {
	return fmt.Sprintf("%s %s <%s> %d +0000\n", name, who.GetName(), who.GetEmail(), who.GetDate().Unix())
}

// Made implements [pulls.Committer]. What an app commits is signed by the host,
// which nobody can forge; a name anybody can write.
func (h *host) Made(ctx context.Context, id repo.Hash) (bool, error) {
	all, _, err := h.client.Repositories.ListCommits(ctx, h.owner, h.repo, &github.CommitsListOptions{
		SHA: id.String(), ListOptions: github.ListOptions{PerPage: 1},
	})
	if err != nil || len(all) == 0 || all[0].GetSHA() != id.String() {
		return false, failure(err)
	}
	c := all[0]
	signed := c.GetCommit().GetVerification().GetVerified()
	if !strings.HasSuffix(h.bot.Login, "[bot]") {
		signed = signed || h.bot.Is(identity(c.GetCommitter()))
	}
	return signed && h.bot.Is(identity(c.GetAuthor())), nil
}

// Move implements [pulls.Committer]: GraphQL alone moves a reference from its old
// value. After an error the branch is looked at: the host has no fixed word for
// each of its refusals, and an answer may be lost.
func (h *host) Move(ctx context.Context, u repo.RefUpdate) error {
	err := h.move(ctx, u)
	if err == nil {
		return nil
	}
	err = fmt.Errorf("move %s through the API: %w", u.Name, err)
	refs, again := h.pusher.Refs(ctx, u.Name)
	if again != nil {
		return errors.Join(err, again)
	}
	switch at := refs[u.Name]; {
	case at == u.New:
		return nil
	case at != u.Old:
		return fmt.Errorf("%w: %w", repo.ErrRefMoved, err)
	}
	var said *queryError
	if errors.As(err, &said) {
		refused := &repo.RefusedError{Ref: u.Name, Reason: "a rule of the host", Message: said.message}
		if refused.Rule() != repo.RuleOther {
			return refused
		}
	}
	return err
}

func (h *host) move(ctx context.Context, u repo.RefUpdate) error {
	if h.id == "" {
		var answer struct{ Repository struct{ ID string } }
		const query = `query($owner: String!, $name: String!) { repository(owner: $owner, name: $name) { id } }`
		if err := graphQL(ctx, h.client, query, map[string]any{"owner": h.owner, "name": h.repo}, &answer); err != nil {
			return err
		}
		h.id = answer.Repository.ID
	}
	const mutation = `mutation($input: UpdateRefsInput!) { updateRefs(input: $input) { clientMutationId } }`
	input := map[string]any{"repositoryId": h.id, "refUpdates": []map[string]any{
		{"name": u.Name, "beforeOid": u.Old.String(), "afterOid": u.New.String(), "force": true},
	}}
	return graphQL(ctx, h.client, mutation, map[string]any{"input": input}, nil)
}
