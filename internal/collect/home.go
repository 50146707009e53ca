package collect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Places are where agents keep what they know on this machine.
type Places struct {
	Home   string // of the person, absolute
	Claude string // "": Home/.claude
	Codex  string // "": Home/.codex
	Root   string // of the repository, absolute
}

func (p Places) defaults() Places {
	if p.Claude == "" {
		p.Claude = filepath.Join(p.Home, ".claude")
	}
	if p.Codex == "" {
		p.Codex = filepath.Join(p.Home, ".codex")
	}
	return p
}

// Bounds of what is read.
const (
	maxMemory   = 64 << 10 // bytes of one memory
	maxSessions = 200      // transcripts, the newest
)

// Gather reads the memories of this repository and the corrections of its
// sessions since a time, each once, the oldest first. Nothing found is no error;
// what cannot be read is left out and named.
func Gather(p Places, since time.Time) (all []Item, faults []string, err error) {
	if !filepath.IsAbs(p.Home) || !filepath.IsAbs(p.Root) {
		return nil, nil, errors.New("collect: the home and the repository are absolute paths")
	}
	g := &gatherer{Places: p.defaults(), since: since, clean: newCleaner(p.Home, p.Root)}
	g.claudeMemories()
	g.codexMemories()
	g.sessions(filepath.Join(g.Claude, "projects"), claudeTurn)
	g.sessions(filepath.Join(g.Codex, "sessions"), codexTurn)
	return once(g.items), g.faults, nil
}

type gatherer struct {
	Places
	since  time.Time
	clean  *cleaner
	items  []Item
	faults []string
}

// once keeps of each key the first; the order is by day and key, so that two
// machines come to the same.
func once(all []Item) []Item {
	slices.SortStableFunc(all, func(a, b Item) int {
		return strings.Compare(a.Day+a.Key, b.Day+b.Key)
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(i Item) bool {
		again := seen[i.Key]
		seen[i.Key] = true
		return again
	})
}

func (g *gatherer) fault(path string, err error) {
	g.faults = append(g.faults, fmt.Sprintf("%s: %s", g.clean.text(path), g.clean.text(err.Error())))
}

// notName matches what Claude Code replaces in the name of a project's directory.
var notName = regexp.MustCompile(`[^A-Za-z0-9]`)

// claudeMemories reads the memory directory of this repository's project.
func (g *gatherer) claudeMemories() {
	dir := filepath.Join(g.Claude, "projects", notName.ReplaceAllString(g.Root, "-"), "memory")
	for _, file := range g.markdown(dir) {
		if strings.EqualFold(filepath.Base(file), "MEMORY.md") {
			continue // an index; what it points at is read
		}
		if b, ok := g.read(file); ok {
			g.add(g.clean.memory("claude", strings.TrimSuffix(filepath.Base(file), ".md"), b))
		}
	}
}

// codexMemories reads the sections of Codex's memories that speak of this
// repository: they hold those of all projects.
func (g *gatherer) codexMemories() {
	name := filepath.Base(g.Root)
	for _, file := range g.markdown(filepath.Join(g.Codex, "memories")) {
		b, ok := g.read(file)
		if !ok {
			continue
		}
		for _, section := range sections(string(b)) {
			if strings.Contains(section, g.Root) || names(section, name) {
				g.add(g.clean.memory("codex", heading(section), []byte(section)))
			}
		}
	}
}

func (g *gatherer) add(i Item, ok bool) {
	if ok {
		g.items = append(g.items, i)
	}
}

// markdown lists the pages of a directory, which need not be there.
func (g *gatherer) markdown(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		g.fault(dir, err)
	}
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() && strings.HasSuffix(e.Name(), ".md") {
			out = append(out, filepath.Join(dir, e.Name()))
		}
	}
	return out
}

func (g *gatherer) read(file string) ([]byte, bool) {
	info, err := os.Lstat(file)
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		return nil, false
	case info.Size() > maxMemory:
		err = fmt.Errorf("larger than %d bytes", maxMemory)
	}
	var b []byte
	if err == nil {
		b, err = os.ReadFile(file)
	}
	if err != nil {
		g.fault(file, err)
	}
	return b, err == nil
}

// sections cuts a page before each heading.
func sections(page string) []string {
	var out []string
	for line := range strings.Lines(page) {
		if len(out) == 0 || strings.HasPrefix(line, "#") {
			out = append(out, "")
		}
		out[len(out)-1] += line
	}
	return out
}

func heading(section string) string {
	line, _, _ := strings.Cut(section, "\n")
	return strings.TrimSpace(strings.TrimLeft(line, "# "))
}

// names reports whether a text names the repository as a word.
func names(text, repository string) bool {
	if len(repository) < 3 {
		return false
	}
	return regexp.MustCompile(`(^|[^\pL\pN_-])` + regexp.QuoteMeta(repository) + `($|[^\pL\pN_-])`).MatchString(text)
}
