package night_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/retrosweep/retrosweep/internal/demo"
	"github.com/retrosweep/retrosweep/internal/journal"
	"github.com/retrosweep/retrosweep/internal/night"
	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/report"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// A night that is to die is a process of its own: what a killed process leaves
// is what the operating system makes of it, not what deferred calls do.
const (
	mortalRepo = "RETROSWEEP_TEST_MORTAL_REPO" // the repository to run a night on
	mortalAt   = "RETROSWEEP_TEST_MORTAL_AT"   // the effect that it dies before, counted from 1
	diary      = "effects"                     // where it writes its effects, beside the repository
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(mortalRepo); dir != "" {
		if err := mortalNight(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// When the nights are: on one day, which is written into archives.
var (
	firstNight  = demo.Now.Add(-6 * time.Hour)
	mortalNow   = demo.Now.Add(-4 * time.Hour)
	followingUp = demo.Now.Add(-2 * time.Hour)
)

// mortalNight runs a night, and ends the process by SIGKILL before an effect.
func mortalNight(dir string) (err error) {
	at, err := strconv.Atoi(os.Getenv(mortalAt))
	if err != nil {
		return err
	}
	r, err := repo.Open(context.Background(), dir)
	if err != nil {
		return err
	}
	book, err := os.Create(filepath.Join(filepath.Dir(dir), diary))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close(), book.Close()) }()
	n := 0
	r.OnEffect(func(kind, subject string) error {
		if n++; n == at {
			me, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = me.Kill()
			}
			<-context.Background().Done() // until the signal is here
			return err
		}
		_, err := fmt.Fprintln(book, kind, subject)
		return err
	})
	o := options(r)
	o.Now = mortalNow
	_, err = night.Run(context.Background(), o)
	return err
}

// fall is a point at which a night died.
type fall struct {
	n        int
	last     string // the effect that was not made
	left     string // what is there after it
	problems []string
}

// Whatever effect a local night dies at, the next one makes it whole.
func TestNightDiesAtEveryEffect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		second bool // a night went well before, and then files moved
	}{
		{"the first night", false},
		{"a night that updates a branch and opens another", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testkit.NeedGit(t)
			start := filepath.Join(memoryDisk(t), "shop.git")
			grow(t, start, c.second)
			undisturbed, effects := live(t, start)
			falls := points(effects)
			var work errgroup.Group
			work.SetLimit(4)
			for i := range falls {
				work.Go(func() error {
					falls[i].happen(t, start, undisturbed)
					return nil
				})
			}
			if err := work.Wait(); err != nil {
				t.Fatal(err)
			}
			for _, f := range falls {
				t.Logf("%3d | %-60s | %s", f.n, f.last, f.left)
				for _, p := range f.problems {
					t.Errorf("killed before effect %d (%s): %s", f.n, f.last, p)
				}
			}
			if len(falls) < 5 {
				t.Errorf("there are %d points only", len(falls))
			}
		})
	}
}

var everywhere = flag.Bool("everywhere", false, "let nights die before every object too, and not only around references")

// points are where a night may die. Before an object that follows an object
// there is nothing to be seen that was not there before: by default such points
// are left out.
func points(effects []string) []fall {
	var out []fall
	for i, e := range effects {
		again := i > 0 && strings.HasPrefix(e, repo.EffectObject) && strings.HasPrefix(effects[i-1], repo.EffectObject)
		if *everywhere || !again {
			out = append(out, fall{n: i + 1, last: e})
		}
	}
	return out
}

// grow builds the demo's shop, and for a second night what came before it.
func grow(t *testing.T, dir string, second bool) {
	t.Helper()
	r, err := demo.Build(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	if !second {
		return
	}
	o := options(r)
	o.Now = firstNight
	run(t, o)
	moves, err := os.ReadFile(filepath.Join("testdata", "moves.txtar"))
	if err == nil {
		err = testkit.Append(r, moves)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// outcome is all that a night leaves and that must not depend on how often it
// died on the way.
type outcome struct {
	trees   map[string]string // of branches and records' names
	commits string            // on the upkeep branch
	marks   journal.Watermark
	keys    []string
}

// live runs a night that does not die, and lists its effects.
func live(t *testing.T, start string) (outcome, []string) {
	t.Helper()
	dir := copyOf(t, start)
	if err := spawn(dir, 0).Run(); err != nil {
		t.Fatalf("the undisturbed night: %v", err)
	}
	book, err := os.ReadFile(filepath.Join(filepath.Dir(dir), diary))
	if err != nil {
		t.Fatal(err)
	}
	return look(t, dir), strings.Split(strings.TrimSpace(string(book)), "\n")
}

// memoryDisk is a directory that is quick to make durable, where there is one.
func memoryDisk(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "retrosweep-test-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func copyOf(t *testing.T, start string) string {
	t.Helper()
	dir := filepath.Join(memoryDisk(t), filepath.Base(start))
	if err := os.CopyFS(dir, os.DirFS(start)); err != nil {
		t.Fatal(err)
	}
	return dir
}

func spawn(dir string, at int) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), mortalRepo+"="+dir, mortalAt+"="+strconv.Itoa(at))
	return c
}

// happen lets a night die at its n-th effect, and two more follow.
func (f *fall) happen(t *testing.T, start string, want outcome) {
	t.Helper()
	dir := copyOf(t, start)
	was, refs := look(t, dir), refsOf(t, dir)
	var exit *exec.ExitError
	if err := spawn(dir, f.n).Run(); !errors.As(err, &exit) || exit.Exited() {
		f.problem("it does not die: %v", err)
		return
	}
	left := look(t, dir)
	f.left = describe(refs, refsOf(t, dir), stray(t, dir))
	if !same(was.marks.Sweep, left.marks.Sweep) {
		f.left += ", watermark moved"
	}
	if m := left.marks.Sweep; m != nil && want.marks.Sweep != nil && *m == *want.marks.Sweep && !maps.Equal(left.trees, want.trees) {
		f.problem("the watermark is at the head, and the outputs are not there")
	}
	f.nightAfter(t, dir, want)
}

func (f *fall) problem(format string, args ...any) {
	f.problems = append(f.problems, fmt.Sprintf(format, args...))
}

// nightAfter is the next night, which completes, and the one after it, which has
// nothing to do.
func (f *fall) nightAfter(t *testing.T, dir string, want outcome) {
	t.Helper()
	f.calm(t, dir, followingUp)
	if got := look(t, dir); !got.equal(want) {
		f.problem("after the next night it is\n%+v\nand after an undisturbed one\n%+v", got, want)
	}
	before := refsOf(t, dir)
	if third := f.calm(t, dir, demo.Now); third == nil || !maps.Equal(before, refsOf(t, dir)) {
		f.problem("a third night moves references")
	}
	if out, err := testkit.TryGit(dir, "fsck", "--strict", "--no-dangling"); err != nil {
		f.problem("git fsck: %v\n%s", err, out)
	}
}

// calm runs a night that nobody disturbs.
func (f *fall) calm(t *testing.T, dir string, now time.Time) *report.Receipt {
	t.Helper()
	r, err := repo.Open(t.Context(), dir)
	if err != nil {
		f.problem("open: %v", err)
		return nil
	}
	defer func() { _ = r.Close() }()
	o := options(r)
	o.Now = now
	receipt, err := night.Run(t.Context(), o)
	if err != nil {
		f.problem("the night after: %v", err)
		return nil
	}
	if receipt.Outcome != report.Done {
		f.problem("the night after is %s: %v", receipt.Outcome, receipt.Warnings)
	}
	return receipt
}

func refsOf(t *testing.T, dir string) map[string]repo.Hash {
	t.Helper()
	r, err := repo.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	refs, err := r.Refs("refs/")
	if err != nil {
		t.Fatal(err)
	}
	return refs
}

func look(t *testing.T, dir string) outcome {
	t.Helper()
	r, err := repo.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	o := outcome{trees: map[string]string{}}
	for name, at := range refsOf(t, dir) {
		o.trees[name] = "there"
		if strings.HasPrefix(name, "refs/heads/") {
			c, err := r.Commit(at)
			if err != nil {
				t.Fatal(err)
			}
			o.trees[name] = c.Tree.String()
		}
	}
	o.commits, _ = testkit.TryGit(dir, "rev-list", "--count", "main..retrosweep/upkeep") // words of git's where there is none
	state, _, err := journal.Load(t.Context(), r)
	if err != nil || len(state.Faults) > 0 {
		t.Errorf("the journal cannot be read: %v, %v", err, state.Faults)
		return o
	}
	o.marks = *state.Branch("main")
	o.keys = slices.Sorted(maps.Keys(state.Keys))
	return o
}

func (o outcome) equal(p outcome) bool {
	return maps.Equal(o.trees, p.trees) && o.commits == p.commits && same(o.marks.Retro, p.marks.Retro) && same(o.marks.Sweep, p.marks.Sweep) && slices.Equal(o.keys, p.keys)
}

func same(a, b *journal.Mark) bool { return a == nil && b == nil || a != nil && b != nil && *a == *b }

// describe says what a dead night left, beside objects that nothing names.
func describe(before, after map[string]repo.Hash, stray []string) string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		short := strings.TrimPrefix(strings.TrimPrefix(name, "refs/retrosweep/"), "refs/heads/")
		switch was, known := before[name]; {
		case !known:
			out = append(out, "new "+short)
		case was != after[name]:
			out = append(out, "moved "+short)
		}
	}
	out = append(out, stray...)
	if len(out) == 0 {
		return "objects that nothing names"
	}
	return strings.Join(out, ", ")
}

// stray are files that a process left in the middle of its work.
func stray(t *testing.T, dir string) []string {
	t.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if name := d.Name(); err == nil && strings.HasSuffix(name, ".lock") && name != "retrosweep.lock" {
			out = append(out, "lock "+name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
