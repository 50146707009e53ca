package knowledge

// Severity orders findings for people and for --fail-on.
type Severity string

// Severities, worst first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
)

// Verdict is what a check says of a fact.
type Verdict string

// Verdicts. Unknown is a main outcome: it carries its reason and is never
// counted as fresh.
const (
	Fresh   Verdict = "fresh"
	Broken  Verdict = "broken"
	Stale   Verdict = "stale"
	Unknown Verdict = "unknown"
)

// Reasons of an unknown verdict.
const (
	ReasonUnconfirmed  = "unconfirmed"   // anchors resolve, nobody checked the claim
	ReasonChanged      = "changed"       // an anchor changed and no judge looked
	ReasonNoAnchor     = "no anchor"     // the text names nothing that code can look up
	ReasonOutside      = "outside"       // about something outside the repository
	ReasonNoDate       = "no date"       // a TTL without a readable date
	ReasonNoParser     = "no parser"     // a symbol of a language this build cannot read
	ReasonNeverExisted = "never existed" // the anchor is found in no commit
	ReasonUnreachable  = "unreachable"   // an object that the answer needs is missing
	ReasonBudget       = "budget"
	ReasonPreference   = "preference" // a user or feedback memory: not a claim about code
	ReasonUngrounded   = "ungrounded" // a judge answered and quoted nothing that is there
	ReasonUndecided    = "undecided"  // a judge looked and could not tell
	ReasonFlaps        = "flaps"      // judged this way and that before: for a person
)

// AnchorKind says what an anchor points at.
type AnchorKind string

// Kinds of anchors.
const (
	AnchorFile    AnchorKind = "file"
	AnchorDir     AnchorKind = "dir"
	AnchorGlob    AnchorKind = "glob"
	AnchorSymbol  AnchorKind = "symbol"
	AnchorCommand AnchorKind = "command"
	AnchorFlag    AnchorKind = "flag"
	AnchorEnv     AnchorKind = "env"
	AnchorConfig  AnchorKind = "config"
	AnchorLink    AnchorKind = "link"
	AnchorLine    AnchorKind = "line"
	AnchorValue   AnchorKind = "value"
)

// Anchor is what a fact is about. Text is the spelling in the document.
type Anchor struct {
	Kind     AnchorKind `json:"kind"`
	Text     string     `json:"text"`
	Declared bool       `json:"declared"` // a lifecycle field names it; else inferred from the text
}

// FactRef points at a fact in a receipt.
type FactRef struct {
	ID      string `json:"id"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	EndLine int    `json:"end_line"`
	Kind    Kind   `json:"kind"`
	Title   string `json:"title"`
}

// Ref returns the reference of f.
func (f *Fact) Ref() FactRef {
	return FactRef{ID: f.ID, File: f.File, Line: f.Line, EndLine: f.EndLine, Kind: f.Kind, Title: f.Title}
}

// Place is where an anchor resolved, at a commit.
type Place struct {
	Commit string `json:"commit,omitempty"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Symbol string `json:"symbol,omitempty"`
}

// Since names the commit that made a fact false.
type Since struct {
	Commit  string `json:"commit"`
	Date    string `json:"date"` // committer date, YYYY-MM-DD
	Subject string `json:"subject"`
}

// Quote is a line of evidence that code has found where it is said to be.
type Quote struct {
	Commit string `json:"commit,omitempty"`
	Path   string `json:"path,omitempty"`
	Line   int    `json:"line,omitempty"`
	Quote  string `json:"quote,omitempty"`
}

// ActionType says what is done, or offered, about a finding.
type ActionType string

// Action types.
const (
	ActionEdit     ActionType = "edit"     // a mechanical edit, ready to apply
	ActionArchive  ActionType = "archive"  // retire it
	ActionPropose  ActionType = "propose"  // a proposal for a person
	ActionWorklist ActionType = "worklist" // a person must look
)

// Action is what follows from a finding.
type Action struct {
	Type  ActionType `json:"type"`
	Route Route      `json:"route,omitempty"`
	Edit  *Edit      `json:"edit,omitempty"`
}

// Finding is one statement of a check about one fact.
type Finding struct {
	ID       string   `json:"id"`   // stable: hash(fact id, rule, anchor)
	Rule     string   `json:"rule"` // for example anchor/broken, anchor/moved, life/expired
	Severity Severity `json:"severity"`
	Verdict  Verdict  `json:"verdict"`
	Reason   string   `json:"reason"` // a sentence for a person
	Fact     FactRef  `json:"fact"`
	Anchor   *Anchor  `json:"anchor,omitempty"`
	Was      *Place   `json:"was,omitempty"`
	Now      *Place   `json:"now,omitempty"`
	Since    *Since   `json:"since,omitempty"`
	Evidence []Quote  `json:"evidence,omitempty"`
	Action   *Action  `json:"action,omitempty"`
}
