package github

import (
	"net/url"
	"regexp"
	"strings"
)

var (
	scpLike  = regexp.MustCompile(`^(?:[A-Za-z0-9._-]+@)?([A-Za-z0-9.-]+):([^/].*)$`)
	nameLike = regexp.MustCompile(`^[A-Za-z0-9_.][A-Za-z0-9_.-]*$`)
)

// ParseRemote reads a clone URL: https, ssh, or as scp writes it. It is false
// where the path is not an owner and a repository, as on other hosts and for
// paths of this machine. Names and passwords in it are left out.
func ParseRemote(raw string) (owner, name, host string, ok bool) {
	raw = strings.TrimSpace(raw)
	if !strings.Contains(raw, "://") {
		m := scpLike.FindStringSubmatch(raw)
		if m == nil || len(m[1]) < 2 { // one letter is a drive
			return "", "", "", false
		}
		return remote(m[1], m[2])
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.RawQuery != "" || u.Fragment != "" {
		return "", "", "", false
	}
	switch u.Scheme {
	case "https", "http":
		return remote(u.Host, u.Path)
	case "ssh", "git+ssh":
		return remote(u.Hostname(), u.Path) // the port is that of ssh
	}
	return "", "", "", false
}

func remote(at, path string) (owner, name, host string, ok bool) {
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	owner, name, _ = strings.Cut(path, "/")
	host = strings.ToLower(at)
	if host == "ssh."+publicHost || host == "www."+publicHost { // ssh over the port of https
		host = publicHost
	}
	ok = nameLike.MatchString(owner) && nameLike.MatchString(name) && strings.Trim(name, ".") != "" && strings.Trim(owner, ".") != ""
	if !ok {
		return "", "", "", false
	}
	return owner, name, host, true
}

// IsGitHub reports whether a host is known to be GitHub: its own, a tenant's, or
// the one that the environment of a workflow or of the gh tool names.
func IsGitHub(host string, env func(string) string) bool {
	server, err := url.Parse(env("GITHUB_SERVER_URL"))
	named := err == nil && server.Host != "" && strings.EqualFold(server.Host, host) || env("GH_HOST") != "" && strings.EqualFold(env("GH_HOST"), host)
	return strings.EqualFold(host, publicHost) || isTenant(host) || named
}
