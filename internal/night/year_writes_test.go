package night_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/report"
)

// writing are the states of a proposal that come with writes.
var writing = []report.ProposalState{report.ProposalOpened, report.ProposalUpdated, report.ProposalClosed, report.ProposalMerged}

// explained: every reference that moved and every request that changed anything
// belongs to a line of the receipt, and every line that says something was
// written has its write.
func (y *year) explained(n int, r *report.Receipt, before, after map[string]string, asked int) {
	lines := map[string]report.Proposal{}
	for _, p := range r.Proposals {
		if slices.Contains(writing, p.State) {
			lines[p.Branch] = p
		}
	}
	moved := map[string]bool{}
	for name := range joined(before, after) {
		branch, ours := ownBranch(name)
		switch {
		case before[name] == after[name], !strings.HasPrefix(name, "refs/"), name == "refs/retrosweep/journal":
		case !ours || lines[branch].Branch == "":
			y.t.Errorf("night %d: %s moved, and the receipt does not say why: %+v", n, name, brief(r.Proposals))
		default:
			moved[branch] = true
		}
	}
	wrote := map[string][]string{}
	if y.fake != nil {
		wrote = y.writes(n, r, lines, y.fake.Writes()[asked:])
	}
	for branch, p := range lines {
		if !moved[branch] && len(wrote[branch]) == 0 {
			y.t.Errorf("night %d: the receipt says that %s was %s, and nothing was written", n, branch, p.State)
		}
		y.saw[string(p.State)]++
	}
}

func joined(a, b map[string]string) map[string]bool {
	out := map[string]bool{}
	for name := range a {
		out[name] = true
	}
	for name := range b {
		out[name] = true
	}
	return out
}

// ownBranch is the branch that a reference of ours is about.
func ownBranch(ref string) (string, bool) {
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok && strings.HasPrefix(branch, "retrosweep/") {
		return branch, true
	}
	branch, ok := strings.CutPrefix(ref, "refs/retrosweep/proposals/")
	if ok && !strings.HasPrefix(branch, "retrosweep/") {
		branch = "retrosweep/" + branch
	}
	return branch, ok
}

var apiPath = regexp.MustCompile(`^/repos/acme/shop/(pulls|issues)(?:/(\d+))?(/labels)?$`)

// writes holds the requests of a night against the lines of its receipt. It
// returns what was asked for each branch.
func (y *year) writes(n int, r *report.Receipt, lines map[string]report.Proposal, asked []githubfake.Request) map[string][]string {
	out := map[string][]string{}
	boards := 0
	pulls := y.fake.Pulls()
	for _, q := range asked {
		what, branch, states := "", "", writing
		m := apiPath.FindStringSubmatch(q.Path)
		if m != nil {
			what = q.Method + " " + m[1] + m[3]
			if number, err := strconv.Atoi(m[2]); err == nil && number <= len(pulls) {
				branch = pulls[number-1].Head
			}
		}
		switch {
		case what == "POST pulls":
			var in struct{ Head string }
			if err := json.Unmarshal([]byte(q.Body), &in); err != nil {
				y.t.Error(err)
			}
			branch, states = in.Head, writing[:1]
		case what == "POST issues/labels":
			states = writing[:1]
		case what == "PATCH pulls":
		case branch == "" && (what == "POST issues" && r.Dashboard == report.ProposalOpened || what == "PATCH issues" && r.Dashboard == report.ProposalUpdated):
			boards++
			continue
		default:
			states = nil
		}
		if p, ok := lines[branch]; !ok || !slices.Contains(states, p.State) || q.Status >= http.StatusBadRequest {
			y.t.Errorf("night %d: %s %s answered %d, and the receipt does not say why: %s: %+v", n, q.Method, q.Path, q.Status, q.Body, brief(r.Proposals))
		}
		out[branch] = append(out[branch], what)
	}
	if told := r.Dashboard != ""; boards > 1 || told != (boards == 1) {
		y.t.Errorf("night %d: the dashboard was written %d times, and the receipt says %q", n, boards, r.Dashboard)
	}
	for branch, all := range out {
		y.once(n, lines[branch], all)
	}
	return out
}

// once: a pull request is made once, and no more is written than its state needs.
func (y *year) once(n int, p report.Proposal, all []string) {
	made := len(slices.DeleteFunc(slices.Clone(all), func(what string) bool { return what != "POST pulls" }))
	want := 0
	if p.State == report.ProposalOpened {
		want = 1
	}
	if made != want || len(all) > 4 {
		y.t.Errorf("night %d: for %s, which was %s, %s was asked", n, p.Branch, p.State, fmt.Sprint(all))
	}
}

// brief is what a receipt says of proposals, without their bodies.
func brief(all []report.Proposal) string {
	var b strings.Builder
	for _, p := range all {
		fmt.Fprintf(&b, "\n  %s %s: %s %v", p.Branch, p.State, p.Reason, p.Files)
	}
	return b.String()
}
