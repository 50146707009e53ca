package sweep

import (
	"testing"

	"github.com/retrosweep/retrosweep/sweep/expire"
)

func TestBoxIn(t *testing.T) {
	t.Parallel()
	const list = "# Tasks\r\n\r\n- [ ] Ship the **limiter**\r\n- [x] Move the `queue` to the [broker](docs/b.md)\n  * [X] Twice\n  * [ ] Twice\n1. [x] Numbered\n- [ ] Ship the limiter to staging\n- not a box\n"
	for text, want := range map[string]expire.TaskState{
		"Ship the limiter":             expire.Open,
		"ship the  limiter to STAGING": expire.Open,
		"Move the queue to the broker": expire.Completed,
		"the queue":                    expire.Completed,
		"Numbered":                     expire.Completed,
		"limiter":                      expire.Missing, // two lines hold it
		"Twice":                        expire.Missing,
		"not a box":                    expire.Missing,
		"nothing":                      expire.Missing,
	} {
		if got, _ := boxIn(list, text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}
