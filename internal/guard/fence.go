package guard

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// defang spoils what looks like one of our delimiters inside fenced text.
var defang = strings.NewReplacer("⟦", "[", "⟧", "]")

// Fence encloses untrusted text for a prompt. The delimiter is derived from
// the text by hash: the same text gives the same prompt, and a text that holds
// its own delimiter cannot be written. Brackets of the delimiter's kind inside
// the text become plain ones. The text must have passed [Scrub] and [Redact].
func Fence(label, text string) string {
	text = defang.Replace(text)
	label = Slug(label, 60)
	sum := sha256.Sum256([]byte(label + "\x00" + text))
	mark := hex.EncodeToString(sum[:16])
	end := "\n"
	if strings.HasSuffix(text, "\n") {
		end = ""
	}
	return fmt.Sprintf("⟦data %s %s⟧\n%s%s⟦end %s⟧\n", mark, label, text, end, mark)
}
