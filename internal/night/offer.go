package night

import (
	"path"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// offers are the edits of a run by where they go, and what explains each.
type offers struct {
	auto, upkeep, queue []knowledge.Edit            // auto is empty where it joins upkeep
	together            []knowledge.Edit            // for the queue, as one proposal
	reasons             map[string]proposal.Reason  // by proposal.EditKey
	signals             map[string][]journal.Signal // of lessons, by proposal.EditKey
}

// offer sorts one edit by the strictest of the route it was given and those that
// the policy gives its paths now. The same edit again adds nothing.
func (r *run) offer(e knowledge.Edit, route knowledge.Route, why proposal.Reason) {
	if r.offered(e) {
		return
	}
	allowed, reason := r.policy.RouteOf(e)
	switch to := route.Stricter(allowed); {
	case to == knowledge.RouteAuto && r.commits():
		r.offers.auto = append(r.offers.auto, e)
	case to == knowledge.RouteAuto, to == knowledge.RouteUpkeep:
		r.offers.upkeep = append(r.offers.upkeep, e)
	case to == knowledge.RouteQueue:
		r.offers.queue = append(r.offers.queue, e)
	default:
		r.warn("refused: an edit of %s (%s)", e.Path, reason)
		return
	}
	r.explain(e, why)
}

func (r *run) explain(e knowledge.Edit, why proposal.Reason) {
	if r.offers.reasons == nil {
		r.offers.reasons = map[string]proposal.Reason{}
	}
	r.offers.reasons[proposal.EditKey(e)] = why
}

// maxTogether is how many edits one proposal asks about: those that do the most harm,
// and the others when these are settled.
const maxTogether = 40

// offerTogether adds one edit to the proposal that asks about many of a kind.
func (r *run) offerTogether(e knowledge.Edit, why proposal.Reason) {
	if allowed, reason := r.policy.RouteOf(e); allowed == knowledge.RouteNever {
		r.warn("refused: an edit of %s (%s)", e.Path, reason)
		return
	}
	if len(r.offers.together) < maxTogether {
		r.offers.together = append(r.offers.together, e)
		r.explain(e, why)
	}
}

// learnt is the commit that a lesson was learnt from first.
func (r *run) learnt(evidence []knowledge.Quote) *knowledge.Since {
	var first *knowledge.Since
	for _, q := range evidence {
		h, err := r.Repo.Resolve(q.Commit)
		if err != nil {
			continue
		}
		c, err := r.Repo.Commit(h)
		if err != nil {
			continue
		}
		date := c.Committer.When.UTC().Format(time.DateOnly)
		if first == nil || date < first.Date {
			subject, _, _ := strings.Cut(c.Message, "\n")
			first = &knowledge.Since{Commit: q.Commit, Date: date, Subject: subject}
		}
	}
	return first
}

// byFile groups edits by the file they are about, in the order of the files.
func byFile(edits []knowledge.Edit) (files []string, of map[string][]knowledge.Edit) {
	of = map[string][]knowledge.Edit{}
	for _, e := range edits {
		file := e.Target()
		if of[file] == nil {
			files = append(files, file)
		}
		of[file] = append(of[file], e)
	}
	return files, of
}

// kindOf names the kind of a queue branch by what it changes.
func kindOf(format knowledge.Format, file string) string {
	switch {
	case strings.EqualFold(path.Base(file), "SKILL.md"):
		return "skill"
	case strings.HasPrefix(file, "prompts/"):
		return "prompt"
	case format == knowledge.Instruction:
		return "rules"
	case format == knowledge.MemoryIndex:
		return string(knowledge.Memory)
	}
	return string(format)
}
