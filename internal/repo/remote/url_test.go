package remote

import (
	"errors"
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ raw, want, refused string }{
		{"https://github.com/acme/shop.git", "https://github.com/acme/shop.git", ""},
		{"HTTPS://GitHub.com/acme/shop", "https://GitHub.com/acme/shop", ""},
		{"https://git.acme.dev:8443/a/b/c", "https://git.acme.dev:8443/a/b/c", ""},
		{"http://127.0.0.1:8080/shop.git", "http://127.0.0.1:8080/shop.git", ""},
		{"http://[::1]:8080/shop.git", "http://[::1]:8080/shop.git", ""},
		{"ssh://git@github.com/acme/shop.git", "ssh://git@github.com/acme/shop.git", ""},
		{"ssh://git@git.acme.dev:2222/~ada/shop.git", "ssh://git@git.acme.dev:2222/~ada/shop.git", ""},
		{"git@github.com:acme/shop.git", "git@github.com:acme/shop.git", ""},
		{"github.com:acme/shop.git", "github.com:acme/shop.git", ""},

		{"", "", "empty"},
		{"shop", "", "no scheme"},
		{"../shop", "", "no scheme"},
		{"ext::sh -c touch% /tmp/pwned", "", "space"},
		{"ext::sh", "", "runs a program"},
		{"::x", "", "runs a program"},
		{"ext::https://x/y", "", "runs a program"},
		{"file:///etc/passwd", "", "name the directory"},
		{"git://github.com/acme/shop", "", `"git" is not followed`},
		{"ftp://x/y", "", `"ftp" is not followed`},
		{"javascript://x/y", "", "is not followed"},
		{"http://github.com/acme/shop", "", "plain http"},
		{"http://127.0.0.1.evil.dev/x", "", "plain http"},
		{"http://localhost.evil.dev/x", "", "plain http"},
		{"https://ada:hunter2@github.com/acme/shop", "", "RETROSWEEP_TOKEN"},
		{"https://hunter2@github.com/acme/shop", "", "RETROSWEEP_TOKEN"},
		{"ssh://git:hunter2@github.com/acme/shop", "", "RETROSWEEP_TOKEN"},
		{"https://ada:hunter2@github.com:bad/acme", "", "cannot be read"},
		{"ssh://-oProxyCommand=touch/x", "", "not a host name"},
		{"ssh://-oProxyCommand=sh/x", "", "not a host name"},
		{"ssh://git@-oProxyCommand=sh/x", "", "not a host name"},
		{"ssh://-l@github.com/x", "", "not a user name"},
		{"-oProxyCommand=sh:x", "", "not a host name"},
		{"-l@github.com:x", "", "not a user name"},
		{"git@github.com:-x", "", "not the path"},
		{"git@github.com:--upload-pack=x", "", "not the path"},
		{"ssh://git@github.com/-x", "", "not the path"},
		{"https://github.com/", "", "not the path"},
		{"https://github.com", "", "not the path"},
		{"https:///acme/shop", "", "not a host name"},
		{"https://github.com/a?b=c", "", "options"},
		{"https://github.com/a#b", "", "options"},
		{"https://github.com/a?", "", "options"},
		{"https:opaque", "", "not followed by //"},
		{"file:/etc/passwd", "", "not followed by //"},
		{"https://github.com/a%0ab", "", "control character"},
		{"https://github.com/a%2fb", "https://github.com/a/b", ""},
		{"https://github.com/a\nb", "", "control character"},
		{"https://github.com/a b", "", "space"},
		{"https://github.com/a%20b", "", "space"},
		{`https://github.com/a\b`, "", "backslash"},
		{"https://github.com:0/a", "", "not a port"},
		{"https://github.com:99999/a", "", "not a port"},
		{"https://gïthub.com/a", "", "not a host name"},
		{"https://github.com;x/a", "", "not a host name"},
		{"https://$(x)/a", "", "not a host name"},
	}
	for _, test := range tests {
		u, err := ParseURL(test.raw)
		switch {
		case test.refused == "" && (err != nil || u.String() != test.want):
			t.Errorf("ParseURL(%q) = %q, %v", test.raw, u, err)
		case test.refused != "" && (!errors.Is(err, ErrURL) || !strings.Contains(err.Error(), test.refused)):
			t.Errorf("ParseURL(%q) = %v, want %q", test.raw, err, test.refused)
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("ParseURL(%q) repeats the password: %v", test.raw, err)
		}
	}
}

func TestIsURL(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{
		"https://github.com/acme/shop": true, "git@github.com:acme/shop": true, "ext::sh": true, "file:///x": true, "ssh://-o/x": true,
		".": false, "../shop": false, "/srv/git/shop.git": false, `C:\shop`: false, "C:/shop": false, "shop:old": false, "": false,
	}
	for raw, want := range tests {
		if IsURL(raw) != want {
			t.Errorf("IsURL(%q) = %v", raw, !want)
		}
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want bool
	}{
		{"https://github.com/acme/shop", "https://GITHUB.com:443/acme/shop.git/", true},
		{"https://github.com/acme/shop", "https://github.com/acme/Shop", false},
		{"https://github.com/acme/shop", "https://gitlab.com/acme/shop", false},
		{"https://github.com/acme/shop", "ssh://git@github.com/acme/shop", false},
		{"git@github.com:acme/shop", "ssh://git@github.com/acme/shop.git", true},
		{"ssh://git@github.com:22/acme/shop", "ssh://git@github.com/acme/shop.git", true},
		{"ssh://git@github.com/acme/shop", "ssh://ada@github.com/acme/shop.git", false},
	}
	for _, test := range tests {
		a, errA := ParseURL(test.a)
		b, errB := ParseURL(test.b)
		if errA != nil || errB != nil || a.Same(b) != test.want {
			t.Errorf("%s and %s: %v (%v, %v)", test.a, test.b, a.Same(b), errA, errB)
		}
	}
}

// FuzzParseURL: what is accepted is read back as itself and holds nothing that a
// command line, a configuration file or a terminal could take for something
// else.
func FuzzParseURL(f *testing.F) {
	for _, s := range []string{"https://a/b", "git@a:b", "ssh://u@a:1/b", "ext::x", "http://[::1]:1/x", "https://a/%41"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := ParseURL(raw)
		if err != nil {
			return
		}
		text := u.String()
		if strings.ContainsAny(text, " \t\r\n\"\\%?#\x00\x1b") || strings.HasPrefix(text, "-") || strings.Contains(text, "//-") {
			t.Errorf("%q became %q", raw, text)
		}
		again, err := ParseURL(text)
		if err != nil || !again.Same(u) {
			t.Errorf("%q became %q, which is read as %q, %v", raw, text, again, err)
		}
	})
}

// TestAttack25 git-remote: an address that runs a program, reads a file, is an
// option, goes unencrypted or carries a password is refused before anything is
// called.
func TestAttack25(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"ext::sh -c touch% /tmp/x", "ext::sh", "file:///etc/passwd", "ssh://-oProxyCommand=touch/x", "-oProxyCommand=sh:x", "--upload-pack=touch",
		"http://github.com/acme/shop", "http://127.0.0.1.evil.dev/x", "git://github.com/x/y", "https://ada:hunter2@github.com/a/b", "fd::17", "https://github.com/a\nb",
	} {
		if u, err := ParseURL(raw); err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q is taken as %v, or told of: %v", raw, u, err)
		}
	}
}
