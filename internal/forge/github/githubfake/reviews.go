package githubfake

import (
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Review is what a person said of a pull request: of the whole, or of a file.
type Review struct {
	By        User
	Writes    bool   // may write to the repository
	Path      string // "" for the whole
	Text      string
	Requested bool // changes were requested
}

func (r Review) role() string {
	if r.Writes {
		return "COLLABORATOR"
	}
	return "NONE"
}

func (r Review) state() string {
	if r.Requested {
		return "CHANGES_REQUESTED"
	}
	return "COMMENTED"
}

// listReviews answers with one review for each thing said: its body is empty
// where it was said of a file.
func (g *GitHub) listReviews(c *call) answer {
	p := g.find(c, "pull_number")
	if p == nil {
		return notFound
	}
	out := []object{}
	for i, r := range p.Reviews {
		body := r.Text
		if r.Path != "" {
			body = ""
		}
		out = append(out, object{
			"id": reviewID(p, i), "node_id": "PRR", "user": r.By.json(), "body": body, "state": r.state(), "author_association": r.role(),
			"html_url": "https://github.com/x", "pull_request_url": "https://api.github.com/x", "submitted_at": stamp(g.Now()), "commit_id": p.HeadHash.String(),
		})
	}
	return ok(out)
}

func (g *GitHub) listReviewComments(c *call) answer {
	p := g.find(c, "pull_number")
	if p == nil {
		return notFound
	}
	out := []object{}
	for i, r := range p.Reviews {
		if r.Path != "" {
			out = append(out, object{
				"id": 100 + i, "node_id": "PRRC", "pull_request_review_id": reviewID(p, i), "path": r.Path, "body": r.Text, "user": r.By.json(),
				"author_association": r.role(), "diff_hunk": "", "commit_id": p.HeadHash.String(), "original_commit_id": p.HeadHash.String(),
				"created_at": stamp(g.Now()), "updated_at": stamp(g.Now()),
			})
		}
	}
	return ok(out)
}

func reviewID(p *Pull, i int) int { return p.Number*1000 + i }

// listCommits answers with the newest commit of the branch.
func (g *GitHub) listCommits(c *call) answer {
	p := g.find(c, "pull_number")
	if p == nil {
		return notFound
	}
	if p.HeadHash == (repo.Hash{}) {
		return ok([]object{})
	}
	return ok([]object{{"sha": p.HeadHash.String(), "node_id": "C"}})
}
