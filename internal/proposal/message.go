package proposal

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Trailers are written by code below every commit of ours.
type Trailers struct {
	Run, Range, Key, Slot, Content string
	SignedOffBy                    string // as the operator configured it, else ""
}

const (
	trailerRun     = "Retrosweep-Run"
	trailerRange   = "Retrosweep-Range"
	trailerKey     = "Retrosweep-Key"
	trailerSlot    = "Retrosweep-Slot"
	trailerContent = "Retrosweep-Content"
	trailerSigned  = "Signed-off-by"
)

func (t Trailers) String() string {
	var b strings.Builder
	for _, kv := range [][2]string{{trailerRun, t.Run}, {trailerRange, t.Range}, {trailerKey, t.Key}, {trailerSlot, t.Slot}, {trailerContent, t.Content}, {trailerSigned, t.SignedOffBy}} {
		if v := guard.TerminalLine(kv[1], maxText); v != "" {
			fmt.Fprintf(&b, "%s: %s\n", kv[0], v)
		}
	}
	return b.String()
}

// ParseTrailers reads the trailers from the last paragraph of a message; ok is
// false when it holds no slot, content or run of ours. What stands above the
// last paragraph is text and is not believed.
func ParseTrailers(message string) (t Trailers, ok bool) {
	message = strings.TrimRight(message, "\n \t\r")
	if i := strings.LastIndex(message, "\n\n"); i >= 0 {
		message = message[i+2:]
	}
	fields := map[string]*string{trailerRun: &t.Run, trailerRange: &t.Range, trailerKey: &t.Key, trailerSlot: &t.Slot, trailerContent: &t.Content, trailerSigned: &t.SignedOffBy}
	for line := range strings.Lines(message) {
		key, value, found := strings.Cut(strings.TrimSpace(line), ": ")
		if field := fields[key]; found && field != nil {
			*field = value
		}
	}
	return t, t.Run != "" && t.Content != ""
}

// Reason is why one edit is made: a sentence, since when, and where it can be
// seen.
type Reason struct {
	What     string            `json:"what"` // the edit in words: "archive the memory “deploy-window”"
	Why      string            `json:"why,omitempty"`
	Since    *knowledge.Since  `json:"since,omitempty"`    // the commit that made the edit needed
	Evidence []knowledge.Quote `json:"evidence,omitempty"` // without quotes: a link is enough, and cannot mislead
	Trial    *Trial            `json:"trial,omitempty"`    // of the check that the rule may become
}

// bare is a reason as it is kept: without quotes.
func (r Reason) bare() Reason {
	kept := make([]knowledge.Quote, 0, len(r.Evidence))
	for _, q := range r.Evidence {
		q.Quote = ""
		kept = append(kept, q)
	}
	r.Evidence = kept
	return r
}

// CommitBody explains a commit in plain text, wrapped, without trailers.
func CommitBody(reasons []Reason) string {
	var b strings.Builder
	for i, r := range reasons {
		if i == maxReasons {
			fmt.Fprintf(&b, "- and %d more\n", len(reasons)-i)
			break
		}
		line := quiet(r.What)
		if r.Why != "" {
			line += ": " + quiet(r.Why)
		}
		if at := places(r.Evidence, place); at != "" {
			line += " (" + at + ")"
		}
		b.WriteString("- " + wrap(line, "  ", 70) + "\n")
	}
	return b.String()
}

// maxReasons keeps a message readable; the receipt lists the rest.
const maxReasons = 30

// Message is a whole commit message: title, body, trailers.
func Message(title, body string, t Trailers) string {
	parts := []string{guard.Title(title, maxTitle)}
	if body = strings.TrimSpace(body); body != "" {
		parts = append(parts, body)
	}
	return strings.Join(append(parts, t.String()), "\n\n")
}

func places(evidence []knowledge.Quote, set func(string) string) string {
	var out []string
	for _, q := range evidence {
		at := cmp.Or(q.Path, "message")
		if q.Commit != "" {
			at = q.Commit[:min(len(q.Commit), 12)] + ":" + at
		}
		if q.Line > 0 {
			at += fmt.Sprintf("#L%d", q.Line)
		}
		if s := set(at); s != "" && !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return strings.Join(out[:min(len(out), 5)], ", ")
}

// Imperative says what edits do in a few words: the same edits, the same words.
func Imperative(edits []knowledge.Edit) string {
	if len(edits) == 0 {
		return "tend the knowledge files"
	}
	var order []string
	verbs, files := map[string]int{}, map[string]bool{}
	for _, e := range edits {
		v := verb(e)
		if verbs[v]++; verbs[v] == 1 {
			order = append(order, v)
		}
		files[e.Target()] = true
	}
	slices.SortStableFunc(order, func(a, b string) int { return verbs[b] - verbs[a] })
	where := subject(edits[0].Target())
	if len(files) > 1 {
		where = fmt.Sprintf("%d files", len(files))
	}
	if v := order[0]; len(order) == 1 {
		return v + " " + counted(verbs[v], objects[v]) + cmp.Or(prepositions[v], " in ") + where
	}
	var done []string
	for _, v := range order {
		_, noun, found := strings.Cut(objects[v], " ") // there is little room
		if !found {
			noun = objects[v]
		}
		done = append(done, v+" "+counted(verbs[v], noun))
	}
	return and(done) + " in " + where
}

// and joins words as a person does.
func and(words []string) string {
	if last := len(words) - 1; last > 0 {
		return strings.Join(words[:last], ", ") + " and " + words[last]
	}
	return strings.Join(words, "")
}

func verb(e knowledge.Edit) string {
	switch e.Op {
	case knowledge.OpAdd:
		return "add"
	case knowledge.OpArchive:
		return "archive"
	case knowledge.OpRestore:
		return "restore"
	case knowledge.OpRewrite:
		return "correct"
	case knowledge.OpMove:
		return "move"
	case knowledge.OpIndex:
		return "index"
	case knowledge.OpSetField:
		if strings.HasPrefix(e.Field, "supersede") {
			return "relate"
		}
		return "date"
	}
	return "reword"
}

var prepositions = map[string]string{"add": " to ", "move": " to "} // else in

var objects = map[string]string{"add": "rule", "archive": "retired fact", "restore": "fact", "correct": "moved path", "date": "fact", "relate": "fact", "move": "rule", "index": "file", "reword": "rule"}

func subject(file string) string {
	if dir := path.Base(path.Dir(file)); strings.EqualFold(path.Base(file), "SKILL.md") && dir != "." {
		return dir + "/" + path.Base(file)
	}
	return path.Base(file)
}

func counted(n int, noun string) string {
	if n == 1 {
		return "a " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
