package gitea

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"code.gitea.io/sdk/gitea"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
)

// host is the API of one repository.
type host struct {
	*Connection
	owner, repo string
	bot         string // login of the account whose requests are ours
}

// ask makes one call and gives its error the host's status.
func ask[T any](ctx context.Context, h *host, call func(*gitea.Client) (T, *gitea.Response, error)) (T, error) {
	client, err := h.client(ctx)
	if err != nil {
		var none T
		return none, err
	}
	v, resp, err := call(client)
	return v, failure(resp, err)
}

const (
	pageSize = 50  // what servers give at most, as they come
	maxPages = 400 // 20,000 entries are no list of proposals
)

var errLoop = errors.New("the pages of the list do not end")

// pages collects all pages of a list. A server may give less a page than it is
// asked for, so that an empty page alone is the end.
func pages[T any](ctx context.Context, h *host, read func(*gitea.Client, gitea.ListOptions) ([]T, *gitea.Response, error)) ([]T, error) {
	var all []T
	for page := 1; page <= maxPages; page++ {
		some, err := ask(ctx, h, func(c *gitea.Client) ([]T, *gitea.Response, error) {
			return read(c, gitea.ListOptions{Page: page, PageSize: pageSize})
		})
		if err != nil || len(some) == 0 {
			return all, err
		}
		all = append(all, some...)
	}
	return nil, errLoop
}

// Own implements [pulls.Host].
func (h *host) Own(ctx context.Context) ([]pulls.Pull, error) {
	issues, err := h.made(ctx, gitea.IssueTypePull)
	var out []pulls.Pull
	for _, i := range issues {
		out = append(out, pulls.Pull{Number: int(i.Index), Body: i.Body, Author: identity(i.Poster), Open: i.State == gitea.StateOpen})
	}
	return out, err
}

// Issues implements [pulls.Host].
func (h *host) Issues(ctx context.Context) ([]pulls.Issue, error) {
	issues, err := h.made(ctx, gitea.IssueTypeIssue)
	var out []pulls.Issue
	for _, i := range issues {
		out = append(out, pulls.Issue{Number: int(i.Index), Body: i.Body, Author: identity(i.Poster), Open: i.State == gitea.StateOpen})
	}
	return out, err
}

// Post implements [pulls.Host].
func (h *host) Post(ctx context.Context, number int, title, body string) error {
	_, err := ask(ctx, h, func(c *gitea.Client) (*gitea.Issue, *gitea.Response, error) {
		if number == 0 {
			return c.CreateIssue(h.owner, h.repo, gitea.CreateIssueOption{Title: title, Body: body})
		}
		return c.EditIssue(h.owner, h.repo, int64(number), gitea.EditIssueOption{Body: &body})
	})
	return err
}

// made are the issues or pull requests that our account made, in every state.
func (h *host) made(ctx context.Context, kind gitea.IssueType) ([]*gitea.Issue, error) {
	all, err := pages(ctx, h, func(c *gitea.Client, o gitea.ListOptions) ([]*gitea.Issue, *gitea.Response, error) {
		return c.ListRepoIssues(h.owner, h.repo, gitea.ListIssueOption{ListOptions: o, State: gitea.StateAll, Type: kind, CreatedBy: h.bot})
	})
	return slices.DeleteFunc(all, func(i *gitea.Issue) bool { return i == nil }), err
}

// OnBranch implements [pulls.Host]. The API has no filter for a branch: it reads
// what is open, and of what is ended what is ours.
func (h *host) OnBranch(ctx context.Context, branch string) ([]pulls.Pull, error) {
	open, err := pages(ctx, h, func(c *gitea.Client, o gitea.ListOptions) ([]*gitea.PullRequest, *gitea.Response, error) {
		return c.ListRepoPullRequests(h.owner, h.repo, gitea.ListPullRequestsOptions{ListOptions: o, State: gitea.StateOpen})
	})
	if err != nil {
		return nil, err
	}
	var out []pulls.Pull
	for _, pr := range open {
		if p := pullOf(pr); p.Head == branch {
			out = append(out, p)
		}
	}
	own, err := h.Own(ctx)
	if err != nil {
		return nil, err
	}
	for _, p := range own {
		if p.Open || !strings.Contains(p.Body, branch) {
			continue
		}
		if p, err = h.Get(ctx, p.Number); err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, nil
}

// Get implements [pulls.Host].
func (h *host) Get(ctx context.Context, number int) (pulls.Pull, error) {
	pr, err := ask(ctx, h, func(c *gitea.Client) (*gitea.PullRequest, *gitea.Response, error) {
		return c.GetPullRequest(h.owner, h.repo, int64(number))
	})
	return pullOf(pr), err
}

// Create implements [pulls.Host].
func (h *host) Create(ctx context.Context, n pulls.New) (pulls.Pull, error) {
	pr, err := ask(ctx, h, func(c *gitea.Client) (*gitea.PullRequest, *gitea.Response, error) {
		return c.CreatePullRequest(h.owner, h.repo, gitea.CreatePullRequestOption{Title: n.Title, Body: n.Body, Head: n.Head, Base: n.Base})
	})
	return pullOf(pr), err
}

// Edit implements [pulls.Host].
func (h *host) Edit(ctx context.Context, number int, e pulls.Edit) (pulls.Pull, error) {
	o := gitea.EditPullRequestOption{Title: e.Title, Body: &e.Body}
	if e.Close {
		closed := gitea.StateClosed
		o.State = &closed
	}
	pr, err := ask(ctx, h, func(c *gitea.Client) (*gitea.PullRequest, *gitea.Response, error) {
		return c.EditPullRequest(h.owner, h.repo, int64(number), o)
	})
	return pullOf(pr), err
}

// Merge implements [pulls.Host], in the way that the repository prefers.
func (h *host) Merge(ctx context.Context, number int, head string) error {
	r, err := h.repository(ctx)
	if err != nil {
		return err
	}
	style := gitea.MergeStyleMerge
	if r.DefaultMergeStyle != "" {
		style = r.DefaultMergeStyle
	}
	merged, err := ask(ctx, h, func(c *gitea.Client) (bool, *gitea.Response, error) {
		return c.MergePullRequest(h.owner, h.repo, int64(number), gitea.MergePullRequestOption{Style: style, HeadCommitId: head})
	})
	if err == nil && !merged {
		err = &pulls.StatusError{Status: 405, Err: errors.New("the host did not merge it")}
	}
	return err
}

// MergeLater implements [pulls.Later]. Where the base requires no checks, the host
// would merge at once.
func (h *host) MergeLater(ctx context.Context, p pulls.Pull, head, method string) error {
	base, err := ask(ctx, h, func(c *gitea.Client) (*gitea.Branch, *gitea.Response, error) {
		return c.GetRepoBranch(h.owner, h.repo, p.Base)
	})
	if err == nil && !base.EnableStatusCheck {
		err = errors.New("the base requires no checks, and it would be merged at once")
	}
	if err != nil {
		return err
	}
	later, err := ask(ctx, h, func(c *gitea.Client) (bool, *gitea.Response, error) {
		return c.MergePullRequest(h.owner, h.repo, int64(p.Number), gitea.MergePullRequestOption{
			Style: gitea.MergeStyle(method), HeadCommitId: head, MergeWhenChecksSucceed: true,
		})
	})
	if err == nil && !later {
		err = errors.New("the host does not say that it will")
	}
	return err
}

func (h *host) repository(ctx context.Context) (*gitea.Repository, error) {
	return ask(ctx, h, func(c *gitea.Client) (*gitea.Repository, *gitea.Response, error) {
		return c.GetRepo(h.owner, h.repo)
	})
}

// Label implements [pulls.Host]. Labels are numbers here; one that the
// repository does not have is made.
func (h *host) Label(ctx context.Context, number int, labels []string) error {
	have, err := pages(ctx, h, func(c *gitea.Client, o gitea.ListOptions) ([]*gitea.Label, *gitea.Response, error) {
		return c.ListRepoLabels(h.owner, h.repo, gitea.ListLabelsOptions{ListOptions: o})
	})
	if err != nil {
		return err
	}
	var ids []int64
	for _, name := range labels {
		at := slices.IndexFunc(have, func(l *gitea.Label) bool { return l != nil && strings.EqualFold(l.Name, name) })
		if at >= 0 {
			ids = append(ids, have[at].ID)
			continue
		}
		made, err := ask(ctx, h, func(c *gitea.Client) (*gitea.Label, *gitea.Response, error) {
			return c.CreateLabel(h.owner, h.repo, gitea.CreateLabelOption{Name: name, Color: "#ededed"})
		})
		if err != nil {
			return err
		}
		ids = append(ids, made.ID)
	}
	_, err = ask(ctx, h, func(c *gitea.Client) ([]*gitea.Label, *gitea.Response, error) {
		return c.AddIssueLabels(h.owner, h.repo, int64(number), gitea.IssueLabelsOption{Labels: ids})
	})
	return err
}

func identity(u *gitea.User) pulls.Identity {
	if u == nil {
		return pulls.Identity{}
	}
	return pulls.Identity{Login: u.UserName, ID: u.ID}
}

// pullOf reads an answer. The name of the branch is its label: ref is another
// one once the branch is gone.
func pullOf(pr *gitea.PullRequest) pulls.Pull {
	if pr == nil {
		return pulls.Pull{}
	}
	p := pulls.Pull{
		Number: int(pr.Index), Title: pr.Title, Body: pr.Body, URL: pr.HTMLURL, Author: identity(pr.Poster), Open: pr.State == gitea.StateOpen,
		Ended: when(pr.Closed),
	}
	if pr.Head != nil && pr.Base != nil {
		p.Head, p.Base, p.Here = pr.Head.Name, pr.Base.Ref, pr.Head.RepoID > 0 && pr.Head.RepoID == pr.Base.RepoID
	}
	if pr.HasMerged {
		p.Merged = when(pr.Merged)
	}
	for _, l := range pr.Labels {
		if l != nil {
			p.Labels = append(p.Labels, l.Name)
		}
	}
	return p
}

func when(t *time.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}
