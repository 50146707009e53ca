package prompts

// JudgeData is one claim and the code that it names, before and after a change.
type JudgeData struct {
	Fence  Fencer
	Claim  Text // where it stands, the headings and the line above it, and what it says
	Names  Text // a line a thing that the claim names and that is shown
	Before Text // numbered lines of the code as it was when the claim held; empty: not at hand
	After  Text // numbered lines of the code as it is now
}

// JudgeAnswer is what a model may answer to Judge.
type JudgeAnswer struct {
	Verdict string       `json:"verdict"`
	Reason  string       `json:"reason"`
	Quotes  []JudgeQuote `json:"quotes"`
}

// JudgeQuote is one line that a verdict rests on, as the model gives it; code
// looks for it.
type JudgeQuote struct {
	Side  string `json:"side"` // SideBefore or SideAfter
	Path  string `json:"path"`
	Line  int    `json:"line"`
	Quote string `json:"quote"`
}

// The two sides of a change.
const (
	SideBefore = "before"
	SideAfter  = "after"
)

// Judge asks whether a claim still holds after a change of what it names.
func Judge(d JudgeData) (Prompt, error) { return render("judge", d.Fence, d) }

// JudgeVersion is the version of the prompt that Judge renders.
func JudgeVersion() string { return version("judge") }
