package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/telemetry"
)

// secret prints a placeholder where a log asks it, and itself elsewhere.
type secret string

func (secret) LogValue() slog.Value { return slog.StringValue("(secret)") }

const (
	canaryShape = "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a" // found by its shape
	canaryNamed = "plain-word-of-mouth"                           // known by its variable
	canaryURL   = "hunter2hunter2"                                // in a URL's user information
)

func TestNoLineHoldsASecret(t *testing.T) {
	t.Parallel()
	for _, terminal := range []bool{false, true} {
		var out bytes.Buffer
		log := telemetry.NewLog(&out, telemetry.LogOptions{Level: slog.LevelDebug, Terminal: terminal, Secrets: []string{canaryNamed, "", "x"}})
		all := canaryShape + " " + canaryNamed + " https://bot:" + canaryURL + "@example.com/shop"
		log, id := telemetry.ForNight(log, "2026-11-30T04:30")
		id.Set("20261130-abcd")
		log.Info("message " + all)
		log.Info("string", "key", all)
		log.Warn("error", "error", fmt.Errorf("push: %w", errors.New(all)))
		log.Error("struct", "value", struct{ Token, Other string }{all, "x"})
		log.Debug("group", slog.Group("in", slog.String("token", all), slog.Any("err", errors.New(all))))
		log.With("kept", all).WithGroup("g").Info("with", "key", []string{all})
		log.Info("value", "token", secret("a-value-that-hides-itself"))
		for _, canary := range []string{canaryShape, canaryNamed, canaryURL, "a-value-that-hides-itself"} {
			if strings.Contains(out.String(), canary) {
				t.Errorf("terminal %v: the log holds %s:\n%s", terminal, canary, &out)
			}
		}
		if n := strings.Count(out.String(), "redacted"); n < 12 {
			t.Errorf("terminal %v: only %d places are redacted:\n%s", terminal, n, &out)
		}
	}
}

func TestALineCannotSteerATerminal(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	telemetry.NewLog(&out, telemetry.LogOptions{Terminal: true}).Info("title \x1b]0;owned\x07", "branch", "a\x1b[2Jb\u202e")
	if strings.ContainsAny(out.String(), "\x1b\x07\u202e") {
		t.Errorf("%q", out.String())
	}
}

func lines(t *testing.T, out *bytes.Buffer) []map[string]any {
	t.Helper()
	var all []map[string]any
	for line := range strings.Lines(out.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, m)
	}
	return all
}

func TestEveryLineOfANightNamesItAndItsRun(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log, id := telemetry.ForNight(telemetry.NewLog(&out, telemetry.LogOptions{}), "2026-11-30T04:30")
	log.Info("begins")
	log.Debug("step", "run", "")              // not known yet, and not written
	log.Debug("step", "run", "20261130-abcd") // not written either, but heard
	log.Info("calls a model")
	log.With("stage", "triage").Info("answers")
	log.Info("step", "run", "20261130-abcd")
	if id.String() != "20261130-abcd" {
		t.Errorf("the run is %q", id)
	}
	got := lines(t, &out)
	if len(got) != 4 {
		t.Fatalf("%d lines:\n%s", len(got), &out)
	}
	for i, m := range got {
		if m["night"] != "2026-11-30T04:30" {
			t.Errorf("line %d is of night %v", i, m["night"])
		}
		if run, want := m["run"], i > 0; (run == "20261130-abcd") != want {
			t.Errorf("line %d is of run %v", i, run)
		}
	}
	if strings.Count(out.String(), `"run"`) != 3 {
		t.Errorf("a line names its run twice:\n%s", &out)
	}
}
