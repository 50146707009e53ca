package signal

import (
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// file reads the signals of one file of a commit.
func (x *extractor) file(c subject, change repo.Change) ([]*Signal, error) {
	hunks, err := x.src.Hunks(change, x.o.MaxBytes)
	if err != nil {
		return nil, err
	}
	if hunks, err = x.mergeHunks(c.Commit, change, hunks); err != nil {
		return nil, err
	}
	hunks = slices.DeleteFunc(hunks, x.ownText)
	if len(hunks) == 0 {
		return nil, nil // binary, a pure rename, or a merge that changed nothing itself, own text
	}
	kind, reason, err := x.kind(change, hunks)
	if err != nil {
		return nil, err
	}
	if reason != "" {
		x.skip(c.Commit, pathOf(change), reason)
		return nil, nil
	}
	groups, cut := group(hunks, kind.knowledge)
	if cut {
		x.skip(c.Commit, pathOf(change), "the rest of a long change")
	}
	signals := make([]*Signal, 0, len(groups))
	for _, g := range groups {
		signals = append(signals, x.signal(c, change, g, kind))
	}
	return signals, nil
}

// ownText reports a hunk whose added lines are all ours: a squash of our own
// proposal. One line of somebody else makes it theirs.
func (x *extractor) ownText(h repo.Hunk) bool {
	ours := false
	for _, line := range h.Added {
		if strings.TrimSpace(line) == "" {
			continue
		}
		if !x.o.OwnLine(line) {
			return false
		}
		ours = true
	}
	return ours
}

func (x *extractor) signal(c subject, change repo.Change, hunks []repo.Hunk, kind kindOf) *Signal {
	kind.note = !dataPath.MatchString(kind.path) && leavesNote(hunks)
	kind.ci = fixesCI(c.Message, kind.path)
	s := &Signal{
		knowledge: kind.knowledge, Class: class(c.reverted, kind), Commit: c.Commit, Parent: parent(c.Commit), Path: pathOf(change), Change: change,
		Hunks: hunks, Trust: c.trust, Explicit: explicit(c, kind),
	}
	s.Weight = weigh(s, c, kind)
	identify(s)
	return s
}

func (x *extractor) mergeHunks(c repo.Commit, change repo.Change, first []repo.Hunk) ([]repo.Hunk, error) {
	if len(c.Parents) < 2 || len(first) == 0 {
		return first, nil
	}
	var others [][]repo.Hunk
	for _, p := range c.Parents[1:] {
		changes, err := x.src.Diff(x.ctx, p, c.Hash)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(changes, func(ch repo.Change) bool { return pathOf(ch) == pathOf(change) })
		if at < 0 {
			return nil, nil
		}
		hunks, err := x.src.Hunks(changes[at], x.o.MaxBytes)
		if err != nil {
			return nil, err
		}
		others = append(others, hunks)
	}
	return inAll(first, others), nil
}

// kind reads what of the file's path and content decides the class. reason says
// why the file is left out: knowledge files never are.
func (x *extractor) kind(change repo.Change, hunks []repo.Hunk) (k kindOf, reason string, err error) {
	p := pathOf(change)
	k.path = p
	k.format, _, k.knowledge = x.classify(p)
	entry := change.To
	if entry.Path == "" {
		entry = change.From
	}
	content, err := x.src.Blob(entry.Hash, x.o.MaxBytes)
	if err != nil {
		return k, "", err
	}
	if k.knowledge {
		k.feedback = k.format == knowledge.Memory && isFeedback(p, content)
		return k, "", nil
	}
	return k, leftOutByContent(p, content, hunks), nil
}

// classify is the classifier's answer; documentation that is only swept does
// not count as a place for lessons, and what a test reads teaches it nothing.
func (x *extractor) classify(p string) (knowledge.Format, knowledge.Route, bool) {
	format, route, ok := x.o.Classify(p)
	return format, route, ok && format != knowledge.Docs && !testPath.MatchString(p)
}

// isFeedback reads the type of a memory from its front matter or, where it has
// none, from its name.
func isFeedback(p string, content []byte) bool {
	text := string(content)
	if rest, ok := strings.CutPrefix(text, "---"); ok {
		if head, _, closed := strings.Cut(rest, "\n---"); closed && strings.Contains(head, "type:") {
			return feedbackType.MatchString(head)
		}
	}
	return strings.HasPrefix(strings.ToLower(path.Base(p)), "feedback")
}
