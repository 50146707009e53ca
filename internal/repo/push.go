package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/storage/memory"

	"github.com/retrosweep/retrosweep/internal/repo/remote"
)

// RefUpdate is one reference to move on the remote: from Old (zero: it must not
// exist) to New (zero: delete it). With both equal the reference is only
// compared with what the remote shows before the push.
type RefUpdate struct {
	Name     string
	Old, New Hash
}

// ErrNotAtomic says that a host cannot move several references at once.
var ErrNotAtomic = errors.New("the host cannot take several references in one push: push them one by one")

// RefusedError says that a rule of the host refused a push: a protected branch,
// a hook, a namespace it does not take. Nothing of the push was done, but for what
// Done says: git's own server refuses a namespace that it hides
// (receive.hideRefs) and takes the rest of an atomic push all the same.
type RefusedError struct {
	Ref     string            // the reference that the rule is about, as far as the host says
	Reason  string            // the host's words for it
	Message string            // what the hook or rule said beside, "" if the host sent nothing
	Reasons map[string]string // of all references that were refused
	Done    []string          // references that were moved although others were refused
}

// Error names the reference, the reason and what the host said.
func (e *RefusedError) Error() string {
	s := fmt.Sprintf("push of %s refused by the host: %s", e.Ref, e.Reason)
	if len(e.Done) > 0 {
		s += "; it moved " + strings.Join(e.Done, ", ") + " all the same"
	}
	if e.Message != "" {
		return s + ": " + e.Message
	}
	return s + " (it said nothing more)"
}

// Push moves references on the remote in one transaction, each only if it is
// where its old value says: of two workers that push from one state, one wins
// and the other's push is refused as a whole, with an [ErrRefMoved]. A rule of
// the host that refuses is a [RefusedError]. The server compares the old values,
// for branches, other references and creations alike.
func (r *Repo) Push(ctx context.Context, o RemoteOptions, updates []RefUpdate) error {
	u, err := remote.ParseURL(o.URL)
	if err == nil {
		err = checkUpdates(updates)
	}
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	o.tell("pushing to " + u.String())
	p, err := remote.OpenPush(ctx, u, o.reach())
	if err != nil {
		return err
	}
	defer p.Close()
	theirs := p.Refs()
	if err := compareAll(updates, theirs); err != nil {
		return fmt.Errorf("push %s: %w", u, err)
	}
	commands := commandsOf(updates)
	switch {
	case len(commands) == 0:
		return nil
	case len(commands) > 1 && !p.Can(capability.Atomic):
		return fmt.Errorf("push %s: %w", u, ErrNotAtomic)
	}
	pack, err := r.packFor(ctx, commands, theirs)
	if err != nil {
		return fmt.Errorf("push %s: %w", u, err)
	}
	if err := r.before(EffectPush, commands[0].Ref); err != nil {
		return fmt.Errorf("push %s: %w", u, err)
	}
	report, err := p.Push(commands, pack, o.Progress)
	if err == nil {
		err = verdict(report, updates)
	}
	var refused *RefusedError
	if errors.As(err, &refused) && oneOf(refused.Reason, secondary) {
		err = movedMeanwhile(ctx, u, o, updates, refused)
	}
	if err != nil {
		return fmt.Errorf("push %s: %w", u, err)
	}
	return nil
}

// movedMeanwhile finds out whether a push that failed as a whole, for no reason
// that the host gives, lost a race.
func movedMeanwhile(ctx context.Context, u remote.URL, o RemoteOptions, updates []RefUpdate, refused *RefusedError) error {
	if oneOf(refused.Message, lost) {
		return fmt.Errorf("%s: %w: the host says %q", refused.Ref, ErrRefMoved, refused.Message)
	}
	p, err := remote.OpenPush(ctx, u, o.reach())
	if err != nil {
		return errors.Join(refused, err)
	}
	defer p.Close()
	if err := compareAll(updates, p.Refs()); err != nil {
		return err
	}
	return refused
}

func checkUpdates(updates []RefUpdate) error {
	seen := map[string]bool{}
	for _, up := range updates {
		switch {
		case !isMirrored(up.Name):
			return fmt.Errorf("%q is not pushed: only branches and refs/retrosweep/ are", up.Name)
		case seen[up.Name]:
			return fmt.Errorf("%s is named twice", up.Name)
		case up.Old.IsZero() && up.New.IsZero():
			return fmt.Errorf("%s has neither an old nor a new value", up.Name)
		}
		seen[up.Name] = true
	}
	return nil
}

// compareAll looks at what the remote shows; that saves the objects of a push
// that cannot win. The server compares again when it takes the push.
func compareAll(updates []RefUpdate, theirs map[string]Hash) error {
	for _, up := range updates {
		if theirs[up.Name] != up.Old {
			return fmt.Errorf("%s: %w: it is at %s, not at %s", up.Name, ErrRefMoved, at(theirs[up.Name]), at(up.Old))
		}
		if !up.Old.IsZero() || up.New.IsZero() {
			continue
		}
		for other := range theirs {
			if strings.HasPrefix(other, up.Name+"/") || strings.HasPrefix(up.Name, other+"/") {
				return &RefusedError{Ref: up.Name, Reason: "reference " + other + " is in the way", Reasons: map[string]string{}}
			}
		}
	}
	return nil
}

func at(h Hash) string {
	if h.IsZero() {
		return "nothing"
	}
	return h.String()
}

func commandsOf(updates []RefUpdate) []remote.Command {
	var commands []remote.Command
	for _, up := range updates {
		if up.Old != up.New {
			commands = append(commands, remote.Command{Ref: up.Name, Old: up.Old, New: up.New})
		}
	}
	return commands
}

// lost are the words of servers for "it is not where you said": git's own of
// several versions, JGit's and Gitea's are the same.
var lost = []string{"failed to update ref", "incorrect old value", "stale info", "non-fast-forward", "fetch first",
	"reference already exists", "failed to lock", "cannot lock ref", "unable to lock", "lock failure"}

// secondary are reasons that another reference's failure gave.
var secondary = []string{"atomic push fail", "transaction failed", "atomic transaction failed", "transaction aborted"}

func oneOf(reason string, words []string) bool {
	reason = strings.ToLower(reason)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(reason, w) })
}

// verdict reads a report. Where one reference lost the race the push as a whole
// has, whatever else is said.
func verdict(report remote.Report, updates []RefUpdate) error {
	if len(report.Reasons) == 0 {
		return nil
	}
	refused := &RefusedError{Message: strings.Join(report.Messages, "; "), Reasons: report.Reasons, Done: report.Done}
	for _, up := range updates {
		reason, ok := report.Reasons[up.Name]
		switch {
		case !ok:
		case oneOf(reason, lost):
			return fmt.Errorf("%s: %w: the host says %q", up.Name, ErrRefMoved, reason)
		case refused.Ref == "" || oneOf(refused.Reason, secondary), strings.Contains(refused.Message, up.Name) && !strings.Contains(refused.Message, refused.Ref):
			refused.Ref, refused.Reason = up.Name, reason
		}
	}
	return refused
}

// packFor packs what the commands need and the remote has not got; nil when
// they only delete.
func (r *Repo) packFor(ctx context.Context, commands []remote.Command, theirs map[string]Hash) (io.ReadCloser, error) {
	var tips []Hash
	for _, c := range commands {
		if !c.New.IsZero() {
			tips = append(tips, c.New)
		}
	}
	if len(tips) == 0 {
		return nil, nil
	}
	objects, err := r.objectsFor(ctx, tips, theirs)
	if err != nil {
		return nil, err
	}
	store := memory.NewStorage()
	for _, h := range objects {
		kind, content, err := r.objects.read(h, maxPushedObject)
		if err != nil {
			return nil, err
		}
		obj := &plumbing.MemoryObject{}
		obj.SetType(kind)
		if _, err := obj.Write(content); err != nil {
			return nil, err
		}
		if _, err := store.SetEncodedObject(obj); err != nil {
			return nil, err
		}
	}
	var pack bytes.Buffer
	if _, err := packfile.NewEncoder(&pack, store, false).Encode(objects, deltaWindow); err != nil {
		return nil, fmt.Errorf("pack %d objects: %w", len(objects), err)
	}
	return io.NopCloser(&pack), nil
}

const (
	maxPushedObject = 512 << 20
	deltaWindow     = 10
)

// objectsFor lists the commits that can be reached from the tips and not from
// what the remote shows, and of their trees what their parents have not.
func (r *Repo) objectsFor(ctx context.Context, tips []Hash, theirs map[string]Hash) ([]Hash, error) {
	m := newMarker(r, markFrom)
	for _, h := range tips {
		if err := m.start(h, markTo); err != nil {
			return nil, err
		}
	}
	for _, h := range theirs {
		if err := m.start(h, markFrom); err != nil && !errors.Is(err, ErrMissing) && !r.isTag(h) {
			return nil, err
		}
	}
	commits, err := m.collect(ctx, false, 0)
	if err != nil {
		return nil, err
	}
	set := &objectSet{repo: r, seen: map[Hash]bool{}}
	for _, c := range commits {
		if m.marks[c.Hash]&markFrom == 0 {
			if err := set.commit(c); err != nil {
				return nil, err
			}
		}
	}
	return set.list, nil
}

func (r *Repo) isTag(h Hash) bool {
	kind, _, err := r.objects.read(h, 0)
	return (err == nil || errors.Is(err, ErrTooLarge)) && kind != plumbing.CommitObject
}

// objectSet collects objects, each once.
type objectSet struct {
	repo *Repo
	seen map[Hash]bool
	list []Hash
}

func (s *objectSet) add(h Hash) bool {
	if s.seen[h] {
		return false
	}
	s.seen[h] = true
	s.list = append(s.list, h)
	return true
}

func (s *objectSet) commit(c Commit) error {
	s.add(c.Hash)
	var old []Hash
	for _, h := range c.Parents {
		p, err := s.repo.Commit(h)
		if err != nil {
			return err
		}
		old = append(old, p.Tree)
	}
	return s.tree(c.Tree, old)
}

// tree adds a tree and what is in it, but nothing that one of the old trees has
// at the same place.
func (s *objectSet) tree(h Hash, old []Hash) error {
	if slices.Contains(old, h) || !s.add(h) {
		return nil
	}
	now, err := s.repo.node(h)
	if err != nil {
		return err
	}
	var before []*node
	for _, o := range old {
		n, err := s.repo.node(o)
		if err != nil {
			return err
		}
		before = append(before, n)
	}
	for _, e := range now.entries {
		var was []Hash
		for _, n := range before {
			if b, ok := n.find(e.name); ok && b.isDir() == e.isDir() {
				was = append(was, b.hash)
			}
		}
		switch {
		case e.kind() == ModeSubmodule || slices.Contains(was, e.hash):
		case e.isDir():
			if err := s.tree(e.hash, was); err != nil {
				return err
			}
		default:
			s.add(e.hash)
		}
	}
	return nil
}
