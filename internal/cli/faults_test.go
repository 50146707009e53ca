package cli_test

import (
	"net/http"
	"net/http/httputil"
	"net/url"
)

// forward hands requests on to the server of an address.
func forward(address string) http.Handler {
	u, err := url.Parse(address)
	if err != nil {
		return http.NotFoundHandler()
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: u.Scheme, Host: u.Host}) }}
}
