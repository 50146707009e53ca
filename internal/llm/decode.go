package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// What one answer may hold at most. Schemas are narrower; these hold for every
// one of them and are checked first, so that nothing costs much to refuse.
const (
	maxAnswer = 256 << 10 // bytes
	maxString = 16 << 10  // bytes of one string
	maxDepth  = 32
	maxValues = 10_000 // values of all kinds in one answer
)

// decode reads one answer strictly: exactly one JSON value of bounded size and
// depth, no name twice, in agreement with the schema, and nothing that out does
// not know. On violations out stays untouched.
func decode(text string, schema *jsonschema.Schema, out any) []Violation {
	if v := fits(text, schema); v != nil {
		return v
	}
	return fill([]byte(text), out)
}

// fits is decode without a place for the answer.
func fits(text string, schema *jsonschema.Schema) []Violation {
	raw := []byte(text)
	if v := checkText(raw); v != nil {
		return v
	}
	if v := checkTokens(raw); v != nil {
		return v
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return []Violation{{Message: OneLine(err.Error(), 200)}}
	}
	if err := schema.Validate(doc); err != nil {
		return violations(err)
	}
	return nil
}

func whole(format string, args ...any) []Violation {
	return []Violation{{Message: fmt.Sprintf(format, args...)}}
}

// checkText refuses what is not exactly one JSON value.
func checkText(raw []byte) []Violation {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return whole("the answer is empty")
	case len(raw) > maxAnswer:
		return whole("the answer has %d bytes, at most %d are read", len(raw), maxAnswer)
	case !utf8.Valid(raw):
		return whole("the answer is not valid UTF-8")
	case json.Valid(raw):
		return nil
	}
	var first json.RawMessage
	d := json.NewDecoder(bytes.NewReader(raw))
	if d.Decode(&first) == nil {
		return whole("text follows the JSON value that ends at byte %d", d.InputOffset())
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal(raw, &first); errors.As(err, &syntax) {
		return whole("not JSON at byte %d: %s", syntax.Offset, OneLine(syntax.Error(), 100))
	}
	return whole("not JSON")
}

// tokenWalk goes over valid JSON for what encoding/json lets pass.
type tokenWalk struct {
	d      *json.Decoder
	values int
	found  []Violation
}

func checkTokens(raw []byte) []Violation {
	w := &tokenWalk{d: json.NewDecoder(bytes.NewReader(raw))}
	w.d.UseNumber()
	if err := w.value(nil); err != nil && !errors.Is(err, errStop) {
		return whole("%s", OneLine(err.Error(), 200))
	}
	return tidy(w.found)
}

// errStop ends a walk whose finding makes going on pointless.
var errStop = errors.New("stop")

func (w *tokenWalk) fault(path []string, format string, args ...any) {
	w.found = append(w.found, Violation{pointer(path), fmt.Sprintf(format, args...)})
}

func (w *tokenWalk) value(path []string) error {
	if w.values++; w.values > maxValues {
		w.fault(nil, "more than %d values", maxValues)
		return errStop
	}
	if len(path) > maxDepth {
		w.fault(nil, "nested deeper than %d levels", maxDepth)
		return errStop
	}
	token, err := w.d.Token()
	if err != nil {
		return err
	}
	switch t := token.(type) {
	case json.Delim:
		return w.container(t, path)
	case string:
		w.text(path, t)
	case json.Number:
		if !sane(string(t)) {
			w.fault(path, "the number is out of range")
		}
	}
	return nil
}

func (w *tokenWalk) container(open json.Delim, path []string) error {
	names := map[string]bool{}
	for i := 0; w.d.More(); i++ {
		at := strconv.Itoa(i)
		if open == '{' {
			token, err := w.d.Token()
			if err != nil {
				return err
			}
			at, _ = token.(string)
			w.name(path, at, names)
		}
		if err := w.value(append(path[:len(path):len(path)], at)); err != nil {
			return err
		}
	}
	_, err := w.d.Token()
	return err
}

func (w *tokenWalk) name(path []string, name string, names map[string]bool) {
	at := append(path[:len(path):len(path)], name)
	if names[name] {
		w.fault(at, "the name stands twice")
	}
	names[name] = true
	w.text(at, name)
}

func (w *tokenWalk) text(path []string, s string) {
	if len(s) > maxString {
		w.fault(path, "the string has %d bytes, at most %d are read", len(s), maxString)
	}
	if strings.ContainsRune(s, 0) {
		w.fault(path, "the string holds a NUL character")
	}
}

// sane keeps out numbers whose exact value would fill the memory: the schema
// check works with exact rationals.
func sane(number string) bool {
	mantissa, exponent, found := strings.Cut(strings.ToLower(number), "e")
	if len(mantissa) > 40 {
		return false
	}
	if !found {
		return true
	}
	n, err := strconv.Atoi(exponent)
	return err == nil && n >= -300 && n <= 300
}

// fill decodes into a fresh value first, so that a failure leaves out as it was.
func fill(raw []byte, out any) []Violation {
	target := reflect.ValueOf(out)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return whole("the caller gave no pointer to decode into")
	}
	fresh := reflect.New(target.Type().Elem())
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if err := d.Decode(fresh.Interface()); err != nil {
		return whole("%s", OneLine(err.Error(), 200))
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return whole("text follows the JSON value")
	}
	target.Elem().Set(fresh.Elem())
	return nil
}
