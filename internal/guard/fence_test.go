package guard

import (
	"regexp"
	"strings"
	"testing"
)

func TestFence(t *testing.T) {
	t.Parallel()
	got := Fence("Commit Message", "fix: the thing\n")
	lines := strings.Split(got, "\n")
	if len(lines) != 4 || lines[1] != "fix: the thing" || lines[3] != "" {
		t.Fatalf("Fence = %q", got)
	}
	mark := regexp.MustCompile(`^⟦data ([0-9a-f]{32}) commit-message⟧$`).FindStringSubmatch(lines[0])
	if mark == nil || lines[2] != "⟦end "+mark[1]+"⟧" {
		t.Errorf("delimiters %q and %q do not belong together", lines[0], lines[2])
	}
	if again := Fence("Commit Message", "fix: the thing\n"); again != got {
		t.Error("the same text gives another fence")
	}
	if other := Fence("Commit Message", "fix: the thang\n"); strings.Contains(other, mark[1]) {
		t.Error("another text has the same delimiter")
	}
	if noEnd := Fence("x", "no line end"); !strings.Contains(noEnd, "no line end\n⟦end ") {
		t.Errorf("the end delimiter is not on its own line: %q", noEnd)
	}
}
