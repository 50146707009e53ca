package gitea_test

import (
	"fmt"
	"strings"
	"testing"

	sdk "code.gitea.io/sdk/gitea"

	"github.com/retrosweep/retrosweep/internal/forge/forgetest"
	"github.com/retrosweep/retrosweep/internal/forge/gitea/giteatest"
	"github.com/retrosweep/retrosweep/internal/proposal"
)

// TestMergeLater: the upkeep request merges by itself once the check that the base
// requires has passed; where none is required it waits for a person.
func TestMergeLater(t *testing.T) {
	t.Parallel()
	giteatest.Shared(t)
	for _, required := range []bool{false, true} {
		w := newWorld(t)
		ada := w.server.As(t, giteatest.Person)
		if required {
			if _, _, err := ada.CreateBranchProtection(giteatest.Person, w.name, sdk.CreateBranchProtectionOption{
				RuleName: "main", EnableStatusCheck: true, StatusCheckContexts: []string{"ci"},
			}); err != nil {
				t.Fatal(err)
			}
		}
		w.auto = "squash"
		x, err := w.forge(w.server.Tokens[giteatest.Bot]).Open(t.Context(), w.upkeep())
		if err != nil || x.Status != proposal.Open || required != (len(w.warns) == 0) {
			t.Fatalf("required %v: it is %+v, %v, warned %q", required, x, err, w.warns)
		}
		if !required {
			if !strings.Contains(w.warns[0], "requires no checks") || w.on(x.Branch).HasMerged {
				t.Errorf("without a check: %q", w.warns)
			}
			continue
		}
		if w.on(x.Branch).HasMerged {
			t.Error("it is merged before the check")
		}
		if _, _, err := ada.CreateStatus(giteatest.Person, w.name, x.Head.String(), sdk.CreateStatusOption{State: sdk.StatusSuccess, Context: "ci"}); err != nil {
			t.Fatal(err)
		}
		w.eventually(t, func() error {
			if pr := w.on(x.Branch); !pr.HasMerged {
				return fmt.Errorf("it is %s, and the check has passed", pr.State)
			}
			return nil
		})
	}
}

// upkeep is a proposal of that kind.
func (w *world) upkeep() proposal.Draft {
	w.t.Helper()
	slot := proposal.Slot("acme/shop", "main", proposal.KindUpkeep, "")
	d := proposal.Draft{
		Slot: slot, Kind: proposal.KindUpkeep, Branch: proposal.UpkeepBranch, Base: w.Base, Title: "docs: upkeep", Body: "body", Run: "r1", At: noon,
		Content: proposal.Content(nil), Files: []string{forgetest.File},
	}
	message := proposal.Message(d.Title, "", proposal.Trailers{Run: "r1", Slot: slot, Content: d.Content})
	var err error
	if d.Head, err = proposal.Commit(w.Repo, w.Base.Commit, map[string][]byte{forgetest.File: []byte("# x\n")}, message, proposal.DefaultIdentity, noon); err != nil {
		w.t.Fatal(err)
	}
	return d
}
