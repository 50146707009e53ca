package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/llm/replay"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// shop is the demo's repository with recorded answers behind a real server.
type shop struct {
	t       *testing.T
	dir     string
	url     string
	handler *replay.Handler
}

// newShop builds the shop; change may falsify the recordings.
func newShop(t *testing.T, change func(reply string) string) *shop {
	t.Helper()
	s := &shop{t: t, dir: filepath.Join(t.TempDir(), "shop")}
	r, err := demo.Build(s.dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if s.handler, err = replay.New(recordings(t, change)); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.handler)
	t.Cleanup(server.Close)
	s.url = server.URL + "/v1"
	return s
}

func recordings(t *testing.T, change func(string) string) fs.FS {
	t.Helper()
	tapes, err := demo.Cassettes()
	if err != nil {
		t.Fatal(err)
	}
	if change == nil {
		return tapes
	}
	changed := fstest.MapFS{}
	err = fs.WalkDir(tapes, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := fs.ReadFile(tapes, name)
		if err != nil {
			return err
		}
		var c replay.Cassette
		if err := json.Unmarshal(raw, &c); err != nil {
			return err
		}
		c.Reply = change(c.Reply)
		raw, err = json.Marshal(c)
		changed[name] = &fstest.MapFile{Data: raw}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return changed
}

// night runs the program and returns its receipt.
func (s *shop) night(args ...string) *report.Receipt {
	s.t.Helper()
	return s.on(demo.Now, args...)
}

func (s *shop) on(now time.Time, args ...string) *report.Receipt {
	s.t.Helper()
	var out, errs bytes.Buffer
	cache := s.t.TempDir()
	m := &cli.Main{
		Version: "test", Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string {
			return map[string]string{"RETROSWEEP_CACHE": cache, "HOME": cache}[name]
		},
		Clock: func() time.Time { return now }, IsTerm: func(io.Writer) bool { return false },
	}
	all := append([]string{"run", s.dir, "--format", "json", "--limit", "0"}, args...)
	if code := m.Run(context.Background(), all); code != cli.ExitDone && code != cli.ExitPartial {
		s.t.Fatalf("%v exits with %d: %s", all, code, errs.String())
	}
	receipt := report.New()
	if err := json.Unmarshal(out.Bytes(), receipt); err != nil {
		s.t.Fatalf("%v prints no receipt: %v\n%s", all, err, out.String())
	}
	return receipt
}

func (s *shop) asking(args ...string) []string {
	return append([]string{"--apply", "--model", demo.Model, "--base-url", s.url}, args...)
}

func rules(r *report.Receipt, status report.LessonStatus) []report.Lesson {
	var out []report.Lesson
	for _, l := range r.Lessons {
		if l.Status == status {
			out = append(out, l)
		}
	}
	return out
}

func opened(r *report.Receipt) map[string]report.Proposal {
	out := map[string]report.Proposal{}
	for _, p := range r.Proposals {
		if p.State == report.ProposalOpened {
			out[p.Kind] = p
		}
	}
	return out
}

func TestDemoShowsEachThingOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t, nil)
	r := s.night(s.asking()...)
	if r.Outcome != report.Done {
		t.Errorf("the night ends %s: %q", r.Outcome, r.Warnings)
	}
	found := map[string]int{}
	for _, f := range r.Findings {
		found[f.Rule]++
	}
	for _, rule := range []string{"anchor/broken", "anchor/moved", "life/expired", "life/no-date", "conflict/contradiction"} {
		if found[rule] != 1 {
			t.Errorf("%d findings of %s, the demo shows one: %v", found[rule], rule, found)
		}
	}
	if len(rules(r, report.LessonPromoted)) == 0 {
		t.Error("no lesson is promoted")
	}
	branches := opened(r)
	if !strings.Contains(branches[proposal.KindUpkeep].Diff, "+++ b/knowledge/playbooks/") {
		t.Error("no rule reaches a playbook on the upkeep branch")
	}
	if strings.Contains(branches[proposal.KindUpkeep].Diff, "CLAUDE.md") || !strings.Contains(branches["rules"].Diff, "+++ b/CLAUDE.md") {
		t.Error("CLAUDE.md must change on a branch of its own")
	}
	for _, sent := range r.Sent {
		if !sent.Recorded {
			t.Errorf("%s: a recorded answer is not labelled as one", sent.Stage)
		}
	}
	if left := s.handler.Unplayed(); len(left) > 0 {
		t.Errorf("recordings that no question asks for: %q", left)
	}
}

// Without a model go the lessons, and the contradiction that a judge sees between
// two facts: nothing of what code decides.
func TestDemoWithoutAModelLosesTheLessonsAlone(t *testing.T) {
	t.Parallel()
	with, without := newShop(t, nil), newShop(t, nil)
	a, b := with.night(with.asking()...), without.night("--apply", "--model", "none")
	if len(b.Lessons) != 0 || len(b.Sent) != 0 || b.Signals.Waiting == 0 {
		t.Errorf("without a model: %d lessons, %d calls, %d signals wait", len(b.Lessons), len(b.Sent), b.Signals.Waiting)
	}
	asked := slices.DeleteFunc(slices.Clone(a.Findings), func(f knowledge.Finding) bool { return f.Rule == "conflict/contradiction" })
	if len(asked) != len(a.Findings)-1 || len(asked) != len(b.Findings) || a.Facts.Archived != b.Facts.Archived {
		t.Errorf("the sweep depends on the model: %d findings with, %d without", len(a.Findings), len(b.Findings))
	}
	if _, ok := opened(b)["rules"]; ok {
		t.Error("a change of CLAUDE.md is offered although no model was asked")
	}
	if b.Watermark.Retro.After == nil || b.Watermark.Retro.After.Commit == b.Range.To {
		t.Errorf("the retro's watermark moves past commits that nobody read: %+v", b.Watermark.Retro)
	}
}

func TestSecondNightMakesNoCallAndNoCommit(t *testing.T) {
	t.Parallel()
	s := newShop(t, nil)
	s.night(s.asking()...)
	again := s.on(demo.Now.Add(24*time.Hour), s.asking()...)
	for stage, u := range again.Usage {
		if u.Calls+u.Cached > 0 {
			t.Errorf("%s is asked again: %+v", stage, u)
		}
	}
	for _, p := range again.Proposals {
		if p.State != report.ProposalUnchanged && p.State != report.ProposalWaiting {
			t.Errorf("%s is %s on a night with nothing new: %s", p.Branch, p.State, p.Reason)
		}
	}
}

func TestFalsifiedQuotesLeaveNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t, func(reply string) string {
		return strings.NewReplacer(`"quote": "`, `"quote": "invented: `, `"quote":"`, `"quote":"invented: `, `"first": "`, `"first": "invented: `).Replace(reply)
	})
	r := s.night(s.asking()...)
	if n := len(rules(r, report.LessonPromoted)); n > 0 {
		t.Errorf("%d lessons are promoted on quotes that are in no commit", n)
	}
	if slices.ContainsFunc(r.Findings, func(f knowledge.Finding) bool { return f.Rule == "conflict/contradiction" }) || r.Facts.Pairs["ungrounded"] != 1 {
		t.Errorf("a contradiction is told on words that no fact has: %+v", r.Facts)
	}
	if strings.Contains(r.Diff, "knowledge/playbooks") || strings.Contains(r.Diff, "CLAUDE.md") {
		t.Errorf("an ungrounded lesson reaches a file:\n%s", r.Diff)
	}
}

// The rules that the demo promotes are the recorded model's words: no source
// of the program holds them, so nothing but the recordings can have made them.
func TestPromotedRuleStandsInNoSource(t *testing.T) {
	t.Parallel()
	s := newShop(t, nil)
	promoted := rules(s.night(s.asking()...), report.LessonPromoted)
	if len(promoted) == 0 {
		t.Fatal("nothing is promoted")
	}
	for file, text := range sources(t) {
		for _, l := range promoted {
			if strings.Contains(text, l.Text) {
				t.Errorf("%s holds the promoted sentence %q", file, l.Text)
			}
		}
	}
}

// sources are the program's files, without the recordings.
func sources(t *testing.T) map[string]string {
	t.Helper()
	root := os.DirFS(filepath.Join("..", ".."))
	out := map[string]string{}
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" || d.Name() == "cassettes" {
			return fs.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, ".txtar") && !strings.HasSuffix(name, ".tmpl") {
			return nil
		}
		content, err := fs.ReadFile(root, name)
		out[name] = string(content)
		return err
	})
	if err != nil || len(out) < 50 {
		t.Fatalf("read the sources: %d files, %v", len(out), err)
	}
	return out
}
