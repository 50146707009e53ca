package night

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// Hand is one edit that a person asks for. It is delivered as a night's edits
// are: the same routes, the same branches.
type Hand struct {
	Op     knowledge.Op // OpArchive or OpRestore
	Fact   string       // the fact's id, the beginning of it, or file:line
	Reason string
}

// byHand finds the fact and offers the edit.
func (r *run) byHand(context.Context) error {
	h := r.Command.Hand
	if h == nil {
		return nil
	}
	found := r.find(h)
	switch len(found) {
	case 0:
		return fmt.Errorf("%s %s: no such fact; `retrosweep sweep --all --format json` lists ids, file:line works too", h.Op, h.Fact)
	case 1:
	default:
		return fmt.Errorf("%s %s: %d facts fit (%s, %s, ...): say more of the id", h.Op, h.Fact, len(found), found[0].ID, found[1].ID)
	}
	fact := found[0]
	edit := knowledge.Edit{Op: h.Op, Path: fact.File, FactID: fact.ID, Reason: h.Reason, Date: day(r.Now)}
	if h.Op == knowledge.OpRestore {
		var ok bool
		if edit.Path, edit.FactID, ok = r.corpus.Doc(fact.File).Origin(fact); !ok {
			return fmt.Errorf("restore %s: %s does not say where it stood", h.Fact, fact.File)
		}
	}
	r.offer(edit, knowledge.RouteAuto, proposal.Reason{What: string(h.Op) + " " + fact.Title, Why: h.Reason})
	return nil
}

// find lists the facts that h names: the whole id alone, else all that begin
// with it.
func (r *run) find(h *Hand) []*knowledge.Fact {
	var begin []*knowledge.Fact
	file, line := place(h.Fact)
	for _, d := range r.corpus.Docs {
		if (d.Format == knowledge.Archive) != (h.Op == knowledge.OpRestore) {
			continue
		}
		for i := range d.Facts {
			switch f := &d.Facts[i]; {
			case f.ID == h.Fact, f.File == file && f.Line <= line && line <= f.EndLine:
				return []*knowledge.Fact{f}
			case len(h.Fact) >= 6 && strings.HasPrefix(f.ID, h.Fact):
				begin = append(begin, f)
			}
		}
	}
	return begin
}

// place splits file:line; a line of 0 fits nothing.
func place(s string) (string, int) {
	i := strings.LastIndexByte(s, ':')
	if i < 0 {
		return "", 0
	}
	line, err := strconv.Atoi(s[i+1:])
	if err != nil {
		return "", 0
	}
	return s[:i], line
}
