package retro

import "testing"

// A line and the fact that it becomes say the same, whatever marks it.
func TestStatement(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"4. **Sync and PUSH everything** to remote": "syncandpusheverythingtoremote",
		"  - [x] Run `make test`.":                  "runmaketest",
		"* Keep 3 backups":                          "keep3backups",
		"### 2) Build":                              "2build",
		"> - Quote paths":                           "quotepaths",
		"2026 was long":                             "2026waslong",
		"":                                          "",
	} {
		if got := statement(line); got != want {
			t.Errorf("statement(%q) = %q, want %q", line, got, want)
		}
	}
}
