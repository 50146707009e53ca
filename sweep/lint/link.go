package lint

import (
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/sweep/pair"
)

var (
	mdLink    = regexp.MustCompile(`\]\(\s*(<[^>\n]*>|[^\s()]+(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)`)
	wikiLink  = regexp.MustCompile(`\[\[([^\]|#\n]+)(?:[#|][^\]\n]*)?\]\]`)
	codeSpan  = regexp.MustCompile("(`+)[^`]+(`+)")
	importAt  = regexp.MustCompile(`(?:^|[\s(])@((?:\.{1,2}/)*[\w.-]+(?:/[\w.-]+)*\.(?:md|mdc|txt|json|ya?ml|toml))(?:$|[\s,;:)]|\.(?:$|\s))`)
	scheme    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	lineOf    = regexp.MustCompile(`:\d+(-\d+)?(:\d+)?$`)
	forgePath = regexp.MustCompile(`(^|/)(issues|pulls?|wiki|actions|releases|discussions|blob|tree|compare|commits?|milestones?|labels|projects|security|stargazers|network)(/|$)`)
	recordID  = regexp.MustCompile(`^[A-Z]{2,6}-?\d+$`) // ADR-0022: a record of some other system
	notPath   = regexp.MustCompile(`[{}<>$*|…\\]|\.\.\.|^[A-Z_]+$|^(url|link|href|src|path|image|file|target|destination|x|xxx+|todo|tbd|placeholder)$`)
	stand     = regexp.MustCompile(`(?i)(^|[/._-])(path/to|foo|bar|baz|example[s]?\.md|your-|my-|some-|xxx|yyyy|nnnn?|placeholder|sample-)`)
)

// links checks where the links of a document lead.
func (c *checker) links(d *knowledge.Document) {
	imports := pair.Tool(d) == "claude" || pair.Tool(d) == "gemini"
	for i := range d.Facts {
		f := &d.Facts[i]
		if f.Kind == knowledge.KindCode || f.Kind == knowledge.KindEntry && d.Format == knowledge.Memory || f.Event || d.Format == knowledge.Store {
			continue
		}
		text := f.Text
		if strings.IndexByte(text, '`') >= 0 {
			text = codeSpan.ReplaceAllString(text, "``")
		}
		if strings.Contains(text, "](") {
			c.mdLinks(d, f, text)
		}
		if strings.Contains(text, "[[") {
			c.pages(d, f, text)
		}
		if imports && strings.IndexByte(text, '@') >= 0 && pair.Ambient(d) {
			c.imports(d, f, text)
		}
	}
}

func (c *checker) mdLinks(d *knowledge.Document, f *knowledge.Fact, text string) {
	for _, m := range mdLink.FindAllStringSubmatch(text, -1) {
		raw := strings.Trim(m[1], "<>")
		target, ok := target(raw)
		if !ok || f.Kind == knowledge.KindIndex && !strings.Contains(target, "/") {
			continue // the index rules see to the files beside them
		}
		if !c.leads(d, target) {
			c.dead(d, f, raw, target)
		}
	}
}

// target cleans the target of a link; ok is false for what is no path of this
// tree, or stands for one that a reader is to put in.
func target(raw string) (string, bool) {
	t, _, _ := strings.Cut(raw, "#")
	t, _, _ = strings.Cut(t, "?")
	if t == "" || scheme.MatchString(t) && !lineOf.MatchString(t) || strings.HasPrefix(t, "//") || strings.HasPrefix(t, "~") {
		return "", false
	}
	if u, err := url.PathUnescape(t); err == nil {
		t = u
	}
	t = lineOf.ReplaceAllString(t, "")
	if t == "" || notPath.MatchString(t) || stand.MatchString(t) || forgePath.MatchString(t) || strings.ContainsAny(t, " ,;'\"`=") {
		return "", false
	}
	// Words in parentheses behind brackets are more often prose than a file.
	if !strings.ContainsAny(t, "./") {
		return "", false
	}
	return t, true
}

// siteExt are what a generator of sites puts behind a link.
var siteExt = []string{"", ".md", ".mdx", "/index.md", "/README.md", "/index.mdx", "/_index.md"}

// leads reports whether a link leads somewhere, or cannot be judged: outside
// the tree, to what a build makes, or by the rules of a site.
func (c *checker) leads(d *knowledge.Document, target string) bool {
	site := d.Format == knowledge.Docs || d.Format == knowledge.Wiki
	rooted := strings.HasPrefix(target, "/")
	if rooted && site || site && path.Ext(strings.TrimRight(target, "/")) == "" {
		return true
	}
	if ext := path.Ext(target); site && (ext == ".html" || ext == ".htm") {
		return true
	}
	tried := []string{strings.TrimPrefix(target, "/")} // many write paths from the root
	for _, from := range append([]string{d.Path}, d.Aliases...) {
		p, ok := resolve(from, strings.TrimPrefix(target, "/"))
		if !ok {
			return true
		}
		tried = append(tried, p)
	}
	for _, p := range tried {
		for _, ext := range siteExt {
			if c.Exists(strings.TrimRight(p, "/") + ext) {
				return true
			}
		}
	}
	return site && c.gathered(d, target) || c.Ignored != nil && c.Ignored(tried[1])
}

// gathered reports whether a link leads somewhere once a site has gathered the
// docs folders of all packages in one: packages/a/docs becomes a.
func (c *checker) gathered(d *knowledge.Document, target string) bool {
	at := strings.Index(d.Path, "/docs/")
	if at < 0 || !strings.HasPrefix(target, "../") {
		return false
	}
	first, rest, ok := strings.Cut(strings.TrimLeft(target, "./"), "/")
	return ok && c.Exists(path.Join(path.Dir(d.Path[:at]), first, "docs", rest))
}

// dead adds a finding about a link that leads nowhere, with the new place of
// its file where there is just one.
func (c *checker) dead(d *knowledge.Document, f *knowledge.Fact, raw, target string) {
	anchor := &knowledge.Anchor{Kind: knowledge.AnchorLink, Text: raw, Declared: true}
	now := c.elsewhere(d, target)
	if now == "" || pair.Plan(now) {
		reason := fmt.Sprintf("It links %s, which is not there.", target)
		if now != "" {
			reason = fmt.Sprintf("It links %s, which is not there; it was put away as %s.", target, now)
		}
		out := c.fact("link/dead", d, f, raw, reason)
		out.Anchor = anchor
		c.placed(out, d, f, raw)
		return
	}
	out := c.fact("link/moved", d, f, raw, fmt.Sprintf("It links %s, which is not there; %s is.", target, now))
	out.Anchor, out.Now = anchor, &knowledge.Place{Path: now}
	c.placed(out, d, f, raw)
	if c.Route == nil || c.Route(d.Path) == knowledge.RouteNever && d.Format != knowledge.Docs {
		return
	}
	edit := &knowledge.Edit{Op: knowledge.OpRewrite, Path: d.Path, FactID: f.ID, Old: raw, New: relative(d.Path, now) + strings.TrimPrefix(raw, strings.SplitN(raw, "#", 2)[0]),
		Reason: "the file is " + now + " now", Date: c.Now}
	out.Action = &knowledge.Action{Type: knowledge.ActionEdit, Route: c.Route(d.Path), Edit: edit}
}

// placed puts a finding on the line on which a text stands.
func (c *checker) placed(out *knowledge.Finding, d *knowledge.Document, f *knowledge.Fact, text string) {
	if n := d.Locate(f, text); n > 0 {
		out.Fact.Line, out.Fact.EndLine = n, n
	}
}

// common are names of which a repository has many: another file of the name is
// another file.
var common = map[string]bool{
	"readme.md": true, "index.md": true, "claude.md": true, "agents.md": true, "skill.md": true, "changelog.md": true, "contributing.md": true,
	"license": true, "package.json": true, "overview.md": true, "architecture.md": true, "main.go": true, "index.ts": true, "index.js": true,
}

// elsewhere returns the one other file of the name of a target, "" where there
// is none or more than one.
func (c *checker) elsewhere(d *knowledge.Document, target string) string {
	base := path.Base(target)
	// A path that was counted from the wrong folder is meant from the root.
	if tail := strings.TrimLeft(target, "./"); strings.HasPrefix(target, "../") && tail != "" && c.Exists(strings.TrimRight(tail, "/")) && tail != d.Path {
		return tail
	}
	if c.Named == nil || common[strings.ToLower(base)] || path.Ext(base) == "" {
		return ""
	}
	if at := c.Named(base); len(at) == 1 && at[0] != d.Path {
		return at[0]
	}
	return ""
}

// relative is a path as seen from the folder of a document.
func relative(doc, to string) string {
	from := strings.Split(path.Dir(doc), "/")
	if path.Dir(doc) == "." {
		from = nil
	}
	parts := strings.Split(to, "/")
	for len(from) > 0 && len(parts) > 1 && from[0] == parts[0] {
		from, parts = from[1:], parts[1:]
	}
	return strings.Repeat("../", len(from)) + strings.Join(parts, "/")
}

// pages checks the [[links]] between memories and between wiki pages. A page
// may be named by its title, and one that is yet to be written may be named.
func (c *checker) pages(d *knowledge.Document, f *knowledge.Fact, text string) {
	if d.Format != knowledge.Memory && d.Format != knowledge.Wiki || f.Kind == knowledge.KindField {
		return
	}
	for _, m := range wikiLink.FindAllStringSubmatch(text, -1) {
		name := strings.TrimSpace(m[1])
		if notPath.MatchString(name) || stand.MatchString(name) || recordID.MatchString(name) || strings.HasPrefix(name, "#") || c.page(d, name) {
			continue
		}
		out := c.fact("link/page", d, f, name, fmt.Sprintf("[[%s]] names a page that is not there.", name))
		out.Anchor = &knowledge.Anchor{Kind: knowledge.AnchorLink, Text: "[[" + name + "]]", Declared: true}
		c.placed(out, d, f, m[0])
	}
}

// page reports whether a [[name]] is a page: by file name, path, name field or
// title.
func (c *checker) page(d *knowledge.Document, name string) bool {
	if p, ok := resolve(d.Path, name); ok && (c.Exists(p) || c.Exists(p+".md")) || c.Exists(strings.TrimPrefix(name, "/")) {
		return true
	}
	return c.pageNames()[slug(path.Base(name))]
}

// pageNames are the names of all pages, as [[links]] compare them.
func (c *checker) pageNames() map[string]bool {
	if c.named != nil {
		return c.named
	}
	c.named = map[string]bool{}
	for _, d := range c.Docs {
		c.named[slug(path.Base(d.Path))] = true
		for _, w := range d.FrontMatter() {
			if w.Group == "" && (w.Name == "name" || w.Name == "title" || w.Name == "permalink" || w.Name == "aliases" || w.Name == "alias") {
				for _, it := range w.Items {
					c.named[slug(path.Base(it))] = true
				}
			}
		}
		for i := range d.Facts {
			if f := &d.Facts[i]; f.Kind == knowledge.KindHeading {
				c.named[slug(f.Text)] = true
				break
			}
		}
	}
	return c.named
}

// slug is a name without case, extension and punctuation.
func slug(name string) string {
	name = strings.TrimSuffix(strings.ToLower(strings.TrimSpace(name)), ".md")
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 0x7f:
			return r
		}
		return -1
	}, name)
}

// imports checks the files that an instruction file pulls in.
func (c *checker) imports(d *knowledge.Document, f *knowledge.Fact, text string) {
	for _, m := range importAt.FindAllStringSubmatch(text, -1) {
		p, ok := resolve(d.Path, m[1])
		if !ok || c.Exists(p) || stand.MatchString(m[1]) || c.Ignored != nil && c.Ignored(p) {
			continue
		}
		reason := fmt.Sprintf("It imports @%s, which is not there: nothing is loaded.", m[1])
		if c.Exists(m[1]) {
			reason = fmt.Sprintf("It imports @%s, which counts from %s: nothing is loaded. Write @%s.", m[1], path.Dir(d.Path), relative(d.Path, m[1]))
		}
		out := c.fact("link/import", d, f, m[1], reason)
		out.Anchor = &knowledge.Anchor{Kind: knowledge.AnchorLink, Text: "@" + m[1], Declared: true}
		c.placed(out, d, f, "@"+m[1])
	}
}

// resolve joins a path to the folder of a document; ok is false outside the
// tree.
func resolve(doc, target string) (string, bool) {
	p := path.Join(path.Dir(doc), target)
	return p, p != ".." && !strings.HasPrefix(p, "../")
}
