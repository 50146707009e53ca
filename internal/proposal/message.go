package proposal

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/report/markup"
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

// Reason is why one edit is made: a sentence, and where it can be seen.
type Reason struct {
	What     string // the edit in words: "archive the memory “deploy-window”"
	Why      string
	Evidence []knowledge.Quote // quotes are left out: a link is enough, and cannot mislead
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
	verbs := map[string]int{}
	files := map[string]bool{}
	for _, e := range edits {
		verbs[verb(e.Op)]++
		files[e.Path] = true
	}
	where := fmt.Sprintf("%d files", len(files))
	if len(files) == 1 {
		where = subject(edits[0].Path)
	}
	switch {
	case len(edits) == 0:
		return "tend the knowledge files"
	case len(verbs) == 1:
		v := verb(edits[0].Op)
		if v == "add" {
			return fmt.Sprintf("add %s to %s", counted(len(edits), "rule"), where)
		}
		return fmt.Sprintf("%s %s in %s", v, counted(len(edits), objects[v]), where)
	}
	return fmt.Sprintf("tend %s in %s", counted(len(edits), "fact"), where)
}

func verb(op knowledge.Op) string {
	switch op {
	case knowledge.OpAdd:
		return "add"
	case knowledge.OpArchive:
		return "archive"
	case knowledge.OpRestore:
		return "restore"
	case knowledge.OpRewrite:
		return "correct"
	case knowledge.OpSetField:
		return "date"
	}
	return "reword"
}

var objects = map[string]string{"archive": "retired fact", "restore": "fact", "correct": "moved path", "date": "fact", "reword": "rule"}

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

// BodyInput is what a pull request's body is written from.
type BodyInput struct {
	Reasons  []Reason
	Files    []string
	Base     string
	Branch   string
	Rejected string // how to say no here; "" takes the words for a branch
	Run      string
	Models   []string // "patch gpt-5, prompt patch@3"; none: no model was asked
	Spent    string   // "12 k tokens, 0.02 USD"
	Marker   string   // for forges that find their proposals by it
}

// maxBody keeps a body well under the 65,536 characters that hosts take.
const maxBody = 20000

// Body writes the body of a proposal, in Markdown: what changes, why, how to
// check, how to say no, how it was made. When it grows too long, reasons are
// left out from the end, whole ones, and the body says so.
func Body(in BodyInput) string {
	before := summary(in) + "\n\n**Why**\n\n"
	after := checkAndSayNo(in) + "\n" + colophon(in)
	if in.Marker != "" {
		after += "\n" + in.Marker + "\n"
	}
	return before + why(in.Reasons, maxBody-len(before)-len(after)) + after
}

// why lists reasons as far as they fit.
func why(reasons []Reason, room int) string {
	var b strings.Builder
	for i, r := range reasons {
		line := "- " + markup.Prose(r.What)
		if r.Why != "" {
			line += ": " + markup.Prose(r.Why)
		}
		if at := places(r.Evidence, markup.Code); at != "" {
			line += " (" + at + ")"
		}
		more := fmt.Sprintf("- and %d more, listed in the run's receipt\n", len(reasons)-i)
		if b.Len()+len(line)+1+len(more) > room {
			b.WriteString(more)
			break
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func checkAndSayNo(in BodyInput) string {
	no := cmp.Or(in.Rejected, "Delete the branch.")
	return fmt.Sprintf("\n**How to check**\n\n`git diff %s..%s`, and the places named above: the commit and line are what code found, not what a model said.\n", in.Base, in.Branch) +
		fmt.Sprintf("\n**How to say no**\n\n%s The same change is not offered again; a different one for this file not for 30 days. Commit to the branch, and it is yours: it is never written again.\n", no)
}

func summary(in BodyInput) string {
	files := make([]string, 0, 3)
	for _, f := range in.Files[:min(len(in.Files), 3)] {
		files = append(files, markup.Code(f))
	}
	s := strings.Join(files, ", ")
	if rest := len(in.Files) - 3; rest > 0 {
		s += fmt.Sprintf(" and %d more files", rest)
	}
	edits := "one edit"
	if n := len(in.Reasons); n != 1 {
		edits = counted(n, "edit")
	}
	return fmt.Sprintf("Changes %s: %s.", s, edits)
}

func colophon(in BodyInput) string {
	var b strings.Builder
	b.WriteString("<details><summary>How this was made</summary>\n\n")
	fmt.Fprintf(&b, "- run %s\n", markup.Code(in.Run))
	for _, m := range in.Models {
		fmt.Fprintf(&b, "- %s\n", markup.Code(m))
	}
	if len(in.Models) == 0 {
		b.WriteString("- no model was asked: code decided all of it\n")
	}
	if in.Spent != "" {
		fmt.Fprintf(&b, "- spent: %s\n", markup.Prose(in.Spent))
	}
	b.WriteString("\n</details>\n\nMade by retrosweep.\n")
	return b.String()
}
