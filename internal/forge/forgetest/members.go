package forgetest

import (
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/forge"
)

// Author is who wrote a commit, as the host knows them.
type Author string

// Kinds of authors.
const (
	Owner    Author = "owner"
	Writer   Author = "writer"
	Reader   Author = "reader"
	Stranger Author = "stranger" // has an account, and nothing to do with the repository
	Gone     Author = "gone"     // had an account
	Nobody   Author = "nobody"   // has no account
)

// testMembers: who may write is told from who may not, in a dry run too, and
// reading writes nothing.
func testMembers(t *testing.T, w World) {
	members := forge.MembersOf(forge.ReadOnly(w.Forge))
	if w.Author == nil {
		if members != nil {
			t.Fatal("the forge has members, and the world makes none")
		}
		return
	}
	commits := map[Author]string{}
	for _, who := range []Author{Owner, Writer, Reader, Stranger, Gone, Nobody} {
		commits[who] = w.Author(t, who)
	}
	w.unchanged(t, func() {
		for who, commit := range commits {
			login, err := members.AuthorOf(t.Context(), commit)
			if err != nil || (login == "") != (who == Nobody) {
				t.Errorf("the account of the %s is %q, %v", who, login, err)
			}
			if login == "" {
				continue
			}
			if may, err := members.MayWrite(t.Context(), login); err != nil || may != (who == Owner || who == Writer) {
				t.Errorf("the %s may write: %t, %v", who, may, err)
			}
		}
		if login, err := members.AuthorOf(t.Context(), strings.Repeat("0123", 10)); err != nil || login != "" {
			t.Errorf("a commit that is not there is by %q, %v", login, err)
		}
	})
}
