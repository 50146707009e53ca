//go:build unix

package cli_test

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/testkit"
)

// The benchmarks time the program as a whole process, built as it is released,
// beside git on the same commits in the same run:
//
//	go test ./internal/cli -run '^$' -bench Whole -benchtime 5x
//	go test ./internal/cli -run '^$' -bench Whole -corpus DIR/OWNER+NAME/repo
//
// They report MB (peak of the process) and git (how many times as long as
// `git log -p` over the range, or over all for a whole check).
var corpusDir = flag.String("corpus", "", "a repository to time a night of 100 commits and a whole check in")

// BenchmarkWholeNight is a night of 100 commits, in histories of which one is ten
// times as long as the other.
func BenchmarkWholeNight(b *testing.B) {
	for _, commits := range []int{600, 6000} {
		b.Run(fmt.Sprintf("of=%d", commits), func(b *testing.B) {
			dir := bigHistory(b, commits)
			whole(b, dir, "main~100..main", "run", dir, "--from", "main~100", "--now", "2026-11-30")
		})
	}
	if *corpusDir != "" {
		b.Run("corpus", func(b *testing.B) {
			whole(b, *corpusDir, "HEAD~100..HEAD", "run", *corpusDir, "--from", "HEAD~100")
		})
	}
}

// BenchmarkWholeCheck is a check of every fact.
func BenchmarkWholeCheck(b *testing.B) {
	b.Run("of=6000", func(b *testing.B) {
		dir := bigHistory(b, 6000)
		whole(b, dir, "main", "sweep", dir, "--all", "--now", "2026-11-30")
	})
	if *corpusDir != "" {
		b.Run("corpus", func(b *testing.B) { whole(b, *corpusDir, "HEAD", "sweep", *corpusDir, "--all") })
	}
}

// whole times the program, and git beside it once.
func whole(b *testing.B, dir, span string, args ...string) {
	testkit.NeedGit(b)
	bin := binary(b)
	git, _, err := timed(exec.Command("git", "-C", dir, "log", "-p", "--first-parent", span))
	if err != nil {
		b.Fatal(err)
	}
	var peak int64
	for b.Loop() {
		_, kb, err := timed(exec.Command(bin, args...))
		if err != nil {
			b.Fatal(err)
		}
		peak = max(peak, kb)
	}
	b.ReportMetric(float64(peak)/1024, "MB")
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)/git.Seconds(), "git")
}

// timed runs a process and returns how long it took and its peak in kilobytes.
func timed(c *exec.Cmd) (time.Duration, int64, error) {
	var errs bytes.Buffer
	c.Stdout, c.Stderr = io.Discard, &errs
	start := time.Now()
	if err := c.Run(); err != nil {
		return 0, 0, fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, errs.String())
	}
	took := time.Since(start)
	use, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
	return took, use.Maxrss, nil
}

var built = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "retrosweep-bench")
	if err != nil {
		return "", err
	}
	bin := filepath.Join(dir, "retrosweep")
	out, err := exec.Command("go", "build", "-trimpath", "-o", bin, "github.com/retrosweep/retrosweep/cmd/retrosweep").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build: %w: %s", err, out)
	}
	return bin, nil
})

func binary(b *testing.B) string {
	bin, err := built()
	if err != nil {
		b.Fatal(err)
	}
	return bin
}

// What a grown repository has.
const (
	modules = 300 // files of code
	pages   = 45  // documents of ten facts each
)

// bigHistory makes a bare repository of that many commits with 450 facts about its
// code. Each commit changes three files; every fiftieth takes one away.
func bigHistory(b *testing.B, commits int) string {
	testkit.NeedGit(b)
	dir := filepath.Join(b.TempDir(), "grown.git")
	testkit.Git(b, b.TempDir(), "init", "-q", "--bare", "-b", "main", dir)
	c := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	in, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	stream(in, commits)
	if err := c.Wait(); err != nil {
		b.Fatalf("git fast-import: %v", err)
	}
	return dir
}

// stream writes the history.
func stream(to io.WriteCloser, commits int) {
	w := bufio.NewWriter(to)
	defer to.Close()
	defer w.Flush()
	rng := rand.New(rand.NewPCG(1, 2))
	file := func(name, text string) { fmt.Fprintf(w, "M 100644 inline %s\ndata %d\n%s\n", name, len(text), text) }
	for n := range commits {
		fmt.Fprintf(w, "commit refs/heads/main\ncommitter Ada <ada@example.com> %d +0000\ndata 6\nchange\n", 1_700_000_000+n*3600)
		if n == 0 {
			for i := range modules {
				file(module(i), code(i, 0))
			}
			for i := range pages {
				file(fmt.Sprintf("docs/agents/page%02d.md", i), benchFacts(i))
			}
			continue
		}
		for range 3 {
			i := rng.IntN(modules)
			if n%50 == 0 {
				fmt.Fprintf(w, "D %s\n", module(i))
				continue
			}
			file(module(i), code(i, n))
		}
	}
}

func module(i int) string { return fmt.Sprintf("internal/part%02d/module%03d.go", i%20, i) }

// code is one file; what version changes is one function of six.
func code(i, version int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "package part%02d\n\n", i%20)
	for f := range 6 {
		fmt.Fprintf(&s, "// Step%dOf%03d adds what it is given.\nfunc Step%dOf%03d(a, b int) int {\n\tc := a + b\n\tif c > %d {\n\t\treturn c\n\t}\n\treturn a - b\n}\n\n",
			f, i, f, i, (version+f)%7*1000+version)
	}
	return s.String()
}

func benchFacts(i int) string {
	var s strings.Builder
	fmt.Fprintf(&s, "# Page %d\n\n", i)
	for k := range 10 {
		m := (i*10 + k) % modules
		fmt.Fprintf(&s, "- Totals of part %d come from `Step%dOf%03d` in `%s`.\n", k, k%6, m, module(m))
	}
	return s.String()
}
