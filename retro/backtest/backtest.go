// Package backtest tries a check on a repository's own past: would it have
// caught the mistakes that taught the rule, and what else would it have hit? A
// check is a pattern over the lines or the paths that a commit adds. A model may
// propose one; only what is counted here is believed.
package backtest

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// Kinds of checks.
const (
	Line = "line" // over added lines of code
	Path = "path" // over the paths of added files
)

// Check is a pattern in RE2 syntax that matches the wrong way.
type Check struct {
	Kind, Pattern string
	re, whole     *regexp.Regexp // of one line, of a file
}

// MaxPattern is the longest pattern, in runes.
const MaxPattern = 160

// minLiteral is how many letters and digits in a row a pattern must spell out:
// one that spells out nothing is about everything.
const minLiteral = 3

// Parse checks a pattern that a model wrote.
func Parse(kind, pattern string) (*Check, error) {
	switch {
	case kind != Line && kind != Path:
		return nil, fmt.Errorf("%q is no kind of check", kind)
	case pattern == "" || utf8.RuneCountInString(pattern) > MaxPattern:
		return nil, fmt.Errorf("a pattern has 1 to %d characters", MaxPattern)
	case strings.ContainsAny(pattern, "`\n\r\t\x00") || len(guard.Hidden(pattern)) > 0:
		return nil, errors.New("a pattern is plain text on one line")
	}
	if _, n := guard.Redact(pattern); n != nil {
		return nil, errors.New("a pattern holds no secret")
	}
	tree, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("read the pattern: %w", err)
	}
	if spelled(tree.Simplify()) < minLiteral {
		return nil, fmt.Errorf("a pattern spells out at least %d letters", minLiteral)
	}
	re, err := regexp.Compile(pattern)
	if err != nil {
		return nil, fmt.Errorf("read the pattern: %w", err)
	}
	if re.MatchString("") {
		return nil, errors.New("the pattern matches nothing at all")
	}
	whole, err := regexp.Compile("(?m)" + pattern)
	if err != nil {
		return nil, fmt.Errorf("read the pattern: %w", err)
	}
	return &Check{Kind: kind, Pattern: pattern, re: re, whole: whole}, nil
}

// spelled is the longest run of letters and digits that every match must have.
func spelled(n *syntax.Regexp) int {
	switch n.Op {
	case syntax.OpLiteral:
		return letters(string(n.Rune))
	case syntax.OpCapture, syntax.OpPlus:
		return spelled(n.Sub[0])
	case syntax.OpConcat:
		most := 0
		for _, s := range n.Sub {
			most = max(most, spelled(s))
		}
		return most
	case syntax.OpAlternate:
		least := MaxPattern
		for _, s := range n.Sub {
			least = min(least, spelled(s))
		}
		return least
	}
	return 0
}

var between = regexp.MustCompile(`[^\pL\pN_]+`)

func letters(text string) int {
	most := 0
	for _, word := range between.Split(text, -1) {
		most = max(most, utf8.RuneCountInString(word))
	}
	return most
}

// Result is what a check did on the past.
type Result struct {
	Mistakes int         // corrections that taught the rule
	Caught   int         // of these, those that took away what the check matches
	Others   int         // other commits that were looked at
	Hits     []repo.Hash // of these, the commits that the check hits
}

// Clean reports whether a check would have caught every mistake and nothing else.
func (r Result) Clean() bool { return r.Mistakes > 0 && r.Caught == r.Mistakes && len(r.Hits) == 0 }

// String says it in one line.
func (r Result) String() string {
	return fmt.Sprintf("would have caught %d of %d, %d hits on %s other commits", r.Caught, r.Mistakes, len(r.Hits), thousands(r.Others))
}

func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%s,%03d", thousands(n/1000), n%1000)
}

// Source is what the past is read from; *repo.Repo is one.
type Source interface {
	Diff(ctx context.Context, a, b repo.Hash) ([]repo.Change, error)
	Hunks(c repo.Change, max int64) ([]repo.Hunk, error)
	Blob(h repo.Hash, max int64) ([]byte, error)
}

// maxFile is the largest file that is looked at, in bytes.
const maxFile = 256 << 10

// Run tries the check on commits. corrections are the commits that taught the
// rule: what one of them takes away is a mistake, wherever it had come from. An
// error is a context that ended; what cannot be read is not counted.
func (c *Check) Run(ctx context.Context, src Source, commits []repo.Commit, corrections []repo.Hash) (Result, error) {
	var out Result
	wrong := map[string]bool{} // the lines and paths that corrections took away
	for _, commit := range commits {
		if !slices.Contains(corrections, commit.Hash) {
			continue
		}
		_, removed := c.seen(ctx, src, commit)
		for _, m := range removed {
			wrong[m.text] = true
		}
		if out.Mistakes++; len(removed) > 0 {
			out.Caught++
		}
	}
	for _, commit := range commits {
		if err := ctx.Err(); err != nil {
			return Result{}, fmt.Errorf("try a check on the past: %w", err)
		}
		if slices.Contains(corrections, commit.Hash) || len(commit.Parents) > 1 {
			continue
		}
		out.Others++
		added, _ := c.seen(ctx, src, commit)
		if slices.ContainsFunc(added, func(m match) bool { return !wrong[m.text] }) {
			out.Hits = append(out.Hits, commit.Hash)
		}
	}
	return out, nil
}

// match is a line or path that a check matches. A page shows samples, wrong ones
// too: what leaves a file of code for a page is gone.
type match struct {
	text string
	page bool
}

// seen is what the check matches of the lines or paths that a commit adds and
// takes away.
func (c *Check) seen(ctx context.Context, src Source, commit repo.Commit) (added, removed []match) {
	var parent repo.Hash
	if len(commit.Parents) > 0 {
		parent = commit.Parents[0]
	}
	changes, err := src.Diff(ctx, parent, commit.Hash)
	if err != nil {
		return nil, nil
	}
	for _, change := range changes {
		a, r := c.inChange(src, change)
		added, removed = append(added, a...), append(removed, r...)
	}
	return without(added, removed), without(removed, added)
}

// without leaves out of lines those that others have too, as often as they have
// them: what a commit only moves it neither brings nor takes away.
func without(lines, others []match) (out []match) {
	count := map[match]int{}
	for _, o := range others {
		count[o]++
	}
	for _, l := range lines {
		if count[l]--; count[l] < 0 {
			out = append(out, l)
		}
	}
	return out
}

func (c *Check) inChange(src Source, change repo.Change) (added, removed []match) {
	if c.Kind == Path {
		if p := change.To.Path; change.Kind != repo.Modified && c.matches(p) {
			added = append(added, match{text: p})
		}
		if p := change.From.Path; change.Kind != repo.Modified && c.matches(p) {
			removed = append(removed, match{text: p})
		}
		return added, removed
	}
	before, after := c.read(src, change.From), c.read(src, change.To)
	if !before.matched && !after.matched {
		return nil, nil
	}
	hunks, err := src.Hunks(change, maxFile)
	if err != nil {
		return nil, nil
	}
	for _, h := range hunks {
		added = append(added, c.lines(after, h.NewLine, h.Added)...)
		removed = append(removed, c.lines(before, h.OldLine, h.Removed)...)
	}
	return added, removed
}

func (c *Check) matches(p string) bool { return p != "" && c.re.MatchString(p) }

// side is a file before or after a change. The whole of it is looked at first: a
// diff costs more than a search.
type side struct {
	matched, page bool
	code          func(line int) bool
}

func (c *Check) read(src Source, e repo.Entry) side {
	if e.Path == "" || e.Mode != repo.ModeFile && e.Mode != repo.ModeExec || !holdsCode(e.Path) {
		return side{}
	}
	content, err := src.Blob(e.Hash, maxFile)
	if err != nil || !c.whole.Match(content) {
		return side{}
	}
	return side{true, isPage(e.Path), codeOf(e.Path, content)}
}

// lines are those of a hunk that match and are code, first being the number of
// the first.
func (c *Check) lines(of side, first int, all []string) (out []match) {
	for i, line := range all {
		if of.matched && c.re.MatchString(line) && of.code(first+i) {
			out = append(out, match{strings.TrimSpace(line), of.page})
		}
	}
	return out
}
