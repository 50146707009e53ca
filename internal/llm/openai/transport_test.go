package openai

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
)

// The key's last fence: even a request that something above made for another
// host or over plain http does not leave.
func TestAttackTransportKeepsToItsHost(t *testing.T) {
	t.Parallel()
	reached := false
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
	t.Cleanup(other.Close)
	base, err := CheckBaseURL("https://llm.acme.dev/v1")
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{other.URL, "http://llm.acme.dev/v1/chat/completions", "https://llm.acme.dev:444/v1"} {
		req := httptest.NewRequest(http.MethodPost, target, nil)
		resp, err := newTransport(base, "sk-canary", nil).RoundTrip(req)
		if err == nil {
			_ = resp.Body.Close()
		}
		if !errors.Is(err, errOtherURL) {
			t.Errorf("%s: got %v, want errOtherURL", target, err)
		}
		if req.Header.Get("Authorization") != "" {
			t.Errorf("%s: the caller's request was changed", target)
		}
	}
	if reached {
		t.Error("a request left for another host")
	}
}
