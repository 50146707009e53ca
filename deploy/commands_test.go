package deploy_test

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/cli"
)

// call is retrosweep with a command, as a binary or as an image.
var call = regexp.MustCompile(`retrosweep(?::[\w.]+)?"? (run|serve|status|doctor|init|demo|version)\b(.*)`)

// commands are the command lines of retrosweep in the deploy files and pages.
func commands(t *testing.T) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, name := range files(t) {
		text := strings.ReplaceAll(read(t, name), "\\\n", " ")
		for _, m := range call.FindAllStringSubmatch(text, -1) {
			out[name+": "+m[1]+m[2]] = m[1] + m[2]
		}
	}
	return out
}

// Each command line is one that the program takes: --help answers before
// anything is run, and an unknown flag answers before --help.
func TestCommandLinesAreTaken(t *testing.T) {
	t.Parallel()
	lines := commands(t)
	args := []string{}
	for _, a := range container(t).at("args").list() {
		args = append(args, a.text())
	}
	lines["CronJob"] = strings.Join(args, " ")
	lines["unit"] = strings.TrimPrefix(unit(t, "systemd/retrosweep@.service")["ExecStart"][0], "/usr/local/bin/retrosweep ")
	if len(lines) < 15 {
		t.Fatalf("%d command lines found: %q", len(lines), lines)
	}
	for where, line := range lines {
		args := flags(line)
		code, said := help(t, args)
		if code != cli.ExitDone || !strings.Contains(said, "retrosweep "+args[0]+" ") {
			t.Errorf("%s: %q is not taken: exit %d: %s", where, args, code, said)
		}
	}
	if code, _ := help(t, []string{"run", "--aply"}); code != cli.ExitUsage {
		t.Errorf("a misspelt flag exits with %d", code)
	}
}

// flags keeps the command and its flags up to where the shell's words begin; a
// flag that takes a value gets one that it takes.
func flags(line string) []string {
	values := map[string]string{
		"--format": "json", "--output": "x", "--listen": "127.0.0.1:0", "--schedule": nightly, "--repo": "x", "--dir": "x",
	}
	words := strings.Fields(line)
	out := []string{strings.TrimRight(words[0], "`,.")}
	for _, w := range words[1:] {
		switch {
		case strings.ContainsAny(w, "|;'#`)") && !strings.HasPrefix(w, "$("):
			return out
		case values[w] != "":
			out = append(out, w, values[w])
		case strings.HasPrefix(w, "-"):
			out = append(out, w)
		}
	}
	return out
}

func help(t *testing.T, args []string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	m := &cli.Main{
		Version: "test", Stdout: &out, Stderr: &out,
		Getenv: func(string) string { return "" },
		Clock:  func() time.Time { return time.Date(2026, 11, 30, 4, 30, 0, 0, time.UTC) },
		IsTerm: func(io.Writer) bool { return false },
	}
	return m.Run(context.Background(), append(args, "--help")), out.String()
}
