// Package prompts owns what models are asked: embedded, versioned templates
// with the JSON schema of their answers. It calls no model.
package prompts

import "encoding/json"

// Prompt is one rendered question. Version changes with every change of the
// template or schema, so that cached and recorded answers miss.
type Prompt struct {
	Name    string
	Version string
	System  string
	User    string
	Schema  json.RawMessage
}
