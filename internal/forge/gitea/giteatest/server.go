// Package giteatest owns a real Gitea for tests: it starts the server that is
// found on this machine, and is skipped where there is none.
//
// A real Gitea is the test of its adapter, and it builds from its Go module. It is
// started where RETROSWEEP_TEST_GITEA names it. Forgejo speaks the same API and is
// not started here.
package giteatest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"code.gitea.io/sdk/gitea"
)

// Where the server is found: a binary (default: gitea on the path), and the
// folder with its templates where they are not built in.
const (
	EnvBinary = "RETROSWEEP_TEST_GITEA"
	EnvStatic = "RETROSWEEP_TEST_GITEA_STATIC"
)

// The accounts of the server: a person who owns everything, and our own.
const (
	Person = "ada"
	Bot    = "retrosweep"
)

// Server is a running server.
type Server struct {
	URL    string            // with a slash at the end
	Tokens map[string]string // by login
	dir    string
	cmd    *exec.Cmd
}

var shared struct {
	sync.Once
	server *Server
	err    error
}

// Shared returns the one server of a test binary, started at the first call. The
// test is skipped where no binary is found. [Stop] ends it.
func Shared(t testing.TB) *Server {
	t.Helper()
	binary := os.Getenv(EnvBinary)
	if binary == "" {
		binary, _ = exec.LookPath("gitea")
	}
	if binary == "" {
		t.Skip("no Gitea: name the server's binary in " + EnvBinary + " to test against a real one")
	}
	shared.Do(func() { shared.server, shared.err = start(binary) })
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.server
}

// Stop ends the shared server and removes what it kept.
func Stop() {
	s := shared.server
	if s == nil {
		return
	}
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Kill()
		_ = s.cmd.Wait()
	}
	_ = os.RemoveAll(s.dir)
}

const settings = `RUN_MODE = prod
I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true
WORK_PATH = %[1]s
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = %[2]d
ROOT_URL = http://127.0.0.1:%[2]d/
DISABLE_SSH = true
OFFLINE_MODE = true
%[3]s
[database]
DB_TYPE = sqlite3
PATH = %[1]s/gitea.db
[repository]
ROOT = %[1]s/repositories
DEFAULT_BRANCH = main
[security]
INSTALL_LOCK = true
SECRET_KEY = %[4]s
PASSWORD_HASH_ALGO = pbkdf2$1000$50
[oauth2]
ENABLED = false
JWT_SECRET = %[4]s
[indexer]
ISSUE_INDEXER_TYPE = db
[cron]
ENABLED = false
[actions]
ENABLED = false
[log]
MODE = file
LEVEL = error
`

func start(binary string) (*Server, error) {
	dir, err := os.MkdirTemp("", "gitea")
	if err != nil {
		return nil, fmt.Errorf("start gitea: %w", err)
	}
	s := &Server{dir: dir, Tokens: map[string]string{}}
	if err := s.begin(binary); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "log", "gitea.log")) //nolint:gosec // the server's own
		return s, fmt.Errorf("start gitea: %w\n%s", err, log)
	}
	return s, nil
}

func (s *Server) begin(binary string) error {
	port, err := freePort()
	if err != nil {
		return err
	}
	s.URL = fmt.Sprintf("http://127.0.0.1:%d/", port)
	static := ""
	if at := os.Getenv(EnvStatic); at != "" {
		static = "STATIC_ROOT_PATH = " + at
	}
	config := filepath.Join(s.dir, "app.ini")
	if err := os.WriteFile(config, fmt.Appendf(nil, settings, s.dir, port, static, rand.Text()+rand.Text()), 0o600); err != nil {
		return err
	}
	run := func(args ...string) (string, error) {
		c := exec.Command(binary, append(args, "--config", config)...) //nolint:gosec,noctx // the tester names it
		c.Dir, c.Env = s.dir, append(os.Environ(), "HOME="+s.dir)
		out, err := c.CombinedOutput()
		if err != nil {
			err = fmt.Errorf("%s: %w: %s", args, err, out)
		}
		return string(out), err
	}
	if _, err := run("migrate"); err != nil {
		return err
	}
	for _, login := range []string{Person, Bot} {
		if _, err := run("admin", "user", "create", "--username", login, "--random-password", "--must-change-password=false", "--email", login+"@acme.dev"); err != nil {
			return err
		}
		out, err := run("admin", "user", "generate-access-token", "--username", login, "--scopes", "all", "--raw")
		if err != nil {
			return err
		}
		lines := strings.Fields(out)
		s.Tokens[login] = lines[len(lines)-1]
	}
	s.cmd = exec.Command(binary, "web", "--config", config) //nolint:gosec,noctx // as above
	s.cmd.Dir, s.cmd.Env = s.dir, append(os.Environ(), "HOME="+s.dir)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	return Eventually(func() error {
		resp, err := http.Get(s.URL + "api/healthz") //nolint:noctx // a test's
		if err == nil {
			err = resp.Body.Close()
		}
		return err
	})
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's
	if err != nil {
		return 0, err
	}
	return l.Addr().(*net.TCPAddr).Port, l.Close()
}

// Eventually repeats what the server does in its own time until it is true, for
// a minute.
func Eventually(f func() error) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := f()
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("after a minute still: %w", err)
		}
	}
}

// As is a client of one account.
func (s *Server) As(t testing.TB, login string) *gitea.Client {
	t.Helper()
	c, err := gitea.NewClient(s.URL, gitea.SetToken(s.Tokens[login]), gitea.SetGiteaVersion(""))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Repository makes an empty repository of the person's, where our account may
// write.
func (s *Server) Repository(t testing.TB, name string) {
	t.Helper()
	ada := s.As(t, Person)
	if _, _, err := ada.CreateRepo(gitea.CreateRepoOption{Name: name, DefaultBranch: "main"}); err != nil {
		t.Fatal(err)
	}
	write := gitea.AccessModeWrite
	if _, err := ada.AddCollaborator(Person, name, Bot, gitea.AddCollaboratorOption{Permission: &write}); err != nil {
		t.Fatal(err)
	}
}
