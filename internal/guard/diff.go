package guard

import (
	"bytes"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// FileChange is one path of a finished tree diff. A mode is git's, in octal
// ("100644"); the mode and content of the side where the path is absent are
// empty.
type FileChange struct {
	Path             string
	OldMode, NewMode string
	Old, New         []byte
}

// Caps of one branch. A proposal is read by a person at once; the upkeep
// branch grows over nights.
const (
	maxQueueFiles  = 20
	maxQueueLines  = 400
	maxUpkeepFiles = 500
	maxFileBytes   = 1 << 20
)

const plainFile = "100644"

// DiffError says what in a finished diff must not leave.
type DiffError struct {
	Path string // "" where it is about the whole diff
	Why  string
}

// Error names the path, safe to print, and the cause.
func (e *DiffError) Error() string {
	if e.Path == "" {
		return "diff refused: " + e.Why
	}
	return fmt.Sprintf("diff refused: %q: %s", shorten(e.Path, 80), e.Why)
}

// CheckDiff is the second enforcement, on the final diff of a branch of a
// route, however that diff came about: every path may be on this branch, files
// are plain and small, nothing is lost, and no hidden character and no secret
// is there that was not there before.
func (p *Policy) CheckDiff(route knowledge.Route, changes []FileChange) error {
	if route == knowledge.RouteNever {
		return &DiffError{Why: "no branch has the route never"}
	}
	for _, c := range changes {
		if err := p.checkChange(route, c); err != nil {
			return err
		}
	}
	for _, check := range []func(knowledge.Route, []FileChange) error{checkCaps, checkClashes, checkLoss, checkIntroduced} {
		if err := check(route, changes); err != nil {
			return err
		}
	}
	return nil
}

func (p *Policy) checkChange(route knowledge.Route, c FileChange) error {
	wants, why := p.Route(c.Path)
	switch {
	case wants.Stricter(route) != route:
		return &DiffError{c.Path, fmt.Sprintf("its route is %s (%s), the branch's is %s", wants, why, route)}
	case !absent(c.OldMode) && c.OldMode != plainFile:
		return &DiffError{c.Path, fmt.Sprintf("its mode is %s: only plain files are edited", c.OldMode)}
	case !absent(c.NewMode) && c.NewMode != plainFile:
		return &DiffError{c.Path, fmt.Sprintf("its new mode is %s: only plain files are written", c.NewMode)}
	case len(c.New) > maxFileBytes:
		return &DiffError{c.Path, fmt.Sprintf("larger than %d bytes", maxFileBytes)}
	case !utf8.Valid(c.New) && utf8.Valid(c.Old):
		return &DiffError{c.Path, "not valid UTF-8 any more"}
	default:
		return nil
	}
}

func absent(mode string) bool { return strings.Trim(mode, "0") == "" }

func checkCaps(route knowledge.Route, changes []FileChange) error {
	if route != knowledge.RouteQueue {
		if len(changes) > maxUpkeepFiles {
			return &DiffError{Why: fmt.Sprintf("%d files, at most %d", len(changes), maxUpkeepFiles)}
		}
		return nil
	}
	switch files, lines := Reading(changes); {
	case files > maxQueueFiles:
		return &DiffError{Why: fmt.Sprintf("%d files, at most %d", files, maxQueueFiles)}
	case lines > maxQueueLines:
		return &DiffError{Why: fmt.Sprintf("%d changed lines, at most %d", lines, maxQueueLines)}
	}
	return nil
}

// Reading counts the files and lines that a person has to read: a file that
// moves to the archive as it is needs no reading, and neither does a line.
func Reading(changes []FileChange) (files, lines int) {
	for _, c := range changes {
		gone := absent(c.NewMode) && keptElsewhere(c, changes)
		kept := absent(c.OldMode) && path.Base(path.Dir(c.Path)) == "archive" && slices.ContainsFunc(changes, func(o FileChange) bool {
			return absent(o.NewMode) && linesWithin(o.Old, c.New)
		})
		if !gone && !kept {
			files++
		}
	}
	return files, changedLines(changes)
}

// changedLines counts the lines that only one side of the whole diff has: those
// that only move cancel out.
func changedLines(changes []FileChange) int {
	count := map[string]int{}
	for _, c := range changes {
		for line := range bytes.Lines(c.Old) {
			count[string(line)]--
		}
		for line := range bytes.Lines(c.New) {
			count[string(line)]++
		}
	}
	n := 0
	for _, c := range count {
		n += max(c, -c)
	}
	return n
}

// checkClashes refuses two paths that are one file where case or form is not
// told apart.
func checkClashes(_ knowledge.Route, changes []FileChange) error {
	seen := map[string]string{}
	for _, c := range changes {
		key := strings.ToLower(norm.NFKC.String(c.Path))
		if other, ok := seen[key]; ok {
			return &DiffError{c.Path, fmt.Sprintf("clashes with %q where case is not told apart", shorten(other, 80))}
		}
		seen[key] = c.Path
	}
	return nil
}

// checkLoss refuses a file that goes away without coming back in an archive
// (or out of one): nothing is deleted.
func checkLoss(_ knowledge.Route, changes []FileChange) error {
	for _, c := range changes {
		if absent(c.NewMode) && !keptElsewhere(c, changes) && !emptied(c, changes) {
			return &DiffError{c.Path, "it is deleted and no archive holds it"}
		}
	}
	return nil
}

func keptElsewhere(gone FileChange, changes []FileChange) bool {
	for _, c := range changes {
		if c.Path == gone.Path || absent(c.NewMode) || !absent(c.OldMode) {
			continue
		}
		switch {
		case path.Base(path.Dir(c.Path)) == "archive" && linesWithin(gone.Old, c.New):
			return true
		case path.Base(path.Dir(gone.Path)) == "archive" && linesWithin(c.New, gone.Old):
			return true
		}
	}
	return false
}

// emptied reports that gone was an archive, and that every fact it held is back
// in the file it came from.
func emptied(gone FileChange, changes []FileChange) bool {
	doc := knowledge.Parse(gone.Path, gone.Old, knowledge.Archive)
	for i := range doc.Facts {
		home, _, ok := doc.Origin(&doc.Facts[i])
		back := slices.ContainsFunc(changes, func(c FileChange) bool {
			return c.Path == home && !absent(c.NewMode) && linesWithin([]byte(doc.Facts[i].Text), c.New)
		})
		if !ok || !back {
			return false
		}
	}
	return len(doc.Facts) > 0
}

// linesWithin reports that the lines of part stand in whole in their order.
func linesWithin(part, whole []byte) bool {
	rest := bytes.Split(bytes.TrimSpace(whole), []byte("\n"))
	for _, line := range bytes.Split(bytes.TrimSpace(part), []byte("\n")) {
		for len(rest) > 0 && !bytes.Equal(bytes.TrimRight(rest[0], "\r"), bytes.TrimRight(line, "\r")) {
			rest = rest[1:]
		}
		if len(rest) == 0 {
			return false
		}
		rest = rest[1:]
	}
	return true
}

// checkIntroduced compares both sides of the whole diff: an archived entry
// takes what stood in it along.
func checkIntroduced(_ knowledge.Route, changes []FileChange) error {
	balance := map[string]int{}
	for _, c := range changes {
		tally(balance, string(c.Old), -1)
		tally(balance, string(c.New), +1)
	}
	for _, what := range slices.Sorted(maps.Keys(balance)) {
		if balance[what] > 0 {
			named, _, _ := strings.Cut(what, "\x00")
			return &DiffError{Why: "it introduces " + named}
		}
	}
	return nil
}

// tally counts what must not become more, each under its name and, behind a
// NUL, its value.
func tally(balance map[string]int, text string, by int) {
	for _, h := range Hidden(text) {
		balance[fmt.Sprintf("a hidden character (%U, %s)", h.Rune, h.Kind)] += by
	}
	_, hits := redact(text)
	for _, h := range hits {
		balance[fmt.Sprintf("a secret (%s)\x00%s", h.kind, h.value)] += by
	}
}
