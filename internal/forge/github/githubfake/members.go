package githubfake

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// writes is the permission of who may write.
const writes = "write"

// accountOf is the account behind an address of a commit.
func (g *GitHub) accountOf(email string) (User, bool) {
	if u, listed := g.Accounts[email]; listed {
		return u, u.Login != ""
	}
	name, at, _ := strings.Cut(email, "@")
	if id, login, ok := strings.Cut(name, "+"); ok && at == "users.noreply.github.com" {
		n, err := strconv.ParseInt(id, 10, 64)
		return User{Login: login, ID: n, App: strings.HasSuffix(login, "[bot]")}, err == nil
	}
	return User{Login: name, ID: 2000 + int64(len(name))}, name != ""
}

// listAllCommits lists the history of a commit or branch, newest first.
func (g *GitHub) listAllCommits(c *call) answer {
	if !g.isHere(c) {
		return notFound
	}
	at, err := g.Repo.Resolve(cmp.Or(c.URL.Query().Get("sha"), g.Default))
	if err != nil {
		return notFound
	}
	all, err := g.Repo.Range(testContext, repo.Hash{}, at, 0)
	if err != nil {
		return notFound
	}
	some, header := page(c, all.Commits)
	out := []object{}
	for _, x := range some {
		out = append(out, g.commitJSON(x))
	}
	a := ok(out)
	a.header = header
	return a
}

func (g *GitHub) commitJSON(c repo.Commit) object {
	parents := []object{}
	for _, p := range c.Parents {
		parents = append(parents, object{"sha": p.String()})
	}
	return object{
		"sha": c.Hash.String(), "node_id": "C", "parents": parents, "author": g.personJSON(c.Author), "committer": g.personJSON(c.Committer),
		"commit": object{
			"message": c.Message, "comment_count": 0, "tree": object{"sha": c.Tree.String()},
			"author": signatureJSON(c.Author), "committer": signatureJSON(c.Committer), "verification": g.verificationJSON(c.Hash),
		},
	}
}

// personJSON is null where no account has the address.
func (g *GitHub) personJSON(s repo.Signature) any {
	if u, known := g.accountOf(s.Email); known {
		return u.json()
	}
	return nil
}

func signatureJSON(s repo.Signature) object {
	return object{"name": s.Name, "email": s.Email, "date": stamp(s.When)}
}

// getPermission answers for the accounts that are listed, and for the others as
// for people who may write.
func (g *GitHub) getPermission(c *call) answer {
	login := c.params["username"]
	permission, listed := g.Permissions[login]
	switch {
	case !g.isHere(c) || listed && permission == "":
		return notFound
	case !listed:
		permission = writes
	}
	return ok(object{"permission": permission, "role_name": permission, "user": User{Login: login, ID: 1}.json()})
}
