package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/cli"
	"github.com/retrosweep/retrosweep/internal/doctor"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
	"github.com/retrosweep/retrosweep/internal/llm/llmtest"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// examined is what the doctor said of a host.
type examined struct {
	code int
	line map[string]doctor.Line
	text string
}

func (h *host) doctor(args ...string) examined {
	h.t.Helper()
	disk := h.t.TempDir()
	var out, errs bytes.Buffer
	m := &cli.Main{
		Version: "test", Stdout: &out, Stderr: &errs,
		Getenv: func(name string) string {
			if v, ok := map[string]string{"RETROSWEEP_CACHE": filepath.Join(disk, "cache"), "HOME": disk}[name]; ok {
				return v
			}
			return h.env[name]
		},
		Clock: time.Now, IsTerm: func(io.Writer) bool { return false },
	}
	code := m.Run(context.Background(), append([]string{"doctor", "--format", "json"}, args...))
	x := examined{code: code, line: map[string]doctor.Line{}, text: out.String() + errs.String()}
	var doc struct{ Checks []doctor.Line }
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		h.t.Fatalf("doctor %q prints no JSON: %v\n%s", args, err, x.text)
	}
	for _, l := range doc.Checks {
		x.line[l.Name] = l
		if l.Status == doctor.Fail && l.Remedy == "" {
			h.t.Errorf("%s fails without a remedy: %s", l.Name, l.Detail)
		}
	}
	if strings.Contains(x.text, hostToken) || strings.Contains(x.text, githubfake.Token) {
		h.t.Error("the token is printed")
	}
	return x
}

func (x examined) expect(t *testing.T, code int, want map[string]doctor.Status) {
	t.Helper()
	if x.code != code {
		t.Errorf("exit %d, not %d:\n%s", x.code, code, x.text)
	}
	for name, status := range want {
		if x.line[name].Status != status {
			t.Errorf("%s is %+v, not %s", name, x.line[name], status)
		}
	}
}

func TestDoctorOverHTTP(t *testing.T) {
	t.Parallel()
	h := newHost(t, hostToken)
	before := h.refs()
	all := map[string]doctor.Status{"address": doctor.OK, "credential": doctor.OK, "read access": doctor.OK, "fetch": doctor.OK, "branch": doctor.OK, "history": doctor.OK, "push access": doctor.OK, "journal": doctor.OK, "clock": doctor.OK}
	x := h.doctor(h.url)
	x.expect(t, cli.ExitDone, all)
	if !strings.Contains(x.line["credential"].Detail, "RETROSWEEP_TOKEN") || x.line["push test"].Name != "" {
		t.Errorf("the credential is from %+v, and the push test is %+v", x.line["credential"], x.line["push test"])
	}
	all["push test"] = doctor.OK
	h.doctor(h.url, "--push-test").expect(t, cli.ExitDone, all)
	if after := h.refs(); len(after) != len(before) {
		t.Errorf("the doctor leaves %v", after)
	}

	h.env["RETROSWEEP_TOKEN"] = ""
	h.doctor(h.url).expect(t, cli.ExitFindings, map[string]doctor.Status{"credential": doctor.Warn, "read access": doctor.Fail, "fetch": ""})
	h.env["RETROSWEEP_TOKEN"] = "wrong"
	h.doctor(h.url).expect(t, cli.ExitFindings, map[string]doctor.Status{"credential": doctor.OK, "read access": doctor.Fail})
}

// A host may let everybody read, and not push.
func TestDoctorWhereAllMayRead(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.String(), "receive-pack") {
			w.Header().Set("WWW-Authenticate", `Basic realm="git"`)
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		forward(h.url).ServeHTTP(w, r)
	}))
	t.Cleanup(front.Close)
	url := front.URL + "/acme/shop.git"
	h.doctor(url).expect(t, cli.ExitDone, map[string]doctor.Status{"credential": doctor.Warn, "read access": doctor.OK, "push access": doctor.Warn})
	h.doctor(url, "--push-test").expect(t, cli.ExitFindings, map[string]doctor.Status{"push access": doctor.Fail, "push test": doctor.Fail})
}

func TestDoctorOfGitHubAndModel(t *testing.T) {
	t.Parallel()
	h := newHost(t, githubfake.Token)
	r, err := repo.Open(t.Context(), h.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	hub := githubfake.New(githubfake.Options{Repo: r})
	h.env["RETROSWEEP_GITHUB_API"] = hub.Start(t)
	h.env["GH_HOST"] = strings.TrimPrefix(strings.TrimSuffix(h.url, "/acme/shop.git"), "http://")
	model := httptest.NewServer(llmtest.NewServer("small", llmtest.Reply{Text: "{", FinishReason: "length"}))
	t.Cleanup(model.Close)

	x := h.doctor(h.url, "--model", "small", "--base-url", model.URL+"/v1")
	x.expect(t, cli.ExitDone, map[string]doctor.Status{"push access": doctor.OK, "GitHub account": doctor.OK, "GitHub permissions": doctor.OK, "model small": doctor.OK})
	if d := x.line["GitHub account"].Detail; !strings.Contains(d, githubfake.Bot.Login) || !strings.Contains(d, "RETROSWEEP_TOKEN") {
		t.Errorf("the account is %q", d)
	}
	h.env["RETROSWEEP_COMMITS"] = "api"
	h.doctor(h.url).expect(t, cli.ExitDone, map[string]doctor.Status{"GitHub signatures": doctor.Warn})
	hub.Tokens[githubfake.Token] = githubfake.User{Login: "retrosweep[bot]", ID: 1004, App: true}
	h.doctor(h.url).expect(t, cli.ExitDone, map[string]doctor.Status{"GitHub signatures": doctor.OK})
	if len(hub.Writes()) > 0 {
		t.Errorf("the doctor writes to the API: %v", hub.Writes())
	}
	h.doctor(h.url, "--model", "small", "--base-url", model.URL+"/v1").expect(t, cli.ExitFindings, map[string]doctor.Status{"model small": doctor.Fail})
	h.doctor(h.url, "--model", "small", "--base-url", "http://llm.example/v1").expect(t, cli.ExitFindings, map[string]doctor.Status{"model small": doctor.Fail})
}

func TestDoctorOfPathAndConfiguration(t *testing.T) {
	t.Parallel()
	h := newHost(t, "")
	h.doctor(h.dir).expect(t, cli.ExitDone, map[string]doctor.Status{"configuration": doctor.OK, "repository": doctor.OK, "git directory": doctor.OK, "clock": doctor.Unknown})
	// Nights are to push, and there is nowhere to.
	h.doctor(h.dir, "--push-test").expect(t, cli.ExitFindings, map[string]doctor.Status{"remote": doctor.Fail})
	file := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(file, []byte("modle: x\nlimits: {open: -1}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	x := h.doctor(h.dir, "--config", file)
	x.expect(t, cli.ExitFindings, map[string]doctor.Status{"configuration": doctor.Fail, "repository": doctor.OK})
	if strings.Count(x.line["configuration"].Detail, "config.yaml:") != 2 {
		t.Errorf("two faults are %q", x.line["configuration"].Detail)
	}
	h.env["RETROSWEEP_CONFIG"] = filepath.Join(filepath.Dir(file), "none.yaml")
	h.doctor(filepath.Join(h.dir, "none")).expect(t, cli.ExitFindings, map[string]doctor.Status{"configuration": doctor.Fail, "repository": doctor.Fail})
}
