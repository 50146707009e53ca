package prompts

// ContradictData is two statements that are read together and share many words.
type ContradictData struct {
	Fence         Fencer
	First, Second Text // where each stands, the headings and the line above it, and what it says
}

// ContradictAnswer is what a model may answer to Contradict. First and Second
// are quotes, as the model gives them; code looks for them.
type ContradictAnswer struct {
	Verdict string `json:"verdict"`
	Reason  string `json:"reason"`
	First   string `json:"first"`
	Second  string `json:"second"`
}

// Verdicts about two statements; the fourth is "unknown".
const (
	Contradicts = "contradict" // a reader cannot follow or believe both
	Duplicates  = "duplicate"  // they say the same in other words
	Compatible  = "compatible" // both may stand
)

// Contradict asks whether two statements contradict each other.
func Contradict(d ContradictData) (Prompt, error) { return render("contradict", d.Fence, d) }

// ContradictVersion is the version of the prompt that Contradict renders.
func ContradictVersion() string { return version("contradict") }
