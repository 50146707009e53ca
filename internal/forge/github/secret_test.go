package github_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge/github"
	"github.com/retrosweep/retrosweep/internal/forge/github/githubfake"
)

// canary is the token of these tests: it may stand in one header alone.
const canary = githubfake.Token

// shows reports whether a text holds the canary, in any of the ways that verbs
// print one.
func shows(text string) bool {
	hex := fmt.Sprintf("%x", canary)
	return strings.Contains(text, canary) || strings.Contains(strings.ToLower(text), hex) || strings.Contains(text, canary[4:])
}

// TestTokenStaysInItsHeader runs all there is against a host that echoes what it
// gets, as proxies do, and looks at every sink.
func TestTokenStaysInItsHeader(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *githubfake.Options, o *github.Options) {
		o.Auto, o.Policy = "squash", github.Policy{Reviewers: []string{"ada"}}
	})
	var sinks bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&sinks, &slog.HandlerOptions{Level: slog.LevelDebug}))
	say := func(err error) {
		logger.Error("it failed", "err", err)
		fmt.Fprintf(&sinks, "%v %+v %#v\n", err, err, err)
	}
	w.life(say)
	echo := fmt.Sprintf(`{"message":"bad header Authorization: Bearer %s","errors":[{"code":"custom","message":%q}]}`, canary, canary)
	for _, f := range []githubfake.Fault{
		{Status: 400, Body: echo}, {Status: 401, Body: echo}, {Status: 422, Body: echo}, {Status: 503, Body: echo}, {Status: 200, Body: echo},
		{Status: 200, HTML: true, Body: "<p>" + canary}, {Status: 301, Header: map[string]string{"Location": "http://evil.dev/?t=1"}},
		{Method: "PATCH", Status: 500, Body: echo}, {Method: "POST", Status: 403, Body: echo}, {Path: "labels|reviewers|graphql", Status: 500, Body: echo},
	} {
		w.fake.Heal()
		w.fake.Inject(f)
		w.life(say)
	}
	for _, r := range w.fake.Requests() {
		checkToken(t, r)
	}
	w.fake.Heal()
	connection := w.dial(canary)
	fmt.Fprintf(&sinks, "%v %+v %#v %q", connection, *connection, connection.Credential, w.warns)
	s, err := json.Marshal(connection.Credential)
	if err != nil {
		t.Fatal(err)
	}
	if out := sinks.String() + string(s) + strings.Join(w.warns, "\n"); shows(out) || len(w.warns) == 0 || !strings.Contains(out, "[secret]") {
		t.Errorf("the token shows, or nothing was said:\n%.3000s", out)
	}
	for _, p := range w.fake.Pulls() {
		if shows(fmt.Sprintf("%+v", p)) {
			t.Errorf("the token stands in pull request %d", p.Number)
		}
	}
}

// life opens, updates, lists and closes, whatever comes of it.
func (w *world) life(say func(error)) {
	ctx := w.t.Context()
	x, err := w.Forge.Open(ctx, w.draft("upkeep", "Seed the clock."))
	say(err)
	if all, err := w.Forge.List(ctx, w.Base); len(all) > 0 {
		say(err)
		x = all[0]
	}
	_, err = w.Forge.Update(ctx, x, w.draft("upkeep", "Seed the clock.", "And the dice."))
	say(err)
	say(w.Forge.Close(ctx, x, "obsolete"))
	_, err = github.Dial(ctx, github.DialOptions{APIURL: w.api, Clock: w.clock, Env: env{"RETROSWEEP_TOKEN": canary}.get})
	say(err)
}

// checkToken fails the test when a request holds the token outside its header.
func checkToken(t *testing.T, r githubfake.Request) {
	t.Helper()
	if got := r.Header.Get("Authorization"); got != "Bearer "+canary {
		t.Errorf("%s %s is not signed as it should be", r.Method, r.Path)
	}
	header := http.Header(r.Header).Clone()
	header.Del("Authorization")
	if shows(fmt.Sprint(header, r.Path, r.Query, r.Body)) {
		t.Errorf("the token stands in %s %s", r.Method, r.Path)
	}
}
