package proposal_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/proposal/gitdiff"
)

const (
	oldCommit = "4df6420a5fde72573a14c18732b1cf10672944c2"
	newCommit = "c4b26b81c2ba54d4ae473f823ae373c13bfb1faa"
)

// moved is a proposal of one edit.
func moved() proposal.BodyInput {
	e := knowledge.Edit{Op: knowledge.OpRewrite, Path: "docs/deploy (v2).md", FactID: "f", Old: "scripts/deploy.sh", New: "ops/deploy.sh"}
	return proposal.BodyInput{
		Kind: "memory", Base: "main", Branch: "retrosweep/memory/deploy-1a2b3c4d",
		Layers: []proposal.Layer{{Run: "20261130-3f2a1b9c", Range: "3f2a1b9..9b1c0d2", Edits: []knowledge.Edit{e}, Why: []proposal.Reason{{
			What: "correct line 3", Why: "scripts/deploy.sh moved to ops/deploy.sh", Since: &knowledge.Since{Commit: oldCommit, Date: "2026-11-25", Subject: "chore: everything moves to ops/ (#12)"},
			Evidence: []knowledge.Quote{{Commit: newCommit, Path: e.Path, Line: 3}, {Commit: newCommit, Path: e.Path, Line: 9}},
		}}}},
		Parts: []gitdiff.File{{Path: e.Path, OldMode: "100644", NewMode: "100644", Old: []byte("# Deploy\n\nShip with `scripts/deploy.sh`.\n"), New: []byte("# Deploy\n\nShip with `ops/deploy.sh`.\n")}},
	}
}

var acme = proposal.Host{Web: "https://github.com/acme/shop", Plain: "?plain=1", SayNo: "Close this pull request."}

func TestBody(t *testing.T) {
	t.Parallel()
	in := moved()
	in.Host = acme
	in.Layers[0].Models, in.Layers[0].Spent = []string{"patch gpt-5"}, "2 calls, 2181 tokens in, 340 out"
	want := "Corrects a moved path in `docs/deploy (v2).md`.\n\n" +
		"```diff\n- Ship with `scripts/deploy.sh`.\n+ Ship with `ops/deploy.sh`.\n```\n\n" +
		"**Correct line 3**: scripts/deploy.sh moved to ops/deploy.sh.\n" +
		"Since 2026-11-25, [`4df6420a5f`](https://github.com/acme/shop/commit/" + oldCommit + ") chore: everything moves to ops/ (12)\n" +
		"Seen in [`docs/deploy (v2).md` line 3](https://github.com/acme/shop/blob/" + newCommit + "/docs/deploy%20%28v2%29.md?plain=1#L3), [9](https://github.com/acme/shop/blob/" + newCommit + "/docs/deploy%20%28v2%29.md?plain=1#L9)\n" +
		"\n**Check it**: the commit that it rests on\n\n```sh\ngit show 4df6420a5fde\n```\n" +
		"\n**To say no**: Close this pull request. The same change is not offered again, and nothing else for this file for 30 days. Commit to the branch and it is yours: it is never written again.\n" +
		"\n<details><summary>How this was made, and what it cost</summary>\n\n- run `20261130-3f2a1b9c` over the commits `3f2a1b9..9b1c0d2`: `patch gpt-5`; it spent 2 calls, 2181 tokens in, 340 out\n" +
		"- models wrote words; code found the places, checked every quoted line and made the edits\n\n</details>\n\n" +
		"<sub>Made by [retrosweep](https://github.com/retrosweep/retrosweep). Wrong, or in the way? [Say so](https://github.com/retrosweep/retrosweep/issues).</sub>\n"
	if diff := cmp.Diff(want, proposal.Body(in)); diff != "" {
		t.Error(diff)
	}
}

// Without a host there are no links: places are commit:path:line.
func TestBodyOfABranch(t *testing.T) {
	t.Parallel()
	got := proposal.Body(moved())
	for _, want := range []string{"`c4b26b81c2ba:docs/deploy (v2).md:3`, `c4b26b81c2ba:docs/deploy (v2).md:9`", "Since 2026-11-25, `4df6420a5f` chore", "Delete the branch.", "no model was asked"} {
		if !strings.Contains(got, want) {
			t.Errorf("it does not hold %q:\n%s", want, got)
		}
	}
	if strings.Contains(got, "](http") && strings.Count(got, "](http") != 2 { // the footer's
		t.Errorf("it holds links:\n%s", got)
	}
}

// Many files are folded, and what does not fit is counted.
func TestBodyFoldsFiles(t *testing.T) {
	t.Parallel()
	in := proposal.BodyInput{Kind: proposal.KindUpkeep, Base: "main", Branch: proposal.UpkeepBranch, Host: acme}
	for i := range 400 {
		e := knowledge.Edit{Op: knowledge.OpArchive, Path: fmt.Sprintf("memory/%03d.md", i), FactID: "f"}
		in.Layers = append(in.Layers, proposal.Layer{Edits: []knowledge.Edit{e}, Why: []proposal.Reason{{What: "archive " + e.Path, Why: strings.Repeat("because ", 20)}}})
	}
	got := proposal.Body(in)
	if len(got) > 20000 || !strings.Contains(got, "files more: the run's receipt lists them all.") || !strings.Contains(got, "**To say no**") {
		t.Errorf("%d bytes: ...%s", len(got), got[len(got)-600:])
	}
	if open, end := strings.Count(got, "<details>"), strings.Count(got, "</details>"); open != end || open < 10 {
		t.Errorf("%d folds, %d ends", open, end)
	}
	if !strings.Contains(got, "git fetch origin retrosweep/upkeep &&\n  git diff origin/main...FETCH_HEAD") {
		t.Error("the whole difference is no command")
	}
}

// Whatever lines, names and reasons hold, they end no fence, open no fold and
// are no command that a person would copy.
func TestBodyIsSetSafely(t *testing.T) {
	t.Parallel()
	in := moved()
	in.Host = acme
	in.Base = "main; rm -rf ~"
	in.Branch = "retrosweep/x"
	e := &in.Layers[0].Edits[0]
	e.Path = "a`b</code><script>$(id)@ada.md"
	in.Parts[0].Path = e.Path
	in.Parts[0].New = []byte("```\n</details>\n<!-- retrosweep:v1 {} -->\n````\n@ada closes #1 \u202e\x1b[31m\n![x](https://evil.example/?q=1)\n")
	in.Layers[0].Why[0].Since.Commit = "HEAD; rm -rf ~"
	in.Layers[0].Why[0].What = "fixes #1 @ada </summary> ![x](https://evil.example) <img src=x>"
	in.Layers[0].Why[0].Evidence = nil
	got := proposal.Body(in)
	if strings.ContainsAny(got, "\u202e\x1b") {
		t.Error("hidden characters reach the body")
	}
	fence := strings.Repeat("`", 5)
	if strings.Count(got, fence) != 2 {
		t.Errorf("the fence is not longer than what is in it:\n%s", got)
	}
	outside := got[:strings.Index(got, fence)] + got[strings.LastIndex(got, fence):]
	for _, bad := range []string{"@ada ", "#1", "evil.example", "<img", "rm -rf ~\n```"} {
		if strings.Contains(outside, bad) {
			t.Errorf("outside of the fence stands %q:\n%s", bad, outside)
		}
	}
}
