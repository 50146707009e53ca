package signal

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Base weights of the classes. What is added to them is small beside the step
// to "change", so that any knowledge outranks any other hunk; between the strong
// classes it may decide.
var baseWeight = map[Class]int{
	Revert: 100, Feedback: 95, Review: 90, Instruction: 75, Lesson: 70, AgentEdit: 36, FixAgain: 34, Note: 28, CI: 26, Change: 20,
}

// taught is what it adds that a person sets right an agent's text, not its code.
const taught = 48

func weightOf(c Class, knowledge bool) int {
	switch {
	case c == AgentEdit && knowledge:
		return baseWeight[c] + taught
	case c == Revert && !knowledge:
		return undone
	}
	return baseWeight[c]
}

// undone is what code weighs that is taken back in silence: more than other code,
// less than what somebody wrote down.
const undone = 45

// silentRevert is what a revert without a reason loses.
const silentRevert = 25

var (
	feedbackType = regexp.MustCompile(`(?m)^[ \t]*type:[ \t]*["']?feedback\b`)
	correction   = regexp.MustCompile(`(?i)\b(again|always|never|mistake|wrong|incorrect|should have|instead of|lesson|learned|regression|root cause|stale|outdated|clarif\w+|correct(s|ed|ion)?|don't|do not|must)\b`)
	fix          = regexp.MustCompile(`(?i)^(hot)?fix(es|ed)?\b`)
	normative    = regexp.MustCompile(`(?i)\b(always|never|must|do not|don't|should|only|avoid|prefer|instead|required?|mandatory|before|unless)\b`)
	testPath     = regexp.MustCompile(`(?i)(^|/)(tests?|testdata|fixtures|__tests__|spec)/|[._-](test|spec)s?\.\w+$`)
	dataPath     = regexp.MustCompile(`(?i)\.(jsonl?|csv|tsv|xml|txt|plist|po|arb|ipynb)$`)
	lessonPath   = regexp.MustCompile(`(?i)(^|/)(solutions|lessons|learnings|post-?mortems?|retros?(pectives)?|incidents)/.*\.md$`)
	docPath      = regexp.MustCompile(`(?i)\.(md|mdx|rst|adoc)$`)
)

// kindOf is what of a file decides the class of its hunks.
type kindOf struct {
	path      string
	format    knowledge.Format
	knowledge bool
	feedback  bool // a memory of type feedback
	note      bool // the hunks leave a TODO with a reason
	ci        bool // the commit makes the checks pass again
}

// class decides the class of a hunk from the commit and the file.
func class(revert bool, k kindOf) Class {
	switch {
	case revert:
		return Revert
	case k.feedback:
		return Feedback
	case k.knowledge && k.format == knowledge.Instruction:
		return Instruction
	case k.knowledge && k.format != knowledge.Docs && k.format != knowledge.Archive:
		return Lesson
	case lessonPath.MatchString(k.path):
		return Lesson
	case k.note:
		return Note
	case k.ci:
		return CI
	}
	return Change
}

// explicit says whether a member corrected something in so many words: a revert
// with a reason, a feedback memory, an edit of a rule that agents follow.
func explicit(c subject, k kindOf) bool {
	if c.trust != Member {
		return false
	}
	rule := k.knowledge && (k.format == knowledge.Instruction || k.format == knowledge.Playbook)
	return k.feedback || rule || c.reverted && c.reason
}

// weigh ranks a signal.
func weigh(s *Signal, c subject, k kindOf) int {
	w := baseWeight[s.Class] + trustWeight(s.Trust) + c.weight
	if s.Class == Revert && !c.reason {
		w -= silentRevert
	}
	if !k.knowledge {
		return w + pathWeight(s.Path)
	}
	if startup[strings.ToLower(path.Base(s.Path))] {
		w += 3 // every session reads it
	}
	if k.format == knowledge.MemoryIndex {
		return w - 30 // a pointer to a memory, the memory itself ranks above it
	}
	return w + textWeight(s)
}

// startup are the names of files that agents load at the start.
var startup = map[string]bool{"claude.md": true, "agents.md": true, "gemini.md": true, ".cursorrules": true, "copilot-instructions.md": true}

// focus is what it adds that a commit is small: a commit about one rule says
// more than one of thirty files that also touches a guide.
func focus(signals int) int {
	switch {
	case signals <= 3:
		return 6
	case signals <= 8:
		return 3
	case signals > 40:
		return -3
	}
	return 0
}

func trustWeight(t Trust) int {
	switch t {
	case Member:
		return 3
	case Outsider:
		return -3
	}
	return 0
}

func messageWeight(message string) int {
	subject, body, _ := strings.Cut(message, "\n")
	w := 0
	if fix.MatchString(subject) {
		w += 3
	}
	if correction.MatchString(subject) {
		w += 4
	}
	return w + min(len(correction.FindAllString(body, 3)), 3)
}

func pathWeight(p string) int {
	base := path.Base(p)
	switch {
	case dataPath.MatchString(base):
		return -10
	case testPath.MatchString(p):
		return -4
	case docPath.MatchString(base):
		return -2
	}
	return 0
}

// textWeight tells lines that tell somebody what to do from lines that describe.
func textWeight(s *Signal) int {
	w := 0
	for _, h := range s.Hunks {
		for _, line := range slices.Concat(h.Added, h.Removed) {
			w += min(len(normative.FindAllString(line, 2)), 2)
		}
		if len(h.Removed) > 0 && len(h.Added) > 0 {
			w += 3 // a rule that is changed, not one that is listed
		}
	}
	return min(w, 12)
}

// fade lowers the weight of the many hunks of one commit that say nothing by
// themselves, and a little that of the many rules that one commit writes: the
// first ones stand for it.
func fade(signals []*Signal) {
	plain, rules := 0, 0
	for _, s := range signals {
		s.Weight += focus(len(signals))
	}
	Rank(signals)
	for _, s := range signals {
		if s.Class == Change || s.Class == Revert {
			s.Weight -= min(2*plain, 30)
			plain++
			continue
		}
		s.Weight -= min(rules, 8)
		rules++
	}
}
