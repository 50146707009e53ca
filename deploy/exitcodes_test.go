package deploy_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/cli"
)

// forAPerson are the codes that a second try would not change.
var forAPerson = []int{cli.ExitFindings, cli.ExitUsage, cli.ExitPartial}

func TestKubernetesTriesPassingFaultsAgainAndNoOthers(t *testing.T) {
	t.Parallel()
	job := cronJob(t).at("jobTemplate", "spec")
	job.at("backoffLimit").is(1)
	actions := map[int]string{}
	for _, rule := range job.at("podFailurePolicy", "rules").list() {
		if !rule.has("onExitCodes") {
			rule.at("action").is("Ignore")
			continue
		}
		rule.at("onExitCodes", "operator").is("In")
		rule.at("onExitCodes", "containerName").is(container(t).at("name").text())
		for _, code := range rule.at("onExitCodes", "values").ints() {
			actions[code] = rule.at("action").text()
		}
	}
	want := map[int]string{cli.ExitPassing: "Count"}
	for _, code := range forAPerson {
		want[code] = "FailJob"
	}
	for code := range 256 {
		if actions[code] != want[code] {
			t.Errorf("exit code %d: %q, not %q", code, actions[code], want[code])
		}
	}
}

func TestSystemdTriesPassingFaultsAgainAndNoOthers(t *testing.T) {
	t.Parallel()
	service := unit(t, "systemd/retrosweep@.service")
	var prevented []string
	for _, code := range forAPerson {
		prevented = append(prevented, fmt.Sprint(code))
	}
	for key, want := range map[string]string{
		"SuccessExitStatus":        fmt.Sprint(cli.ExitDone),
		"Restart":                  "on-failure",
		"RestartPreventExitStatus": strings.Join(prevented, " "),
		"StartLimitBurst":          "2",
	} {
		if got := service[key]; !slices.Equal(got, []string{want}) {
			t.Errorf("%s=%q, not %s", key, got, want)
		}
	}
	if slices.Contains(prevented, fmt.Sprint(cli.ExitPassing)) {
		t.Error("a passing fault is not tried again")
	}
}

func TestGitLabTriesPassingFaultsAgainAndNoOthers(t *testing.T) {
	t.Parallel()
	job := tree(t, "gitlab-ci/retrosweep.gitlab-ci.yml").at("retrosweep")
	job.at("retry", "max").is(1)
	if got := job.at("retry", "exit_codes").ints(); !slices.Equal(got, []int{cli.ExitPassing}) {
		t.Errorf("%v are tried again", got)
	}
	if job.has("allow_failure") {
		t.Error("a failed night is shown as a good one")
	}
}

// The table of the chooser has a row for each code, in order.
func TestChooserTellsEveryCode(t *testing.T) {
	t.Parallel()
	page := read(t, "README.md")
	for code, says := range map[int]string{
		cli.ExitDone: "done", cli.ExitFindings: "findings", cli.ExitUsage: "usage",
		cli.ExitPassing: "a passing fault", cli.ExitPartial: "done in part",
	} {
		if !strings.Contains(page, fmt.Sprintf("| %d | %s", code, says)) {
			t.Errorf("no row for exit code %d, %s", code, says)
		}
	}
	if rows := strings.Count(page, "| failed | failed | red | red | mail |"); rows != len(forAPerson) {
		t.Errorf("%d codes are for a person, the page has %d rows like that", len(forAPerson), rows)
	}
}
