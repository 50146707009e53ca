package knowledge

import (
	"errors"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// doctrine keeps one memory a directory: what it is about in memory.toml, the text
// in memory.md beside it. The first is read here as one fact.

// doctrineFile is what is read of a memory.toml.
type doctrineFile struct {
	UID     string `toml:"memory_uid"`
	Type    string `toml:"memory_type"`
	Status  string `toml:"status"`
	Title   string `toml:"title"`
	Summary string `toml:"summary"`
	Created any    `toml:"created"`
	Scope   struct {
		Paths []string `toml:"paths"`
		Globs []string `toml:"globs"`
		Repo  string   `toml:"repo"`
	} `toml:"scope"`
}

func (p *parser) doctrine() {
	var d doctrineFile
	start := bomLen(p.src.text)
	if err := toml.Unmarshal(p.src.text[start:], &d); err != nil {
		line := 1
		var at *toml.DecodeError
		if errors.As(err, &at) {
			line, _ = at.Position()
		}
		p.fault("toml/invalid", line, "the memory cannot be read: "+valid(err.Error()))
		return
	}
	if d.Summary == "" && d.Title == "" {
		return
	}
	all := Span{start, len(p.src.text)}
	p.add(Fact{
		ID: validID(d.UID), Kind: KindEntry, Title: d.Title, Text: nonempty(d.Summary, d.Title), Span: trim(p.src.text, all),
		Type: d.Type, Event: retired[d.Status],
		Life: Lifecycle{Created: tomlDay(d.Created), Status: d.Status, AnchorFiles: append(d.Scope.Paths, d.Scope.Globs...)},
	}, layout{extent: all})
}

// tomlDay reads a date that is written as a date, a time, or a string.
func tomlDay(v any) time.Time {
	switch t := v.(type) {
	case time.Time:
		return t.UTC()
	case toml.LocalDate:
		return t.AsTime(time.UTC)
	case toml.LocalDateTime:
		return t.AsTime(time.UTC)
	case string:
		day, _ := parseDay(t)
		return day
	}
	return time.Time{}
}
