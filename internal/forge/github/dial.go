package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/go-github/v62/github"

	"github.com/retrosweep/retrosweep/internal/forge/pulls"
	"github.com/retrosweep/retrosweep/internal/forge/wire"
	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

const publicHost = "github.com"

// DialOptions say how to reach GitHub. The zero value is github.com with what
// the environment holds.
type DialOptions struct {
	Host      string              // of the clone URL; default github.com
	APIURL    string              // default: by the host, https://api.github.com/ or https://HOST/api/v3/
	UploadURL string              // default: by the host
	Env       func(string) string // default [os.Getenv]
	Transport http.RoundTripper   // default [http.DefaultTransport]
	Clock     Clock               // default: the machine's
	MaxPause  time.Duration       // the longest limit that is waited for; default 5 minutes
	Bot       string              // login of the account behind the token; default: the host is asked
}

// Words of the way to the API that callers of this package use.
type (
	Clock      = wire.Clock
	LimitError = wire.LimitError
)

// ErrBudget says that a night wrote more than it may.
var ErrBudget = wire.ErrBudget

// Connection is a client with what is known of the account behind it.
type Connection struct {
	Client     *github.Client
	Credential Credential
	Source     string // the variable that the credential came from
	Bot        Identity
	Account    Identity // behind the token
	Host       string
}

// Of is the connection of a person who looks at what another account made.
func (c *Connection) Of(bot string) *Connection {
	other := *c
	if other.Bot = (Identity{Login: bot}); strings.EqualFold(bot, c.Account.Login) {
		other.Bot = c.Account
	}
	return &other
}

// Auth makes requests of git to the host with the same credential. An app's
// token is made anew when its hour is over.
func (c *Connection) Auth() credentials.Auth {
	return credentials.From(func(ctx context.Context, u *url.URL) (credentials.Credential, bool, error) {
		if !strings.EqualFold(u.Host, c.Host) {
			return credentials.Credential{}, false, nil
		}
		secret, err := c.Credential.Token(ctx)
		return credentials.Credential{Username: "x-access-token", Secret: secret, Source: c.Source}, err == nil, err
	})
}

// Dial finds a credential and asks who it belongs to.
func Dial(ctx context.Context, o DialOptions) (*Connection, error) {
	o = o.withDefaults()
	c, err := connect(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("reach GitHub at %s: %w", o.Host, err)
	}
	if c.Bot, err = identify(ctx, c.Client, o.Bot); err != nil {
		return nil, fmt.Errorf("reach GitHub at %s with %s: %w", o.Host, c.Source, err)
	}
	c.Account = c.Bot
	return c, nil
}

func (o DialOptions) withDefaults() DialOptions {
	if o.Host == "" {
		o.Host = publicHost
	}
	if o.Env == nil {
		o.Env = os.Getenv
	}
	if o.Transport == nil {
		o.Transport = http.DefaultTransport
	}
	if o.Clock == nil {
		o.Clock = wire.System{}
	}
	if o.MaxPause == 0 {
		o.MaxPause = wire.DefaultPause
	}
	api, upload := endpoints(o.Host)
	if o.APIURL == "" {
		o.APIURL = api
	}
	if o.UploadURL == "" {
		o.UploadURL = upload
	}
	return o
}

// endpoints are where the API of a host is.
func endpoints(host string) (api, upload string) {
	switch {
	case strings.EqualFold(host, publicHost):
		return "https://api.github.com/", "https://uploads.github.com/"
	case isTenant(host):
		return "https://api." + host + "/", "https://uploads." + host + "/"
	}
	return "https://" + host + "/api/v3/", "https://" + host + "/api/uploads/"
}

// isTenant reports whether a host is one of GitHub's with data residency.
func isTenant(host string) bool { return strings.HasSuffix(strings.ToLower(host), ".ghe.com") }

func connect(ctx context.Context, o DialOptions) (*Connection, error) {
	api, err := url.Parse(strings.TrimSuffix(o.APIURL, "/") + "/")
	if err != nil {
		return nil, errors.New("the address of the API cannot be read")
	}
	upload, err := url.Parse(strings.TrimSuffix(o.UploadURL, "/") + "/")
	if err != nil {
		return nil, errors.New("the address for uploads cannot be read")
	}
	if err := wire.CheckEndpoint(api); err != nil {
		return nil, err
	}
	have, err := lookUp(ctx, o.Env, o.Host)
	if err != nil {
		return nil, err
	}
	way := wire.Options{Name: "GitHub", Host: api, Next: o.Transport, Clock: o.Clock, MaxPause: o.MaxPause}
	bare := wire.New(way)
	credential, err := have.credential(api, bare)
	if err != nil {
		return nil, err
	}
	way.Credential = credential
	client := github.NewClient(wire.New(way).Client())
	client.BaseURL, client.UploadURL, client.UserAgent = api, upload, "retrosweep"
	return &Connection{Client: client, Credential: credential, Source: have.from, Host: o.Host}, nil
}

// identify asks whose token it is. Tokens of apps and of workflows may not read
// the user, but know themselves as the viewer of GraphQL.
func identify(ctx context.Context, client *github.Client, login string) (Identity, error) {
	if login != "" {
		return Identity{Login: login}, nil
	}
	u, _, err := client.Users.Get(ctx, "")
	if err == nil {
		return Identity{Login: u.GetLogin(), ID: u.GetID()}, nil
	}
	if !pulls.IsStatus(failure(err), http.StatusForbidden) {
		return Identity{}, fmt.Errorf("ask whose token it is: %w", err)
	}
	var answer struct {
		Viewer struct {
			Login      string `json:"login"`
			DatabaseID int64  `json:"databaseId"`
		} `json:"viewer"`
	}
	if err := graphQL(ctx, client, "{ viewer { login databaseId } }", nil, &answer); err != nil {
		return Identity{}, fmt.Errorf("ask whose token it is: %w", err)
	}
	if answer.Viewer.Login == "" {
		return Identity{}, errors.New("ask whose token it is: the host does not say")
	}
	return Identity{Login: answer.Viewer.Login, ID: answer.Viewer.DatabaseID}, nil
}

// queryError is what the host says of a query that it does not answer.
type queryError struct{ message string }

// Error implements error.
func (e *queryError) Error() string { return e.message }

// graphQL makes a call of the other API, which stands beside the first: at
// /graphql, or at /api/graphql of an Enterprise server.
func graphQL(ctx context.Context, client *github.Client, query string, variables map[string]any, data any) error {
	at := "graphql"
	if strings.HasSuffix(client.BaseURL.Path, "/api/v3/") {
		at = "../graphql"
	}
	req, err := client.NewRequest(http.MethodPost, at, map[string]any{"query": query, "variables": variables})
	if err != nil {
		return fmt.Errorf("ask by GraphQL: %w", err)
	}
	answer := struct {
		Data   any `json:"data"`
		Errors []struct {
			Message string `json:"message"`
		} `json:"errors"`
	}{Data: data}
	if _, err := client.Do(ctx, req, &answer); err != nil {
		return fmt.Errorf("ask by GraphQL: %w", err)
	}
	if len(answer.Errors) > 0 {
		return fmt.Errorf("ask by GraphQL: %w", &queryError{answer.Errors[0].Message})
	}
	return nil
}
