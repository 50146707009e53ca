package proposal

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/guard"
	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// Prefix begins the name of every branch that is ours.
const Prefix = "retrosweep"

// UpkeepBranch is the one rolling branch for upkeep and applied edits.
const UpkeepBranch = Prefix + "/upkeep"

// maxBranch is the longest branch name: hosts and file systems cut longer ones.
const maxBranch = 80

// Slot names the one branch and pull request for a kind of change to a target
// path on a base branch of a repository.
func Slot(repository, base, kind, target string) string {
	return digest("slot", repository, base, kind, target)
}

// Content names what a proposal changes. Neither the day, nor the run, nor its
// cost are in it: the same edits found again tomorrow are the same content.
func Content(edits []knowledge.Edit) string {
	keys := make([]string, 0, len(edits)+1)
	keys = append(keys, "content")
	for _, e := range edits {
		keys = append(keys, EditKey(e))
	}
	return digest(keys...)
}

// EditKey names one edit regardless of its day. A rejection remembers it, so
// that a rejected edit does not come back in the company of others.
func EditKey(e knowledge.Edit) string {
	if !e.Date.IsZero() {
		day := e.Date.UTC().Format(time.DateOnly)
		for _, s := range []*string{&e.Text, &e.Value, &e.New, &e.Reason} {
			*s = strings.ReplaceAll(*s, day, "<day>")
		}
		e.Date = time.Time{}
	}
	b, err := json.Marshal(e)
	if err != nil { // strings and times always marshal; keep the hash total anyway
		b = fmt.Appendf(nil, "%#v", e)
	}
	return digest("edit", string(b))
}

// Branch returns retrosweep/<kind>/<slug>-<slot8>. Every character of it is
// [a-z0-9/-] whatever goes in, and it is at most 80 long.
func Branch(kind, slug, slot string) string {
	if kind = guard.Slug(kind, 20); kind == KindUpkeep { // the rolling branch has that name
		kind += "-edit"
	}
	head := Prefix + "/" + kind + "/"
	tail := "-" + shortSlot(slot)
	return head + guard.Slug(slug, maxBranch-len(head)-len(tail)) + tail
}

// Slug returns the part of a branch name that reminds people of a file.
func Slug(target string) string {
	base := path.Base(target)
	if strings.EqualFold(base, "SKILL.md") || strings.EqualFold(base, "README.md") {
		base = path.Base(path.Dir(target)) + "-" + base
	}
	return guard.Slug(strings.TrimSuffix(base, path.Ext(base)), maxBranch)
}

// shortSlot is the part of the slot that stands in the branch name; a slot
// that is no hash (never ours) is hashed first.
func shortSlot(slot string) string {
	if len(slot) < 8 || strings.Trim(slot, "0123456789abcdef") != "" {
		slot = digest(slot)
	}
	return slot[:8]
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// digest hashes fields so that no two lists of fields run together.
func digest(fields ...string) string {
	h := sha256.New()
	for _, f := range fields {
		_, _ = fmt.Fprintf(h, "%d:", len(f)) // a hash never fails
		_, _ = io.WriteString(h, f)
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}
