package prompts

// PatchData is one promoted lesson and what it may change.
type PatchData struct {
	Fence     Fencer
	Lesson    Text
	Kind      Name // state or event
	Evidence  Text // a line a quote
	Rules     Text // a line a rule that may be changed: R1 [playbook] path (section): text
	Failed    bool // the rule shown covers the lesson and did not prevent the mistake
	Tonight   Text // rules added earlier in this run: not to be changed, not to be repeated
	Places    Text // where the rule shown may move to, a line a file with its sections; empty: nowhere
	Playbooks Text // a line a playbook that an add may name, with its sections
	NewPath   Name // the playbook that may be created, "" where it exists
}

// PatchAnswer is what a model may answer to Patch.
type PatchAnswer struct {
	Edits []PatchEdit `json:"edits"`
}

// PatchEdit is one change that the model proposes.
type PatchEdit struct {
	Op      string   `json:"op"`
	Target  *string  `json:"target"`
	Also    []string `json:"also"`
	Path    *string  `json:"path"`
	Section *string  `json:"section"`
	Text    *string  `json:"text"`
	Check   *Check   `json:"check"`
	Reason  string   `json:"reason"`
}

// Check is how a machine could see the mistake: a pattern in RE2 syntax over
// added lines or the paths of added files.
type Check struct {
	Kind    string `json:"kind"`
	Pattern string `json:"pattern"`
}

// What an edit may do, from the smallest change to the largest.
const (
	OpNone    = "none"
	OpMerge   = "merge"
	OpReword  = "reword"
	OpReplace = "replace"
	OpAdd     = "add"
	OpMove    = "move" // of a rule that was not read where it stands
)

// Patch asks for the smallest change that keeps a promoted lesson.
func Patch(d PatchData) (Prompt, error) { return render("patch", d.Fence, d) }
