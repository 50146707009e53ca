package openai

import (
	"fmt"
	"io"
	"log/slog"
)

// Secret is a string that prints as a placeholder wherever it ends up.
type Secret string

const hidden = "‹key›"

// Format keeps every verb from printing the value.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, hidden) }

// String returns the placeholder.
func (Secret) String() string { return hidden }

// MarshalText writes the placeholder.
func (Secret) MarshalText() ([]byte, error) { return []byte(hidden), nil }

// LogValue logs the placeholder.
func (Secret) LogValue() slog.Value { return slog.StringValue(hidden) }
