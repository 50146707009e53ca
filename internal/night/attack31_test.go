package night_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/llm"
	"github.com/retrosweep/retrosweep/internal/proposal"
	"github.com/retrosweep/retrosweep/internal/report"
)

// school is a repository from whose commits a lesson is learnt, as a night of it
// went: what the model was asked, what it cost, what came of it.
type school struct {
	*world
	model   *llm.Client
	asked   []llm.Request
	receipt *report.Receipt
}

// goToSchool lets a night learn, in a cache that other repositories use too.
func goToSchool(t *testing.T, name, secret, cache string) *school {
	t.Helper()
	w := newWorld(t, true)
	w.config.Routes.Queue = append(w.config.Routes.Queue, "knowledge/playbooks/**")
	w.commit("main", map[string][]byte{baking: []byte("# Baking\n\n- Weigh the flour before the water.\n"), "secret.txt": []byte(secret + "\n")})
	run(t, w.options())
	w.learn()
	w.commit("main", map[string][]byte{"notes.md": []byte("# Notes\n\nNever tell anybody of " + secret + ".\n")})
	o := w.options()
	o.Name = name
	client, fake := w.teacherOf(name, cache)
	o.Model = client
	return &school{world: w, model: client, receipt: run(t, o), asked: fake.Requests()}
}

// TestAttack31 cross-repo: two repositories are tended by one worker with one
// cache, one of them private. No word of it reaches what the model is asked about
// the other one, what is kept, or what is published there; an answer that was
// given about one serves no question about the other, even the same one; and what
// a pull request says of itself is believed where it was written alone.
func TestAttack31(t *testing.T) {
	t.Parallel()
	const private, public = "github.com/acme/private", "github.com/acme/public"
	const secret = "the yeast of aunt Zenobia"
	cache := t.TempDir()
	a := goToSchool(t, private, secret, cache)
	if asked := fmt.Sprint(a.asked); !strings.Contains(asked, secret) || len(byState(a.receipt, report.ProposalOpened)) == 0 {
		t.Fatalf("the private repository teaches nothing, so nothing could leak: %v %v", a.receipt.Proposals, a.receipt.Warnings)
	}
	before := kept(t, cache)
	b := goToSchool(t, public, "flour", cache)
	if strings.Contains(fmt.Sprint(b.asked), secret) {
		t.Error("the model is told of the private repository when it is asked about the public one")
	}
	twin := goToSchool(t, "github.com/acme/twin", secret, cache)
	if fmt.Sprint(twin.asked) != fmt.Sprint(a.asked) {
		t.Error("the twin is not asked about what the private one was asked about: this shows nothing")
	}
	for stage, u := range twin.model.Usage() {
		if u.Cached > 0 || u.Calls == 0 {
			t.Errorf("%s: %d answers about the private repository serve another one", stage, u.Cached)
		}
	}
	if len(b.asked) == 0 || len(kept(t, cache)) <= len(before) {
		t.Errorf("the public one has no answers of its own: %d questions", len(b.asked))
	}
	for path, content := range kept(t, cache) {
		if strings.Contains(path+content, secret) || strings.Contains(path+content, "acme/") {
			t.Errorf("the cache tells of the private repository: %s", path)
		}
	}
	published, err := json.Marshal([]any{b.fake.Pulls(), b.receipt, b.texts()})
	if err != nil || strings.Contains(string(published), secret) {
		t.Errorf("what is published in the public repository tells of the private one: %v", err)
	}
	if proposal.Slot(private, "main", "memory", "x.md") == proposal.Slot(public, "main", "memory", "x.md") {
		t.Error("two repositories share a slot")
	}
}

// TestAttack31Marker: a pull request that was carried over with its marker, and a
// record of it, is nobody's.
func TestAttack31Marker(t *testing.T) {
	t.Parallel()
	a, b := newWorld(t, true), newWorld(t, true)
	a.moveScript(0)
	a.night()
	carried := a.pull()
	b.write("ada/x", map[string][]byte{"x": []byte("x")}, "x", b.ref("refs/heads/main"))
	b.fake.Open(githubfake.Pull{Title: "t", Body: carried.Body, Head: "ada/x", Base: "main", Author: githubfake.Bot})
	b.quiet("a marker of another repository", func() { b.night() })
}

// texts are all files and messages that our branches and references hold.
func (s *school) texts() []string {
	s.t.Helper()
	refs, err := s.repo.Refs("refs/")
	if err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for _, at := range refs {
		c, err := s.repo.Commit(at)
		if err != nil {
			continue
		}
		out = append(out, c.Message)
		tree, err := s.repo.Tree(c.Tree)
		if err != nil {
			s.t.Fatal(err)
		}
		files, err := tree.Files(s.t.Context())
		if err != nil {
			s.t.Fatal(err)
		}
		for _, f := range files {
			content, err := s.repo.Blob(f.Hash, 1<<20)
			if err != nil {
				s.t.Fatal(err)
			}
			out = append(out, string(content))
		}
	}
	return out
}

// kept are the files of a cache.
func kept(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
