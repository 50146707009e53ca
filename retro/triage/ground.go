package triage

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/prompts"
	"github.com/retrosweep/retrosweep/retro/rules"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// Bounds of grounding.
const (
	maxBlob     = 1 << 20
	maxEvidence = 4
	quoteRunes  = 240
	near        = 6 // lines around a hunk that the model was shown or may have miscounted
)

// ground turns an answer into lessons. What does not hold is dropped with its
// reason, never mended.
func (v *view) ground(blobs Blobs, answer prompts.TriageAnswer) Result {
	var out Result
	items := answer.Items
	if len(items) > MaxItems {
		out.Warnings = append(out.Warnings, fmt.Sprintf("triage answered %d lessons for one window, only the first %d were read", len(items), MaxItems))
		items = items[:MaxItems]
	}
	for _, item := range items {
		if item.Durable {
			out.Lessons = append(out.Lessons, v.lesson(blobs, item))
		}
	}
	return out
}

func (v *view) lesson(blobs Blobs, item prompts.TriageItem) *Lesson {
	l := &Lesson{Text: item.Lesson, Topic: guard.Slug(item.Topic, 40), Kind: item.Kind, Confidence: item.Confidence}
	l.Signal = v.signals[item.Signal]
	if l.Signal == nil {
		return l.drop("names no signal of this window")
	}
	text, err := guard.OutputText(item.Lesson, prompts.MaxLesson)
	if err != nil {
		l.Text = ""
		return l.drop(err.Error())
	}
	l.Text, l.Key, l.Title = text, Key(text), title(item.Title, text)
	for _, e := range item.Evidence[:min(len(item.Evidence), maxEvidence)] {
		if found, ok := v.find(blobs, l.Signal, e); ok {
			l.Evidence = append(l.Evidence, found)
		}
	}
	l.ID = l.id()
	if !slices.ContainsFunc(l.Evidence, l.own) {
		return l.drop("no quote of its own signal was found in the commit")
	}
	l.Explicit = l.Signal.Explicit && slices.ContainsFunc(l.Evidence, l.carries)
	if item.CoveredBy != nil {
		l.CoveredBy = v.rules[*item.CoveredBy]
	}
	if item.SameAs != nil {
		l.SameAs = v.waiting[*item.SameAs]
	}
	return l
}

// titleRunes is the longest title: a commit subject has a prefix before it.
const titleRunes = 60

// title is the model's title, or the beginning of the lesson where that may
// not be used.
func title(short, text string) string {
	if short, err := guard.OutputText(short, titleRunes); err == nil && short != "" {
		return guard.Title(strings.TrimSuffix(short, "."), titleRunes)
	}
	return guard.Title(text, titleRunes)
}

func (l *Lesson) drop(why string) *Lesson {
	l.Dropped = why
	if l.ID == "" {
		l.ID = l.id()
	}
	return l
}

// own reports whether a quote shows the commit of the lesson's signal doing
// something: a changed line or the message, not what stands around it.
func (l *Lesson) own(e Evidence) bool {
	return e.Changed && e.Signal.Commit.Hash == l.Signal.Commit.Hash
}

// carries reports whether a quote lends the lesson the signal's word: it is of
// the signal's own lines or, for a revert, of the message that gives the reason.
func (l *Lesson) carries(e Evidence) bool {
	if !l.own(e) {
		return false
	}
	return e.Path == "" && l.Signal.Class == signal.Revert || e.Signal == l.Signal && e.Path != ""
}

// find looks a quote up where it is said to stand: in the message, in the file
// after the commit, or in the file before it.
func (v *view) find(blobs Blobs, about *signal.Signal, e prompts.Evidence) (Evidence, bool) {
	e.Quote = uncut(e.Quote)
	if len([]rune(strings.TrimSpace(e.Quote))) < prompts.MinQuote {
		return Evidence{}, false
	}
	for _, s := range v.candidates(about, e) {
		if e.Path == nil {
			if line, ok := guard.QuoteIn([]byte(s.Commit.Message), e.Line, e.Quote); ok {
				return Evidence{Quote: quote(s.Commit.Hash, "", line, e.Quote), Signal: s, Changed: true}, true
			}
			continue
		}
		if found, ok := inFile(blobs, s, e); ok {
			return found, true
		}
	}
	return Evidence{}, false
}

// uncut takes away the ellipses with which a long line is shown cut.
func uncut(quote string) string {
	quote = strings.TrimPrefix(strings.TrimSpace(quote), "…")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSuffix(quote, "…"), "..."))
}

// candidates are the signals that a quote may be of, the item's own first.
func (v *view) candidates(about *signal.Signal, e prompts.Evidence) []*signal.Signal {
	fits := func(s *signal.Signal) bool {
		if len(e.Commit) < 7 || !strings.HasPrefix(s.Commit.Hash.String(), e.Commit) {
			return false
		}
		return e.Path == nil || *e.Path == s.Path || *e.Path == s.Change.From.Path
	}
	var out []*signal.Signal
	if fits(about) {
		out = append(out, about)
	}
	for _, s := range v.q.Signals {
		if s != about && fits(s) {
			out = append(out, s)
		}
	}
	return out
}

// inFile looks a quote up near the signal's hunks, after the commit and before.
func inFile(blobs Blobs, s *signal.Signal, e prompts.Evidence) (Evidence, bool) {
	for _, side := range []struct {
		entry  repo.Entry
		commit repo.Hash
		old    bool
	}{{s.Change.To, s.Commit.Hash, false}, {s.Change.From, s.Parent, true}} {
		if side.entry.Path == "" || side.entry.Path != *e.Path {
			continue
		}
		content, err := blobs.Blob(side.entry.Hash, maxBlob)
		if err != nil {
			continue
		}
		line, ok := guard.QuoteIn(content, e.Line, e.Quote)
		if !ok {
			continue
		}
		shown, changed := place(s.Hunks, line, side.old)
		if !shown || side.old && !changed {
			continue
		}
		return Evidence{
			Quote: quote(side.commit, side.entry.Path, line, e.Quote), Signal: s, Added: changed && !side.old, Changed: changed,
		}, true
	}
	return Evidence{}, false
}

// place says whether a line stands near the hunks and whether they change it.
func place(hunks []repo.Hunk, line int, old bool) (shown, changed bool) {
	for _, h := range hunks {
		first, n := h.NewLine, len(h.Added)
		if old {
			first, n = h.OldLine, len(h.Removed)
		}
		shown = shown || line >= first-near && line < first+n+near
		changed = changed || line >= first && line < first+n
	}
	return shown, changed
}

// quote keeps what the model saw, on one line, so that nothing that was
// redacted for it appears in a receipt.
func quote(commit repo.Hash, path string, line int, text string) knowledge.Quote {
	return knowledge.Quote{Commit: commit.String(), Path: path, Line: line, Quote: rules.Brief(clean(text), quoteRunes)}
}

// id is a hash of what the lesson was seen in, not of how it is worded: the
// signal and the first quote that was found.
func (l *Lesson) id() string {
	var parts []string
	if l.Signal != nil {
		parts = append(parts, l.Signal.ID)
	}
	if len(l.Evidence) > 0 {
		first := l.Evidence[0]
		parts = append(parts, first.Commit, first.Path, first.Quote.Quote)
	} else {
		parts = append(parts, l.Text)
	}
	return "l" + hash(parts...)
}

// Key is a hash of a lesson's words: the same for the same lesson said with
// the same words in another order or with other punctuation.
func Key(text string) string {
	return "k" + hash(slices.Sorted(maps.Keys(rules.Words(text)))...)
}

func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))[:12]
}
