package deploy_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/robfig/cron/v3"

	"github.com/retrosweep/retrosweep/internal/config"
)

const nightly = "30 4 * * *"

// Every way has the same clock, which the pages name once.
func TestOneSchedule(t *testing.T) {
	t.Parallel()
	if _, err := cron.ParseStandard(nightly); err != nil {
		t.Fatal(err)
	}
	cronJob(t).at("schedule").is(nightly)
	cronJob(t).at("timeZone").is("Etc/UTC")
	tree(t, "github-actions/retrosweep.yml").at("on", "schedule").list()[0].at("cron").is(nightly)
	if got := unit(t, "systemd/retrosweep@.timer")["OnCalendar"]; len(got) != 1 || got[0] != "*-*-* 04:30:00 UTC" {
		t.Errorf("OnCalendar=%q", got)
	}
	if line := crontabLine(t); !strings.HasPrefix(line, nightly+" retrosweep ") {
		t.Errorf("the crontab line begins %.40s", line)
	}
	for _, page := range []string{"gitlab-ci/README.md", "container/README.md", "cron/README.md"} {
		if !strings.Contains(read(t, page), nightly) {
			t.Errorf("%s does not name the schedule %s", page, nightly)
		}
	}
}

// crontabLine is the one line of the crontab that is a job.
func crontabLine(t *testing.T) string {
	t.Helper()
	return first(t, `(?m)^(\d.*)$`, read(t, "cron/retrosweep.crontab"))
}

func TestCrontabIsForDebiansCron(t *testing.T) {
	t.Parallel()
	file, line := read(t, "cron/retrosweep.crontab"), crontabLine(t)
	if !strings.HasSuffix(file, "\n") {
		t.Error("cron ignores a last line without a line break")
	}
	if strings.Contains(line, "%") {
		t.Error("cron takes % for a line break")
	}
	if len(line) > 998 {
		t.Errorf("the line has %d characters, cron takes 998", len(line))
	}
	if strings.Contains(file, "CRON_TZ=") {
		t.Error("Debian's cron knows no CRON_TZ")
	}
}

// The example files are configurations that the program takes.
func TestConfigurationsAreTaken(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"kubernetes/base/config.yaml", "kubernetes/overlays/example/config.yaml", "github-actions/config.yaml"} {
		o, err := config.LoadOperator(name, func(string) string { return "" })
		if err != nil || !o.Delivery.Push {
			t.Errorf("%s: push %v, %v", name, o.Delivery.Push, err)
		}
	}
	commented := regexp.MustCompile(`(?m)^# ((?:  )?[a-z_]+:.*)$`).ReplaceAllString(read(t, "github-actions/config.yaml"), "$1")
	path := t.TempDir() + "/config.yaml"
	write(t, path, commented)
	o, err := config.LoadOperator(path, func(string) string { return "" })
	if err != nil || o.Stages.Triage.Model == "" || o.LLM.APIKeyEnv != "LLM_KEY" {
		t.Errorf("with the marks taken away: %+v, %v", o.Stages, err)
	}
}

// Every variable of the settings' example is one that the program knows.
func TestSettingsAreKnown(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"RETROSWEEP_TOKEN": true, "LLM_KEY": true}
	for _, v := range config.Variables() {
		known[v.Name] = true
	}
	settings := regexp.MustCompile(`(?m)^#?([A-Z_]+)=(.*)$`).FindAllStringSubmatch(read(t, "shop.env.example"), -1)
	if len(settings) < 5 {
		t.Fatalf("%d settings", len(settings))
	}
	env := map[string]string{}
	for _, s := range settings {
		env[s[1]] = s[2]
		if !known[s[1]] {
			t.Errorf("shop.env.example sets %s, which nobody reads", s[1])
		}
		if strings.ContainsAny(s[2], ` "'$`) {
			t.Errorf("%s=%s is read otherwise by sh, systemd and docker", s[1], s[2])
		}
	}
	if _, err := config.LoadOperator("", func(name string) string { return env[name] }); err != nil {
		t.Error(err)
	}
}
