package knowledge

import (
	"bytes"
	"encoding/json"
	"path"
	"strconv"
	"strings"
	"time"
)

const (
	archiveDir  = "archive"
	archiveFile = "ARCHIVED_KNOWLEDGE.md"
	indexName   = "MEMORY.md"
)

// Lines of an archive around the original bytes of a fact. They are comments:
// a reader sees a heading, why and when, and the fact.
const (
	markArchived = "<!-- retrosweep:archived "
	markOriginal = "<!-- retrosweep:original -->"
	markEnd      = "<!-- retrosweep:end "
	markClose    = " -->"
)

// record is one archived fact: where it stood, and its original bytes.
type record struct {
	ID      string   `json:"id"`
	From    string   `json:"from"`
	Format  Format   `json:"format"`
	Claim   string   `json:"claim"`
	Kind    Kind     `json:"kind"`
	Date    string   `json:"date"`
	Reason  string   `json:"reason"`
	With    string   `json:"with,omitempty"`  // the memory whose index line this is
	Heading []string `json:"heading"`         // headings above it
	Prev    string   `json:"prev,omitempty"`  // the fact before it
	Next    string   `json:"next,omitempty"`  // the fact after it
	Above   string   `json:"above"`           // hash of the two lines of text before it,
	Below   string   `json:"below"`           // and after it
	Loose   bool     `json:"loose,omitempty"` // a blank line stood before it
	Offset  int      `json:"offset"`          // where it stood,
	Rest    string   `json:"rest"`            // and the hash of the file without it
	Bytes   int      `json:"bytes"`           // length of the original
	Sep     int      `json:"sep"`             // bytes put before the record, to strip again

	title string
	body  []byte // the original bytes
	span  Span   // of the whole record in the archive, separator included
	at    Span   // of the original bytes in the archive
}

// home returns the path from which an archived file came.
func home(name string) string {
	if dir := path.Dir(name); path.Base(dir) == archiveDir {
		return path.Join(path.Dir(dir), path.Base(name))
	}
	return name
}

// ArchivePath returns where the facts of a file are archived. Beside a memory,
// a playbook or a wiki page that is archive/; the facts of an instruction
// surface go to the top of the repository, because tools load what stands
// beside it.
func ArchivePath(name string, f Format) string {
	dir, base := path.Split(name)
	switch f {
	case Memory, MemoryIndex, Playbook, Wiki:
		return path.Join(dir, archiveDir, base)
	case Instruction:
		return archiveFile
	}
	return path.Join(dir, archiveFile)
}

// render writes a record as it stands in an archive.
func (r *record) render(eol string) ([]byte, error) {
	head, err := json.Marshal(r) // < and > are escaped: the comment cannot end early
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(strings.Repeat(eol, max(r.Sep/len(eol), 0)))
	for _, line := range []string{
		markArchived + string(head) + markClose,
		"## " + nonempty(normal(r.title), r.ID), "",
		"Archived " + r.Date + " from `" + r.From + "`: " + nonempty(normal(r.Reason), "no reason given"), "",
		markOriginal,
	} {
		b.WriteString(line + eol)
	}
	b.Write(r.body)
	if endOf(r.body) == "" {
		b.WriteString(eol)
	}
	b.WriteString(markEnd + r.ID + markClose + eol)
	return b.Bytes(), nil
}

// parseRecords reads the records of an archive, oldest first. What is no
// record is passed over.
func parseRecords(s *source) []record {
	var out []record
	for n := 1; n <= len(s.start); n++ {
		line := bytes.TrimRight(s.of(s.nth(n)), " \t\r\n")
		if !bytes.HasPrefix(line, []byte(markArchived)) || !bytes.HasSuffix(line, []byte(markClose)) {
			continue
		}
		var r record
		if json.Unmarshal(line[len(markArchived):len(line)-len(markClose)], &r) != nil || r.ID == "" {
			continue
		}
		if end, ok := r.locate(s, n); ok {
			out = append(out, r)
			n = end
		}
	}
	return out
}

// locate finds the original bytes of a record whose first line is n, and
// returns its last line.
func (r *record) locate(s *source, n int) (last int, ok bool) {
	start := s.nth(n).Start
	for n++; n <= len(s.start); n++ {
		switch line := string(bytes.TrimRight(s.of(s.nth(n)), " \t\r\n")); {
		case strings.HasPrefix(line, "## ") && r.title == "":
			r.title = strings.TrimPrefix(line, "## ")
		case line == markOriginal:
			return r.original(s, start, n+1)
		}
	}
	return 0, false
}

// original takes the bytes that the record counts; where somebody has changed
// the archive since, everything up to the end mark.
func (r *record) original(s *source, start, n int) (last int, ok bool) {
	from := s.nth(n).Start
	end := markEnd + r.ID + markClose
	if to := from + r.Bytes; r.Bytes >= 0 && to <= len(s.text) && to >= from {
		at := to
		if endOf(s.text[from:to]) == "" {
			at = s.lineEnd(to)
		}
		if s.trimmed(at) == end && len(bytes.TrimSpace(s.text[to:at])) == 0 {
			r.body, r.at, r.span = s.text[from:to], Span{from, to}, Span{max(start-r.Sep, 0), s.lineEnd(at)}
			return s.line(at), true
		}
	}
	for ; n <= len(s.start); n++ {
		if l := s.nth(n); s.trimmed(l.Start) == end {
			r.body, r.at, r.span = s.text[from:l.Start], Span{from, l.Start}, Span{max(start-r.Sep, 0), l.End}
			return n, true
		}
	}
	return 0, false
}

// trimmed returns the line that begins at an offset without its end.
func (s *source) trimmed(at int) string {
	if at >= len(s.text) {
		return ""
	}
	return string(bytes.TrimRight(s.text[at:s.lineEnd(at)], " \t\r\n"))
}

// records adds the facts of an archive under the ids that they had.
func (p *parser) records() {
	for _, r := range parseRecords(p.src) {
		day, _ := parseDay(r.Date)
		body := bytes.TrimSpace(r.body)
		p.add(Fact{ID: r.ID, Kind: KindEntry, Title: title(r.title), Text: string(body), Span: trim(p.src.text, r.at),
			Heading: r.Heading, Type: string(r.Format), Event: true, Life: Lifecycle{Archived: day, Status: "archived"}},
			layout{extent: r.span})
	}
}

// archiveHead begins an archive that an edit creates.
func archiveHead(eol string) string {
	return "# Archived knowledge" + eol + eol + "Retired facts, with their original text and the way back. Not instructions." + eol
}

// stamp is a date as archives write it.
func stamp(at time.Time) string {
	if at.IsZero() {
		return "undated"
	}
	return at.UTC().Format(time.DateOnly)
}

// spare returns the n-th name to archive a file under.
func spare(name string, n int) string {
	if n < 2 {
		return name
	}
	ext := path.Ext(name)
	return strings.TrimSuffix(name, ext) + "-" + strconv.Itoa(n) + ext
}

// Origin returns where an archived fact stood and the id it had there, which
// is what [OpRestore] asks for. Ok is false for a fact that is in no archive.
func (d *Document) Origin(f *Fact) (file, id string, ok bool) {
	if d.Format != Archive {
		return "", "", false
	}
	if memoryArchive(d.Path) {
		return d.pageOrigin()
	}
	for _, r := range parseRecords(newSource(d.Source)) {
		if r.ID == f.ID {
			file, id, ok = r.From, r.ID, true // the last one is what comes back
		}
	}
	return file, id, ok
}

// ArchivedFor returns why an archived fact was retired, as its archive says.
func (d *Document) ArchivedFor(f *Fact) (reason string, ok bool) {
	if d.Format != Archive {
		return "", false
	}
	if memoryArchive(d.Path) {
		return d.Field(f, "reason")
	}
	for _, r := range parseRecords(newSource(d.Source)) {
		if r.ID == f.ID {
			reason, ok = r.Reason, true
		}
	}
	return reason, ok
}

// pageOrigin reads an archived memory as it stood in its own directory.
func (d *Document) pageOrigin() (file, id string, ok bool) {
	src, ok := stripArchived(d.Source)
	if !ok {
		return "", "", false
	}
	page := Parse(home(d.Path), src, Memory)
	for i := range page.Facts {
		if page.isPage(i) {
			return page.Path, page.Facts[i].ID, true
		}
	}
	return "", "", false
}
