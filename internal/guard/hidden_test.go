package guard

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHiddenKindsAndPlaces(t *testing.T) {
	t.Parallel()
	got := Hidden("ab\u200bc\n\u202edef\n\n\xff\U000E0041x\uFE0F\u3164\x1b")
	want := []HiddenRune{
		{0x200B, HiddenZeroWidth, 2, 1}, {0x202E, HiddenBidi, 7, 2}, {0xFFFD, HiddenInvalid, 15, 4},
		{0xE0041, HiddenTag, 16, 4}, {0xFE0F, HiddenVariation, 21, 4}, {0x3164, HiddenBlank, 24, 4}, {0x1B, HiddenControl, 27, 4},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHiddenLeavesWhatTextNeeds(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"plain, tabs\tand\r\nlines\n", "\uFEFF# with a mark at the beginning",
		"👩\u200d💻 👨🏽\u200d🚀 ❤\uFE0F 1\uFE0F\u20E3 ☎\uFE0E ‼\uFE0F 🏳\uFE0F\u200d🌈",
		"\U0001F3F4\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F", // Scotland
		"می\u200cخواهم", "क्\u200dष", "葛\U000E0100城市", "naïve façade, größer, 日本語, עברית, العربية", "e\u0301",
	} {
		if got := Hidden(text); len(got) > 0 {
			t.Errorf("Hidden(%q) = %v, want none", text, got)
		}
		if clean, n := Scrub(text); clean != text || n != 0 {
			t.Errorf("Scrub(%q) = %q, %d; want it unchanged", text, clean, n)
		}
	}
}

func TestHiddenIsNotNeededWhereNothingJoins(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"pass\u200dword", "👩\u200d", "\u200d💻", "👩\u200dx", "a\uFE0F", "❤\uFE0F\uFE0F", "葛\U000E0100\U000E0101",
		"\U0001F3F4\U000E0069\U000E0067\U000E006E\U000E006F\U000E0072\U000E0065\U000E007F", "x\uFEFF", "a\rb", "soft\u00adhyphen", "a\u2028b",
	} {
		if got := Hidden(text); len(got) == 0 {
			t.Errorf("Hidden(%q) found nothing", text)
		}
	}
}
