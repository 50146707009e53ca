package proposal

import (
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report/markup"
)

// Host is where people read a proposal. The zero value is a branch of a
// repository that lies on no host.
type Host struct {
	Web   string // https://host/owner/repository, for links; "" makes none
	Blob  string // between Web and the commit of a file; default /blob/
	Plain string // what makes a host show the lines of a Markdown file: ?plain=1
	SayNo string // how to say no here; "" takes the words for a branch
}

// place is a file in history with the lines that matter: permalinks where there
// is a host, else commit:path:line.
func (h Host) place(q knowledge.Quote, lines []int) string {
	if h.Web == "" || q.Commit == "" {
		var out []string
		for _, q.Line = range lines {
			out = append(out, markup.Code(plainPlace(q)))
		}
		return strings.Join(out, ", ")
	}
	if q.Path == "" {
		return h.commit(q.Commit)
	}
	q.Line = lines[0]
	text := markup.Code(q.Path)
	if q.Line > 0 {
		text += fmt.Sprintf(" line %d", q.Line)
	}
	text = "[" + text + "](" + h.link(q) + ")"
	for _, q.Line = range lines[1:] {
		text += fmt.Sprintf(", [%d](%s)", q.Line, h.link(q))
	}
	return text
}

func plainPlace(q knowledge.Quote) string {
	var parts []string
	if q.Commit != "" {
		parts = append(parts, q.Commit[:min(len(q.Commit), 12)])
	}
	switch {
	case q.Path != "":
		parts = append(parts, q.Path)
	case q.Commit != "":
		parts = append(parts, "message")
	}
	if q.Line > 0 {
		parts = append(parts, fmt.Sprint(q.Line))
	}
	return strings.Join(parts, ":")
}

// link is the address of a line at a commit, which later commits leave alone.
func (h Host) link(q knowledge.Quote) string {
	blob := orElse(h.Blob, "/blob/")
	var segments []string
	for s := range strings.SplitSeq(q.Path, "/") {
		segments = append(segments, pathEscape(s))
	}
	at := h.Web + blob + pathEscape(q.Commit) + "/" + strings.Join(segments, "/")
	if q.Line <= 0 {
		return at
	}
	if ext := strings.ToLower(path.Ext(q.Path)); ext == ".md" || ext == ".markdown" || ext == ".mdx" {
		at += h.Plain
	}
	return at + fmt.Sprintf("#L%d", q.Line)
}

// pathEscape also escapes what would end a link in Markdown.
func pathEscape(s string) string {
	return strings.NewReplacer("(", "%28", ")", "%29", "@", "%40").Replace(url.PathEscape(s))
}

// commit is a commit by the first digits of its id.
func (h Host) commit(id string) string {
	text := markup.Code(id[:min(len(id), 10)])
	if h.Web == "" || !hexID.MatchString(id) {
		return text
	}
	return "[" + text + "](" + h.Web + "/commit/" + pathEscape(id) + ")"
}

// places lists evidence, the lines of one file together.
func (h Host) places(evidence []knowledge.Quote) string {
	var order []knowledge.Quote
	of := map[knowledge.Quote][]int{}
	for _, q := range evidence {
		file := knowledge.Quote{Commit: q.Commit, Path: q.Path}
		if file == (knowledge.Quote{}) {
			continue
		}
		have, known := of[file]
		if !known {
			order = append(order, file)
		}
		if !slices.Contains(have, q.Line) && len(have) < maxPlaces {
			of[file] = append(have, q.Line)
		}
	}
	var out []string
	for _, file := range order[:min(len(order), maxPlaces)] {
		out = append(out, h.place(file, of[file]))
	}
	if rest := len(order) - maxPlaces; rest > 0 {
		out = append(out, counted(rest, "file")+" more")
	}
	return and(out)
}

// maxPlaces is how many files, and how many lines of each, explain one edit.
const maxPlaces = 4
