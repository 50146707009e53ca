package githubfake

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// Pull is a pull request.
type Pull struct {
	Number           int
	Title, Body      string
	Head, Base       string
	HeadOwner        string // of a fork; "" for the repository itself
	HeadHash         repo.Hash
	State            string // open or closed
	Draft            bool
	Author           User
	Labels           []string
	Reviewers, Teams []string
	AutoMerge        string
	Created          time.Time
	Closed, Merged   time.Time
	MergeHash        repo.Hash // of the merge or squash
	Reviews          []Review
	MergedBy         string
}

// reconcile does what the host does when a branch moves or goes: the pull
// requests follow it.
func (g *GitHub) reconcile() error {
	for _, p := range g.pulls {
		if p.State != "open" || p.HeadOwner != "" {
			continue
		}
		h, there, err := g.Repo.Ref("refs/heads/" + p.Head)
		if err != nil {
			return fmt.Errorf("look at the branch of pull request %d: %w", p.Number, err)
		}
		if there {
			p.HeadHash = h
			continue
		}
		p.State, p.Closed = "closed", g.Now()
	}
	return nil
}

func (g *GitHub) find(c *call, param string) *Pull {
	n, err := strconv.Atoi(c.params[param])
	if err != nil || n < 1 || n > len(g.pulls) || !g.isHere(c) {
		return nil
	}
	return g.pulls[n-1]
}

func (g *GitHub) isHere(c *call) bool {
	return c.params["owner"] == g.Owner && c.params["repo"] == g.Name
}

var notFound = refuse(http.StatusNotFound, "Not Found")

func (g *GitHub) pullJSON(p *Pull) object {
	at := fmt.Sprintf("https://github.com/%s/%s/pull/%d", g.Owner, g.Name, p.Number)
	labels := []object{}
	for i, l := range p.Labels {
		labels = append(labels, object{"id": i + 1, "name": l})
	}
	out := object{
		"id": 5000 + p.Number, "number": p.Number, "node_id": "PR_" + strconv.Itoa(p.Number), "html_url": at, "state": p.State,
		"title": p.Title, "body": p.Body, "draft": p.Draft, "user": p.Author.json(), "labels": labels,
		"created_at": stamp(p.Created), "closed_at": stamp(p.Closed), "merged_at": stamp(p.Merged), "merged": !p.Merged.IsZero(),
		"head":       g.branchJSON(p.Head, p.HeadOwner, p.HeadHash),
		"base":       g.branchJSON(p.Base, "", g.tip(p.Base)),
		"auto_merge": nil, "author_association": "NONE",
	}
	if !p.MergeHash.IsZero() {
		out["merge_commit_sha"] = p.MergeHash.String()
	}
	if p.AutoMerge != "" {
		out["auto_merge"] = object{"enabled_by": p.Author.json(), "merge_method": "squash"}
	}
	return out
}

func (g *GitHub) tip(branch string) repo.Hash {
	h, _, _ := g.Repo.Ref("refs/heads/" + branch) // what is not there is zero
	return h
}

func (g *GitHub) branchJSON(branch, fork string, h repo.Hash) object {
	owner, r := g.Owner, g.repoJSON()
	if fork != "" {
		owner = fork
		r["id"], r["full_name"], r["fork"], r["owner"] = 99, fork+"/"+g.Name, true, object{"login": fork, "id": 99}
	}
	return object{"label": owner + ":" + branch, "ref": branch, "sha": h.String(), "user": object{"login": owner, "id": 1}, "repo": r}
}

func (g *GitHub) getPull(c *call) answer {
	p := g.find(c, "pull_number")
	if p == nil {
		return notFound
	}
	return ok(g.pullJSON(p))
}

func (g *GitHub) listPulls(c *call) answer {
	q := c.URL.Query()
	var some []*Pull
	for _, p := range g.newest(g.StalePulls) {
		owner := p.HeadOwner
		if owner == "" {
			owner = g.Owner
		}
		if head := q.Get("head"); head != "" && head != owner+":"+p.Head || !matches(q.Get("state"), p.State) {
			continue
		}
		some = append(some, p)
	}
	some, header := page(c, some)
	out := []object{}
	for _, p := range some {
		out = append(out, g.pullJSON(p))
	}
	a := ok(out)
	a.header = header
	return a
}

// newest are the pull requests, newest first, without the first few.
func (g *GitHub) newest(without int) []*Pull {
	all := slices.Clone(g.pulls)
	slices.Reverse(all)
	return all[min(without, len(all)):]
}

func matches(filter, state string) bool {
	return filter == "all" || filter == state || filter == "" && state == "open"
}

func (g *GitHub) createPull(c *call) answer {
	var in struct {
		Title, Body, Head, Base string
		Draft                   bool
	}
	if err := json.Unmarshal(c.body, &in); err != nil {
		return invalid("body", "")
	}
	switch head, base := g.tip(in.Head), g.tip(in.Base); {
	case !g.isHere(c):
		return notFound
	case g.NoCreate:
		return refuse(http.StatusForbidden, "GitHub Actions is not permitted to create or approve pull requests.")
	case in.Draft && g.NoDrafts:
		return invalid("", "Draft pull requests are not supported in this repository.")
	case head.IsZero():
		return invalid("head", "")
	case base.IsZero():
		return invalid("base", "")
	case g.isMerged(head, base):
		return invalid("", fmt.Sprintf("No commits between %s and %s", in.Base, in.Head))
	}
	for _, p := range g.pulls {
		if p.State == "open" && p.Head == in.Head && p.Base == in.Base && p.HeadOwner == "" {
			return invalid("", fmt.Sprintf("A pull request already exists for %s:%s.", g.Owner, in.Head))
		}
	}
	p := g.add(&Pull{Title: in.Title, Body: in.Body, Head: in.Head, Base: in.Base, Draft: in.Draft, Author: c.user})
	return answer{status: http.StatusCreated, body: g.pullJSON(p)}
}

func (g *GitHub) add(p *Pull) *Pull {
	p.Number, p.State, p.Created = len(g.pulls)+1, "open", g.Now()
	p.HeadHash = g.tip(p.Head)
	g.pulls = append(g.pulls, p)
	return p
}

func (g *GitHub) isMerged(head, base repo.Hash) bool {
	ok, err := g.Repo.IsAncestor(testContext, head, base)
	return err == nil && ok
}

func (g *GitHub) updatePull(c *call) answer {
	p := g.find(c, "pull_number")
	if p == nil {
		return refuse(http.StatusForbidden, "Not Found") // the description has no 404 here
	}
	var in struct{ Title, Body, State, Base *string }
	if err := json.Unmarshal(c.body, &in); err != nil {
		return invalid("body", "")
	}
	if in.Body != nil && len([]rune(*in.Body)) > 65536 {
		return invalid("body", "")
	}
	if in.State != nil && *in.State == "open" && !p.Merged.IsZero() {
		return invalid("state", "")
	}
	set(&p.Title, in.Title)
	set(&p.Body, in.Body)
	set(&p.Base, in.Base)
	if in.State != nil && *in.State != p.State {
		p.State, p.Closed = *in.State, g.Now()
	}
	return ok(g.pullJSON(p))
}

// mergePull merges as whoever asks.
func (g *GitHub) mergePull(c *call) answer {
	p := g.find(c, "pull_number")
	if p == nil {
		return notFound
	}
	var in struct{ SHA string }
	if len(c.body) > 0 && json.Unmarshal(c.body, &in) != nil {
		return invalid("body", "")
	}
	switch {
	case p.State != "open":
		return refuse(http.StatusMethodNotAllowed, "Pull Request is not mergeable")
	case g.NoMerge:
		return refuse(http.StatusMethodNotAllowed, "At least 1 approving review is required by reviewers with write access.")
	case in.SHA != "" && in.SHA != p.HeadHash.String():
		return refuse(http.StatusConflict, "Head branch was modified. Review and try the merge again.")
	}
	h, err := g.merge(p, MergeCommit)
	if err != nil {
		return refuse(http.StatusMethodNotAllowed, err.Error())
	}
	p.State, p.Closed, p.Merged, p.MergedBy = "closed", g.Now(), g.Now(), c.user.Login
	return ok(object{"sha": h.String(), "merged": true, "message": "Pull Request successfully merged"})
}

func set(to, from *string) {
	if from != nil {
		*to = *from
	}
}

func (g *GitHub) requestReviewers(c *call) answer {
	p := g.find(c, "pull_number")
	if p == nil {
		return refuse(http.StatusForbidden, "Not Found")
	}
	var in struct {
		Reviewers     []string `json:"reviewers"`
		TeamReviewers []string `json:"team_reviewers"`
	}
	if err := json.Unmarshal(c.body, &in); err != nil || slices.Contains(in.Reviewers, p.Author.Login) {
		return invalid("", "Review cannot be requested from pull request author.")
	}
	p.Reviewers, p.Teams = append(p.Reviewers, in.Reviewers...), append(p.Teams, in.TeamReviewers...)
	return answer{status: http.StatusCreated, body: g.pullJSON(p)}
}
