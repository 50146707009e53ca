package github

import (
	"fmt"
	"log/slog"
)

// Secret is a token or a key. However it is printed, logged or marshalled, it
// shows a placeholder; only [Secret.Reveal] gives it away. It is a pointer
// because fmt calls no method on what an unexported field holds.
type Secret struct{ value *string }

// NewSecret hides a value.
func NewSecret(value string) Secret { return Secret{&value} }

const hidden = "[secret]"

// Reveal returns the value, for the one header it belongs in.
func (s Secret) Reveal() string {
	if s.value == nil {
		return ""
	}
	return *s.value
}

// Empty reports whether there is none.
func (s Secret) Empty() bool { return s.Reveal() == "" }

// String implements [fmt.Stringer].
func (s Secret) String() string { return hidden }

// GoString implements [fmt.GoStringer].
func (s Secret) GoString() string { return hidden }

// Format implements [fmt.Formatter] for every verb.
func (s Secret) Format(w fmt.State, _ rune) { _, _ = fmt.Fprint(w, hidden) }

// MarshalText implements [encoding.TextMarshaler], for JSON and YAML too.
func (s Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue implements [slog.LogValuer].
func (s Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
