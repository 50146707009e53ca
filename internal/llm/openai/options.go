package openai

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// DefaultBaseURL is where questions go when no other endpoint is named.
const DefaultBaseURL = "https://api.openai.com/v1"

// DefaultTimeout bounds one call where Options sets no other.
const DefaultTimeout = 120 * time.Second

// TokenParam names the request field that carries the completion limit.
type TokenParam string

// The choices for Options.TokenParam.
const (
	TokensAuto          TokenParam = "auto" // max_completion_tokens for OpenAI and for reasoning models, else max_tokens
	MaxTokens           TokenParam = "max_tokens"
	MaxCompletionTokens TokenParam = "max_completion_tokens"
)

// Options make a generator. They may be printed: the key will not be.
type Options struct {
	BaseURL    string // ends before /chat/completions; DefaultBaseURL when empty
	Model      string
	APIKey     Secret        // may be empty for local servers
	Timeout    time.Duration // of one call, DefaultTimeout when 0
	TokenParam TokenParam    // TokensAuto when empty
	HTTPClient *http.Client  // only its Transport is used; nil: a clone of the default one
}

// ErrOptions is wrapped by every error of New.
var ErrOptions = errors.New("model endpoint configuration")

func (o Options) withDefaults() (Options, *url.URL, error) {
	if o.BaseURL == "" {
		o.BaseURL = DefaultBaseURL
	}
	base, err := CheckBaseURL(o.BaseURL)
	if err != nil {
		return o, nil, err
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	o.TokenParam, err = tokenParam(o.TokenParam, o.Model, base.Hostname())
	switch {
	case err != nil:
	case strings.TrimSpace(o.Model) == "":
		err = fmt.Errorf("%w: no model is named", ErrOptions)
	case o.Timeout < 0:
		err = fmt.Errorf("%w: the timeout %s is negative", ErrOptions, o.Timeout)
	case o.APIKey == "" && base.Hostname() == "api.openai.com":
		err = fmt.Errorf("%w: %s needs an API key", ErrOptions, base.Host)
	case strings.ContainsFunc(string(o.APIKey), notPrintableASCII):
		err = fmt.Errorf("%w: the API key holds spaces or control characters", ErrOptions)
	}
	return o, base, err
}

// CheckBaseURL accepts https, and plain http on the loopback interface only. A
// URL that carries a user, a query or a fragment is refused, and not repeated in
// the error: it may hold a secret.
func CheckBaseURL(raw string) (*url.URL, error) {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Opaque != "" {
		return nil, fmt.Errorf("%w: the base URL is not an absolute URL like %s", ErrOptions, DefaultBaseURL)
	}
	if u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("%w: the base URL for %s carries a user, query or fragment; leave these out", ErrOptions, u.Host)
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, fmt.Errorf("%w: base URL %s: use https (plain http is for this machine only)", ErrOptions, u.Redacted())
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func notPrintableASCII(r rune) bool { return r <= ' ' || r > '~' }

// tokenParam settles the automatic choice. The library refuses max_tokens for
// reasoning models before it sends anything, so that is a configuration error.
func tokenParam(p TokenParam, model, host string) (TokenParam, error) {
	switch p {
	case MaxCompletionTokens:
		return p, nil
	case MaxTokens:
		if reasons(model) {
			return p, fmt.Errorf("%w: %s takes %s, not %s", ErrOptions, model, MaxCompletionTokens, MaxTokens)
		}
		return p, nil
	case "", TokensAuto:
		if reasons(model) || host == "api.openai.com" {
			return MaxCompletionTokens, nil
		}
		return MaxTokens, nil
	}
	return p, fmt.Errorf("%w: unknown token parameter %q (auto, max_tokens or max_completion_tokens)", ErrOptions, p)
}

// reasons reports whether a model is of a family that takes no temperature.
// Gateways put their vendor's name first: "openai/o4-mini".
func reasons(model string) bool {
	name := strings.ToLower(model[strings.LastIndex(model, "/")+1:])
	for _, family := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(name, family) {
			return true
		}
	}
	return false
}
