package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"

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
