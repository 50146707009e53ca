package proposal_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

var day = time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC)

func add(path, text string) knowledge.Edit {
	return knowledge.Edit{Op: knowledge.OpAdd, Path: path, Section: "Rules", Text: text, Date: day}
}

func TestSlotTellsFieldsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, f := range [][4]string{
		{"acme/shop", "main", "skill", "a.md"}, {"acme/shop", "main", "skil", "la.md"}, {"acme/shopmain", "", "skill", "a.md"},
		{"acme/shop", "dev", "skill", "a.md"}, {"acme/shop", "main", "rules", "a.md"}, {"acme/shop", "main", "skill", "b.md"},
	} {
		s := proposal.Slot(f[0], f[1], f[2], f[3])
		if seen[s] || s != proposal.Slot(f[0], f[1], f[2], f[3]) {
			t.Errorf("%v has the slot of another, or two of its own", f)
		}
		seen[s] = true
	}
}

func TestContent(t *testing.T) {
	t.Parallel()
	a := add("a.md", "Seed the clock. (2026-11-30, 3f2a1b9)")
	tomorrow := add("a.md", "Seed the clock. (2026-12-01, 3f2a1b9)")
	tomorrow.Date = day.AddDate(0, 0, 1)
	b := add("a.md", "Seed the dice.")
	for name, tt := range map[string]struct {
		x, y []knowledge.Edit
		same bool
	}{
		"the same":                  {[]knowledge.Edit{a}, []knowledge.Edit{a}, true},
		"the same found tomorrow":   {[]knowledge.Edit{a}, []knowledge.Edit{tomorrow}, true},
		"another text":              {[]knowledge.Edit{a}, []knowledge.Edit{b}, false},
		"one more":                  {[]knowledge.Edit{a}, []knowledge.Edit{a, b}, false},
		"another order":             {[]knowledge.Edit{a, b}, []knowledge.Edit{b, a}, false},
		"another date in the text":  {[]knowledge.Edit{a}, []knowledge.Edit{add("a.md", "Seed the clock. (2026-11-29, 3f2a1b9)")}, false},
		"none against none":         {nil, nil, true},
		"the same in another place": {[]knowledge.Edit{a}, []knowledge.Edit{add("b.md", a.Text)}, false},
	} {
		if got := proposal.Content(tt.x) == proposal.Content(tt.y); got != tt.same {
			t.Errorf("%s: same content is %v", name, got)
		}
	}
}

var branchName = regexp.MustCompile(`^retrosweep/[a-z0-9-]+/[a-z0-9-]+-[0-9a-f]{8}$`)

func TestBranch(t *testing.T) {
	t.Parallel()
	slot := proposal.Slot("acme/shop", "main", "skill", "SKILL.md")
	if got, want := proposal.Branch("skill", "release-notes-skill", slot), "retrosweep/skill/release-notes-skill-"+slot[:8]; got != want {
		t.Errorf("it is %s, not %s", got, want)
	}
	for _, in := range [][3]string{
		{"", "", ""}, {"Skill Réf", "../../etc/passwd", "../x"}, {"upkeep", "upkeep", slot}, {strings.Repeat("k", 300), strings.Repeat("s", 300), slot},
		{"a b", "-lead-", strings.Repeat("Z", 40)}, {"日本", "日本語.md", slot}, {"x", "HEAD.lock", slot[:7]},
	} {
		got := proposal.Branch(in[0], in[1], in[2])
		if !branchName.MatchString(got) || len(got) > 80 || strings.HasPrefix(got, proposal.UpkeepBranch+"/") {
			t.Errorf("Branch(%.20q) is %s", in, got)
		}
	}
}

func FuzzBranch(f *testing.F) {
	f.Add("skill", "a.md", "0123456789abcdef")
	f.Fuzz(func(t *testing.T, kind, slug, slot string) {
		if got := proposal.Branch(kind, proposal.Slug(slug), slot); !branchName.MatchString(got) || len(got) > 80 {
			t.Errorf("it is %q", got)
		}
	})
}

func TestSlug(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"AGENTS.md": "agents", ".claude/skills/release/SKILL.md": "release-skill", "SKILL.md": "skill", ".cursor/rules/api.mdc": "api",
		"docs/README.md": "docs-readme", "knowledge/playbooks/what-flopped.md": "what-flopped",
	} {
		if got := proposal.Slug(in); got != want {
			t.Errorf("Slug(%s) = %s, not %s", in, got, want)
		}
	}
}
