package audit

import (
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// trail holds the exact renames of the commits walked so far: newer ones than
// the commit in hand, so that an old rename can be followed to head.
type trail map[string]string

// add records the exact renames of one commit. A newer rename of the same
// path stays.
func (t trail) add(changes []repo.Change) {
	added := map[repo.Hash]string{}
	for _, c := range changes {
		if c.Kind == repo.Added {
			added[c.To.Hash] = c.To.Path
		}
	}
	if len(added) == 0 {
		return
	}
	for _, c := range changes {
		if c.Kind != repo.Deleted {
			continue
		}
		if to, ok := added[c.From.Hash]; ok && t[c.From.Path] == "" {
			t[c.From.Path] = to
		}
	}
}

// follow returns where p is at head, "" if it is gone.
func (t trail) follow(p string, head *anchor.Index) string {
	for range 32 {
		if head.HasFile(p) {
			return p
		}
		next := t[p]
		if next == "" {
			return ""
		}
		p = next
	}
	return ""
}
