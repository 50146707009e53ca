package knowledge

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"
)

// A store of another tool is read and never written.

// storeFile reads a store by the name of its file.
func (p *parser) storeFile() {
	switch path.Base(p.doc.Path) {
	case "drift.lock":
		p.driftLock()
	case "memory.toml":
		p.doctrine()
	default:
		p.jsonLines()
	}
}

// mulch keeps one JSON object a line, each a fact. What failed or was decided tells
// of the past.

// storeLine is what is read of a line; what else it holds does not matter.
type storeLine struct {
	ID          string    `json:"id"`
	Type        string    `json:"type"`
	Name        string    `json:"name"`
	Title       string    `json:"title"`
	Description string    `json:"description"`
	Content     string    `json:"content"`
	Rationale   string    `json:"rationale"`
	Resolution  string    `json:"resolution"`
	Files       []string  `json:"files"`
	Dirs        []string  `json:"dir_anchors"`
	Recorded    time.Time `json:"recorded_at"`
	Supersedes  []string  `json:"supersedes"`
	Status      string    `json:"status"`
}

var storeEvents = map[string]bool{"failure": true, "decision": true}

// retired are the states in which a record claims nothing any more.
var retired = map[string]bool{"archived": true, "deprecated": true, "superseded": true, "retracted": true, "quarantined": true}

func (p *parser) jsonLines() {
	for _, at := range p.lineSpans() {
		p.storeFact(at)
	}
}

// lineSpans returns the lines of the source.
func (p *parser) lineSpans() []Span {
	var out []Span
	for n := range p.src.start {
		at := p.src.nth(n + 1)
		at.Start = min(at.End, max(at.Start, bomLen(p.src.text)))
		out = append(out, at)
	}
	return out
}

func (p *parser) storeFact(at Span) {
	line := bytes.TrimSpace(p.src.of(at))
	if len(line) == 0 {
		return
	}
	var l storeLine
	if err := json.Unmarshal(line, &l); err != nil {
		p.fault("json/invalid", p.src.line(at.Start), "the line is no JSON object of a known shape: "+valid(err.Error()))
		return
	}
	said := slices.DeleteFunc([]string{l.Description, l.Content, l.Rationale, l.Resolution}, func(s string) bool { return strings.TrimSpace(s) == "" })
	text := strings.TrimSpace(strings.Join(said, "\n"))
	if text == "" {
		return
	}
	p.add(Fact{
		ID: validID(l.ID), Kind: KindEntry, Title: nonempty(l.Name, l.Title), Text: text, Span: trim(p.src.text, at),
		Type: l.Type, Event: storeEvents[l.Type] || retired[l.Status],
		Life: Lifecycle{
			Created: l.Recorded, AnchorFiles: append(l.Files, l.Dirs...), Supersedes: strings.Join(l.Supersedes, ", "), Status: l.Status,
		},
	}, layout{extent: at})
}
