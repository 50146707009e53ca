package prompts

// TriageData is one window of signals with what is known already.
type TriageData struct {
	Fence   Fencer
	Rules   Text // a line a rule: R1 path: title
	Waiting Text // a line a waiting lesson: C1 its evidence
	Commits []TriageCommit
}

// TriageCommit is one commit of the window and those of its hunks that are in it.
type TriageCommit struct {
	ID      Name // short commit
	Author  Name // trust of the author: member, agent, outsider
	Date    Name
	Message Text // numbered lines
	Signals []TriageSignal
}

// TriageSignal is one group of hunks.
type TriageSignal struct {
	ID    Name // S1, S2, ...
	Class Name
	Body  Text // path and numbered lines
}

// TriageAnswer is what a model may answer to Triage.
type TriageAnswer struct {
	Items []TriageItem `json:"items"`
}

// TriageItem is one lesson that the model claims to have found.
type TriageItem struct {
	Signal     string     `json:"signal"`
	Durable    bool       `json:"durable"`
	Title      string     `json:"title"`
	Lesson     string     `json:"lesson"`
	Evidence   []Evidence `json:"evidence"`
	Topic      string     `json:"topic"`
	Kind       string     `json:"kind"`
	CoveredBy  *string    `json:"covered_by"`
	SameAs     *string    `json:"same_as"`
	Confidence string     `json:"confidence"`
}

// Evidence is one quote as the model gives it; code looks for it.
type Evidence struct {
	Commit string  `json:"commit"`
	Path   *string `json:"path"` // nil: the commit message
	Line   int     `json:"line"`
	Quote  string  `json:"quote"`
}

// Kinds of lessons.
const (
	KindState = "state" // holds until it is replaced; a rule is one
	KindEvent = "event" // happened once, on a day
)

// Triage asks whether the commits teach something durable.
func Triage(d TriageData) (Prompt, error) { return render("triage", d.Fence, d) }
