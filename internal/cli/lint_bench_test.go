package cli_test

import (
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkLintProcess times the whole process of a lint over a repository of
// 500 knowledge files, as a hook or an editor starts it: the built program, cold
// each time. It needs the go command to build it, and git for the index.
func BenchmarkLintProcess(b *testing.B) {
	bin := filepath.Join(b.TempDir(), "retrosweep")
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/retrosweep").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	dir := b.TempDir()
	files, facts := garden(b, dir)
	if _, err := exec.LookPath("git"); err == nil {
		for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}} {
			if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
				b.Fatalf("git %v: %v\n%s", args, err, out)
			}
		}
	}
	b.Logf("%d files, about %d facts", files, facts)
	for b.Loop() {
		if out, err := exec.Command(bin, "lint", dir, "--fail-on", "never").CombinedOutput(); err != nil {
			b.Fatalf("lint: %v\n%s", err, out)
		}
	}
}

// words that a rule of the garden is made of.
var gardenWords = strings.Fields(`cache session order invoice retry timeout queue worker schema migration index token header cookie client server
	handler module package branch commit release deploy rollback staging production metric trace alert budget limit currency locale font report export
	import parser stream batch cursor page filter sort field column table row record ledger refund shipment carrier label customer account profile role
	permission policy audit secret key certificate region zone bucket object archive snapshot backup restore replica shard partition lock lease clock`)

// garden writes a repository of 500 knowledge files, a few of them faulty, and
// returns how many files and facts there are. The same text every time.
func garden(tb testing.TB, dir string) (files, facts int) {
	r := rand.New(rand.NewSource(5))
	sentence := func() string {
		var w []string
		for range 9 + r.Intn(9) {
			w = append(w, gardenWords[r.Intn(len(gardenWords))])
		}
		facts++
		return "Keep the " + strings.Join(w, " ") + " in `internal/" + w[0] + "/" + w[1] + ".go`."
	}
	bullets := func(n int) string {
		var b strings.Builder
		for range n {
			b.WriteString("- " + sentence() + "\n")
		}
		return b.String()
	}
	put := func(name, text string) {
		files++
		write(tb, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	index := "# Memory\n\n"
	for i := range 150 {
		index += fmt.Sprintf("- [Memory %d](m%03d.md) about %s\n", i, i, gardenWords[i%len(gardenWords)])
		put(fmt.Sprintf(".claude/memory/m%03d.md", i), fmt.Sprintf("---\nname: memory-%d\ndescription: %s\nmetadata:\n  type: project\nverified: 2026-05-01\n---\n%s\n\n**Why:** %s\n\nSee [[m%03d]].\n",
			i, sentence(), sentence(), sentence(), (i+1)%150))
	}
	put(".claude/memory/MEMORY.md", index)
	for i := range 120 {
		put(fmt.Sprintf(".claude/skills/s%03d/SKILL.md", i), fmt.Sprintf("---\nname: s%03d\ndescription: %s\n---\n# Skill\n\n## Steps\n\n%s\n## Notes\n\n%s", i, sentence(), bullets(12), bullets(6)))
	}
	for i := range 120 {
		put(fmt.Sprintf("docs/guide/p%03d.md", i), fmt.Sprintf("# Page %d\n\n%s\n\nSee [next](p%03d.md).\n\n## Rules\n\n%s", i, sentence(), (i+1)%120, bullets(15)))
	}
	for i := range 80 {
		put(fmt.Sprintf("docs/wiki/w%03d.md", i), fmt.Sprintf("# Thing %d\n\n## Current state\n\n- **Owner**: team %d (2026-10-01)\n\n## Log\n\n- 2026-09-01 %s\n", i, i, sentence()))
	}
	for i := range 24 {
		put(fmt.Sprintf("services/v%02d/AGENTS.md", i), "# Service\n\n"+bullets(10))
	}
	put("CLAUDE.md", "# Project\n\n## Rules\n\n"+bullets(150))
	put("AGENTS.md", "# Project\n\n## Rules\n\n"+bullets(120))
	var vault strings.Builder
	for i := range 100 {
		fmt.Fprintf(&vault, "- **ID**: W-%03d\n- **Tags**: #api/v%d\n- **Issue**: %s\n- **Mitigation**: %s\n- **First Seen**: 2026-06-01 (ada)\n- **TTL**: 400 days\n\n", i, i, sentence(), sentence())
	}
	put("KNOWLEDGE_VAULT.md", "### CONTEXTUAL_WARNINGS\n\n"+vault.String())
	for i := range 3 {
		put(fmt.Sprintf("knowledge/playbooks/b%d.md", i), "# Playbook\n\n"+bullets(60))
	}
	return files, facts
}

func write(tb testing.TB, name, text string) {
	tb.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		tb.Fatal(err)
	}
}
