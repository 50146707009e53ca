package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience is how long a script waits for a process that it started.
const patience = time.Minute

// await waits until a file, which another process writes, holds a text.
func await(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 2 {
		ts.Fatalf("usage: await FILE TEXT")
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	deadline := time.After(patience)
	for {
		b, err := os.ReadFile(ts.MkAbs(args[0]))
		if err == nil && strings.Contains(string(b), args[1]) {
			return
		}
		select {
		case <-tick.C:
		case <-deadline:
			ts.Fatalf("%s does not come to hold %q:\n%s", args[0], args[1], b)
		}
	}
}

// scrape asks the daemon whose log is given, and prints what it answers.
func scrape(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) != 3 {
		ts.Fatalf("usage: scrape LOG PATH FILE")
	}
	client := http.Client{Timeout: patience}
	res, err := client.Get("http://" + listening(ts, ts.ReadFile(args[0])) + args[1])
	ts.Check(err)
	body, err := io.ReadAll(res.Body)
	ts.Check(err)
	ts.Check(res.Body.Close())
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), append([]byte(res.Status+"\n"), body...), 0o644))
}

// listening finds the address in a daemon's log.
func listening(ts *testscript.TestScript, log string) string {
	for line := range strings.Lines(log) {
		var l struct{ Msg, Addr string }
		if json.Unmarshal([]byte(line), &l) == nil && l.Msg == "listening" {
			return l.Addr
		}
	}
	ts.Fatalf("the log names no address:\n%s", log)
	return ""
}
