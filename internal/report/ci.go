package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// remark is what is said at one line of a document: all findings about a fact.
type remark struct {
	*knowledge.Finding          // the worst
	says               []string // what is wrong, and what to do about it
}

// remarks gathers the findings that are worth interrupting somebody for, one
// remark a fact, in the order of the receipt. What has merely reached its date
// is no matter of a range.
func remarks(r *Receipt) []remark {
	var out []remark
	for i := range r.Findings {
		f := &r.Findings[i]
		dated := r.Range.From != "" && strings.HasPrefix(f.Rule, "life/")
		if dated || f.Severity != knowledge.Error && f.Severity != knowledge.Warning {
			continue
		}
		at := slices.IndexFunc(out, func(m remark) bool { return m.Fact.ID == f.Fact.ID && m.Fact.File == f.Fact.File })
		if at < 0 {
			out, at = append(out, remark{Finding: f}), len(out)
		}
		if s := remarkText(f); !slices.Contains(out[at].says, s) {
			out[at].says = append(out[at].says, s)
		}
	}
	return out
}

// remarkText says one finding with its edit, if there is one.
func remarkText(f *knowledge.Finding) string {
	s := strings.TrimSuffix(safeText(f.Reason), ".") + "."
	if f.Action != nil && f.Action.Edit != nil && f.Action.Edit.Op == knowledge.OpRewrite {
		s += fmt.Sprintf(" Write %s for %s.", safe(f.Action.Edit.New), safe(f.Action.Edit.Old))
	}
	return s
}

// tally is the line that a check ends with.
func tally(r *Receipt, ms []remark) string {
	if r.Command == "lint" {
		return lintTally(r)
	}
	whose := "The range"
	if r.Range.From == "" {
		whose = "The repository"
	}
	if len(ms) == 0 {
		return whose + " makes no fact false."
	}
	var at []string
	for _, m := range ms[:min(len(ms), maxNamed)] {
		at = append(at, fmt.Sprintf("%s:%d", safe(m.Fact.File), m.Fact.Line))
	}
	if len(ms) > maxNamed {
		at = append(at, "...")
	}
	return fmt.Sprintf("%s makes %s false: %s", whose, plural(len(ms), "fact"), strings.Join(at, ", "))
}

// maxNamed is how many places one line names.
const maxNamed = 10

// GitHub writes r as workflow commands, which a job's host shows as annotations
// at the lines they are about: one a fact, and none where nothing is wrong.
func GitHub(w io.Writer, r *Receipt) error {
	var b bytes.Buffer
	ms := remarks(r)
	for _, m := range ms {
		b.WriteString(annotation(&m))
	}
	fmt.Fprintln(&b, tally(r, ms))
	if _, err := w.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the annotations: %w", err)
	}
	return nil
}

func annotation(m *remark) string {
	props := "file=" + property(m.Fact.File)
	if m.Fact.Line > 0 {
		props += fmt.Sprintf(",line=%d", m.Fact.Line)
	}
	if m.Fact.EndLine > m.Fact.Line {
		props += fmt.Sprintf(",endLine=%d", m.Fact.EndLine)
	}
	props += ",title=" + property(headline(m))
	return fmt.Sprintf("::%s %s::%s\n", m.Severity, props, message(strings.Join(m.says, "\n")))
}

// headline names what is wrong without the text's own words.
func headline(m *remark) string {
	if m.Verdict == knowledge.Unknown {
		return safe(m.Rule)
	}
	return fmt.Sprintf("%s (%s)", m.Verdict, safe(m.Rule))
}

var (
	inMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	inProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// message and property escape text as the commands' reader expects it: then no
// text can end a command or begin another.
func message(s string) string  { return inMessage.Replace(s) }
func property(s string) string { return inProperty.Replace(safe(s)) }
