package proposal

import (
	"fmt"

	"github.com/retrosweep/retrosweep/internal/report/markup"
)

// Trial is a check that a rule may become, and what it did on the past of the
// repository. Its pattern is a model's: it is shown and never run here.
type Trial struct {
	Kind     string `json:"kind"` // line or path
	Pattern  string `json:"pattern"`
	Mistakes int    `json:"mistakes"` // that taught the rule
	Caught   int    `json:"caught"`
	Others   int    `json:"others"` // commits that were looked at besides
	Hits     int    `json:"hits"`   // of these
}

// clean reports whether the check is as good as the rule.
func (t *Trial) clean() bool { return t.Mistakes > 0 && t.Caught == t.Mistakes && t.Hits == 0 }

// table is the trial in a body, "" where there was none.
func (t *Trial) table() string {
	if t == nil {
		return ""
	}
	over := "lines that a commit adds"
	if t.Kind == "path" {
		over = "files that a commit adds"
	}
	out := fmt.Sprintf("\nTried on the past, over %s:\n\n| check | mistakes caught | other commits hit |\n|---|---|---|\n| %s | %d of %d | %d of %d |\n",
		over, markup.CodeCell(t.Pattern), t.Caught, t.Mistakes, t.Hits, t.Others)
	if t.clean() {
		return out + "\nIt is clean: a linter can enforce the rule with this pattern, and nobody has to read it.\n"
	}
	return out + "\nIt is not clean, so it is no check: the rule is for readers.\n"
}
