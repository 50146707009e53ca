package pulls

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/retrosweep/retrosweep/internal/forge"
	"github.com/retrosweep/retrosweep/internal/forge/marker"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// move is where a branch goes, and the record beside it, together.
type move struct {
	branch    string
	old, head repo.Hash // zero old: there is none; zero head: it goes
	record    repo.Hash // zero: none is needed
	recorded  bool      // there may be one
}

func (f *Forge) push(ctx context.Context, m move) error {
	branch := repo.RefUpdate{Name: headRefs + m.branch, Old: m.old, New: m.head}
	record := repo.RefUpdate{Name: marker.RecordRef(m.branch), New: m.record}
	if m.recorded || !m.record.IsZero() {
		records, err := f.Pusher.Refs(ctx, record.Name)
		if err != nil {
			return fmt.Errorf("read the record of %s: %w", m.branch, err)
		}
		record.Old = records[record.Name]
	}
	send := f.together
	if f.Commits != nil {
		send = f.apart
	}
	err := send(ctx, branch, record)
	if errors.Is(err, repo.ErrRefMoved) {
		return fmt.Errorf("%w: %w", forge.ErrTouched, err)
	}
	return err
}

// together pushes what moves, all of it or nothing.
func (f *Forge) together(ctx context.Context, updates ...repo.RefUpdate) error {
	updates = slices.DeleteFunc(updates, func(u repo.RefUpdate) bool { return u.Old == u.New })
	if len(updates) == 0 {
		return nil
	}
	return f.Pusher.Push(ctx, updates)
}

// amend exchanges the island of a pull request. The body is read just before,
// so that what people wrote around the island stays; the title is ours only
// while it is as we left it.
func (f *Forge) amend(ctx context.Context, number int, change func(p pull, e *edit)) (pull, error) {
	p, err := f.own(ctx, number)
	if err != nil {
		return p, err
	}
	e := &edit{text: marker.Text(p.Body), marker: p.marker, title: p.marker.Title}
	change(p, e)
	e.marker.Title = e.title
	body := marker.Within(p.Body, e.text, e.marker)
	patch := Edit{Body: body}
	if e.title != p.Title && p.Title == p.marker.Title {
		patch.Title = e.title
	}
	patch.Close = e.close && p.Open
	if body == p.Body && patch.Title == "" && !patch.Close {
		return p, nil
	}
	pr, err := f.Host.Edit(ctx, number, patch)
	if err != nil {
		return p, fmt.Errorf("edit request %d: %w", number, err)
	}
	return pull{pr, e.marker}, nil
}

// edit is what an amendment may change.
type edit struct {
	text   string
	title  string
	marker marker.Marker
	close  bool
}

// own reads a pull request of ours. One that lost its marker is somebody
// else's.
func (f *Forge) own(ctx context.Context, number int) (pull, error) {
	pr, err := f.get(ctx, number)
	if err != nil {
		return pull{}, err
	}
	p, ok := f.mine(pr)
	if !ok {
		return p, fmt.Errorf("%w: request %d bears no marker of ours", forge.ErrTouched, number)
	}
	return p, nil
}

// Update implements [forge.Forge]. What the proposal will be is written first,
// with what it was; then the branch moves, and then the first is confirmed.
func (f *Forge) Update(ctx context.Context, x proposal.Existing, d proposal.Draft) (proposal.Existing, error) {
	p, head, err := f.ready(ctx, x)
	if err == nil && (d.Branch != x.Branch || p.Base != d.Base.Name) {
		err = forge.ErrTouched
	}
	if err == nil {
		d, err = f.known(d, head)
	}
	if err == nil && !(p.marker.Stage == marker.Settled && p.marker.Says(d)) {
		p, err = f.update(ctx, p, head, d)
	}
	if err != nil {
		return x, fmt.Errorf("update %s: %w", x.Branch, err)
	}
	now, _ := f.existing(p, marker.Hash(p.marker.Head))
	return now, nil
}

func (f *Forge) update(ctx context.Context, p pull, head repo.Hash, d proposal.Draft) (pull, error) {
	d, err := f.made(ctx, d, head)
	if err != nil {
		return p, err
	}
	next := marker.New(d, marker.Updating)
	record, err := f.records().Keep(&next, d.Layers)
	if err != nil {
		return p, err
	}
	fresh, recorded := p.marker.Fresh(), p.marker.Recorded()
	was := p.marker.For(head)
	if was.Was = nil; fresh {
		was.Stage = marker.Opening
	}
	next.Was = &was
	before := edit{text: marker.Text(p.Body), title: was.Title, marker: p.marker}
	if p, err = f.amend(ctx, p.Number, func(_ pull, e *edit) {
		e.text, e.title, e.marker = d.Body, d.Title, next
	}); err != nil {
		return p, err
	}
	if err := f.push(ctx, move{branch: d.Branch, old: head, head: d.Head, record: record, recorded: recorded}); err != nil {
		_, undo := f.amend(ctx, p.Number, func(_ pull, e *edit) { *e = before })
		return p, errors.Join(err, undo)
	}
	return f.settle(ctx, p.Number, fresh, d)
}

// settle confirms that a write came to its end; a new pull request is labelled
// first.
func (f *Forge) settle(ctx context.Context, number int, fresh bool, d proposal.Draft) (pull, error) {
	if fresh {
		f.dress(ctx, number, d)
	}
	return f.amend(ctx, number, func(_ pull, e *edit) { e.text, e.marker.Stage, e.marker.Was = d.Body, marker.Settled, nil })
}

// ready reads an open proposal that may be written: it stands as x says, and as
// we left it.
func (f *Forge) ready(ctx context.Context, x proposal.Existing) (pull, repo.Hash, error) {
	heads, err := f.heads(ctx)
	if err != nil {
		return pull{}, repo.Hash{}, err
	}
	if x.Number == 0 {
		return pull{}, repo.Hash{}, forge.ErrTouched
	}
	p, err := f.own(ctx, x.Number)
	if err != nil {
		return p, repo.Hash{}, err
	}
	head := heads[x.Branch]
	now, _ := f.existing(p, head)
	if now.Status != proposal.Open || now.Touched || head != x.Head {
		return p, head, forge.ErrTouched
	}
	return p, head, nil
}

// Close implements [forge.Forge]. The reason goes into the body, so that a close
// that is done twice says it once.
func (f *Forge) Close(ctx context.Context, x proposal.Existing, reason string) error {
	if err := f.close(ctx, x, reason); err != nil {
		return fmt.Errorf("close %s: %w", x.Branch, err)
	}
	return nil
}

func (f *Forge) close(ctx context.Context, x proposal.Existing, reason string) error {
	if x.Number == 0 {
		return forge.ErrTouched
	}
	p, err := f.own(ctx, x.Number)
	if err != nil {
		return err
	}
	heads, err := f.heads(ctx)
	if err != nil {
		return err
	}
	head := heads[x.Branch]
	switch {
	case p.marker.Stage == marker.Closed && !p.Open:
		return nil
	case !p.Merged.IsZero():
		return f.tidy(ctx, p, head)
	case !p.Open && p.marker.Stage != marker.Closing:
		return nil // a person was first
	}
	if now, _ := f.existing(p, head); p.Open && !head.IsZero() && (now.Touched || head != x.Head) {
		return forge.ErrTouched
	}
	return f.takeBack(ctx, p, head, reason)
}

// takeBack closes a proposal: it is announced, the branch goes, it is closed.
func (f *Forge) takeBack(ctx context.Context, p pull, head repo.Hash, reason string) error {
	branch, number := p.Head, p.Number
	before := edit{text: marker.Text(p.Body), title: p.marker.Title, marker: p.marker}
	if p.marker.Stage != marker.Closing {
		text := "**Taken back**: " + oneLine(reason) + "\n\n" + before.text
		if _, err := f.amend(ctx, number, func(_ pull, e *edit) { e.text, e.marker.Stage = text, marker.Closing }); err != nil {
			return err
		}
	}
	err := f.push(ctx, move{branch: branch, old: head, recorded: p.marker.Recorded()})
	switch {
	case isRefused(err):
		f.warn("%s is left: %v", branch, err)
	case err != nil:
		_, undo := f.amend(ctx, number, func(_ pull, e *edit) { *e = before })
		return errors.Join(err, undo)
	}
	_, err = f.amend(ctx, number, func(_ pull, e *edit) { e.marker.Stage, e.close = marker.Closed, true })
	return err
}

// tidy removes the branch after a merge, when it is as we left it, and sees to
// it that the proposal is listed no more. A branch with somebody else's commits
// is theirs.
func (f *Forge) tidy(ctx context.Context, p pull, head repo.Hash) error {
	if head.IsZero() || head == marker.Hash(p.marker.Head) {
		err := f.push(ctx, move{branch: p.Head, old: head, recorded: p.marker.Recorded()})
		if isRefused(err) {
			f.warn("%s is left: %v", p.Head, err)
		} else if err != nil {
			return err
		}
	}
	_, err := f.amend(ctx, p.Number, func(_ pull, e *edit) { e.marker.Stage = marker.Closed })
	return err
}
