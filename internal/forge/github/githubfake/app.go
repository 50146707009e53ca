package githubfake

import (
	"crypto/rsa"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v4"
)

// App is a GitHub App that is installed.
type App struct {
	ID, Installation int64
	Key              *rsa.PublicKey
	User             User   // as who it acts
	Token            string // what its installation signs in with
}

// signed reports whether a request bears the signature of the app.
func (g *GitHub) signed(c *call) bool {
	_, raw, _ := strings.Cut(c.Header.Get("Authorization"), " ")
	if g.App == nil {
		return false
	}
	claims := jwt.RegisteredClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods([]string{"RS256"}), jwt.WithoutClaimsValidation())
	_, err := parser.ParseWithClaims(raw, &claims, func(*jwt.Token) (any, error) { return g.App.Key, nil })
	return err == nil && claims.Issuer == strconv.FormatInt(g.App.ID, 10)
}

func (g *GitHub) getApp(c *call) answer {
	if !g.signed(c) {
		return refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	}
	return ok(object{"id": g.App.ID, "slug": strings.TrimSuffix(g.App.User.Login, "[bot]"), "name": "retrosweep"})
}

func (g *GitHub) makeToken(c *call) answer {
	switch {
	case !g.signed(c):
		return refuse(http.StatusUnauthorized, "A JSON web token could not be decoded")
	case c.params["installation_id"] != strconv.FormatInt(g.App.Installation, 10):
		return notFound
	}
	// The client library compares this with the clock of the machine.
	expires := time.Now().Add(time.Hour)
	return answer{status: http.StatusCreated, body: object{"token": g.App.Token, "expires_at": expires.UTC().Format(time.RFC3339), "permissions": object{}}}
}
