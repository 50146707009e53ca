package credentials

import (
	"fmt"
	"log/slog"
)

const placeholder = "‹secret›"

// Secret is a token or password. It prints as a placeholder by every way of
// printing there is: as text, in logs, in JSON and YAML, by reflection. Only
// [Secret.Reveal] gives it.
type Secret struct {
	// A function, since fmt prints the unexported strings of a struct that it
	// finds inside another one without asking any method.
	reveal func() string
}

// NewSecret hides a text.
func NewSecret(text string) Secret {
	return Secret{reveal: func() string { return text }}
}

// Reveal returns the text, for the request that needs it.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// Empty reports whether there is no text.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// String returns a placeholder.
func (s Secret) String() string { return placeholder }

// GoString returns a placeholder.
func (s Secret) GoString() string { return placeholder }

// Format writes a placeholder for every verb.
func (s Secret) Format(f fmt.State, _ rune) { fmt.Fprint(f, placeholder) }

// LogValue returns a placeholder.
func (s Secret) LogValue() slog.Value { return slog.StringValue(placeholder) }

// MarshalText returns a placeholder; JSON and YAML use it.
func (s Secret) MarshalText() ([]byte, error) { return []byte(placeholder), nil }

// Credential is what one request to one host is made with.
type Credential struct {
	Username string
	Secret   Secret
	Source   string // where it was found, for messages: a variable's name, "git credential"
}

// String says where the credential is from.
func (c Credential) String() string { return "credential of " + c.Source }

// GoString is as String.
func (c Credential) GoString() string { return c.String() }
