package llm

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const listSchema = `{"type":"object","additionalProperties":false,"required":["name","n","items"],"properties":{
 "name":{"type":"string"},"n":{"type":["number","null"]},
 "items":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["id"],"properties":{"id":{"type":"string"}}}}}}`

type list16 struct {
	Name  string   `json:"name"`
	N     *float64 `json:"n"`
	Items []struct {
		ID string `json:"id"`
	} `json:"items"`
}

func answer16(name, n, items string) string {
	return fmt.Sprintf(`{"name":%s,"n":%s,"items":%s}`, name, n, items)
}

// json-out: every way in which an answer is more, less or other than one JSON
// object of the schema, and where the violation is said to be.
func TestAttack16JSONOut(t *testing.T) {
	t.Parallel()
	fine := answer16(`"a"`, `1.5`, `[{"id":"x"}]`)
	deep := strings.Repeat("[", 20_000)
	tests := map[string]struct{ answer, want string }{
		"fine":               {fine, ""},
		"white space around": {"\n\t " + fine + " \r\n", ""},
		"trailing text":      {fine + "\nHope this helps!", "(whole answer): text follows the JSON value that ends at byte 41"},
		"two objects":        {fine + fine, "text follows"},
		"two lines":          {fine + "\n" + fine, "text follows"},
		"text before":        {"Sure: " + fine, "not JSON at byte 1"},
		"code fence":         {"```json\n" + fine + "\n```", "not JSON at byte 1"},
		"byte order mark":    {"\uFEFF" + fine, "not JSON at byte 1"},
		"empty":              {"", "the answer is empty"},
		"blank":              {" \n", "the answer is empty"},
		"refusal text":       {"I cannot help with that.", "not JSON"},
		"cut":                {fine[:20], "not JSON at byte 20"},
		"null":               {"null", "got null, want object"},
		"array":              {"[" + fine + "]", "got array, want object"},
		"string":             {`"` + strings.Repeat("a", 10) + `"`, "got string, want object"},
		"NaN":                {answer16(`"a"`, `NaN`, `[]`), "not JSON"},
		"Infinity":           {answer16(`"a"`, `-Infinity`, `[]`), "not JSON"},
		"comment":            {answer16(`"a"`, `1 /* one */`, `[]`), "not JSON"},
		"trailing comma":     {answer16(`"a"`, `1`, `[{"id":"x"},]`), "not JSON"},
		"duplicate name":     {`{"name":"a","name":"b","n":1,"items":[]}`, "/name: the name stands twice"},
		"duplicate, escaped": {`{"name":"a","n\u0061me":"b","n":1,"items":[]}`, "/name: the name stands twice"},
		"duplicate, deep":    {answer16(`"a"`, `1`, `[{"id":"x","id":"y"}]`), "/items/0/id: the name stands twice"},
		"unknown field":      {`{"name":"a","n":1,"items":[],"path":"/etc/passwd"}`, "'path' not allowed"},
		"unknown, deep":      {answer16(`"a"`, `1`, `[{"id":"x","op":"delete"}]`), "/items/0: additional properties 'op'"},
		"other case":         {`{"Name":"a","n":1,"items":[]}`, "'Name' not allowed"},
		"missing":            {`{"name":"a","n":1}`, "missing property 'items'"},
		"wrong type":         {answer16(`7`, `1`, `[]`), "/name: got number, want string"},
		"huge answer":        {answer16(`"`+strings.Repeat("a", 10<<20)+`"`, `1`, `[]`), "the answer has 1048"},
		"huge string":        {answer16(`"`+strings.Repeat("a", 20<<10)+`"`, `1`, `[]`), "/name: the string has 20480 bytes"},
		"many items":         {answer16(`"a"`, `1`, `[`+strings.Repeat(`{"id":""},`, 9_000)+`{"id":""}]`), "more than 10000 values"},
		"deep":               {answer16(`"a"`, `1`, strings.Repeat("[", 40)+strings.Repeat("]", 40)), "nested deeper than 32"},
		"deep, unclosed":     {deep, "not JSON"},
		"deep, closed":       {deep + strings.Repeat("]", 20_000), "not JSON"},
		"exponent bomb":      {answer16(`"a"`, `1e999999999`, `[]`), "/n: the number is out of range"},
		"small exponent":     {answer16(`"a"`, `1E-999999999`, `[]`), "/n: the number is out of range"},
		"long number":        {answer16(`"a"`, strings.Repeat("9", 5_000), `[]`), "/n: the number is out of range"},
		"NUL":                {answer16(`"a\u0000b"`, `1`, `[]`), "/name: the string holds a NUL"},
		"not UTF-8":          {answer16("\"a\xffb\"", `1`, `[]`), "not valid UTF-8"},
		"odd name":           {`{"name":"a","n":1,"items":[],"\u001b[31m~/x":1}`, `\x1b[31m~/x`},
	}
	schema, err := compile(json.RawMessage(listSchema))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := list16{Name: "untouched"}
			said := ""
			for _, v := range decode(tt.answer, schema, &out) {
				said += v.String() + "\n"
			}
			if (tt.want == "") != (said == "") || !strings.Contains(said, tt.want) {
				t.Errorf("got %q, want %q", said, tt.want)
			}
			if said != "" && !reflect.DeepEqual(out, list16{Name: "untouched"}) {
				t.Errorf("a refused answer changed out: %+v", out)
			}
			if len(said) > 8_000 || strings.ContainsRune(said, 0x1b) {
				t.Errorf("the violations are unfit to print (%d bytes)", len(said))
			}
		})
	}
}

func TestViolationsAreSortedBoundedAndEscaped(t *testing.T) {
	t.Parallel()
	schema, err := compile(json.RawMessage(listSchema))
	if err != nil {
		t.Fatal(err)
	}
	many := answer16(`1`, `"x"`, `[`+strings.Repeat(`{"id":1},`, 50)+`{"id":1}]`)
	first, second := decode(many, schema, new(list16)), decode(many, schema, new(list16))
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the same answer is told differently:\n%s", diff)
	}
	if len(first) != maxViolations || first[0].Pointer != "/items/0/id" {
		t.Errorf("%d violations, the first at %s", len(first), first[0].Pointer)
	}
	if got := pointer([]string{"a/b", "c~d", "0"}); got != "/a~1b/c~0d/0" {
		t.Errorf("pointer = %s", got)
	}
}

func TestDecodeRefusesWhatTheCallerCannotHold(t *testing.T) {
	t.Parallel()
	schema, err := compile(json.RawMessage(listSchema))
	if err != nil {
		t.Fatal(err)
	}
	var narrow struct {
		Name string `json:"name"`
	}
	if v := decode(answer16(`"a"`, `1`, `[]`), schema, &narrow); len(v) != 1 || !strings.Contains(v[0].Message, "unknown field") {
		t.Errorf("got %v, want an unknown field", v)
	}
	if v := decode(answer16(`"a"`, `1`, `[]`), schema, narrow); len(v) != 1 || !strings.Contains(v[0].Message, "no pointer") {
		t.Errorf("got %v, want a complaint about the caller", v)
	}
}

// FuzzDecode: no answer panics or hangs, and what passes is one JSON value that
// means the same after a round trip.
func FuzzDecode(f *testing.F) {
	for _, seed := range []string{answer16(`"a"`, `1`, `[{"id":"x"}]`), `{}`, `[[[`, `{"name":"a","name":"b"}`, `1e999999999`, "\"\\ud800\"", ""} {
		f.Add(seed)
	}
	schema, err := compile(json.RawMessage(listSchema))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var out, again list16
		if decode(text, schema, &out) != nil {
			return
		}
		raw, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		if v := decode(string(raw), schema, &again); v != nil || !reflect.DeepEqual(out, again) {
			t.Errorf("%q passed as %+v, its round trip as %+v (%v)", text, out, again, v)
		}
	})
}

func TestEstimate(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int]int{0: 0, 1: 2, 4: 2, 40: 11, 41: 13, 4000: 1100} {
		if got := estimate(bytes); got != want {
			t.Errorf("estimate(%d) = %d, want %d", bytes, got, want)
		}
	}
}

func TestPriceOf(t *testing.T) {
	t.Parallel()
	own := map[string]Price{"gpt-5": {9, 9, 0}, "House/Model": {1, 2, 0}}
	tests := map[string]struct {
		own   map[string]Price
		price Price
		ok    bool
	}{
		"gpt-5-mini":               {nil, Price{0.25, 2, 0.025}, true},
		"GPT-5-mini":               {nil, Price{0.25, 2, 0.025}, true},
		"openai/gpt-5-mini":        {nil, Price{0.25, 2, 0.025}, true},
		"gpt-4o-mini-2024-07-18":   {nil, Price{0.15, 0.60, 0.075}, true},
		"claude-sonnet-4-20250514": {nil, Price{3, 15, 0.30}, true},
		"gpt-5":                    {own, Price{9, 9, 0}, true},
		"gpt-5-2025-08-07":         {own, Price{9, 9, 0}, true},
		"House/Model":              {own, Price{1, 2, 0}, true},
		"gpt-5-pro":                {nil, Price{}, false},
		"gpt-50":                   {nil, Price{}, false},
		"qwen3":                    {nil, Price{}, false},
		"":                         {nil, Price{}, false},
	}
	for model, tt := range tests {
		if got, ok := priceOf(model, tt.own); got.Price != tt.price || ok != tt.ok {
			t.Errorf("priceOf(%q) = %v, %v; want %v, %v", model, got, ok, tt.price, tt.ok)
		}
	}
}

// In a batch OpenAI's models cost half; a price that the operator gives, or whose
// vendor sells batches over another protocol, is counted in full.
func TestPricesInBatches(t *testing.T) {
	t.Parallel()
	own := map[string]Price{"mine": {1, 2, 0}}
	for model, want := range map[string]Price{"gpt-5-mini": {0.125, 1, 0.0125}, "claude-haiku-4-5": {1, 5, 0.10}, "mine": {1, 2, 0}} {
		if p, ok := priceOf(model, own); !ok || p.batched() != want {
			t.Errorf("%s: %v, want %v", model, p.batched(), want)
		}
	}
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"plain":             "plain",
		" a\r\n\tb  ":       "a b",
		"a\x1b[31mb\u202ec": "a·[31mb·c",
		"12345678901":       "1234567890…",
		"zero\u200bw":       "zero·w",
		"123456789 0 1":     "123456789 0…",
		"\xff":              "\uFFFD",
	}
	for in, want := range tests {
		if got := OneLine(in, 10); got != want {
			t.Errorf("OneLine(%q) = %q, want %q", in, got, want)
		}
	}
}

// What an endpoint had read before costs less, after the call: before it, the
// whole prompt is counted.
func TestCostOfCachedTokens(t *testing.T) {
	t.Parallel()
	p := Price{Prompt: 2, Completion: 8, Cached: 0.5}
	for _, tt := range []struct {
		p                          Price
		prompt, completion, cached int
		want                       float64
	}{
		{p, 1e6, 0, 0, 2}, {p, 1e6, 1e6, 0, 10}, {p, 1e6, 0, 1e6, 0.5}, {p, 1e6, 0, 5e5, 1.25},
		{p, 1e6, 0, 2e6, 2}, {p, 1e6, 0, -1, 2}, {Price{2, 8, 0}, 1e6, 0, 1e6, 2},
	} {
		if got := tt.p.cost(tt.prompt, tt.completion, tt.cached); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

// Every built-in price says where it was read, and cached tokens are no dearer.
func TestPricesHaveSources(t *testing.T) {
	t.Parallel()
	for model, p := range prices {
		if !strings.HasPrefix(p.source, "https://") || p.Prompt <= 0 || p.Completion < p.Prompt || p.Cached > p.Prompt {
			t.Errorf("%s: %+v", model, p)
		}
	}
}
