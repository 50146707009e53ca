package anchor

import (
	"regexp"
	"strings"
)

// Reasons of a muted mention.
const (
	mutedGone     = "the text says that it is gone"
	mutedMoved    = "the text says where it went"
	mutedPast     = "the text tells of the past"
	mutedPlanned  = "the text says that it is to be made"
	mutedOptional = "the text says that it may be missing"
	mutedNegated  = "the text says that it must not be there"
	mutedSection  = "the section is about what was, or will be"
	mutedExample  = "the text gives it as an example of a name"
	mutedElse     = "the text is about another place"
)

var (
	sayGone     = regexp.MustCompile(`(?i)\b(?:removed|deleted|dropped|retired|obsolete|no longer|formerly|previously|used to|superseded|(?:does|do|did)(?:n't| not) exist|never existed|no such|retracted|historical(?:ly)?|defunct|decommissioned|gone|remove[sd]? (?:the )?(?:old|dead|unused)|is missing|was missing|stale (?:path|reference|doc|link)|dead (?:path|link|code))\b`)
	sayOptional = regexp.MustCompile(`(?i)\b(?:if (?:present|any|available)|if (?:it|they|one|that|the|this)?[\w\s./*_\x60-]{0,60}\bexists?|when (?:present|it exists)|if (?:missing|absent|not present|there is no|no\b)|where (?:present|it exists)|may not exist|might not exist|optional(?:ly)?|does (?:it|this|that) exist|(?:check|see|verify) (?:if|whether)\b[^.]{0,60}\bexists?)\b`)
	sayElse     = regexp.MustCompile(`(?i)\b(?:upstream (?:repo|source|project)|(?:sibling|other|another|separate|external|different|website|companion) (?:repo|repository|project)|user'?s? (?:project|repo|repository|home|machine)|target (?:repo|project)|consumer (?:repo|project)|if you (?:configured|previously|had|have|installed|used|still|already)|in your (?:project|repo|repository|app|home)|your own|your [\w ]{0,30}(?:config(?:uration)?|settings?|profile|shell|dotfiles?)|submodule)\b`)
	sayNaming   = regexp.MustCompile(`(?i)\bnaming (?:conventions?|schemes?|patterns?)\b`)                                                                       // examples of files
	sayStyle    = regexp.MustCompile(`(?i)\b(?:descriptive|meaningful|readable|full|clear|good|bad|variable|function|identifier)[- ](?:words?|names?|naming)\b`) // examples of names
	betterName  = regexp.MustCompile("(?i)^[`*\"')\\],]*\\s*(?:not|instead of|rather than|vs\\.?|over)\\s+(?:the\\s+)?[`*\"'(]")
	wentBefore  = regexp.MustCompile(`(?i)\b(?:moved?|moves|moving|renam(?:ed?|es|ing)|migrat(?:ed?|es|ing)|replac(?:ed?|es|ing)|extract(?:ed|s|ing)?|split|merg(?:ed?|es|ing)|consolidat(?:ed|es|ing)|convert(?:ed|s)?|port(?:ed|s|ing)?|cop(?:ied|y)|folded|bec[ao]mes?|turned into)\b`)
	arrival     = regexp.MustCompile("(?i)(?:\\b(?:to|into|in|by|with|under|at|as|inside|via|using|see|(?:is|are|lives?|live) now|now)|→|->|=>)\\s+(?:the\\s+|a\\s+|new\\s+)?[`*\"'(\\[]*$")
	departure   = regexp.MustCompile("(?i)(?:\\b(?:move|relocate|rename|replac(?:es|ed|ing)|renam(?:es|ed|ing)|supersedes|instead of|rather than|in place of|out of|than|delete|remove|drop|retire|unlike|formerly|was|were|old|former|no)|[,(]\\s*not)\\s+(?:the\\s+|old\\s+|legacy\\s+|existing\\s+|dead\\s+|a\\s+|any\\s+)*[`*\"'(\\[]*$")
	anyOf       = regexp.MustCompile("(?i)\\b(?:any|every|each|all)\\s+(?:[`\"'(]?\\w+[`\"')]?\\s*(?:,|or|and|/)\\s*)*[`*\"'(\\[]*$")
	newLabel    = regexp.MustCompile("(?i)^\\W*new\\W{1,4}[`*\"'(\\[]*$")
	exampleLead = regexp.MustCompile(`(?i)^\W*examples?\W*$`)
	nowElse     = regexp.MustCompile("(?i)^[`*\"')\\]]*\\s+(?:is|are) now\\b")
	generated   = regexp.MustCompile(`(?i)\bgenerated (?:files?|workflows?|config\w*|projects?|outputs?)\b`)
	justAdded   = regexp.MustCompile("(?i)\\b(?:added|created|introduced|written)\\s*[:(]+\\s*(?:[`\"'(][\\w./-]+[`\"')]\\s*(?:,|and)*\\s*)*[`*\"'(\\[]*$")
	exampleOf   = regexp.MustCompile("(?i)(?:\\b(?:e\\.g\\.|i\\.e\\.|for example|for instance|such as|like|named|called|naming)|\\bexamples?(?: \\w+)?:)[,:]?\\s*(?:a |an |the )?(?:[`\"'(][\\w./-]+[`\"')]\\s*(?:,|or|and|vs\\.?)*\\s*)*[`*\"'(\\[]*$")
	defaultOf   = regexp.MustCompile("(?i)\\bdefaults?(?:\\s+(?:to|is|value|path))*\\s*[:=]?\\s*[`*\"'(\\[]*$")
	oldLabel    = regexp.MustCompile("(?i)\\b(?:old|before|previous|legacy|wrong|bad)\\b[\\s:*_]{1,6}[`*\"'(\\[]*$")
	leftFrom    = regexp.MustCompile("(?i)\\b(?:mov(?:ed?|es|ing)|renam\\w+|migrat\\w+|extract\\w*|split|port(?:ed|ing)|remov\\w+|convert\\w*|delet\\w+|replac\\w+|away|cop(?:ied|y))\\b[^.;]{0,60}?\\bfrom\\s+(?:the\\s+|old\\s+)*[`*\"'(\\[]*$")
	arrowAfter  = regexp.MustCompile("^[`*\"')\\]]*\\s*(?:→|->|=>|⇒|➜)\\s*[`*\"'(\\[]*[\\w@-]*(?:/|\\.)[\\w.]")
	pastAfter   = regexp.MustCompile("(?i)^[`*\"')\\],]*\\s*(?:\\([^)]*\\)\\s*)?(?:was|were|has been|have been|had|used to|is gone|are gone|is removed|is deleted|does not|doesn't|didn't|did not)\\b")
	settledOn   = regexp.MustCompile(`(?i)\b(?:cleared|resolved|fixed|renamed|shipped|landed|observed|closed)[\s*_:(]{1,4}(?:on |in )?20\d\d-\d\d-\d\d`)
	pastBefore  = regexp.MustCompile("(?i)\\b(?:was|were|had been|used to (?:be|live|sit|stand)) (?:in|at|from|under|called|named|located|defined|stored|kept|living|only|a|the|an)\\s+[`*\"'(\\[]*$")
	makeBefore  = regexp.MustCompile("(?i)\\b(?:creat(?:e|es|ing)|add(?:ing)? (?:a |an )?(?:new|file)|scaffold(?:s|ing)?|generat(?:e|es|ing)|writ(?:e|es|ing|ten)(?: [\\w-]+){0,3} (?:to|into)|sav(?:e|es|ed|ing)(?: [\\w-]+){0,4} (?:to|in|into|as|at|under)|outputs?(?: [\\w-]+){0,2} (?:to|into|in|at)?|stored? (?:in|at|under)|produc(?:e|es|ing)|emit(?:s|ting)?|dump(?:s|ed)?(?: [\\w-]+){0,2}|export(?:s|ed)?(?: [\\w-]+){0,2} to|log(?:s|ged)? to|results? (?:in|to|at)|new file|touch|mkdir(?: -p)?|rm(?: -\\w+)?|instantiate|place(?:d)?(?: [\\w-]+){0,3} (?:in|at|under)|draft|init|initiali[sz]e[sd]?|download(?:s|ed)?(?: [\\w-]+){0,3} (?:to|into)|install(?:s|ed)?(?: [\\w-]+){0,3} (?:to|into|in|at)|cop(?:y|ies|ied)(?: [\\w./-]+){0,4} to)(?:\\s+(?:a|an|the|new|your|file|files|directory|folder|at|in|called|named|under|following|empty|initial|any|missing|to|and|or|it|as|like|e\\.g\\.,?|\\w+\\.?)){0,3}\\s*:?\\s*[`*\"'(\\[]*$")
	makeAfter   = regexp.MustCompile("(?i)^[`*\"')\\]]*\\s*(?:\\([^)]*\\)\\s*)?(?:\\(?new(?: file)?\\)|(?:is|are|gets?|will be|should be|to be|must be|can be) (?:auto-?)?(?:generated|created|written|produced|added|emitted|built|downloaded|removed|deleted|ignored|gitignored|git-ignored|untracked)|\\((?:auto-?)?(?:generated|created|gitignored|git-ignored|ignored|untracked|to be created|planned|future|optional|new|todo|deleted|removed|local only|not committed)\\b|[-—–:]+\\s*(?:\\*\\*)?(?:new|to create|create|generated|gitignored|git-ignored|deleted|removed|todo|planned)\\b)")
	sayPlan     = regexp.MustCompile(`(?i)\b(?:will (?:be|live|become|need|add|create|go)|would (?:be|live|become|need|add|create)|to be (?:created|added|written|made)|not yet|planned|proposed|upcoming|in the future|TODO|TBD|hypothetical|git-?ignored|untracked|not (?:committed|tracked|checked in)|local[- ]only)\b`)
	logEntry    = regexp.MustCompile(`^[\s>|]*(?:[-*+]|\d{1,3}[.)])?\s*(?:\[[xX]\]\s|(?:\[[xX]\]\s*)?(?:\W{0,4}\s*)?(?:Added|Updated|Created|Implemented|Fixed|Introduced|Refactored|Rewrote|Renamed|Removed|Deleted|Moved|Migrated|Replaced|Extracted|Converted|Documented|Wired|Cleaned|Merged)\b)`)
	negated     = regexp.MustCompile("(?i)\\b(?:avoid|(?:rather than|instead of)\\s+\\w+ing(?:\\s+an?)?|(?:do not|don't|never|not|cannot|can't|must not|mustn't|does not|doesn't) (?:create|add|commit|make|introduce|recreate|put|place|write|expect|look for|have|use a|there be|require|need|include|contain|ship|use or require)|without(?: a| an| any)?|there(?: is|'s) no|has no|have no|lacks?)(?:\\s+\\w+){0,2}\\s*[`*\"'(\\[]*$")
	sectionTone = regexp.MustCompile(`(?i)(?:\b(?:removed|deleted|deletions?|historical|change ?log|release notes|version history|revision history|planned|proposed|proposals?|anti-?patterns?|new files?|files? (?:to (?:create|add|delete|remove)|(?:created|added|modified|changed|touched|deleted|removed))|problem statement|this session|to (?:create|delete|remove|be created)|previously|post-?mortem|what changed|what was|retrospective|formerly|obsolete|retired|superseded|fixed issues|session (?:log|notes)|out of scope|alternatives considered|(?:implementation|migration|roll-?out|refactoring|execution|action) plan|example (?:output|session|workflow|usage)|sample output)\b|^\W*(?:wrong|bad|before|old|legacy)\b|^\W*(?:\w+ ){0,2}(?:history|archived?|completed|roadmap|future(?: work)?|backlog|todos?|past|incidents?|resolved|done|timeline|milestones?|templates?|samples?)\W*$)`)
	leadTone    = regexp.MustCompile(`(?i)\b(?:removed|deleted|(?:is|are|was|were) gone|no longer|formerly|previously|obsolete|retired|superseded|planned|proposed|optional|if present|gitignored|git-ignored|example output)\b`)
	leadMade    = regexp.MustCompile(`(?i)\b(?:new files?|to (?:create|add|delete|remove)|will be|were|creat(?:e|es|ed)|installs?|generat(?:e|es|ed)|writes?)\b`)
)

// mute says why the mention at text[at:at+n] claims nothing, "" if it does. Only
// the sentence of the mention counts. A path is muted by more than a name is.
func mute(text string, at, n int, path bool) string {
	if at < 0 || at+n > len(text) {
		return ""
	}
	lo, hi := sentence(text, at, n)
	before, after := text[lo:at], text[at+n:hi]
	near, next := tail(before, 90), head(after, 90)
	switch {
	case sayOptional.MatchString(text[lo:hi]):
		return mutedOptional
	case sayElse.MatchString(text[lo:hi]) || path && sayNaming.MatchString(text[lo:hi]):
		return mutedElse
	case !path && (sayStyle.MatchString(text[lo:hi]) || betterName.MatchString(next) || anyOf.MatchString(near)):
		return mutedExample
	case negated.MatchString(near):
		return mutedNegated
	case arrowAfter.MatchString(next) || nowElse.MatchString(next):
		return mutedMoved
	case departure.MatchString(near) || leftFrom.MatchString(near) || oldLabel.MatchString(near):
		return mutedMoved
	case defaultOf.MatchString(near):
		return mutedElse
	case makeBefore.MatchString(near) || makeAfter.MatchString(next) || newLabel.MatchString(near):
		return mutedPlanned
	case sayPlan.MatchString(text[lo:hi]) || generated.MatchString(text):
		return mutedPlanned
	case settledOn.MatchString(text[lo:hi]) || settledOn.MatchString(tail(text[:at], 200)) || justAdded.MatchString(near) || pastBefore.MatchString(near) || pastAfter.MatchString(next):
		return mutedPast
	case logEntry.MatchString(text):
		return mutedPast
	case arrival.MatchString(near):
		return ""
	case wentBefore.MatchString(head(after, 40)):
		return mutedMoved
	case sayGone.MatchString(text[lo:hi]):
		return mutedGone
	}
	return ""
}

// sentence returns the bounds of the sentence that holds text[at:at+n].
func sentence(text string, at, n int) (lo, hi int) {
	lo, hi = 0, len(text)
	for i := at - 1; i > 0; i-- {
		if ends(text, i) {
			lo = i + 1
			break
		}
	}
	for i := at + n; i < len(text); i++ {
		if ends(text, i) {
			hi = i
			break
		}
	}
	return lo, hi
}

// ends reports whether a sentence ends at text[i].
func ends(text string, i int) bool {
	switch text[i] {
	case '.', '!', '?':
		return i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n') && !strings.HasSuffix(text[:i+1], "e.g.") && !strings.HasSuffix(text[:i+1], "i.e.")
	case ';':
		return true
	case '|':
		return true
	}
	return false
}

func tail(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}

func head(s string, n int) string {
	if len(s) > n {
		return s[:n]
	}
	return s
}

// muteAbove says why what stands above line i claims nothing: the headings, the
// lead-in and the enclosing items.
func (r *Reader) muteAbove(i int, path bool) string {
	for h, depth := r.lines[i].under, 0; h >= 0 && depth < 3; h, depth = r.lines[h].under, depth+1 {
		if r.lines[h].heading > 1 && sectionTone.MatchString(r.lines[h].text) {
			return mutedSection
		}
	}
	for p, depth := r.lines[i].parent, 0; p >= 0 && depth < 4; p, depth = r.lines[p].parent, depth+1 {
		t := lastSentence(r.lines[p].text)
		drawn := r.lines[i].fence == "text" // no command: a list of files, a transcript
		made := path && (r.lines[i].fence == "" && leadMade.MatchString(t) || drawn && generated.MatchString(t))
		if drawn && exampleLead.MatchString(t) {
			return mutedExample
		}
		if made || leadTone.MatchString(t) || sayElse.MatchString(t) {
			return mutedSection
		}
	}
	return ""
}

// lastSentence returns the sentence that leads in what follows.
func lastSentence(t string) string {
	t = strings.TrimSpace(t)
	for _, sep := range []string{". ", "; "} {
		if i := strings.LastIndex(t, sep); i >= 0 {
			t = t[i+2:]
		}
	}
	return t
}
