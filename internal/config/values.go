package config

import (
	"fmt"
	"math"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/goccy/go-yaml/ast"

	"github.com/retrosweep/retrosweep/internal/schedule"
	"github.com/retrosweep/retrosweep/internal/suggest"
)

// textLike are the kinds of a value that was meant as text.
var textLike = []ast.NodeType{ast.StringType, ast.LiteralType}

// text takes a string.
func text(into *string) setter { return checked(into, func(string) string { return "" }) }

// checked takes a string that check finds nothing wrong with.
func checked(into *string, check func(string) string) setter {
	return scalar(func(value string, kind ast.NodeType) string {
		if !slices.Contains(textLike, kind) {
			return fmt.Sprintf("%s is not text; put it into quotes", value)
		}
		if strings.TrimSpace(value) == "" {
			return "has no value; give one or leave the key out"
		}
		if wrong := check(value); wrong != "" {
			return wrong
		}
		*into = value
		return ""
	})
}

// oneOf takes one of the words.
func oneOf[T ~string](into *T, words ...T) setter {
	return scalar(func(value string, _ ast.NodeType) string {
		if slices.Contains(words, T(value)) {
			*into = T(value)
			return ""
		}
		known := make([]string, len(words))
		for i, w := range words {
			known[i] = string(w)
		}
		wrong := fmt.Sprintf("unknown value %q; known are %s", value, list(known))
		if near := suggest.Nearest(value, known); near != "" {
			wrong += fmt.Sprintf("; did you mean %q?", near)
		}
		return wrong
	})
}

// flag takes true or false.
func flag(into *bool) setter {
	return scalar(func(value string, _ ast.NodeType) string {
		switch value {
		case "true", "false":
			*into = value == "true"
			return ""
		default:
			return fmt.Sprintf("%q is not true or false", value)
		}
	})
}

// count takes a whole number from 0 to max.
func count(into *int, max int) setter {
	return scalar(func(value string, _ ast.NodeType) string {
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 || n > max {
			return fmt.Sprintf("%q is not a whole number from 0 to %d", value, max)
		}
		*into = n
		return ""
	})
}

// maxUSD is more than anybody means to spend in a night.
const maxUSD = 10000

// money takes an amount of US dollars.
func money(into *float64) setter {
	return scalar(func(value string, _ ast.NodeType) string {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || math.IsNaN(n) || n < 0 || n > maxUSD {
			return fmt.Sprintf("%q is not an amount of US dollars from 0 to %d, written as a number alone", value, maxUSD)
		}
		*into = n
		return ""
	})
}

// duration takes a time span with its unit.
func duration(into *time.Duration, least, most time.Duration) setter {
	return scalar(func(value string, _ ast.NodeType) string {
		d, err := time.ParseDuration(value)
		switch {
		case err != nil:
			return fmt.Sprintf("%q is not a duration; write it with its unit, as 90s or 2m", value)
		case d < least || d > most:
			return fmt.Sprintf("%s is out of bounds: from %s to %s", value, least, most)
		}
		*into = d
		return ""
	})
}

// day takes a date.
func day(into *time.Time) setter {
	return scalar(func(value string, _ ast.NodeType) string {
		t, err := time.Parse(time.DateOnly, value)
		if err != nil {
			return fmt.Sprintf("%q is not a day; write it as 2027-06-01", value)
		}
		*into = t
		return ""
	})
}

// glob takes a pattern of paths.
func glob(into *string) setter { return checked(into, checkGlob) }

// globs takes a list of patterns of paths.
func globs(into *[]string) setter { return strs(into, checkGlob) }

// strs takes a list of strings.
func strs(into *[]string, check func(string) string) setter {
	return sequence(func(d *decoder, n ast.Node) {
		var s string
		if checked(&s, check)(d, n); s != "" {
			*into = append(*into, s)
		}
	})
}

func checkGlob(pattern string) string {
	switch {
	case !doublestar.ValidatePattern(pattern):
		return fmt.Sprintf("%q is not a glob: a bracket or brace is not closed", pattern)
	case strings.HasPrefix(pattern, "/"):
		return fmt.Sprintf("%q begins with a slash; globs are relative to the repository root", pattern)
	case strings.HasPrefix(pattern, "!"):
		return fmt.Sprintf("%q begins with an exclamation mark; globs do not negate", pattern)
	case slices.Contains(strings.Split(pattern, "/"), ".."):
		return fmt.Sprintf("%q leaves the repository", pattern)
	case strings.HasSuffix(pattern, "/"):
		return fmt.Sprintf("%q names a directory; write %q for the files in it", pattern, pattern+"**")
	default:
		return ""
	}
}

// checkSchedule accepts what serve runs by.
func checkSchedule(spec string) string {
	if _, err := schedule.Parse(spec, schedule.Options{}); err != nil {
		return err.Error()
	}
	return ""
}

// checkEndpoint accepts https, and http where it does not leave the machine.
func checkEndpoint(value string) string {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Opaque != "":
		return "is not a URL; write it as https://host/v1"
	case u.User != nil:
		return "holds credentials; name the variable that holds the key in api_key_env"
	case u.RawQuery != "" || u.Fragment != "":
		return "holds a query or fragment"
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return ""
	default:
		return fmt.Sprintf("scheme %q is not allowed; use https (http on loopback only)", u.Scheme)
	}
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

var variable = regexp.MustCompile(`^[A-Z_][A-Z0-9_]{0,99}$`)

// checkVariable accepts the name of a variable. A value that is no name may be
// the key itself, so the message does not repeat it.
func checkVariable(value string) string {
	if !variable.MatchString(value) {
		return "is not the name of an environment variable (capitals, digits and _); the key itself never stands in a configuration"
	}
	return ""
}

// checkRepo accepts a path or a clone URL without a password in it.
func checkRepo(value string) string {
	if strings.HasPrefix(value, "-") {
		return fmt.Sprintf("%q begins like an option", value)
	}
	if u, err := url.Parse(value); err == nil && u.User != nil {
		if _, has := u.User.Password(); has {
			return "holds credentials; they come from the environment or git's credential helper"
		}
	}
	return ""
}

var member = regexp.MustCompile(`^[^\s@]+@[^\s@]+$`)

func checkMember(value string) string {
	if !member.MatchString(value) {
		return fmt.Sprintf("%q is not an e-mail address or a pattern of one, as *@acme.dev", value)
	}
	return ""
}

var reviewer = regexp.MustCompile(`^[A-Za-z0-9][\w-]{0,38}(?:/[A-Za-z0-9][\w-]{0,99})?$`)

// checkReviewer checks an account, or a team as organization/team.
func checkReviewer(value string) string {
	if !reviewer.MatchString(value) {
		return fmt.Sprintf("%q is no account, and no team as organization/team", value)
	}
	return ""
}

// checkName checks a name or address that stands in commits.
func checkName(value string) string {
	if strings.TrimSpace(value) == "" || strings.ContainsAny(value, "<>\n\x00") || len(value) > 200 {
		return fmt.Sprintf("%q cannot be written in a commit", value)
	}
	return ""
}

// checkSignOff checks what stands behind Signed-off-by.
func checkSignOff(value string) string {
	name, address, ok := strings.Cut(strings.TrimSuffix(value, ">"), " <")
	if !ok || !strings.HasSuffix(value, ">") || checkName(name) != "" || !strings.Contains(address, "@") || checkName(address) != "" {
		return fmt.Sprintf("%q is not a name with an address, as Ada Byron <ada@acme.dev>", value)
	}
	return ""
}
