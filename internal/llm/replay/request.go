package replay

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// request is a parsed chat completion request.
type request map[string]any

// volatile fields say nothing about what is asked.
var volatile = []string{"stream", "user", "metadata", "store", "seed", "service_tier", "prompt_cache_key", "safety_identifier"}

func parse(raw []byte) (request, error) {
	var r request
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&r); err != nil {
		return nil, fmt.Errorf("the request is not a JSON object: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("text follows the request")
	}
	if r == nil {
		return nil, errors.New("the request is missing")
	}
	return r, nil
}

// Key is the hash that a request is found by: of its parsed form with sorted
// names and without volatile fields, 16 hexadecimal digits.
func Key(raw []byte) (string, error) {
	r, err := parse(raw)
	if err != nil {
		return "", err
	}
	return r.key(), nil
}

func (r request) key() string {
	sum := sha256.Sum256([]byte(compact(r.kept())))
	return hex.EncodeToString(sum[:8])
}

func (r request) kept() request {
	kept := make(request, len(r))
	for k, v := range r {
		kept[k] = v
	}
	for _, k := range volatile {
		delete(kept, k)
	}
	return kept
}

func compact(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // cannot fail: v was decoded from JSON
	return strings.TrimSuffix(b.String(), "\n")
}

type message struct{ role, text string }

func (r request) messages() []message {
	list, _ := r["messages"].([]any)
	var out []message
	for _, item := range list {
		m, _ := item.(map[string]any)
		role, _ := m["role"].(string)
		out = append(out, message{role, contentText(m["content"])})
	}
	return out
}

// contentText is a message's text, also where it comes in parts.
func contentText(content any) string {
	if s, ok := content.(string); ok {
		return s
	}
	parts, _ := content.([]any)
	var texts []string
	for _, item := range parts {
		if p, ok := item.(map[string]any); ok {
			text, _ := p["text"].(string)
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

// lines lays a request out for comparing: one line a parameter, then every
// message by its own lines, then the answer format.
func (r request) lines() []string {
	var out []string
	kept := r.kept()
	for _, name := range sortedNames(kept) {
		if name != "messages" && name != "response_format" {
			out = append(out, name+": "+compact(kept[name]))
		}
	}
	for i, m := range r.messages() {
		out = append(out, fmt.Sprintf("message %d (%s)", i, m.role))
		out = append(out, strings.Split(m.text, "\n")...)
	}
	if format, ok := kept["response_format"]; ok {
		indented, err := json.MarshalIndent(format, "", " ")
		if err == nil {
			out = append(append(out, "response_format"), strings.Split(string(indented), "\n")...)
		}
	}
	return out
}
