package audit

import (
	"github.com/retrosweep/retrosweep/internal/repo"
)

// ledger remembers what the walked commits changed in code, so that a file's
// past can be asked for without a second walk. Steps are counted from head
// backwards: a larger number is an older commit.
type ledger struct {
	steps []repo.Hash       // commits
	files map[string][]edit // by path, newest first
}

// edit is one change of one file. A zero hash means that it was not there.
type edit struct {
	n        int
	from, to repo.Hash
}

func newLedger() *ledger { return &ledger{files: map[string][]edit{}} }

// add notes the changes of the next older commit.
func (l *ledger) add(commit repo.Hash, changes []repo.Change) {
	n := len(l.steps)
	l.steps = append(l.steps, commit)
	for _, c := range changes {
		p := c.From.Path
		if c.Kind == repo.Added {
			p = c.To.Path
		}
		if !prose.MatchString(p) {
			l.files[p] = append(l.files[p], edit{n, c.From.Hash, c.To.Hash})
		}
	}
}

// version is what a commit made of a document, under whatever name it had.
type version struct {
	edit
	named bool // it changed an earlier text rather than adding the document
}

// write notes the versions of the documents that a step changed.
func (l *ledger) write(names map[string][]*docName, changes []repo.Change) {
	n := len(l.steps) - 1
	for _, c := range changes {
		for _, d := range names[c.To.Path] {
			d.versions = append(d.versions, version{edit{n, c.From.Hash, c.To.Hash}, c.Kind != repo.Added})
		}
	}
}
