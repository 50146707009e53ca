package marker

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Stage is how far a proposal has come. A stage that is not settled says what
// the next run has to complete.
type Stage string

const (
	Settled  Stage = ""
	Opening  Stage = "opening"  // made, not yet labelled
	Updating Stage = "updating" // the branch may still stand as Was says
	Closing  Stage = "closing"  // the branch may still be there
	Closed   Stage = "closed"   // by us; or tidied up after a merge
)

// Marker is what the pull request remembers, hidden in its body.
type Marker struct {
	Version int       `json:"version"`
	Stage   Stage     `json:"stage,omitempty"`
	Slot    string    `json:"slot"`
	Content string    `json:"content"`
	Kind    string    `json:"kind"`
	Branch  string    `json:"branch"`
	Base    string    `json:"base"`
	Fork    string    `json:"fork"`
	Head    string    `json:"head"`
	Title   string    `json:"title"` // as we set it: another one is a person's
	Run     string    `json:"run"`
	At      time.Time `json:"at"`
	Files   []string  `json:"files"`
	Layers  string    `json:"layers,omitempty"` // packed
	Record  string    `json:"record,omitempty"` // the commit that holds the layers where they are too large
	Was     *Marker   `json:"was,omitempty"`    // before the update that is under way
}

const (
	markerVersion = 1
	islandBegin   = "<!-- retrosweep:begin -->"
	markerBegin   = "<!-- retrosweep:v1 "
	markerEnd     = " -->"
)

// MaxBody is what the narrowest host takes, less some room for what people add.
const MaxBody = 65536 - 4096

var markerPattern = regexp.MustCompile(`<!-- retrosweep:v1 (\{[^\n]*?\}) -->`)

var (
	ErrNone    = errors.New("no marker of ours")
	ErrDamaged = errors.New("the marker is damaged")
)

// New is what a draft leaves to be remembered.
func New(d proposal.Draft, s Stage) Marker {
	return Marker{
		Version: markerVersion, Stage: s, Slot: d.Slot, Content: d.Content, Kind: d.Kind, Branch: d.Branch, Base: d.Base.Name, Fork: d.Base.Commit.String(),
		Head: d.Head.String(), Title: d.Title, Run: d.Run, At: d.At.UTC(), Files: d.Files,
	}
}

// Says reports whether a marker remembers just this draft.
func (m Marker) Says(d proposal.Draft) bool {
	return m.Content == d.Content && m.Head == d.Head.String() && m.Title == d.Title
}

// For is what a marker says of a branch that stands at head: an update that was
// cut short before the branch moved has changed nothing yet.
func (m Marker) For(head repo.Hash) Marker {
	if m.Stage == Updating && m.Was != nil && head == Hash(m.Was.Head) && head != Hash(m.Head) {
		return *m.Was
	}
	return m
}

// Fresh reports whether the pull request still waits for its labels.
func (m Marker) Fresh() bool {
	return m.Stage == Opening || m.Was != nil && m.Was.Stage == Opening
}

// Recorded reports whether a record stands beside the branch.
func (m Marker) Recorded() bool {
	return m.Record != "" || m.Was != nil && m.Was.Record != ""
}

// Parse reads the marker of a body. A body with two of them, as after a
// quotation, has none that can be believed.
func Parse(body string) (Marker, error) {
	found := markerPattern.FindAllStringSubmatch(body, 2)
	switch {
	case len(found) == 0 && !strings.Contains(body, strings.TrimSpace(markerBegin)):
		return Marker{}, ErrNone
	case len(found) != 1:
		return Marker{}, fmt.Errorf("%w: there are %d", ErrDamaged, len(found))
	}
	var m Marker
	if err := json.Unmarshal([]byte(found[0][1]), &m); err != nil {
		return Marker{}, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	if m.Version != markerVersion || m.Slot == "" || !strings.HasPrefix(m.Branch, proposal.Prefix+"/") || Hash(m.Head).IsZero() {
		return Marker{}, fmt.Errorf("%w: version %d, slot %q", ErrDamaged, m.Version, m.Slot)
	}
	return m, nil
}

// String is the marker as it stands in a body. JSON writes < and > in escapes,
// so that nothing in it ends the comment.
func (m Marker) String() string {
	b, err := json.Marshal(m)
	if err != nil { // strings, times and hashes always marshal
		return ""
	}
	return markerBegin + string(b) + markerEnd
}

// Island is our part of a body. Comments in the text are shown, so that it holds
// no second marker and no second beginning.
func Island(text string, m Marker) string {
	tail := "\n\n" + m.String()
	text = strings.ReplaceAll(strings.TrimSpace(text), "<!--", "&lt;!--")
	return islandBegin + "\n" + clip(text, MaxBody-len(islandBegin)-len(tail)-1) + tail
}

const cutNote = "\n\n(The rest is in the receipt of the run.)"

// clip cuts text at the end of a line.
func clip(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	text = text[:max(limit-len(cutNote), 0)]
	return text[:max(strings.LastIndexByte(text, '\n'), 0)] + cutNote
}

// Within puts the island where the old one is; what people wrote above and
// below it stays. Where its beginning is gone, only the marker is exchanged.
func Within(body, text string, m Marker) string {
	at := markerPattern.FindStringIndex(body)
	if at == nil {
		return body
	}
	begin := strings.LastIndex(body[:at[0]], islandBegin)
	if begin < 0 {
		return body[:at[0]] + m.String() + body[at[1]:]
	}
	return body[:begin] + Island(text, m) + body[at[1]:]
}

// Text is the text of the island of a body, without the marker.
func Text(body string) string {
	at := markerPattern.FindStringIndex(body)
	if at == nil {
		return ""
	}
	begin := strings.LastIndex(body[:at[0]], islandBegin)
	if begin < 0 {
		return ""
	}
	return strings.ReplaceAll(strings.TrimSpace(body[begin+len(islandBegin):at[0]]), "&lt;!--", "<!--")
}
