package gitcli_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo/gitcli"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

// operator writes a git configuration and makes it the one of this process.
func operator(t *testing.T, config string) (home string) {
	t.Helper()
	testkit.NeedGit(t)
	home = t.TempDir()
	if err := os.WriteFile(filepath.Join(home, "config"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("GIT_CONFIG_GLOBAL", filepath.Join(home, "config"))
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	return home
}

const helperConfig = "[credential]\n\thelper = \"!f() { cat >$HOME/asked; env >$HOME/env; echo username=ada; echo password=s3cret; }; f\"\n"

// TestFillAsksTheOperatorsHelper, and neither a repository that happens to be
// around nor a person; what git prints is traced nowhere.
func TestFillAsksTheOperatorsHelper(t *testing.T) {
	home := operator(t, helperConfig)
	hostile := t.TempDir()
	testkit.Git(t, hostile, "init", "-q")
	testkit.Git(t, hostile, "config", "credential.helper", "!touch "+filepath.Join(home, "pwned"))
	t.Chdir(hostile)
	t.Setenv("GIT_DIR", filepath.Join(hostile, ".git"))
	t.Setenv("GIT_TRACE", filepath.Join(home, "trace"))
	t.Setenv("GIT_ASKPASS", "/bin/echo")
	t.Setenv("RETROSWEEP_TOKEN", "not for helpers")
	answer, err := gitcli.Fill(context.Background(), gitcli.Question{"https", "git.acme.dev", "shop.git"})
	if err != nil || answer["username"] != "ada" || answer["password"] != "s3cret" {
		t.Errorf("Fill = %v, %v", answer, err)
	}
	asked, err := os.ReadFile(filepath.Join(home, "asked"))
	if err != nil || !strings.Contains(string(asked), "host=git.acme.dev") {
		t.Errorf("the helper was asked %q, %v", asked, err)
	}
	for _, file := range []string{"pwned", "trace"} {
		if _, err := os.Stat(filepath.Join(home, file)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s: %v", file, err)
		}
	}
	if env, _ := os.ReadFile(filepath.Join(home, "env")); strings.Contains(string(env), "not for helpers") {
		t.Error("the helper was given our token")
	}
}

func TestFillWithoutAnswer(t *testing.T) {
	operator(t, "")
	if answer, err := gitcli.Fill(context.Background(), gitcli.Question{"https", "git.acme.dev", ""}); err != nil || len(answer) != 0 {
		t.Errorf("no helper: %v, %v", answer, err)
	}
	if _, err := gitcli.Fill(context.Background(), gitcli.Question{"https", "git.acme.dev\nhost=evil.dev", ""}); err == nil {
		t.Error("a line end in the host was passed on")
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := gitcli.Fill(context.Background(), gitcli.Question{"https", "git.acme.dev", ""}); !errors.Is(err, gitcli.ErrNoGit) {
		t.Errorf("no git: %v", err)
	}
}

func TestFillEnds(t *testing.T) {
	operator(t, "[credential]\n\thelper = \"!f() { sleep 60; }; f\"\n")
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := gitcli.Fill(ctx, gitcli.Question{"https", "git.acme.dev", ""}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a helper that hangs: %v", err)
	}
}

func TestIndexPack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testkit.Git(t, dir, "init", "-q", ".")
	testkit.Git(t, dir, "commit", "-q", "--allow-empty", "-m", "one")
	testkit.Git(t, dir, "repack", "-adq")
	packs, err := filepath.Glob(filepath.Join(dir, ".git/objects/pack/*.pack"))
	if err != nil || len(packs) != 1 {
		t.Fatalf("%v, %v", packs, err)
	}
	index := filepath.Join(dir, "made.idx")
	if err := gitcli.IndexPack(context.Background(), packs[0], index); err != nil {
		t.Fatal(err)
	}
	made, _ := os.ReadFile(index)
	want, _ := os.ReadFile(strings.TrimSuffix(packs[0], "pack") + "idx")
	if len(made) == 0 || string(made) != string(want) {
		t.Error("the index differs from git's own")
	}
	if err := gitcli.IndexPack(context.Background(), filepath.Join(dir, "nothing"), index); err == nil {
		t.Error("a pack that is not there was indexed")
	}
}
