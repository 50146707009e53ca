package suggest

import "testing"

func TestNearest(t *testing.T) {
	t.Parallel()
	known := []string{"base_url", "timeout", "open", "usd"}
	for word, want := range map[string]string{
		"baseUrl": "base_url", "BASE-URL": "base_url", "timout": "timeout", "timeot": "timeout", "opne": "open", "opn": "open", "ust": "usd", "eur": "", "": "", "zzzzzzzz": "",
	} {
		if got := Nearest(word, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
