package night

import "testing"

// TestSteady: an error that names a commit, a day or a request reads the same on
// any night; branches, numbers and words stay.
func TestSteady(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"push: 0123456789abcdef0123456789abcdef01234567 is refused\n  at 2026-11-30T04:30:00Z": "push: … is refused at …",
		"request 1C0E:3F2A:11B2 failed on 2026-11-30":                                          "request … failed on …",
		"retrosweep/memory/bake is not ours: 3 files, 404":                                     "retrosweep/memory/bake is not ours: 3 files, 404",
	} {
		if got := steady(in); got != want {
			t.Errorf("steady(%q) = %q, not %q", in, got, want)
		}
	}
}
