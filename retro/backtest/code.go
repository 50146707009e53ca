package backtest

import (
	"path"
	"strings"

	"github.com/retrosweep/retrosweep/retro/signal"
)

// holdsCode leaves out what no person wrote, and prose and data, which may name the
// wrong way to warn of it. Markdown holds both.
func holdsCode(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".rst", ".adoc", ".jsonl", ".ndjson", ".csv", ".tsv", ".log":
		return false
	case ".txt": // scripts of tests are written so, and what build tools read
		base := path.Base(p)
		return strings.Contains("/"+p, "/testdata/") || base == "CMakeLists.txt" || strings.HasPrefix(base, "requirements")
	}
	return signal.LeftOut(p) == ""
}

// codeOf says which lines of a file are code: all, and of Markdown those between
// fences and those with a command that a tool runs as it loads the page.
func codeOf(p string, content []byte) func(line int) bool {
	if !isPage(p) {
		return func(int) bool { return true }
	}
	code, n, fence := map[int]bool{}, 0, ""
	for line := range strings.Lines(string(content)) {
		n++
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
		case fence != "" && strings.HasPrefix(mark, fence) && strings.TrimSpace(strings.TrimLeft(line, " \t>"+fence[:1])) == "":
			fence = ""
		case fence != "" || strings.Contains(line, "!`"):
			code[n] = true
		}
	}
	return func(line int) bool { return code[line] }
}

func isPage(p string) bool {
	switch strings.ToLower(path.Ext(p)) {
	case ".md", ".mdx", ".mdc":
		return true
	}
	return false
}

// fenceOf is the fence that a line begins with, "" if it begins with none.
func fenceOf(line string) string {
	line = strings.TrimLeft(line, " \t>")
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}
