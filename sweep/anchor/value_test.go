package anchor

import (
	"fmt"
	"strings"
	"testing"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

func readFacts(text string, read func(r *Reader, f *knowledge.Fact) []Candidate) string {
	d := knowledge.Parse("CLAUDE.md", []byte(text), knowledge.Instruction)
	r, seen := NewReader(d), map[string]bool{}
	var out []string
	for i := range d.Facts {
		for _, c := range read(r, &d.Facts[i]) {
			s := fmt.Sprintf("%s:%s %s=%s", c.Kind, c.Text, c.Path, c.Value+c.Tool)
			if !seen[s] {
				seen[s] = true
				out = append(out, s)
			}
		}
	}
	return strings.Join(out, "; ")
}

func TestValues(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- **Go version**: 1.24+":                               "value:Go version**: 1.24+ go=1.24",
		"Requires Python 3.12 or later, and Node.js >= 20.":     "value:Python 3.12 python=3.12; value:Node.js >= 20 node=20",
		"Since Go 1.22 loops have their own variable.":          "",
		"## Prerequisites\n\n- Go 1.24":                         "value:Go 1.24 go=1.24",
		"**Current release:** `1.2.8+208` is live.":             "value:Current release:** `1.2.8+208 version=1.2.8+208",
		"Latest version v2.0.1.":                                "value:Latest version v2.0.1 version=2.0.1",
		"There are **224** rules, 12 built-in checks, 5 words.": "value:224** rules count rules=224; value:12 built-in checks count checks=12",
		"On 2026-01-31 files moved; v1.10 seconds.":             "",
		"```bash\ngo version 1.24\n```":                         "",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := readFacts(text, (*Reader).Values); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Call `loadCart()` and `Cart.addItem`.":                              "symbol:loadCart loadCart=; symbol:addItem addItem=",
		"```bash\nexport SHOP_KEY=x\n```":                                    "env:SHOP_KEY SHOP_KEY=",
		"```bash\nSHOP_KEY=x ./run\nISSUE_ID=$(jq -r .id)\nCOUNT_ALL=4\n```": "env:SHOP_KEY SHOP_KEY=",
		"```\n>>> cart_total(3)\n```":                                        "symbol:cart_total cart_total=",
		"```bash\n$ ./bin/shop run --dry-run -x\n```":                        "flag:--dry-run dry-run=shop; command:shop run run=shop",
		"Use `--dry-run` or `shop run --keep-old`.":                          "flag:--dry-run dry-run=; flag:--keep-old keep-old=shop; command:shop run run=shop",
		"`git push --force | shop --dry-run`":                                "",
		"Run `npm run fix` or `uv run shop --keep-all`.":                     "command:npm run fix fix=npm; command:uv run shop shop=python; flag:--keep-all keep-all=shop",
		"```go\nfunc loadCart() { x --dry-run }\n```":                        "",
		"`plain` and `words here`":                                           "command:words here here=words",
	} {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if got := readFacts(text, (*Reader).Words); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}
