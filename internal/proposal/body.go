package proposal

import (
	"cmp"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
	"github.com/retrosweep/retrosweep/internal/report/markup"
)

// BodyInput is what a pull request's body is written from.
type BodyInput struct {
	Kind         string
	Layers       []Layer
	Parts        []gitdiff.File // the diff against the base
	Base, Branch string
	Host         Host
}

// BodyOf is the body of a proposal as it stands.
func BodyOf(x Existing, d Diff, h Host) string {
	return Body(BodyInput{Kind: x.Kind, Layers: x.Layers, Parts: d.Parts, Base: x.Base, Branch: x.Branch, Host: h})
}

// maxBody keeps a body well under the 65,536 characters that hosts take.
const maxBody = 20000

// Body writes the body of a proposal, in Markdown, for somebody who has a
// minute: what changes, the lines before and after, why and since when, how to
// check it, what closing means; how it was made is folded away. When it grows
// too long, files are left out from the end, whole ones, and the body says so.
//
// All text in it that is not ours is set by [markup] or stands in a fence; all
// links are made here.
func Body(in BodyInput) string {
	groups, others := in.group()
	before := in.summary(groups) + "\n"
	after := in.others(others) + in.check() + in.closing() + in.colophon()
	var b strings.Builder
	for i, g := range groups {
		text := in.file(g, len(groups))
		if b.Len()+len(text)+len(before)+len(after)+100 > maxBody {
			fmt.Fprintf(&b, "\n%s more: the run's receipt lists them all.\n", counted(len(groups)-i, "file"))
			break
		}
		b.WriteString(text)
	}
	return before + b.String() + after
}

// group is one file that edits name, with what explains them.
type group struct {
	path    string
	edits   []knowledge.Edit
	reasons []Reason
	part    *gitdiff.File
	from    []gitdiff.File // those that lose what is moved here, and have no edit of their own
}

func (g *group) takesFrom(path string) bool {
	return slices.ContainsFunc(g.edits, func(e knowledge.Edit) bool { return e.Op == knowledge.OpMove && e.Path == path })
}

// group sorts edits by their file, in the order in which they came. Others are
// the files that change along: archives, indexes.
func (in BodyInput) group() (groups []*group, others []string) {
	of := map[string]*group{}
	for _, l := range in.Layers {
		for i, e := range l.Edits {
			g := of[e.Target()]
			if g == nil {
				g = &group{path: e.Target()}
				of[g.path] = g
				groups = append(groups, g)
			}
			g.edits, g.reasons = append(g.edits, e), append(g.reasons, l.reason(i))
		}
	}
	for i, p := range in.Parts {
		if g := of[p.Path]; g != nil {
			g.part = &in.Parts[i]
		} else if at := slices.IndexFunc(groups, func(g *group) bool { return g.takesFrom(p.Path) }); at >= 0 {
			groups[at].from = append(groups[at].from, p)
		} else {
			others = append(others, p.Path)
		}
	}
	return groups, others
}

// summary is one line.
func (BodyInput) summary(groups []*group) string {
	var edits []knowledge.Edit
	for _, g := range groups {
		edits = append(edits, g.edits...)
	}
	where := fmt.Sprintf("%d files", len(groups))
	if len(groups) == 1 {
		where = markup.Code(groups[0].path)
	}
	if len(edits) == 0 {
		return "Nothing is left to change."
	}
	said := deeds(edits, func(v string) string { return v + "s" })
	in := " in "
	if len(said) == 1 {
		in = cmp.Or(prepositions[verb(edits[0])], in)
	}
	return upper(and(said)) + in + where + "."
}

// deeds are the kinds of edits in their order, each with its verb as form has it.
func deeds(edits []knowledge.Edit, form func(verb string) string) []string {
	verbs := map[string]int{}
	var order []string
	for _, e := range edits {
		v := verb(e)
		if verbs[v]++; verbs[v] == 1 {
			order = append(order, v)
		}
	}
	var out []string
	for _, v := range order {
		out = append(out, form(v)+" "+counted(verbs[v], objects[v]))
	}
	return out
}

// maxOpen is how many files are shown without being folded.
const maxOpen = 1

// file is one file: the lines, then why. Of many files each is folded.
func (in BodyInput) file(g *group, of int) string {
	var b strings.Builder
	if g.part != nil {
		b.WriteString(lines(*g.part) + "\n")
	}
	for _, p := range g.from {
		b.WriteString("Out of " + markup.Code(p.Path) + ":\n\n" + lines(p) + "\n")
	}
	for _, r := range g.reasons {
		b.WriteString(in.reason(r, len(g.reasons)))
	}
	if of <= maxOpen {
		return "\n" + b.String()
	}
	return fmt.Sprintf("\n<details><summary><code>%s</code>: %s</summary>\n\n%s\n</details>\n",
		html.EscapeString(guard.TerminalLine(g.path, maxPlace)), html.EscapeString(g.headline()), b.String())
}

// headline says in a few words what happens to a file.
func (g *group) headline() string {
	if len(g.reasons) == 1 && !strings.Contains(g.reasons[0].What, g.path) {
		return guard.Title(g.reasons[0].What, 80)
	}
	return and(deeds(g.edits, func(v string) string { return v }))
}

// reason is one edit: what and why, since when, where it can be seen. Hosts keep
// the line breaks of a body.
func (in BodyInput) reason(r Reason, of int) string {
	mark, indent := "", ""
	if of > 1 {
		mark, indent = "- ", "  "
	}
	line := mark + "**" + upper(markup.Prose(r.What)) + "**"
	if r.Why != "" {
		line += ": " + markup.Prose(r.Why)
	}
	if !strings.HasSuffix(line, ".") && !strings.HasSuffix(line, "…") {
		line += "."
	}
	evidence := r.Evidence
	if s := r.Since; s != nil && s.Commit != "" {
		line += "\n" + indent + "Since " + markup.Prose(s.Date) + ", " + in.Host.commit(s.Commit)
		if s.Subject != "" {
			line += " " + markup.Prose(s.Subject)
		}
		evidence = slices.DeleteFunc(slices.Clone(evidence), func(q knowledge.Quote) bool { return q.Path == "" && q.Commit == s.Commit })
	}
	if at := in.Host.places(evidence); at != "" {
		line += "\n" + indent + "Seen in " + at
	}
	return line + "\n" + r.Trial.table()
}

// others names the files that change along.
func (in BodyInput) others(paths []string) string {
	if len(paths) == 0 {
		return ""
	}
	var names []string
	for _, p := range paths[:min(len(paths), 5)] {
		names = append(names, markup.Code(p))
	}
	if rest := len(paths) - 5; rest > 0 {
		names = append(names, fmt.Sprintf("%d more", rest))
	}
	return "\nChanges along: " + and(names) + ". Nothing is deleted: what is archived keeps its bytes, and `retrosweep restore` brings it back.\n"
}

// typed is what may stand in a command that people copy: nothing that a shell
// reads as more than a word.
var typed = regexp.MustCompile(`^[A-Za-z0-9_./][A-Za-z0-9_./+-]*$`)

// check is one command. A commit that the only edit rests on is shown; else the
// branch is compared.
func (in BodyInput) check() string {
	command, what := "", "the whole difference, in one command"
	switch q := in.origin(); {
	case q.Commit != "" && typed.MatchString(q.Path):
		command = "git show " + q.Commit[:min(len(q.Commit), 12)] + " -- " + q.Path
		what = "the commit that it rests on"
	case q.Commit != "":
		command = "git show " + q.Commit[:min(len(q.Commit), 12)]
		what = "the commit that it rests on"
	case !typed.MatchString(in.Base) || !typed.MatchString(in.Branch):
		return "\n**Check it**: compare the branch with its base.\n"
	case in.Host.Web != "":
		command = fmt.Sprintf("git fetch origin %s &&\n  git diff origin/%s...FETCH_HEAD", in.Branch, in.Base)
	default:
		command = fmt.Sprintf("git diff %s...%s", in.Base, in.Branch)
	}
	return "\n**Check it**: " + what + "\n\n```sh\n" + command + "\n```\n"
}

// origin is where the only edit of a proposal comes from.
func (in BodyInput) origin() knowledge.Quote {
	if len(in.Layers) != 1 || len(in.Layers[0].Edits) != 1 {
		return knowledge.Quote{}
	}
	r := in.Layers[0].reason(0)
	if r.Since != nil && hexID.MatchString(r.Since.Commit) {
		return knowledge.Quote{Commit: r.Since.Commit}
	}
	for _, q := range r.Evidence {
		if hexID.MatchString(q.Commit) {
			return knowledge.Quote{Commit: q.Commit, Path: q.Path}
		}
	}
	return knowledge.Quote{}
}

var hexID = regexp.MustCompile(`^[0-9a-f]{7,64}$`)

func (in BodyInput) closing() string {
	no := cmp.Or(in.Host.SayNo, "Delete the branch.")
	what := "The same change is not offered again, and nothing else for this file for 30 days."
	if in.Kind == KindUpkeep {
		what = "None of these edits is offered again."
	}
	return fmt.Sprintf("\n**To say no**: %s %s Commit to the branch and it is yours: it is never written again.\n", markup.Prose(no), what)
}

// home is where the program comes from, and where it takes complaints.
const home = "https://github.com/retrosweep/retrosweep"

func (in BodyInput) colophon() string {
	var b strings.Builder
	b.WriteString("\n<details><summary>How this was made, and what it cost</summary>\n\n")
	asked := false
	for _, l := range in.Layers[max(0, len(in.Layers)-maxRuns):] {
		b.WriteString(told(l))
		asked = asked || len(l.Models) > 0
	}
	if asked {
		b.WriteString("- models wrote words; code found the places, checked every quoted line and made the edits\n")
	} else {
		b.WriteString("- no model was asked: code decided all of it\n")
	}
	fmt.Fprintf(&b, "\n</details>\n\n<sub>Made by [retrosweep](%s). Wrong, or in the way? [Say so](%s/issues).</sub>\n", home, home)
	return b.String()
}

// maxRuns is how many runs a body tells of, the newest.
const maxRuns = 5

// told is one run: what it looked at, whom it asked, what that took.
func told(l Layer) string {
	line := "- run " + markup.Code(l.Run)
	if l.Range != "" {
		line += " over the commits " + markup.Code(l.Range)
	}
	for i, m := range l.Models {
		line += []string{": ", ", "}[min(i, 1)] + markup.Code(m)
	}
	if l.Spent != "" {
		line += "; it spent " + markup.Prose(l.Spent)
	}
	return line + "\n"
}

func upper(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
