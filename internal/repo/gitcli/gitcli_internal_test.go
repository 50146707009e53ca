package gitcli

import (
	"os"
	"slices"
	"testing"
)

func TestEnvironment(t *testing.T) {
	t.Parallel()
	got := environment([]string{"PATH=/bin", "GIT_DIR=x", "GIT_TRACE_CURL=1", "GIT_CURL_VERBOSE=1", "GIT_SSH_COMMAND=x", "GIT_CONFIG_GLOBAL=/g",
		"GIT_CONFIG_PARAMETERS='a'", "SSH_ASKPASS=x", "RETROSWEEP_TOKEN=t", "HOME=/h"})
	want := []string{"PATH=/bin", "GIT_CONFIG_GLOBAL=/g", "HOME=/h", "GIT_DIR=" + os.DevNull, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=",
		"SSH_ASKPASS=", "GCM_INTERACTIVE=never", "LC_ALL=C"}
	if !slices.Equal(got, want) {
		t.Errorf("environment\n%q\nwant\n%q", got, want)
	}
}
