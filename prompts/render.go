package prompts

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"text/template"
)

//go:embed templates
var files embed.FS

// revision is raised when a change of this package's code changes what a model
// reads while the templates stay as they are.
const revision = "1"

// Limits that the prompts name and that code enforces on the answers.
const (
	MaxLesson = 320 // runes of a lesson
	MaxRule   = 400 // runes of a rule
	MinQuote  = 12  // runes of a quote
	MaxReason = 240 // runes of a judge's reason
)

// kind is one question: system and user template and the answer's schema.
type kind struct {
	name, version string
	system, user  *template.Template
	schema        json.RawMessage
}

// load reads the three files of a kind. They are embedded, so that it fails
// only where a file of this package is broken; tests render every kind.
func load(name string) (*kind, error) {
	k := &kind{name: name}
	digest := sha256.New()
	parts := map[string]string{}
	for _, file := range []string{"system.tmpl", "user.tmpl", "schema.json"} {
		b, err := read(name + "." + file)
		if err != nil {
			return nil, fmt.Errorf("read prompt %s: %w", name, err)
		}
		fmt.Fprintf(digest, "%s %d\n%s", file, len(b), b)
		parts[file] = string(b)
	}
	var err error
	if k.system, err = parse(name+".system", parts["system.tmpl"]); err != nil {
		return nil, err
	}
	if k.user, err = parse(name+".user", parts["user.tmpl"]); err != nil {
		return nil, err
	}
	k.schema = json.RawMessage(parts["schema.json"])
	k.version = revision + "-" + hex.EncodeToString(digest.Sum(nil))[:8]
	return k, nil
}

// version is that of a kind; "" where its files are broken, and then rendering
// it says why.
func version(name string) string {
	k, err := load(name)
	if err != nil {
		return ""
	}
	return k.version
}

func parse(name, text string) (*template.Template, error) {
	t, err := template.New(name).Option("missingkey=error").Funcs(template.FuncMap{
		"fence":     func(string, Text) (string, error) { return "", errNoFence },
		"maxLesson": func() int { return MaxLesson },
		"maxRule":   func() int { return MaxRule },
		"minQuote":  func() int { return MinQuote },
		"maxReason": func() int { return MaxReason },
	}).Parse(text)
	if err != nil {
		return nil, fmt.Errorf("parse prompt template: %w", err)
	}
	return t, nil
}

// render fills a kind with data. Every Text of the data passes fence.
func render(name string, fence Fencer, data any) (Prompt, error) {
	k, err := load(name)
	if err != nil {
		return Prompt{}, err
	}
	system, err := execute(k.system, nil, nil)
	if err != nil {
		return Prompt{}, err
	}
	user, err := execute(k.user, fence, data)
	if err != nil {
		return Prompt{}, err
	}
	return Prompt{Name: k.name, Version: k.version, System: system, User: user, Schema: k.schema}, nil
}

func execute(t *template.Template, fence Fencer, data any) (string, error) {
	t, err := t.Clone()
	if err != nil {
		return "", fmt.Errorf("render prompt %s: %w", t.Name(), err)
	}
	if fence != nil {
		t.Funcs(template.FuncMap{"fence": func(label string, text Text) (string, error) {
			return fence(label, text.raw), nil
		}})
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", fmt.Errorf("render prompt %s: %w", t.Name(), err)
	}
	return strings.TrimSpace(b.String()) + "\n", nil
}
