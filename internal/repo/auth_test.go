package repo_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
	"github.com/retrosweep/retrosweep/internal/repo/remote"
	"github.com/retrosweep/retrosweep/internal/testkit"
)

func tryClone(t *testing.T, o repo.RemoteOptions) error {
	t.Helper()
	r, _, err := repo.Sync(context.Background(), filepath.Join(t.TempDir(), "cache"), o)
	if err == nil {
		r.Close()
	}
	return err
}

func variables(env map[string]string) credentials.Auth {
	return credentials.FromEnvironment(func(name string) string { return env[name] })
}

func TestTokens(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	tests := []struct {
		auth credentials.Auth
		want error
		text string
	}{
		{variables(map[string]string{"RETROSWEEP_TOKEN": canary}), nil, ""},
		{credentials.Auth{}, remote.ErrAuth, "RETROSWEEP_TOKEN"},
		{credentials.Auth{}, credentials.ErrNone, "ssh-agent"},
		{variables(map[string]string{"RETROSWEEP_TOKEN": "wrong"}), remote.ErrAuth, "sent that of RETROSWEEP_TOKEN"},
		{variables(map[string]string{"GITHUB_TOKEN": canary, "GH_TOKEN": canary}), credentials.ErrNone, "for a GitHub host"},
		{credentials.From(func(context.Context, *url.URL) (credentials.Credential, bool, error) {
			return credentials.Credential{}, false, errors.New("the vault is sealed")
		}), nil, "the vault is sealed"},
	}
	for _, test := range tests {
		o.options.Auth = test.auth
		err := tryClone(t, o.options)
		if test.want != nil && !errors.Is(err, test.want) || (err == nil) != (test.text == "") || err != nil && !strings.Contains(err.Error(), test.text) {
			t.Errorf("%v\nwant %v with %q", err, test.want, test.text)
		}
	}
}

// TestSecondSource is asked only when the host refuses, and then once.
func TestSecondSource(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	asked := 0
	second := func(secret string) credentials.Source {
		return func(context.Context, *url.URL) (credentials.Credential, bool, error) {
			asked++
			return credentials.Credential{Username: "ada", Secret: credentials.NewSecret(secret), Source: "the helper"}, true, nil
		}
	}
	tests := []struct {
		auth credentials.Auth
		asks int
		ok   bool
	}{
		{credentials.Auth{}.Then(second(canary)), 1, true},
		{token("expired").Then(second(canary)), 1, true},
		{token(canary).Then(second("worse")), 0, true},
		{token("expired").Then(second("expired too")), 1, false},
	}
	for i, test := range tests {
		asked, o.options.Auth = 0, test.auth
		err := tryClone(t, o.options)
		if asked != test.asks || (err == nil) != test.ok || err != nil && !strings.Contains(err.Error(), "the helper") {
			t.Errorf("case %d: asked %d times, %v", i, asked, err)
		}
	}
}

// TestBearer: a host that takes tokens in that form alone gets them so.
func TestBearer(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	o.server.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.Header.Get("Authorization"), "Bearer ") {
			return false
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="git"`)
		w.WriteHeader(http.StatusUnauthorized)
		return true
	})
	if err := tryClone(t, o.options); err != nil {
		t.Error(err)
	}
}

// TestRedirects: to another place on the host they are followed, with the
// token; to another host they are not, and it never sees a request.
func TestRedirects(t *testing.T) {
	t.Parallel()
	o := serveOrigin(t, three)
	var elsewhere []string
	other := testkit.GitHTTP(t, t.TempDir(), "")
	other.Before(func(w http.ResponseWriter, r *http.Request) bool {
		elsewhere = append(elsewhere, r.Header.Get("Authorization"))
		w.WriteHeader(http.StatusNotFound)
		return true
	})
	to := ""
	o.server.Before(func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasPrefix(r.URL.Path, "/old.git") {
			return false
		}
		http.Redirect(w, r, to+strings.Replace(r.URL.String(), "/old.git", "/shop.git", 1), http.StatusMovedPermanently)
		return true
	})
	o.options.URL = o.server.URL + "/old.git"
	if err := tryClone(t, o.options); err != nil {
		t.Errorf("a renamed repository: %v", err)
	}
	for _, to = range []string{other.URL, strings.Replace(other.URL, "127.0.0.1", "localhost", 1), "https://127.0.0.1:1"} {
		err := tryClone(t, o.options)
		if !errors.Is(err, remote.ErrRedirect) || len(elsewhere) > 0 {
			t.Errorf("redirect to %s: %v; it saw %q", to, err, elsewhere)
		}
	}
}

// TestCanary: whatever a host answers, the token it was sent, echoed in every
// form, is in no error, no progress line and no log.
func TestCanary(t *testing.T) {
	o := serveOrigin(t, three)
	r, _ := syncMirror(t, filepath.Join(t.TempDir(), "cache"), o.options)
	main := resolve(t, r, "main")
	work := commitOn(t, r, main, "work")
	for _, trace := range []string{"GIT_TRACE", "GIT_TRACE_PACKET", "GIT_CURL_VERBOSE", "GIT_TRACE_CURL"} {
		t.Setenv(trace, "1")
	}
	var sink bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&sink, nil))
	o.options.Progress = func(s string) { fmt.Fprintln(&sink, s) }
	old := os.Stderr
	file, err := os.Create(filepath.Join(t.TempDir(), "stderr"))
	if err != nil {
		t.Fatal(err)
	}
	os.Stderr = file
	defer func() { os.Stderr = old }()

	for name, answer := range echoes() {
		o.server.Before(answer)
		_, fetchErr := r.Fetch(context.Background(), repo.RemoteOptions{URL: o.options.URL, Auth: o.options.Auth, Progress: o.options.Progress})
		cloneErr := tryClone(t, o.options)
		pushErr := r.Push(context.Background(), o.options, []repo.RefUpdate{{Name: journalRef, New: work}})
		for _, err := range []error{fetchErr, cloneErr, pushErr} {
			if err == nil && name != "pack" {
				t.Errorf("%s: no error", name)
			}
			for ; err != nil; err = errors.Unwrap(err) {
				fmt.Fprintf(&sink, "%v %+v %#v %q\n", err, err, err, err)
				log.Error("failed", "error", err, "options", o.options)
			}
		}
	}
	fmt.Fprintf(&sink, "%v %+v %#v", o.options, o.options, o.options)
	if b, err := json.Marshal(fmt.Sprint(o.options)); err == nil {
		sink.Write(b)
	}
	traced, err := os.ReadFile(file.Name())
	if err != nil {
		t.Fatal(err)
	}
	sink.Write(traced)
	for _, form := range canaryForms() {
		if i := strings.Index(sink.String(), form); i >= 0 {
			t.Errorf("the token got out: …%s…", sink.String()[max(0, i-200):min(sink.Len(), i+80)])
		}
	}
	if !strings.Contains(sink.String(), "‹secret›") {
		t.Error("no answer was repeated at all, so nothing was proved")
	}
	leftInFiles(t, r.Path())
}

// canaryForms are the forms in which the token could be repeated.
func canaryForms() []string {
	return []string{canary, base64.StdEncoding.EncodeToString([]byte("x-access-token:" + canary)), base64.StdEncoding.EncodeToString([]byte(canary))}
}

// echoes are answers of a host that repeat what it was sent, at every place
// where a host can say something.
func echoes() map[string]func(http.ResponseWriter, *http.Request) bool {
	forms := canaryForms()
	echo := "Authorization: Basic " + strings.Join(forms, " ")
	line := func(band byte) string {
		text := string(band) + "remote says " + echo + "\n"
		return fmt.Sprintf("%04x%s", len(text)+4, text)
	}
	errLine := "ERR " + echo
	answers := map[string]func(w http.ResponseWriter, q *http.Request) bool{
		"advertisement": func(w http.ResponseWriter, _ *http.Request) bool { fmt.Fprint(w, echo); return true },
		"ERR line": func(w http.ResponseWriter, _ *http.Request) bool {
			fmt.Fprintf(w, "%04x%s", len(errLine)+4, errLine)
			return true
		},
		"redirect": func(w http.ResponseWriter, q *http.Request) bool {
			http.Redirect(w, q, "https://"+forms[0]+"/"+forms[1], http.StatusFound)
			return true
		},
		"pack": func(w http.ResponseWriter, q *http.Request) bool {
			if q.Method != http.MethodPost {
				return false
			}
			fmt.Fprint(w, "0008NAK\n"+line(2)+line(3))
			return true
		},
	}
	for _, status := range []int{400, 401, 403, 404, 429, 500, 503} {
		answers[fmt.Sprint(status)] = func(w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("WWW-Authenticate", "Basic realm=\""+echo+"\"")
			w.WriteHeader(status)
			fmt.Fprint(w, echo)
			return true
		}
	}
	return answers
}

// leftInFiles looks for the token in a clone.
func leftInFiles(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte(canary)) {
			t.Errorf("the token is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sshOrigin is a bare repository behind sshd.
func sshOrigin(t *testing.T) (*repo.Repo, *testkit.SSHServer, repo.RemoteOptions) {
	t.Helper()
	origin := build(t, forked)
	s := testkit.SSHD(t)
	return origin, s, repo.RemoteOptions{URL: s.URL + origin.Path(), SSHKey: s.Key, KnownHosts: s.KnownHosts}
}

func TestSSH(t *testing.T) {
	t.Parallel()
	origin, _, options := sshOrigin(t)
	r, res := syncMirror(t, filepath.Join(t.TempDir(), "cache"), options)
	main := resolve(t, origin, "main")
	if res.HEADBranch != "main" || resolve(t, r, "main") != main {
		t.Errorf("clone over ssh: %+v", res)
	}
	work := commitOn(t, r, main, "work")
	updates := []repo.RefUpdate{{Name: journalRef, New: work}, {Name: "refs/heads/main", Old: main, New: work}}
	if err := r.Push(context.Background(), options, updates); err != nil {
		t.Fatal(err)
	}
	if err := r.Push(context.Background(), options, updates); !errors.Is(err, repo.ErrRefMoved) {
		t.Errorf("the same push again: %v", err)
	}
	newer := commitOn(t, origin, work, "newer")
	setRef(t, origin, "refs/heads/main", newer)
	if res, err := r.Fetch(context.Background(), options); err != nil || resolve(t, r, "main") != newer || len(res.Changed) != 2 {
		t.Errorf("fetch over ssh: %+v, %v", res, err)
	}
}

func TestSSHRefusals(t *testing.T) {
	t.Parallel()
	_, s, options := sshOrigin(t)
	other := testkit.SSHD(t)
	missing := options
	missing.KnownHosts = filepath.Join(t.TempDir(), "none")
	var hostKey *repo.HostKeyError
	err := tryClone(t, missing)
	if !errors.As(err, &hostKey) || hostKey.Changed || hostKey.Line != s.HostLine || !strings.Contains(err.Error(), s.HostLine) || !strings.Contains(err.Error(), "SHA256:") {
		t.Errorf("unknown host: %v", err)
	}
	writeFile(t, missing.KnownHosts, hostKey.Line+"\n")
	if err := tryClone(t, missing); err != nil {
		t.Errorf("with the line that the error gave: %v", err)
	}
	_, wrong, _ := strings.Cut(other.HostLine, " ")
	host, _, _ := strings.Cut(s.HostLine, " ")
	writeFile(t, missing.KnownHosts, host+" "+wrong+"\n")
	if err := tryClone(t, missing); !errors.As(err, &hostKey) || !hostKey.Changed {
		t.Errorf("changed host key: %v", err)
	}
	stranger := options
	stranger.SSHKey = other.Key
	if err := tryClone(t, stranger); !errors.Is(err, remote.ErrAuth) {
		t.Errorf("a key that the host does not know: %v", err)
	}
	stranger.SSHKey = filepath.Join(t.TempDir(), "none")
	if err := tryClone(t, stranger); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a key file that is not there: %v", err)
	}
	gone := options
	gone.URL = s.URL + "/no/such/repository"
	if err := tryClone(t, gone); !errors.Is(err, remote.ErrNotFound) {
		t.Errorf("no such repository: %v", err)
	}
}

// TestSSHAgent logs in with a key that only the agent has.
func TestSSHAgent(t *testing.T) {
	_, s, options := sshOrigin(t)
	options.SSHKey = ""
	t.Setenv("HOME", t.TempDir())
	t.Setenv("SSH_AUTH_SOCK", "")
	if err := tryClone(t, options); !errors.Is(err, remote.ErrAuth) || !strings.Contains(err.Error(), "ssh-agent") {
		t.Errorf("no agent and no key: %v", err)
	}
	t.Setenv("SSH_AUTH_SOCK", testkit.SSHAgent(t, s.Key))
	if err := tryClone(t, options); err != nil {
		t.Errorf("key from the agent: %v", err)
	}
	t.Setenv("SSH_AUTH_SOCK", "")
	home := t.TempDir()
	t.Setenv("HOME", home)
	key, err := os.ReadFile(s.Key)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(home, ".ssh/id_ed25519"), string(key))
	if err := tryClone(t, options); err != nil {
		t.Errorf("key from ~/.ssh: %v", err)
	}
}
