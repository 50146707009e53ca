package audit

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// A flag of one word, a subcommand and the parts of a setting's key share their names with much else in the
// code. For these a word alone shows nothing: the past must have defined one, and
// head must not even mention it where one could be defined.

var (
	subbing  = regexp.MustCompile(`\bUse:\s*"\x01[" ]|\b[cC]ommand\(\s*(?:name\s*=\s*)?["'` + "`" + `]\x01["'` + "`" + ` ]|\badd_parser\(\s*["']\x01["']|\bSubcommand::with_name\(\s*"\x01"|\b[sS]ub[cC]ommands?\(\s*(?:name\s*=\s*)?["']\x01["']`)
	keyword  = regexp.MustCompile(`\b(?:def|fn|func|function|case|async|const)\s+$`)
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

// narrow reports whether a key is a flag of one word, a subcommand or a setting.
func narrow(k string) bool {
	flag, ok := strings.CutPrefix(k, "flag ")
	return ok && !strings.Contains(flag, "-") || strings.HasPrefix(k, "sub ") || strings.HasPrefix(k, "conf ")
}

// defines reports whether a file defines the flag or the subcommand.
func defines(file string, src []byte, k string) bool {
	kind, name, _ := strings.Cut(k, " ")
	if kind == "conf" {
		return onLine(src, name, spelled)
	}
	shape := subbing
	if kind == "flag" {
		shape = flagWord
	}
	named := anywhere(src, name, func(before, after []byte) bool {
		return (inQuotes(before, after) || dashed(before)) && shape.Match(slices.Concat(before, []byte{1}, after))
	})
	return named || kind == "sub" && path.Ext(file) == ".py" && decorated(src, name)
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
	if isTest(file) {
		return false
	}
	kind, name, _ := strings.Cut(k, " ")
	if kind == "conf" {
		return setsKey(src, name)
	}
	reads := sync.OnceValue(func() bool { return parses(src) })
	return anywhere(src, name, func(before, after []byte) bool {
		return dashed(before) && (len(after) == 0 || after[0] != '-') || couldName(before, after) && reads()
	}) || defines(file, src, k)
}

// dashed reports whether what follows is spelt as a flag.
func dashed(before []byte) bool {
	rest, ok := bytes.CutSuffix(before, []byte("--"))
	return ok && (len(rest) == 0 || !inToken[rest[len(rest)-1]])
}

// inQuotes reports whether a word begins what is quoted.
func inQuotes(before, after []byte) bool {
	return len(before) > 0 && isQuote(before[len(before)-1]) && (len(after) == 0 || isQuote(after[0]) || bytes.IndexByte([]byte(" =<[:|"), after[0]) >= 0)
}

func isQuote(c byte) bool { return c == '"' || c == '\'' || c == '`' }

// couldName reports whether a word stands where a flag or a subcommand could
// have its name: a string, a key, a parameter, a function, a method that is called.
func couldName(before, after []byte) bool {
	if inQuotes(before, after) {
		return true
	}
	lead, rest := bytes.TrimRight(before, " \t"), bytes.TrimLeft(after, " \t")
	switch {
	case bytes.HasPrefix(rest, []byte(":")):
		return len(lead) == 0 || lead[len(lead)-1] == '(' || lead[len(lead)-1] == ','
	case bytes.HasSuffix(before, []byte(".")):
		return bytes.HasPrefix(rest, []byte("("))
	}
	return len(lead) < len(before) && keyword.Match(before)
}

// has reports whether a file of the past still had what the key names.
func has(file string, src []byte, k string) bool {
	if narrow(k) {
		return mentions(file, src, k)
	}
	return introduces(file, src, k)
}

// setsKey reports whether a file may still know a setting: it spells the key out,
// or names its last part as a key beside its first.
func setsKey(src []byte, name string) bool {
	always := func(_, _ []byte) bool { return true }
	if anywhere(src, name, always) {
		return true
	}
	first, last := name[:strings.IndexByte(name, '.')], name[strings.LastIndexByte(name, '.')+1:]
	return anywhere(src, last, asKey) && bytes.Contains(bytes.ToLower(src), []byte(strings.ToLower(first)))
}

// asKey reports whether a word stands as a key does: quoted, in a tag, before a
// colon or an equals sign.
func asKey(before, after []byte) bool {
	rest := bytes.TrimLeft(after, " \t")
	return len(before) > 0 && isQuote(before[len(before)-1]) || bytes.HasPrefix(rest, []byte(":")) || bytes.HasPrefix(rest, []byte("="))
}
