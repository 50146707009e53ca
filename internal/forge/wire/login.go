package wire

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// DialOptions say how to reach a server.
type DialOptions struct {
	URL       string              // where people see it: https://codeberg.org/
	Home      string              // the operator's own server: tokens in variables of its kind go there alone; "": to where URL leads
	Env       func(string) string // default [os.Getenv]
	Transport http.RoundTripper   // default [http.DefaultTransport]
	Clock     Clock               // default: the machine's
	MaxPause  time.Duration       // the longest limit that is waited for; default 5 minutes
}

// Login is a way to a server with the credential for it.
type Login struct {
	Source string // where the credential is from
	Host   string
	Web    string       // where people see the server, without a slash at the end
	Way    *http.Client // to the server alone
	secret credentials.Secret
}

// SignIn finds a credential for a server. Names are the variables of its kind;
// their tokens go to home alone where there is one, which is a host. It asks the
// server nothing. Without a credential it fails with [ErrNoCredential].
func SignIn(ctx context.Context, o DialOptions, home string, names ...string) (*Login, error) {
	o = o.withDefaults()
	at, err := url.Parse(strings.TrimSuffix(o.URL, "/"))
	if err != nil {
		return nil, errors.New("the address of the server cannot be read")
	}
	if err := CheckEndpoint(at); err != nil {
		return nil, fmt.Errorf("reach the server: %w", err)
	}
	if u, err := url.Parse(o.Home); err == nil && u.Host != "" {
		home = u.Host
	}
	if home != "" && !strings.EqualFold(home, at.Host) {
		names = nil
	}
	have, err := Find(ctx, o.Env, at, names...)
	if err != nil {
		return nil, fmt.Errorf("reach %s: %w", at.Host, err)
	}
	way := New(Options{Name: at.Host, Host: at, Credential: Token{have.Secret}, Next: o.Transport, Clock: o.Clock, MaxPause: o.MaxPause})
	return &Login{Source: have.Source, Host: at.Host, Web: at.String(), Way: way.Client(), secret: have.Secret}, nil
}

func (o DialOptions) withDefaults() DialOptions {
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Clock == nil {
		o.Clock = System{}
	}
	if o.MaxPause == 0 {
		o.MaxPause = DefaultPause
	}
	return o
}

// GitAuth makes requests of git to the host with the same credential, as the
// password of a name.
func (l *Login) GitAuth(name string) credentials.Auth {
	return credentials.From(func(_ context.Context, u *url.URL) (credentials.Credential, bool, error) {
		if !strings.EqualFold(u.Host, l.Host) {
			return credentials.Credential{}, false, nil
		}
		return credentials.Credential{Username: name, Secret: l.secret, Source: l.Source}, true, nil
	})
}
