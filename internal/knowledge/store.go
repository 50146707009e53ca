package knowledge

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// A store of another tool is read and never written: one JSON object a line,
// each a fact. What failed or was decided tells of the past.

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
}

var storeEvents = map[string]bool{"failure": true, "decision": true}

// storeFile reads a file of JSON lines.
func (p *parser) storeFile() {
	start := bomLen(p.src.text)
	for start < len(p.src.text) {
		end := len(p.src.text)
		if n := bytes.IndexByte(p.src.text[start:], '\n'); n >= 0 {
			end = start + n
		}
		p.storeFact(Span{start, end})
		start = end + 1
	}
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
		Type: l.Type, Event: storeEvents[l.Type], Life: Lifecycle{Created: l.Recorded, AnchorFiles: append(l.Files, l.Dirs...)},
	}, layout{extent: at})
}
