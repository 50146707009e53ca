package llm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Violation is one way in which an answer breaks its schema.
type Violation struct {
	Pointer string // JSON pointer into the answer, "" is the whole
	Message string // may repeat the model's own words: untrusted
}

// String is pointer and message on one line.
func (v Violation) String() string {
	if v.Pointer == "" {
		return "(whole answer): " + v.Message
	}
	return v.Pointer + ": " + v.Message
}

// maxViolations bounds what a repair turn and an error list.
const maxViolations = 20

// compile reads a prompt's schema. Nothing is loaded from elsewhere.
func compile(raw json.RawMessage) (*jsonschema.Schema, error) {
	if err := CheckStrict(raw); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, fmt.Errorf("read the answer schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("answer.json", doc); err != nil {
		return nil, fmt.Errorf("read the answer schema: %w", err)
	}
	s, err := c.Compile("answer.json")
	if err != nil {
		return nil, fmt.Errorf("compile the answer schema: %w", err)
	}
	return s, nil
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("a schema may not refer to %s: only to itself", url)
}

// CheckStrict reports whether a schema is fit for strict mode, which endpoints
// refuse otherwise: every object closed, every property required. An optional
// property is one that may be null.
func CheckStrict(raw json.RawMessage) error {
	var doc any
	if err := json.Unmarshal(raw, &doc); err != nil {
		return fmt.Errorf("read the answer schema: %w", err)
	}
	root, ok := doc.(map[string]any)
	if !ok || root["type"] != "object" {
		return errors.New("the answer schema is not an object with type object")
	}
	return checkStrict("", root)
}

func checkStrict(at string, node any) error {
	switch n := node.(type) {
	case []any:
		for i, v := range n {
			if err := checkStrict(fmt.Sprintf("%s/%d", at, i), v); err != nil {
				return err
			}
		}
	case map[string]any:
		if err := checkClosed(at, n); err != nil {
			return err
		}
		return checkChildren(at, n)
	}
	return nil
}

// checkChildren walks the keywords that hold schemas, and no values ("enum",
// "const", "default"), which may look like anything.
func checkChildren(at string, n map[string]any) error {
	for _, key := range []string{"properties", "$defs", "definitions"} {
		named, _ := n[key].(map[string]any)
		for _, name := range sortedKeys(named) {
			if err := checkStrict(at+"/"+key+"/"+name, named[name]); err != nil {
				return err
			}
		}
	}
	for _, key := range []string{"items", "anyOf", "oneOf", "allOf", "prefixItems"} {
		if err := checkStrict(at+"/"+key, n[key]); err != nil {
			return err
		}
	}
	return nil
}

func checkClosed(at string, n map[string]any) error {
	properties, ok := n["properties"].(map[string]any)
	if !ok {
		return nil
	}
	if n["additionalProperties"] != false {
		return fmt.Errorf("answer schema at %q: additionalProperties is not false", at)
	}
	required, _ := n["required"].([]any)
	for _, name := range sortedKeys(properties) {
		if !slices.Contains(required, any(name)) {
			return fmt.Errorf("answer schema at %q: property %q is not required", at, name)
		}
	}
	return nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// violations lists the leaves of a validation error, in the order of pointers.
func violations(err error) []Violation {
	var top *jsonschema.ValidationError
	if !errors.As(err, &top) {
		return []Violation{{Message: OneLine(err.Error(), 200)}}
	}
	var found []Violation
	english := message.NewPrinter(language.English)
	var walk func(e *jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			walk(cause)
		}
		if len(e.Causes) == 0 {
			found = append(found, Violation{pointer(e.InstanceLocation), OneLine(e.ErrorKind.LocalizedString(english), 200)})
		}
	}
	walk(top)
	return tidy(found)
}

func tidy(found []Violation) []Violation {
	sort.Slice(found, func(i, j int) bool {
		if found[i].Pointer != found[j].Pointer {
			return found[i].Pointer < found[j].Pointer
		}
		return found[i].Message < found[j].Message
	})
	found = slices.Compact(found)
	if len(found) > maxViolations {
		found = found[:maxViolations]
	}
	return found
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

func pointer(path []string) string {
	var b strings.Builder
	for _, token := range path {
		b.WriteByte('/')
		b.WriteString(OneLine(pointerEscape.Replace(token), 60))
	}
	return b.String()
}
