package openai_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/retrosweep/retrosweep/internal/llm/openai"
)

func TestAttackBaseURL(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"https://llm.acme.dev/v1":           true,
		"https://llm.acme.dev:8443":         true,
		"http://127.0.0.1:8089/v1":          true,
		"http://[::1]:8089/v1":              true,
		"http://localhost:11434/v1":         true,
		"http://llm.acme.dev/v1":            false,
		"http://127.0.0.1.evil.example/v1":  false,
		"http://localhost.evil.example/v1":  false,
		"http://10.0.0.5/v1":                false,
		"http://0.0.0.0/v1":                 false,
		"https://user:hush@llm.acme.dev/v1": false,
		"https://llm.acme.dev/v1?key=hush":  false,
		"https://llm.acme.dev/v1#hush":      false,
		"ftp://llm.acme.dev/v1":             false,
		"file:///etc/passwd":                false,
		"llm.acme.dev/v1":                   false,
		"https:///v1":                       false,
		"https:llm":                         false,
		"":                                  false,
		"http://127.0.0.1\n.evil.example/":  false,
	}
	for raw, ok := range tests {
		_, err := openai.CheckBaseURL(raw)
		if (err == nil) != ok {
			t.Errorf("CheckBaseURL(%q) = %v, want ok: %v", raw, err, ok)
		}
		if err != nil && (!errors.Is(err, openai.ErrOptions) || strings.Contains(err.Error(), "hush")) {
			t.Errorf("CheckBaseURL(%q) = %v: wrong kind, or it repeats a secret", raw, err)
		}
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	local := "http://127.0.0.1:1/v1"
	tests := []struct {
		name    string
		options openai.Options
		want    string // in the error; "" is fine
	}{
		{"local without a key", openai.Options{BaseURL: local, Model: "qwen3"}, ""},
		{"plain http elsewhere", openai.Options{BaseURL: "http://llm.acme.dev/v1", Model: "qwen3"}, "use https"},
		{"default with a key", openai.Options{Model: "gpt-5", APIKey: canary}, ""},
		{"default without a key", openai.Options{Model: "gpt-5"}, "needs an API key"},
		{"no model", openai.Options{BaseURL: local, Model: " "}, "no model is named"},
		{"negative timeout", openai.Options{BaseURL: local, Model: "m", Timeout: -time.Second}, "negative"},
		{"key with a line end", openai.Options{BaseURL: local, Model: "m", APIKey: canary + "\n"}, "control characters"},
		{"unknown parameter", openai.Options{BaseURL: local, Model: "m", TokenParam: "tokens"}, `unknown token parameter "tokens"`},
		{"parameter the model refuses", openai.Options{BaseURL: local, Model: "gpt-5-mini", TokenParam: openai.MaxTokens}, "takes max_completion_tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.New(tt.options)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("got %v", err)
			case tt.want != "" && (err == nil || !errors.Is(err, openai.ErrOptions) || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("got %v, want it to say %q", err, tt.want)
			case err != nil && strings.Contains(err.Error(), canary):
				t.Errorf("the key shows in %v", err)
			}
		})
	}
}
