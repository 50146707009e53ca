package expire

import (
	"fmt"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Ref is what a fact waits for: a box of a list of tasks in the tree, or an
// issue or pull request.
type Ref struct {
	Path, Text        string // a box: the file, and what its line says
	Host, Owner, Repo string // an issue: empty where it is the repository's own
	Number            int
}

// Box reports whether the task is one of a file.
func (r Ref) Box() bool { return r.Path != "" }

var (
	ownIssue   = regexp.MustCompile(`^(?:(?i:issue|issues|pr|pull|gh)\s*[#-]?|#)(\d{1,9})$`)
	otherIssue = regexp.MustCompile(`^([A-Za-z0-9][\w.-]*)/([A-Za-z0-9_][\w.-]*)#(\d{1,9})$`)
	issueURL   = regexp.MustCompile(`^/([A-Za-z0-9][\w.-]*)/([A-Za-z0-9_][\w.-]*)/(?:issues|pull)/(\d{1,9})/?$`)
)

// ParseRef reads retire_when: issue#12, #12, owner/repo#12, the URL of an issue
// or pull request, or path/to/tasks.md#task text.
func ParseRef(s string) (Ref, bool) {
	s = strings.Trim(strings.TrimSpace(s), "`<>\"'")
	if m := ownIssue.FindStringSubmatch(s); m != nil {
		return number(Ref{}, m[1])
	}
	if m := otherIssue.FindStringSubmatch(s); m != nil {
		return number(Ref{Owner: m[1], Repo: m[2]}, m[3])
	}
	if u, err := url.Parse(s); err == nil && u.Host != "" {
		m := issueURL.FindStringSubmatch(u.Path)
		if m == nil || u.Scheme != "https" && u.Scheme != "http" {
			return Ref{}, false
		}
		return number(Ref{Host: strings.ToLower(u.Hostname()), Owner: m[1], Repo: m[2]}, m[3])
	}
	file, text, ok := strings.Cut(s, "#")
	file, text = strings.TrimSpace(file), strings.TrimSpace(text)
	if !ok || text == "" || !strings.Contains(file, ".") || strings.ContainsAny(file, "*?\x00") {
		return Ref{}, false
	}
	return Ref{Path: strings.TrimPrefix(file, "./"), Text: text}, true
}

func number(r Ref, digits string) (Ref, bool) {
	n, err := strconv.Atoi(digits)
	r.Number = n
	return r, err == nil && n > 0
}

// TaskState is how a task stands.
type TaskState string

// States of a task.
const (
	Open        TaskState = "open"
	Completed   TaskState = "completed"
	NotPlanned  TaskState = "closed as not planned"
	Duplicate   TaskState = "closed as a duplicate"
	Reopened    TaskState = "reopened"
	Missing     TaskState = "not found"
	Unreachable TaskState = "unreachable" // nobody could look
	Unread      TaskState = "unread"      // what is written names no task
)

// Task is the task that a fact waits for.
type Task struct {
	State TaskState
	Done  time.Time // when it was completed; zero where that cannot be told
	Why   string    // of a state that is no answer
}

// Grace is how long a fact outlives its task: who closed it may open it again.
const Grace = 14 * 24 * time.Hour

// byTask decides about a fact that waits for a task and has no date that is
// over. Reasons name days, not ages.
func byTask(d Decision, t Task, now time.Time) Decision {
	name := named(d.Fact.Life.RetireWhen)
	what := "its task " + name
	switch t.State {
	case Completed:
		if t.Done.IsZero() {
			d.Kind, d.Reason = kindDue, what+" is completed"
			return d
		}
		on := t.Done.UTC().Format(time.DateOnly)
		d.Due = t.Done.Add(Grace).UTC().Truncate(24 * time.Hour)
		d.Kind, d.Reason = kindDue, fmt.Sprintf("%s was completed on %s", what, on)
		if d.Due.After(now) {
			d.Kind, d.Reason = kindKeep, fmt.Sprintf("%s was completed on %s: it holds until %s", what, on, d.Due.Format(time.DateOnly))
		}
	case Open:
		d.Kind, d.Reason = kindKeep, "waits for "+name
	case Unreachable:
		d.Kind, d.Reason = kindUnreachable, join(what+" cannot be looked at", t.Why)
	case Unread:
		d.Kind, d.Reason = kindLook, fmt.Sprintf("retire_when says %q, which names no task: issue#12, owner/repo#12, a URL or path/to/tasks.md#task text", name)
	default:
		d.Kind, d.Reason = kindLook, join(fmt.Sprintf("%s is %s: whether it still holds is for a person", what, t.State), t.Why)
	}
	return d
}

// maxNamed is how much of a reference is repeated, in runes.
const maxNamed = 120

// named is a reference as a reason repeats it: the reason goes into archives
// and commit messages, and must bring nothing there that nobody can see.
func named(ref string) string {
	out := []rune(strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		if !unicode.IsGraphic(r) && !unicode.IsSpace(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(ref, ""))), " "))
	if len(out) > maxNamed {
		return string(out[:maxNamed]) + "…"
	}
	return string(out)
}

func join(a, b string) string {
	if b == "" {
		return a
	}
	return a + ": " + b
}
