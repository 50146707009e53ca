package remote

import (
	"errors"
	"fmt"
	"net/url"
	"os/user"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/transport"

	"github.com/retrosweep/retrosweep/internal/repo/credentials"
)

// ErrURL says that a URL is not one that is followed; the message says what to
// write instead.
var ErrURL = errors.New("not a usable repository URL")

// URL is a checked address of a repository: https, ssh, or http on this machine.
type URL struct {
	scheme, user, host, port, path string
	scp                            bool // written user@host:path; the path may be relative to a home
}

var (
	scpForm  = regexp.MustCompile(`^(?:([^@/:]+)@)?([^/:@\[\]]+|\[[^\]]+\]):(.+)$`)
	hostForm = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9.])?$|^[0-9A-Fa-f:]+$`)
	userForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*$`)
	helperAt = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)
)

// IsURL reports whether a person means a remote repository by this text, and
// not a path: it has a scheme, the ext:: form, or is user@host:path.
func IsURL(s string) bool {
	if strings.Contains(s, "://") || helperAt.MatchString(s) {
		return true
	}
	m := scpForm.FindStringSubmatch(s)
	return m != nil && m[1] != "" // C:\x and host:path are more likely paths
}

// ParseURL checks an address. What it refuses would run a program, read a file
// of this machine, send a secret where it can be seen or be taken for an option.
func ParseURL(raw string) (URL, error) {
	u, why := parse(raw)
	if why != "" {
		return URL{}, fmt.Errorf("%w: %s", ErrURL, why)
	}
	return u, nil
}

func parse(raw string) (URL, string) {
	switch {
	case raw == "":
		return URL{}, "it is empty"
	case strings.ContainsFunc(raw, func(c rune) bool { return c <= ' ' || c == 0x7f || c == '\\' || c == 0xfffd }):
		return URL{}, "it has a space, backslash or control character"
	case helperAt.MatchString(raw):
		return URL{}, "the helper form (ext:: and others) runs a program; use https:// or ssh://"
	case !strings.Contains(raw, "://"):
		return parseSCP(raw)
	}
	p, err := url.Parse(raw)
	if err != nil {
		return URL{}, "it cannot be read" // the parser's error repeats the text, which may hold a password
	}
	return fromParsed(p)
}

func parseSCP(raw string) (URL, string) {
	m := scpForm.FindStringSubmatch(raw)
	if m == nil {
		return URL{}, "it has no scheme; a directory of this machine is named by its path"
	}
	if slices.Contains([]string{"http", "https", "ssh", "git", "file", "ftp"}, strings.ToLower(m[2])) {
		return URL{}, fmt.Sprintf("%s: is not followed by //", m[2])
	}
	u := URL{scheme: "ssh", user: m[1], host: strings.Trim(m[2], "[]"), path: m[3], scp: true}
	return u, u.fault()
}

func fromParsed(p *url.URL) (URL, string) {
	u := URL{scheme: strings.ToLower(p.Scheme), host: p.Hostname(), port: p.Port(), path: p.Path}
	_, password := p.User.Password()
	switch {
	case p.User != nil && (u.scheme != "ssh" || password):
		return URL{}, "it has a user name or password in it, which end up in logs and process lists; leave them out and set RETROSWEEP_TOKEN"
	case p.RawQuery != "" || p.Fragment != "" || p.ForceQuery || p.Opaque != "":
		return URL{}, "it has options (? or #), which a repository's address does not need"
	case u.scheme == "ssh":
		u.user = p.User.Username()
	}
	return u, u.fault()
}

// fault says in words what is wrong with the parts.
func (u URL) fault() string {
	port, err := strconv.Atoi(u.port)
	switch {
	case u.scheme == "file":
		return "file:// is not followed; name the directory by its path"
	case u.scheme == "http" && !credentials.Loopback(u.host):
		return "plain http can be read and changed on the way; use https://"
	case u.scheme != "https" && u.scheme != "ssh" && u.scheme != "http":
		return fmt.Sprintf("scheme %q is not followed; use https:// or ssh://", u.scheme)
	case !hostForm.MatchString(u.host):
		return fmt.Sprintf("%q is not a host name", u.host)
	case u.port != "" && (err != nil || port < 1 || port > 65535):
		return fmt.Sprintf("%q is not a port", u.port)
	case u.user != "" && !userForm.MatchString(u.user):
		return fmt.Sprintf("%q is not a user name", u.user)
	case strings.Trim(u.path, "/") == "" || strings.HasPrefix(u.path, "-") || strings.HasPrefix(u.path, "/-"):
		return fmt.Sprintf("%q is not the path of a repository", u.path)
	case strings.ContainsFunc(u.path, func(c rune) bool {
		return c <= ' ' || c == 0x7f || c == '\\' || c == '"' || c == '%' || c == '?' || c == '#'
	}):
		return "its path has a space, quote, percent or control character"
	}
	return ""
}

// String is the address as git writes it. It never has a password.
func (u URL) String() string {
	user := u.user
	if user != "" {
		user += "@"
	}
	if u.scp {
		return user + bracketed(u.host) + ":" + u.path
	}
	return u.scheme + "://" + user + u.Host() + u.path
}

// Host is the host and, if it was written, the port.
func (u URL) Host() string {
	if u.port == "" {
		return bracketed(u.host)
	}
	return bracketed(u.host) + ":" + u.port
}

func bracketed(host string) string {
	if strings.Contains(host, ":") {
		return "[" + host + "]"
	}
	return host
}

// Same reports whether two addresses name one repository, whatever ending and
// case of the host they are written with.
func (u URL) Same(v URL) bool { return u.key() == v.key() }

func (u URL) key() string {
	port := u.port
	if port == map[string]string{"https": "443", "http": "80", "ssh": "22"}[u.scheme] {
		port = ""
	}
	path := strings.TrimSuffix(strings.Trim(u.path, "/"), ".git")
	return strings.Join([]string{u.scheme, u.user, strings.ToLower(u.host), port, path}, "\x00")
}

// web is the address as net/url has it; credentials are looked for by it.
func (u URL) web() *url.URL { return &url.URL{Scheme: u.scheme, Host: u.Host(), Path: u.path} }

func (u URL) endpoint() *transport.Endpoint {
	port, _ := strconv.Atoi(u.port) // checked by fault; 0 is the scheme's own
	return &transport.Endpoint{Protocol: u.scheme, User: u.user, Host: bracketed(u.host), Port: port, Path: u.path}
}

// login is the name to log in with over SSH.
func (u URL) login(configured string) string {
	switch {
	case u.user != "":
		return u.user
	case configured != "":
		return configured
	}
	if me, err := user.Current(); err == nil && userForm.MatchString(me.Username) {
		return me.Username
	}
	return "git"
}
