package audit

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// A flag of one word and a subcommand share their names with much else in the
// code. For these a word alone shows nothing: the past must have defined one, and
// head must not even mention it where one could be defined.

var (
	subbing  = regexp.MustCompile(`\bUse:\s*"\x01[" ]|\b[cC]ommand\(\s*(?:name\s*=\s*)?["'` + "`" + `]\x01["'` + "`" + ` ]|\badd_parser\(\s*["']\x01["']|\bSubcommand::with_name\(\s*"\x01"|\b[sS]ub[cC]ommands?\(\s*(?:name\s*=\s*)?["']\x01["']`)
	spelt    = regexp.MustCompile(`(?:^|[^-\w])--\x01(?:[^-\w]|$)`)
	mention  = regexp.MustCompile(`["'` + "`" + `]\x01(?:["'` + "`" + ` =<\[:|]|$)|(?:^|[(,])\s*\x01\s*:|\b(?:def|fn|func|function|case|async|const)\s+\x01\b|\.\x01\s*\(`)
	pyMethod = regexp.MustCompile(`(?m)^[ \t]*@[\w.]+\.command\(\s*(?:[a-z_]+\s*=[^)]*)?\)[ \t]*\n(?:[ \t]*[@)#\]].*\n)*[ \t]*(?:async )?def (\w+)\(`)
)

// parsers are words of files that read command lines.
var parsers = func() (out [][]byte) {
	for _, w := range strings.Fields(`typer click .command argparse optparse getopt argv cobra flag Flag os.Args clap structopt
		commander yargs minimist parseArgs citty cac( oclif kong cli CLI subcommand usage Usage`) {
		out = append(out, []byte(w))
	}
	return out
}()

// parses reports whether a file seems to read command lines.
func parses(src []byte) bool {
	return slices.ContainsFunc(parsers, func(w []byte) bool { return bytes.Contains(src, w) })
}

// narrow reports whether a key is a flag of one word or a subcommand.
func narrow(k string) bool {
	flag, ok := strings.CutPrefix(k, "flag ")
	return ok && !strings.Contains(flag, "-") || strings.HasPrefix(k, "sub ")
}

// defines reports whether a file defines the flag or the subcommand.
func defines(file string, src []byte, k string) bool {
	if flag, ok := strings.CutPrefix(k, "flag "); ok {
		return onLine(src, flag, flagWord)
	}
	name := strings.TrimPrefix(k, "sub ")
	return onLine(src, name, subbing) || path.Ext(file) == ".py" && decorated(src, name)
}

// decorated reports whether a function of that name is made a command by a
// decorator that does not name it.
func decorated(src []byte, name string) bool {
	for _, m := range pyMethod.FindAllSubmatch(src, -1) {
		if strings.ReplaceAll(string(m[1]), "_", "-") == name {
			return true
		}
	}
	return false
}

// mentions reports whether there may still be such a flag or subcommand: it is
// spelt out, or the file is one that reads command lines and has the word where a
// name could stand.
func mentions(file string, src []byte, k string) bool {
	if tests.MatchString(file) {
		return false
	}
	_, name, _ := strings.Cut(k, " ")
	return onLine(src, name, spelt) || onLine(src, name, mention) && parses(src) || defines(file, src, k)
}

// has reports whether a file of the past still had what the key names.
func has(file string, src []byte, k string) bool {
	if narrow(k) {
		return mentions(file, src, k)
	}
	return introduces(file, src, k)
}
