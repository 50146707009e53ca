package testkit

import (
	"errors"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// Owner is what the servers need of a testing.TB.
type Owner interface {
	TB
	Cleanup(f func())
	TempDir() string
}

// need skips a test where a program is missing; in CI (CI=true) it fails.
func need(t TB, what, install string, found bool) {
	t.Helper()
	switch {
	case found:
	case os.Getenv("CI") == "true":
		t.Fatalf("this test needs %s, which CI must have: apt-get install %s", what, install)
	default:
		t.Skip("this test needs " + what + ", which is not installed: apt-get install " + install)
	}
}

// GitServer is git's own smart HTTP server on a loopback port.
type GitServer struct {
	URL   string // http://127.0.0.1:port, to which a path below root is added
	Token string // what a client must send, as a password or as a bearer

	mu       sync.Mutex
	before   func(http.ResponseWriter, *http.Request) bool
	requests []string
}

// GitHTTP serves the bare repositories below root through git http-backend,
// for reading and writing, to who sends the token; the empty token lets
// everybody in. It ends with the test.
func GitHTTP(t Owner, root, token string) *GitServer {
	t.Helper()
	NeedGit(t)
	execPath, err := exec.Command("git", "--exec-path").Output()
	backend := filepath.Join(strings.TrimSpace(string(execPath)), "git-http-backend")
	_, statErr := os.Stat(backend)
	need(t, "git http-backend", "git", err == nil && statErr == nil)
	s := &GitServer{Token: token}
	s.URL = "http://" + serve(t, s.handler(&cgi.Handler{Path: backend, Dir: root, Env: backendEnv(root), Stderr: discard{}}))
	return s
}

// backendEnv is the environment of the server: no configuration but what a test
// writes into the repository itself.
func backendEnv(root string) []string {
	return []string{
		"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1", "REMOTE_USER=ada",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=" + os.DevNull, "LC_ALL=C",
		"GIT_CONFIG_COUNT=2", "GIT_CONFIG_KEY_0=http.receivepack", "GIT_CONFIG_VALUE_0=true",
		"GIT_CONFIG_KEY_1=safe.directory", "GIT_CONFIG_VALUE_1=*", "PATH=" + os.Getenv("PATH"),
	}
}

type discard struct{}

// Write drops what the server says about its tests.
func (discard) Write(b []byte) (int, error) { return len(b), nil }

// serve runs a handler until the test ends, and returns its address.
func serve(t Owner, h http.Handler) string {
	t.Helper()
	l := listen(t)
	server := &http.Server{Handler: h, ReadHeaderTimeout: time.Minute}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	t.Cleanup(func() {
		server.Close()
		if err := <-done; !errors.Is(err, http.ErrServerClosed) {
			t.Fatalf("serve: %v", err)
		}
	})
	return l.Addr().String()
}

func listen(t TB) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("listen: %v", err)
	}
	return l
}

// Before sets a function that sees each request first; it reports whether it
// has answered.
func (s *GitServer) Before(f func(http.ResponseWriter, *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before = f
}

// Requests are the requests so far, as "METHOD path".
func (s *GitServer) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.requests...)
}

func (s *GitServer) handler(backend http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		before := s.before
		s.requests = append(s.requests, r.Method+" "+r.URL.Path)
		s.mu.Unlock()
		switch {
		case before != nil && before(w, r):
		case s.allowed(r):
			backend.ServeHTTP(w, r)
		default:
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
		}
	})
}

func (s *GitServer) allowed(r *http.Request) bool {
	_, password, _ := r.BasicAuth()
	return s.Token == "" || password == s.Token || r.Header.Get("Authorization") == "Bearer "+s.Token
}
