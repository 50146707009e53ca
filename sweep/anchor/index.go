package anchor

import (
	"path"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// How says by which rule a spelling resolved, from the surest to the weakest.
type How uint8

// Rules of resolution.
const (
	Nowhere   How = iota
	Relative      // from the document's directory
	Root          // from the root of the repository
	Above         // from a directory above the document
	Context       // below a directory that the text names nearby
	Suffix        // the one path that ends so
	Ambiguous     // several paths end so
	Behind        // inside a submodule or behind a symbolic link: this tree cannot tell
)

// Exact reports whether the spelling leads to the path as it stands, without
// guessing.
func (h How) Exact() bool { return h == Relative || h == Root || h == Above }

// Place is where a spelling leads.
type Place struct {
	Path string
	Dir  bool
	How  How
}

// Index answers where spellings lead in one set of paths.
type Index struct {
	files  map[string]bool
	dirs   map[string]bool
	order  []string            // files, then directories, as they came
	byBase map[string][]string // base name to files
	dirsBy map[string][]string // base name to directories
	folded map[string][]string // wiki name to Markdown files
	behind []string            // submodules and symbolic links
	whole  bool                // every directory is known
}

// NewIndex indexes files, and directories that are known apart from their
// files. behind are the submodules and symbolic links.
func NewIndex(files, dirs, behind []string) *Index {
	x := &Index{
		order: slices.Clone(files),
		files: map[string]bool{}, dirs: map[string]bool{}, byBase: map[string][]string{},
		dirsBy: map[string][]string{}, folded: map[string][]string{}, behind: behind,
	}
	for _, f := range files {
		x.files[f] = true
		b := base(f)
		x.byBase[b] = append(x.byBase[b], f)
		if strings.HasSuffix(b, ".md") || strings.HasSuffix(b, ".mdx") {
			x.folded[Fold(b)] = append(x.folded[Fold(b)], f)
		}
	}
	for _, d := range dirs {
		x.addDir(d)
	}
	return x
}

// NewTreeIndex indexes a whole tree: every directory above a file is there.
func NewTreeIndex(files, behind []string) *Index {
	x := NewIndex(files, nil, behind)
	x.whole = true
	for _, f := range append(slices.Clone(files), behind...) {
		for d := dir(f); d != "" && !x.dirs[d]; d = dir(d) {
			x.addDir(d)
		}
	}
	return x
}

func (x *Index) addDir(d string) {
	if !x.dirs[d] {
		x.dirs[d] = true
		x.order = append(x.order, d)
		x.dirsBy[base(d)] = append(x.dirsBy[base(d)], d)
	}
}

// Fold normalizes a wiki name: case, - and _ and blanks do not count.
func Fold(name string) string {
	name = strings.TrimSuffix(strings.TrimSuffix(strings.ToLower(name), ".mdx"), ".md")
	return unjoined.Replace(name)
}

var unjoined = strings.NewReplacer("-", "", "_", "", " ", "")

// HasDir reports whether d is a directory of the tree.
func (x *Index) HasDir(d string) bool { return d == "" || x.dirs[d] }

// HasFile reports whether f is a file of the tree.
func (x *Index) HasFile(f string) bool { return x.files[f] }

// WithBase returns the files with a base name.
func (x *Index) WithBase(name string) []string { return x.byBase[name] }

// DirsWithBase returns the directories with a base name.
func (x *Index) DirsWithBase(name string) []string { return x.dirsBy[name] }

// Resolve says where c, spelled in the document at doc, leads.
func (x *Index) Resolve(c *Candidate, doc string) Place {
	switch {
	case c.Form == FormWiki:
		return x.wiki(c, doc)
	case c.Kind == knowledge.AnchorGlob:
		return x.glob(c, doc)
	}
	best := Place{}
	for _, p := range c.Paths() {
		if got := x.path(c, p, doc); got.How != Nowhere && (best.How == Nowhere || got.How < best.How) {
			best = got
		}
	}
	return best
}

func (x *Index) path(c *Candidate, p, doc string) Place {
	rel := clean(path.Join(dir(doc), p))
	exact := func() Place {
		if !c.Rooted {
			if pl := x.at(c, rel, Relative); pl.How != Nowhere {
				return pl
			}
		}
		if up := upwards(p); up != "" { // one ../ too few or too many
			return x.at(c, up, Above)
		}
		if pl := x.at(c, p, Root); pl.How != Nowhere || c.Rooted {
			return pl
		}
		return x.above(c, p, doc)
	}
	bare := !strings.Contains(p, "/")
	if !bare || len(c.Dirs) == 0 {
		if pl := exact(); pl.How != Nowhere {
			return pl
		}
	}
	matches := x.endings(c, p)
	if pl := nearContext(matches, c.Dirs, doc); pl.How != Nowhere {
		return pl
	}
	if bare && len(c.Dirs) > 0 {
		if pl := exact(); pl.How != Nowhere {
			return pl
		}
	}
	return weakest(matches, c, doc)
}

// above looks from the directories above the document, as texts inside a
// package do that take the package for their root.
func (x *Index) above(c *Candidate, p, doc string) Place {
	for d := dir(dir(doc)); d != ""; d = dir(d) {
		if pl := x.at(c, d+"/"+p, Above); pl.How != Nowhere {
			return pl
		}
	}
	return Place{}
}

// at looks at one path.
func (x *Index) at(c *Candidate, p string, how How) Place {
	if p == "" || strings.HasPrefix(p, "../") || p == ".." {
		return Place{}
	}
	if c.Kind != knowledge.AnchorDir && x.files[p] {
		return Place{Path: p, How: how}
	}
	if (c.Kind != knowledge.AnchorFile || c.Form == FormDeclared) && x.dirs[p] {
		return Place{Path: p, Dir: true, How: how}
	}
	for _, b := range x.behind {
		if p == b || strings.HasPrefix(p, b+"/") {
			return Place{Path: p, How: Behind}
		}
	}
	return Place{}
}

// upwards returns what follows the leading ../ of a path, if that is more than
// a name; "" for a path without them.
func upwards(p string) string {
	rest := p
	for strings.HasPrefix(rest, "../") {
		rest = rest[3:]
	}
	if rest == p || !strings.Contains(rest, "/") {
		return ""
	}
	return rest
}

// endings returns the paths that end in p at a path boundary.
func (x *Index) endings(c *Candidate, p string) []Place {
	if strings.HasPrefix(p, "..") && c.Form != FormDeclared {
		if p = upwards(p); p == "" {
			return nil
		}
	}
	var out []Place
	pick := func(paths []string, isDir bool) {
		for _, f := range paths {
			if f == p || strings.HasSuffix(f, "/"+p) {
				out = append(out, Place{Path: f, Dir: isDir})
			}
		}
	}
	if c.Kind != knowledge.AnchorDir {
		pick(x.byBase[base(p)], false)
	}
	if c.Kind != knowledge.AnchorFile {
		pick(x.dirsBy[base(p)], true)
	}
	return out
}

// nearContext chooses the match that lies below a directory named nearby.
func nearContext(matches []Place, dirs []string, doc string) Place {
	for _, d := range dirs {
		for _, d := range []string{clean(path.Join(dir(doc), d)), d} {
			var in []Place
			for _, m := range matches {
				if d != "" && strings.Contains("/"+m.Path, "/"+d+"/") {
					in = append(in, m)
				}
			}
			if len(in) > 0 {
				m := slices.MinFunc(in, func(a, b Place) int { return len(a.Path) - len(b.Path) })
				m.How = Context
				return m
			}
		}
	}
	return Place{}
}

// weakest takes the only match, or the only one in the document's own part of
// the tree. Spellings that are too short to be told apart by their end do not
// count.
func weakest(matches []Place, c *Candidate, doc string) Place {
	short := c.Bare() && c.Kind != knowledge.AnchorFile && c.Kind != knowledge.AnchorLink
	switch {
	case len(matches) == 0 || c.Either() && c.Form == FormCommand || c.Form == FormDeclared:
		return Place{}
	case short: // lib/, docs/: whichever is meant, one is there
		matches[0].How = Ambiguous
		return matches[0]
	}
	if len(matches) == 1 {
		matches[0].How = Suffix
		return matches[0]
	}
	for d := dir(doc); d != ""; d = dir(d) {
		var in []Place
		for _, m := range matches {
			if strings.HasPrefix(m.Path, d+"/") {
				in = append(in, m)
			}
		}
		if len(in) == 1 {
			in[0].How = Suffix
			return in[0]
		}
	}
	matches[0].How = Ambiguous
	return matches[0]
}

// wiki resolves [[name]]: beside the document first, then the only file of
// that name.
func (x *Index) wiki(c *Candidate, doc string) Place {
	found := x.folded[Fold(c.Base())]
	for _, f := range found {
		if dir(f) == dir(doc) {
			return Place{Path: f, How: Relative}
		}
	}
	switch len(found) {
	case 0:
		return Place{}
	case 1:
		return Place{Path: found[0], How: Suffix}
	}
	return Place{Path: found[0], How: Ambiguous}
}

// glob resolves a pattern: at least one file or directory must match.
func (x *Index) glob(c *Candidate, doc string) Place {
	pats := []string{c.Path}
	if d := dir(doc); d != "" && !c.Rooted && !strings.HasPrefix(c.Path, "**/") {
		pats = append(pats, clean(path.Join(d, c.Path)))
	}
	for i, pat := range pats {
		if f := x.match(pat); f != "" {
			return Place{Path: f, How: []How{Root, Relative}[i]}
		}
	}
	if c.Form != FormDeclared && !strings.HasPrefix(c.Path, "**/") && !strings.HasPrefix(c.Path, "..") {
		if f := x.match("**/" + c.Path); f != "" {
			return Place{Path: f, How: Suffix}
		}
	}
	return Place{}
}

// match returns a path that the pattern matches. The literal end of a pattern
// narrows the search.
func (x *Index) match(pat string) string {
	pat = strings.TrimSuffix(pat, "/")
	if b := base(pat); !strings.ContainsAny(b, "*?{[") {
		for _, f := range append(slices.Clone(x.byBase[b]), x.dirsBy[b]...) {
			if ok, _ := doublestar.Match(pat, f); ok {
				return f
			}
		}
		return ""
	}
	lit, _ := doublestar.SplitPattern(pat)
	if x.whole && lit != "." && !x.dirs[lit] {
		return ""
	}
	for _, f := range x.order {
		if lit != "." && !strings.HasPrefix(f, lit+"/") {
			continue
		}
		if ok, _ := doublestar.Match(pat, f); ok {
			return f
		}
	}
	return ""
}
