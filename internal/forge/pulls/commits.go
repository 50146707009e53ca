package pulls

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Committer is a host that makes commits by itself, so that it signs them, and
// moves branches without a push. A commit that it made has an id of its own.
type Committer interface {
	// Commit makes the host's own commit of one in the store, on top of a parent
	// that the host has. Nothing points at it yet.
	Commit(ctx context.Context, c repo.Commit, parent repo.Hash) (repo.Hash, error)
	// Move moves a branch from its old value, as [Pusher] does.
	Move(ctx context.Context, u repo.RefUpdate) error
	// Made reports whether the host made a commit for our account.
	Made(ctx context.Context, h repo.Hash) (bool, error)
}

// known is a draft with the ids that its commits have on the host, where its
// branch holds them all already. It writes nothing.
func (f *Forge) known(d proposal.Draft, head repo.Hash) (proposal.Draft, error) {
	return f.hosted(d, head, func(repo.Commit, repo.Hash) (repo.Hash, error) { return repo.Hash{}, nil })
}

// made is a draft whose commits the host has made. A run that dies after it has
// left objects that nothing points at.
func (f *Forge) made(ctx context.Context, d proposal.Draft, head repo.Hash) (proposal.Draft, error) {
	return f.hosted(d, head, func(c repo.Commit, parent repo.Hash) (repo.Hash, error) { return f.Commits.Commit(ctx, c, parent) })
}

// same is what two commits share of which one is the host's own.
type same struct {
	tree, parent repo.Hash
	message      string
}

func sameAs(c repo.Commit, parent repo.Hash) same {
	return same{c.Tree, parent, strings.TrimSpace(c.Message)}
}

// hosted gives a draft the ids of the host's commits: those that its branch holds,
// and those of write, which gives up with a zero id.
func (f *Forge) hosted(d proposal.Draft, head repo.Hash, write func(c repo.Commit, parent repo.Hash) (repo.Hash, error)) (proposal.Draft, error) {
	if f.Commits == nil {
		return d, nil
	}
	chain, err := f.chain(d, head)
	if err != nil {
		return d, err
	}
	have, ids := f.held(head, d.Base.Commit), map[repo.Hash]repo.Hash{}
	chain, older := shorten(chain)
	for _, c := range chain {
		parent := c.Parents[0]
		if made, ok := ids[parent]; ok {
			parent = made
		}
		h := have[sameAs(c, parent)]
		if h.IsZero() {
			h, err = write(c, parent)
		}
		if err != nil || h.IsZero() {
			return d, err
		}
		ids[c.Hash] = h
	}
	for _, c := range older {
		ids[c.Hash] = ids[chain[0].Hash]
	}
	return renamed(d, ids), nil
}

// chain are the commits of a draft that are not on the host, oldest first.
func (f *Forge) chain(d proposal.Draft, head repo.Hash) ([]repo.Commit, error) {
	var out []repo.Commit
	for h := d.Head; h != head && h != d.Base.Commit; h = out[len(out)-1].Parents[0] {
		c, err := f.Store.Commit(h)
		if err == nil && (len(c.Parents) != 1 || len(out) == maxChain) {
			err = fmt.Errorf("%.7s does not lead to the base", h)
		}
		if err != nil {
			return nil, fmt.Errorf("read the commits of %s: %w", d.Branch, err)
		}
		out = append(out, c)
	}
	slices.Reverse(out)
	return out, nil
}

const (
	maxChain = 1000 // commits of a draft that are looked at
	maxMade  = 20   // commits of a draft that the host makes: each is two calls that write
)

// shorten leaves the host no more to make than a night has calls for: the older
// commits go into the first of those that stay, whose tree has what they did.
func shorten(chain []repo.Commit) (rest, older []repo.Commit) {
	cut := len(chain) - maxMade
	if cut <= 0 {
		return chain, nil
	}
	rest = slices.Clone(chain[cut:])
	rest[0].Parents = chain[0].Parents
	return rest, chain[:cut]
}

// held are the newest commits of a branch as far as the store has them.
func (f *Forge) held(head, base repo.Hash) map[same]repo.Hash {
	out := map[same]repo.Hash{}
	for head != base && len(out) < maxOwn {
		c, err := f.Store.Commit(head)
		if err != nil || len(c.Parents) != 1 {
			break
		}
		out[sameAs(c, c.Parents[0])] = head
		head = c.Parents[0]
	}
	return out
}

// renamed is a draft with other ids for its commits.
func renamed(d proposal.Draft, ids map[repo.Hash]repo.Hash) proposal.Draft {
	d.Layers = slices.Clone(d.Layers)
	for was, now := range ids {
		if d.Head == was {
			d.Head = now
		}
		for i := range d.Layers {
			if d.Layers[i].Commit == was.String() {
				d.Layers[i].Commit = now.String()
			}
		}
	}
	return d
}

// apart moves a branch through the host, and its record by a push. A run may die
// between the two: so a new record stands beside the old one until the branch has
// moved, and an old one goes after it.
func (f *Forge) apart(ctx context.Context, updates ...repo.RefUpdate) error {
	branch, record := updates[0], updates[1]
	if next := record; next.Old != next.New && !next.New.IsZero() {
		if !next.Old.IsZero() {
			both, err := f.records().Join(next.New, next.Old)
			if err != nil {
				return err
			}
			next.New = both
		}
		if err := f.together(ctx, next); err != nil {
			return err
		}
		record.Old = next.New
	}
	if branch.Old != branch.New {
		if err := f.Commits.Move(ctx, branch); err != nil {
			return err
		}
	}
	return f.together(ctx, record)
}
