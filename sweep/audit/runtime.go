package audit

import (
	"bytes"
	"context"
	"path"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/symbols"
	"github.com/retrosweep/retrosweep/sweep/anchor"
)

// A program spells out the files of data that it writes and reads where it runs.
// That one of these was once checked in as well, by the way, and is not any more
// says nothing about the text.

// dataFile are the names of files that programs make.
var dataFile = regexp.MustCompile(`(?i)\.(?:json|jsonl|ya?ml|toml|ini|cfg|conf|env|txt|csv|xml|db|sqlite3?|log|lock|sock|pid)$`)

// readRuntime finds the missing files of data that code at head spells out.
func (a *auditor) readRuntime(ctx context.Context) error {
	open := map[string]bool{}
	for c, rm := range a.walk.found {
		if madeAtRuntime(c) && !c.event() && rm != nil {
			open[c.cand.Path] = true
		}
	}
	a.runtime = map[string]bool{}
	for _, e := range a.entries {
		if len(open) == 0 {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if symbols.Language(e.Path) == "" || isTest(e.Path) {
			continue
		}
		src := a.code(e)
		for p := range open {
			if spellsOut(src, p) {
				a.runtime[p] = true
				delete(open, p)
			}
		}
	}
	return nil
}

// madeAtRuntime reports whether a claim may be about a file that a program makes.
// A link leads to a page.
func madeAtRuntime(c *claim) bool {
	return c.missing() && c.cand.Form != anchor.FormLink && c.cand.Form != anchor.FormDeclared && dataFile.MatchString(c.cand.Path)
}

// spellsOut reports whether code has the path as a string, or its last two
// parts as one each.
func spellsOut(src []byte, p string) bool {
	p = strings.TrimPrefix(p, "./")
	base := path.Base(p)
	if !bytes.Contains(src, []byte(base)) {
		return false
	}
	return quoted(src, p) || quoted(src, base) && (p == base || quoted(src, path.Base(path.Dir(p))))
}

func quoted(src []byte, s string) bool {
	for _, q := range []string{`"`, "'", "`"} {
		if bytes.Contains(src, []byte(q+s+q)) {
			return true
		}
	}
	return false
}

// scratch are directories that programs fill on everybody's machine.
var scratch = regexp.MustCompile(`^(?:tmp|temp|\.tmp|\.cache|logs|downloads)(?:/|$)`)
