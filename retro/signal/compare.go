package signal

import (
	"slices"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo"
)

// compare tells the signals of the range apart by what came before each of
// them: a change that takes back an earlier one, that mends a mend, or in which
// a person sets right what an agent wrote. It walks the past and the range,
// oldest commit first, over the paths that signals are about.
func (x *extractor) compare(commits []repo.Commit) error {
	wanted := map[string]bool{}
	of := map[repo.Hash][]*Signal{}
	for _, s := range x.out.Signals {
		if (removes(s.Hunks) || s.Class == Change) && !dataPath.MatchString(s.Path) {
			wanted[s.Path] = true
		}
		of[s.Commit.Hash] = append(of[s.Commit.Hash], s)
	}
	p, since := newPast(), oldest(commits).Add(-lookback)
	for _, c := range slices.Backward(slices.Concat(commits, x.o.Past)) {
		if err := x.ctx.Err(); err != nil {
			return err
		}
		if c.Committer.When.Before(since) {
			continue // nothing is compared with what is as old
		}
		by := x.origin(c)
		for _, s := range of[c.Hash] {
			x.reclass(p, s, by)
		}
		if len(c.Parents) < 2 { // a merge adds nothing that its branches did not
			x.remember(p, c, by, wanted)
		}
	}
	return nil
}

// oldest is when the first of the commits was made.
func oldest(commits []repo.Commit) time.Time {
	var at time.Time
	for _, c := range commits {
		if at.IsZero() || c.Committer.When.Before(at) {
			at = c.Committer.When
		}
	}
	return at
}

func removes(hunks []repo.Hunk) bool {
	return slices.ContainsFunc(hunks, func(h repo.Hunk) bool { return len(h.Removed) > 0 })
}

func (x *extractor) origin(c repo.Commit) origin {
	subject := subjectOf(c.Message)
	return origin{when: c.Committer.When, agent: byAgent(c), fix: fixWork.MatchString(subject)}
}

// maxPastBytes is the largest file that has a past: what is larger is written by
// programs, or takes more time than its past is worth.
const maxPastBytes = 192 << 10

// remember adds a commit to the past. What cannot be read has no past.
func (x *extractor) remember(p *past, c repo.Commit, by origin, wanted map[string]bool) {
	changes, err := x.src.Diff(x.ctx, parent(c), c.Hash)
	if err != nil {
		return
	}
	for _, change := range changes {
		path := pathOf(change)
		if !wanted[path] || change.Kind == repo.Added && x.generated(change) {
			continue
		}
		if hunks, err := x.src.Hunks(change, min(x.o.MaxBytes, maxPastBytes)); err == nil {
			p.note(path, hunks, by)
		}
	}
}

func (x *extractor) generated(c repo.Change) bool { return leftOutByPath(pathOf(c)) != "" }

// reclass raises a signal to the class that its past gives it; never lowers it.
func (x *extractor) reclass(p *past, s *Signal, by origin) {
	class, at := s.Class, s.Commit.Committer.When
	switch {
	case s.Class == Revert || s.Class == Feedback || s.Class == Review || dataPath.MatchString(s.Path) || moves(s.Hunks):
		return // data is written again and again, and a block that moves was not wrong
	case slices.ContainsFunc(s.Hunks, func(h repo.Hunk) bool { return p.takesBack(s.Path, h, at) }):
		class = Revert
	case !by.agent && s.Trust == Member && mostly(p.mends(s.Path, s.Hunks, at), func(o origin) bool { return o.agent }):
		class = AgentEdit
	case by.fix && mostly(p.mends(s.Path, s.Hunks, at), func(o origin) bool { return o.fix }):
		class = FixAgain
	}
	if class == s.Class {
		return
	}
	s.Explicit = s.Explicit || class == AgentEdit && s.knowledge
	s.Weight += max(0, weightOf(class, s.knowledge)-weightOf(s.Class, s.knowledge))
	s.Class = class
}

// moves reports hunks that only put lines into another order.
func moves(hunks []repo.Hunk) bool {
	var from, to []string
	for _, h := range hunks {
		from, to = append(from, h.Removed...), append(to, h.Added...)
	}
	for _, side := range []*[]string{&from, &to} {
		*side = slices.DeleteFunc(*side, func(line string) bool { return telling(line) == "" })
		slices.Sort(*side)
	}
	return len(from) > 0 && slices.Equal(from, to)
}

// mostly reports whether half or more of some origins are of a kind.
func mostly(all []origin, kind func(origin) bool) bool {
	n := 0
	for _, o := range all {
		if kind(o) {
			n++
		}
	}
	return n > 0 && 2*n >= len(all)
}
