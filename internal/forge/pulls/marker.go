package pulls

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

// stage is how far a proposal has come. A stage that is not settled says what
// the next run has to complete.
type stage string

const (
	settled  stage = ""
	opening  stage = "opening"  // made, not yet labelled
	updating stage = "updating" // the branch may still stand as Was says
	closing  stage = "closing"  // the branch may still be there
	closed   stage = "closed"   // by us; or tidied up after a merge
)

// marker is what the pull request remembers, hidden in its body.
type marker struct {
	Version int       `json:"version"`
	Stage   stage     `json:"stage,omitempty"`
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
	Was     *marker   `json:"was,omitempty"`    // before the update that is under way
}

const (
	markerVersion = 1
	islandBegin   = "<!-- retrosweep:begin -->"
	markerBegin   = "<!-- retrosweep:v1 "
	markerEnd     = " -->"
)

// maxBody is what the narrowest host takes, less some room for what people add.
const maxBody = 65536 - 4096

var markerPattern = regexp.MustCompile(`<!-- retrosweep:v1 (\{[^\n]*?\}) -->`)

var (
	errNoMarker = errors.New("no marker of ours")
	errDamaged  = errors.New("the marker is damaged")
)

// newMarker is what a draft leaves to be remembered.
func newMarker(d proposal.Draft, s stage) marker {
	return marker{
		Version: markerVersion, Stage: s, Slot: d.Slot, Content: d.Content, Kind: d.Kind, Branch: d.Branch, Base: d.Base.Name, Fork: d.Base.Commit.String(),
		Head: d.Head.String(), Title: d.Title, Run: d.Run, At: d.At.UTC(), Files: d.Files,
	}
}

// says reports whether a marker remembers just this draft.
func (m marker) says(d proposal.Draft) bool {
	return m.Content == d.Content && m.Head == d.Head.String() && m.Title == d.Title
}

// at is what a marker says of a branch that stands at head: an update that was
// cut short before the branch moved has changed nothing yet.
func (m marker) at(head repo.Hash) marker {
	if m.Stage == updating && m.Was != nil && head == hash(m.Was.Head) && head != hash(m.Head) {
		return *m.Was
	}
	return m
}

// fresh reports whether the pull request still waits for its labels.
func (m marker) fresh() bool {
	return m.Stage == opening || m.Was != nil && m.Was.Stage == opening
}

// recorded reports whether a record stands beside the branch.
func (m marker) recorded() bool {
	return m.Record != "" || m.Was != nil && m.Was.Record != ""
}

// parseMarker reads the marker of a body. A body with two of them, as after a
// quotation, has none that can be believed.
func parseMarker(body string) (marker, error) {
	found := markerPattern.FindAllStringSubmatch(body, 2)
	switch {
	case len(found) == 0 && !strings.Contains(body, strings.TrimSpace(markerBegin)):
		return marker{}, errNoMarker
	case len(found) != 1:
		return marker{}, fmt.Errorf("%w: there are %d", errDamaged, len(found))
	}
	var m marker
	if err := json.Unmarshal([]byte(found[0][1]), &m); err != nil {
		return marker{}, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if m.Version != markerVersion || m.Slot == "" || !strings.HasPrefix(m.Branch, proposal.Prefix+"/") || hash(m.Head).IsZero() {
		return marker{}, fmt.Errorf("%w: version %d, slot %q", errDamaged, m.Version, m.Slot)
	}
	return m, nil
}

// String is the marker as it stands in a body. JSON writes < and > in escapes,
// so that nothing in it ends the comment.
func (m marker) String() string {
	b, err := json.Marshal(m)
	if err != nil { // strings, times and hashes always marshal
		return ""
	}
	return markerBegin + string(b) + markerEnd
}

// island is our part of a body. Comments in the text are shown, so that it holds
// no second marker and no second beginning.
func island(text string, m marker) string {
	tail := "\n\n" + m.String()
	text = strings.ReplaceAll(strings.TrimSpace(text), "<!--", "&lt;!--")
	return islandBegin + "\n" + clip(text, maxBody-len(islandBegin)-len(tail)-1) + tail
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

// withIsland puts the island where the old one is; what people wrote above and
// below it stays. Where its beginning is gone, only the marker is exchanged.
func withIsland(body, text string, m marker) string {
	at := markerPattern.FindStringIndex(body)
	if at == nil {
		return body
	}
	begin := strings.LastIndex(body[:at[0]], islandBegin)
	if begin < 0 {
		return body[:at[0]] + m.String() + body[at[1]:]
	}
	return body[:begin] + island(text, m) + body[at[1]:]
}

// islandText is the text of the island of a body, without the marker.
func islandText(body string) string {
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
