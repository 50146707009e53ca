package githubfake

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // what git names objects by
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Commits that are made through the API are real commits of the repository. What
// an app makes in no other name is signed.

// webFlow is who commits what the host makes for others.
var webFlow = repo.Signature{Name: "GitHub", Email: "noreply@github.com"}

const signature = "-----BEGIN PGP SIGNATURE-----\n\nZmFrZQ==\n-----END PGP SIGNATURE-----\n"

// Verified reports whether the host signed a commit.
func (g *GitHub) Verified(h repo.Hash) bool {
	_, ok := g.verified.Load(h)
	return ok
}

func (g *GitHub) createBlob(c *call) answer {
	var in struct{ Content, Encoding string }
	if err := json.Unmarshal(c.body, &in); err != nil || !g.isHere(c) {
		return notFound
	}
	b := []byte(in.Content)
	if in.Encoding == "base64" {
		var err error
		if b, err = base64.StdEncoding.DecodeString(in.Content); err != nil {
			return invalid("content", "")
		}
	}
	h, err := g.Repo.WriteBlob(b)
	if err != nil {
		return invalid("content", "")
	}
	return answer{status: http.StatusCreated, body: object{"sha": h.String(), "url": "https://api.github.com/blob"}}
}

var modes = map[string]repo.Mode{"100644": repo.ModeFile, "100755": repo.ModeExec, "120000": repo.ModeSymlink}

func (g *GitHub) createTree(c *call) answer {
	var in struct {
		Base string `json:"base_tree"`
		Tree []struct {
			Path, Mode, Type string
			SHA              json.RawMessage
			Content          *string
		}
	}
	if err := json.Unmarshal(c.body, &in); err != nil || !g.isHere(c) {
		return notFound
	}
	tree, _ := hash(in.Base)
	if _, err := g.Repo.Commit(tree); err == nil {
		return invalid("base_tree", "")
	}
	var entries []repo.Entry
	gone := map[string][]byte{}
	for _, e := range in.Tree {
		h, ok := hash(strings.Trim(string(e.SHA), `"`))
		var err error
		switch {
		case e.Content != nil && e.SHA == nil:
			h, err = g.Repo.WriteBlob([]byte(*e.Content))
		case string(e.SHA) == "null":
			gone[e.Path] = nil
			continue
		case !ok:
			return invalid("tree.sha", "")
		}
		if err != nil || e.Type != "blob" || modes[e.Mode] == 0 {
			return invalid("tree.mode", "")
		}
		entries = append(entries, repo.Entry{Path: e.Path, Mode: modes[e.Mode], Hash: h})
	}
	tree, err := g.Repo.WriteTree(tree, gone)
	if err == nil {
		tree, err = g.Repo.WriteEntries(tree, entries)
	}
	if err != nil {
		return invalid("tree", "")
	}
	return answer{status: http.StatusCreated, body: object{"sha": tree.String(), "truncated": false, "tree": []object{}}}
}

func (g *GitHub) createCommit(c *call) answer {
	var in struct {
		Message, Tree     string
		Parents           []string
		Author, Committer json.RawMessage
		Signature         string
	}
	if err := json.Unmarshal(c.body, &in); err != nil || !g.isHere(c) {
		return notFound
	}
	if in.Author != nil || in.Committer != nil || in.Signature != "" {
		return g.violate(fmt.Errorf("a commit in another name is not signed by the host"))
	}
	author := repo.Signature{Name: c.user.Login, Email: fmt.Sprintf("%d+%s@users.noreply.github.com", c.user.ID, c.user.Login), When: g.Now()}
	committer := author
	if c.user.App {
		committer = webFlow
		committer.When = g.Now()
	}
	header := "tree " + in.Tree + "\n"
	for _, p := range in.Parents {
		h, _ := hash(p)
		if _, err := g.Repo.Commit(h); err != nil {
			return invalid("parents", "")
		}
		header += "parent " + p + "\n"
	}
	if h, ok := hash(in.Tree); !ok || !g.isTree(h) {
		return invalid("tree", "")
	}
	header += fmt.Sprintf("author %s\ncommitter %s\n", written(author), written(committer))
	payload := header + "\n" + in.Message
	raw := payload
	if c.user.App {
		raw = header + "gpgsig " + strings.ReplaceAll(signature, "\n", "\n ") + "\n\n" + in.Message
	}
	id := repo.Hash(sha1.Sum(fmt.Appendf(nil, "commit %d\x00%s", len(raw), raw))) //nolint:gosec // as above
	if ok, err := g.Repo.AdoptCommit(id, []byte(raw)); err != nil || !ok {
		return invalid("", "the commit cannot be written")
	}
	if c.user.App {
		g.verified.Store(id, payload)
	}
	made, err := g.Repo.Commit(id)
	if err != nil {
		return invalid("", err.Error())
	}
	return answer{status: http.StatusCreated, body: g.gitCommitJSON(made)}
}

func (g *GitHub) isTree(h repo.Hash) bool {
	_, err := g.Repo.Tree(h)
	return err == nil
}

func written(s repo.Signature) string {
	return fmt.Sprintf("%s <%s> %d +0000", s.Name, s.Email, s.When.Unix())
}

// gitCommitJSON is a commit as git has it, without what the host knows beside.
func (g *GitHub) gitCommitJSON(c repo.Commit) object {
	parents := []object{}
	for _, p := range c.Parents {
		parents = append(parents, object{"sha": p.String()})
	}
	return object{
		"sha": c.Hash.String(), "message": c.Message, "tree": object{"sha": c.Tree.String()}, "parents": parents,
		"author": signatureJSON(c.Author), "committer": signatureJSON(c.Committer), "verification": g.verificationJSON(c.Hash),
	}
}

func (g *GitHub) verificationJSON(h repo.Hash) object {
	if payload, ok := g.verified.Load(h); ok {
		return object{"verified": true, "reason": "valid", "signature": signature, "payload": payload, "verified_at": nil}
	}
	return object{"verified": false, "reason": "unsigned", "signature": nil, "payload": nil, "verified_at": nil}
}

func hash(s string) (h repo.Hash, ok bool) {
	b, err := hex.DecodeString(s)
	if err != nil || len(b) != len(h) {
		return h, false
	}
	copy(h[:], b)
	return h, true
}

// refUpdates are the variables of the mutation updateRefs, as the schema of the
// host has them.
type refUpdates struct {
	Input struct {
		RepositoryID     string `json:"repositoryId"`
		ClientMutationID string `json:"clientMutationId"`
		RefUpdates       []struct {
			Name      string `json:"name"`
			BeforeOid string `json:"beforeOid"`
			AfterOid  string `json:"afterOid"`
			Force     bool   `json:"force"`
		} `json:"refUpdates"`
	} `json:"input"`
}

// updateRefs moves references, all or none, each from its old value.
func (g *GitHub) updateRefs(variables []byte) answer {
	var in refUpdates
	d := json.NewDecoder(bytes.NewReader(variables))
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil || in.Input.RepositoryID != repositoryID || len(in.Input.RefUpdates) == 0 {
		return g.violate(fmt.Errorf("updateRefs with %s: %w", variables, err))
	}
	var updates []repo.RefUpdate
	for _, u := range in.Input.RefUpdates {
		old, known := hash(u.BeforeOid)
		to, ok := hash(u.AfterOid)
		if !known || !ok || !strings.HasPrefix(u.Name, "refs/") {
			return g.violate(fmt.Errorf("updateRefs of %q from %q to %q", u.Name, u.BeforeOid, u.AfterOid))
		}
		if isThere, err := g.Repo.IsAncestor(testContext, old, to); !u.Force && !old.IsZero() && !to.IsZero() && (err != nil || !isThere) {
			return said("UNPROCESSABLE", "Update is not a fast forward")
		}
		updates = append(updates, repo.RefUpdate{Name: u.Name, Old: old, New: to})
	}
	if err := g.Remote.move(updates, true); err != nil {
		return said("UNPROCESSABLE", err.Error())
	}
	return ok(object{"data": object{"updateRefs": object{"clientMutationId": nil}}})
}

// said is a query that is not answered.
func said(kind, message string) answer {
	return ok(object{"data": object{"updateRefs": nil}, "errors": []any{object{"type": kind, "message": message}}})
}
