package wire

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// ErrNoCredential says that nothing was found; the error around it names where
// it was looked for.
var ErrNoCredential = errors.New("no credential for the host")

// Find looks for a token for a host: in our own variable, in those that belong
// to this kind of host, and then with git's credential helpers. The caller sees
// to it that the variables are meant for the host.
func Find(ctx context.Context, env func(string) string, api *url.URL, names ...string) (credentials.Credential, error) {
	names = append([]string{credentials.OwnVariable}, names...)
	for _, name := range names {
		if token := strings.TrimSpace(env(name)); token != "" {
			return whole(credentials.Credential{Secret: credentials.NewSecret(token), Source: name})
		}
	}
	c, ok, err := credentials.FromEnvironment(env).After(ctx, api)
	switch {
	case err != nil:
		return c, fmt.Errorf("look for a credential: %w", err)
	case !ok:
		return c, fmt.Errorf("%w %s: set %s, or give git a credential helper", ErrNoCredential, api.Host, strings.Join(names, " or "))
	}
	return whole(c)
}

// whole refuses what no header could hold.
func whole(c credentials.Credential) (credentials.Credential, error) {
	if strings.ContainsFunc(c.Secret.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return credentials.Credential{}, fmt.Errorf("%s holds more than a token: there are blanks or control characters in it", c.Source)
	}
	return c, nil
}
