package testkit

import (
	"os"
	"os/exec"
	"strings"
)

// TB is what the helpers need of a testing.TB.
type TB interface {
	Helper()
	Skip(args ...any)
	Fatalf(format string, args ...any)
}

// NeedGit skips a test where there is no git binary; in CI (CI=true) it fails.
func NeedGit(t TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err == nil {
		return
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("this test compares with the git binary, which CI must have")
	}
	t.Skip("this test compares with the git binary, which is not installed")
}

// Git runs the git binary in dir, away from the user's configuration, and
// returns its output without the last line end. An error ends the test.
func Git(t TB, dir string, args ...string) string {
	t.Helper()
	NeedGit(t)
	out, err := TryGit(dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// TryGit is as [Git] and returns the error; the output has both streams then.
func TryGit(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-C", dir}, args...)...)
	cmd.Env = append(os.Environ(),
		"GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "TZ=UTC",
		"GIT_AUTHOR_NAME=Ada Byron", "GIT_AUTHOR_EMAIL=ada@acme.dev", "GIT_COMMITTER_NAME=Ada Byron", "GIT_COMMITTER_EMAIL=ada@acme.dev")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return string(out) + stderr.String(), err
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}
