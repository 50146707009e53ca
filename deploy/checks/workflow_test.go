package checks

import (
	"io"
	"os"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
)

// lint is actionlint on one workflow: syntax, expressions, the inputs of known
// actions, and shellcheck on the scripts where it is installed.
func lint(t *testing.T, content []byte) []*actionlint.Error {
	t.Helper()
	linter, err := actionlint.NewLinter(io.Discard, &actionlint.LinterOptions{Shellcheck: "shellcheck"})
	if err != nil {
		t.Fatal(err)
	}
	found, err := linter.Lint("retrosweep.yml", content, nil)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestWorkflowPassesActionlint(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../github-actions/retrosweep.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range lint(t, content) {
		t.Error(e)
	}
	wrong := strings.Replace(string(content), "contents: write", "contents: writes", 1)
	if len(lint(t, []byte(wrong))) == 0 {
		t.Error("actionlint finds nothing wrong with the permission contents: writes")
	}
	unquoted := strings.Replace(string(content), `"$GITHUB_STEP_SUMMARY"`, `$GITHUB_STEP_SUMMARY`, 1)
	if len(lint(t, []byte(unquoted))) == 0 {
		t.Error("the scripts are not checked: shellcheck (of the package shellcheck) is missing")
	}
}
