package pair

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// files parses "path: line | line"; a line is an item of a list.
func files(all ...string) []*knowledge.Document {
	classes := knowledge.NewClassifier(nil)
	var out []*knowledge.Document
	for _, f := range all {
		name, text, _ := strings.Cut(f, ": ")
		src := "# Notes\n\n"
		for line := range strings.SplitSeq(text, " | ") {
			if strings.HasPrefix(line, "#") {
				src += "\n" + line + "\n\n"
				continue
			}
			src += "- " + line + "\n"
		}
		format, _, _ := classes.Classify(name)
		out = append(out, knowledge.Parse(name, []byte(src), format))
	}
	return out
}

func TestWhichPairsAreProposed(t *testing.T) {
	t.Parallel()
	const rule, turned = "Install packages with pnpm, not with npm", "Install packages with npm, not with pnpm"
	for name, tt := range map[string]struct {
		docs []*knowledge.Document
		want []string
	}{
		"the same words in another order": {files("CLAUDE.md: "+rule, "knowledge/playbooks/tools.md: "+turned), []string{"CLAUDE.md:3 knowledge/playbooks/tools.md:3 opposed"}},
		"a paraphrase that shares half":   {files("AGENTS.md: Run the short tests before each commit", "knowledge/playbooks/tests.md: Before each commit the short tests are started"), []string{"AGENTS.md:3 knowledge/playbooks/tests.md:3"}},
		"another number":                  {files("AGENTS.md: Retry failed uploads 3 times", "knowledge/playbooks/net.md: Retry failed uploads 5 times"), []string{"AGENTS.md:3 knowledge/playbooks/net.md:3 opposed"}},
		"one says not":                    {files("AGENTS.md: Squash merge commits in release branches", "knowledge/playbooks/git.md: Never squash merge commits in release branches"), []string{"AGENTS.md:3 knowledge/playbooks/git.md:3 opposed"}},
		"in one document":                 {files("AGENTS.md: " + rule + " | # Other | " + turned), []string{"AGENTS.md:3 AGENTS.md:7 opposed"}},
		"the same text is no question":    {files("CLAUDE.md: "+rule, "knowledge/playbooks/tools.md: "+rule), nil},
		"two texts are one question":      {files("CLAUDE.md: "+rule+" | # Again | "+rule, "knowledge/playbooks/tools.md: "+turned), []string{"CLAUDE.md:3 knowledge/playbooks/tools.md:3 opposed"}},
		"a memory speaks once":            {files("CLAUDE.md: "+rule, ".claude/memory/npm.md: "+turned+" | "+turned+" anywhere"), []string{"CLAUDE.md:3 .claude/memory/npm.md:1 opposed"}},
		"few words in common":             {files("AGENTS.md: Install packages with pnpm in the web folder", "knowledge/playbooks/a.md: Release packages on Friday after the standup"), nil},
		"too few words":                   {files("AGENTS.md: Use pnpm", "knowledge/playbooks/a.md: Use npm"), nil},
		"no reader has both":              {files("web/AGENTS.md: "+rule, "api/AGENTS.md: "+turned), nil},
		"other agents' files":             {files("CLAUDE.md: "+rule, "GEMINI.md: "+turned), nil},
		"a page for people":               {files("CLAUDE.md: "+rule, "docs/tools.md: "+turned), nil},
		"an archive":                      {files("CLAUDE.md: "+rule, ".claude/memory/archive/npm.md: "+turned), nil},
		"what binds nobody":               {files("CLAUDE.md: "+rule, "knowledge/playbooks/tools.md: "+turned+" (over)"), nil},
		"an event":                        {files("CLAUDE.md: "+rule, "knowledge/playbooks/log.md: # 2026-10-01 | "+turned+" (2026-10-01)"), nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, p := range Propose(tt.docs, func(_ *knowledge.Document, f *knowledge.Fact) bool {
				return !f.Event && !strings.HasSuffix(f.Text, "(over)")
			}) {
				s := fmt.Sprintf("%s:%d %s:%d", p.A.Fact.File, p.A.Fact.Line, p.B.Fact.File, p.B.Fact.Line)
				if p.Opposed {
					s += " opposed"
				}
				got = append(got, s)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("proposed (-want +got):\n%s", diff)
			}
		})
	}
}
