package night

import (
	"context"
	"fmt"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// maxAsked bounds the authors that one night asks the host about, at two requests
// each, and the reviewers besides.
const maxAsked = 50

// members says whose word counts in one night. A host that knows is asked once
// for each author; whom it does not vouch for is an outsider, and so is everybody
// after it refused.
type members struct {
	host    forge.Members
	authors map[string]bool // by address
	writers map[string]bool // by login
	asked   int
	nobody  int   // authors without an account
	left    int   // authors over the bound
	refused int   // authors that the host did not answer for
	err     error // why not
}

func newMembers(host forge.Members) *members {
	return &members{host: host, authors: map[string]bool{}, writers: map[string]bool{}}
}

// wrote reports whether the author of a commit may write to the repository.
func (m *members) wrote(ctx context.Context, c repo.Commit) bool {
	address := strings.ToLower(strings.TrimSpace(c.Author.Email))
	may, known := m.authors[address]
	if !known {
		may = m.ask(ctx, c.Hash.String())
		m.authors[address] = may
	}
	return may
}

func (m *members) ask(ctx context.Context, commit string) bool {
	if m.asked == maxAsked {
		m.left++
		return false
	}
	login := ""
	if m.err == nil {
		m.asked++
		login, m.err = m.host.AuthorOf(ctx, commit)
	}
	may := m.err == nil && login != "" && m.mayWrite(ctx, login)
	switch {
	case m.err != nil:
		m.refused++
	case login == "":
		m.nobody++
	}
	return may
}

// mayWrite reports whether an account may write to the repository.
func (m *members) mayWrite(ctx context.Context, login string) bool {
	login = strings.ToLower(login)
	may, known := m.writers[login]
	if known || m.err != nil || len(m.writers) == 2*maxAsked {
		return may
	}
	may, m.err = m.host.MayWrite(ctx, login)
	m.writers[login] = may
	return may
}

// whose is who wrote a commit: trust.members decides where the operator names
// any, else the host where it knows; without either every human author is a
// member.
func (r *run) whose(ctx context.Context) func(repo.Commit) retro.Trust {
	return func(c repo.Commit) retro.Trust {
		who := signal.DefaultTrust(c.Author.Email)
		switch {
		case who != retro.Member:
			return who
		case len(r.Config.Trust.Members) > 0 || r.members.host == nil:
			if r.Config.Trust.Member(c.Author.Email) {
				return retro.Member
			}
		case r.members.wrote(ctx, c):
			return retro.Member
		}
		return retro.Outsider
	}
}

// tellOutsiders says whom the host did not vouch for, by number: a receipt names
// nobody.
func (r *run) tellOutsiders() {
	m := r.members
	if m.err != nil {
		r.unwell("who has write access could not be read from the host")
		r.warn("who has write access is not known tonight: %v; %s whom it was not told for count as outsiders (trust.members of the configuration decides without asking)", m.err, authors(m.refused))
	}
	if m.nobody > 0 {
		r.warn("the host knows no account of %s: they count as outsiders (trust.members of the configuration can name them)", authors(m.nobody))
	}
	if m.left > 0 {
		r.warn("the host is asked about %d authors a night: %s more count as outsiders", maxAsked, authors(m.left))
	}
}

func authors(n int) string {
	if n == 1 {
		return "1 author"
	}
	return fmt.Sprintf("%d authors", n)
}
