package measure

import (
	"testing"

	"github.com/retrosweep/retrosweep/internal/repo"
	"github.com/retrosweep/retrosweep/retro/signal"
)

// One commit alone promotes a rule only where a person said something in so many
// words. Few ordinary commits have such a signal: the others cannot, whatever a
// model answers.
func TestOrdinaryCommitsSayLittle(t *testing.T) {
	known := readCorrections(t)
	commits, explicit, outside := 0, 0, 0
	for name, ids := range ordinary(t, known) {
		r := open(t, name)
		if r == nil {
			continue
		}
		for _, id := range ids {
			commits++
			said, free := false, false
			for _, s := range extract(t, r, []repo.Commit{commit(t, r, id)}, signal.Options{}) {
				said = said || s.Explicit
				free = free || s.Explicit && s.Class != signal.Instruction
			}
			if said {
				explicit++
			}
			if free {
				outside++
				t.Logf("%s %.10s", name, id)
			}
		}
	}
	t.Logf("%d of %d ordinary commits have an explicit signal; in %d of them it is not in an instruction file, where the rule stands already", explicit, commits, outside)
	if commits == 0 {
		t.Fatal("no commit was read")
	}
}
