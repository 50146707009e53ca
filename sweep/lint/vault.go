package lint

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/retrosweep/retrosweep/internal/knowledge"
)

// vaultKeys are the keys that readers of a vault need, and how they are
// written.
var vaultKeys = []struct{ name, written string }{
	{"id", "ID"}, {"tags", "Tags"}, {"issue", "Issue"}, {"mitigation", "Mitigation"}, {"created", "First Seen"}, {"ttl", "TTL"},
}

// tagged is one tag of one entry.
type tagged struct {
	fact *knowledge.Fact
	tag  string
	line int
}

// vault checks the entries of a vault, its tags and its index.
func (c *checker) vault(d *knowledge.Document) {
	if d.Format != knowledge.Vault {
		return
	}
	var tags []tagged
	entries := 0
	for i := range d.Facts {
		f := &d.Facts[i]
		if f.Kind != knowledge.KindEntry || f.Span.Start == 0 && f.Span.End == len(d.Source) {
			continue
		}
		entries++
		tags = append(tags, c.entry(d, f)...)
	}
	c.taxonomy(d, tags)
	c.broad(d, tags, entries)
	c.vaultIndex(d, tags)
}

// entry checks the keys of one entry and returns its tags.
func (c *checker) entry(d *knowledge.Document, f *knowledge.Fact) (tags []tagged) {
	has := map[string]bool{}
	for _, w := range d.Fields(f) {
		has[w.Name] = has[w.Name] || strings.TrimSpace(w.Text) != ""
		if w.Name == "tags" {
			for _, t := range tagsIn(w.Text) {
				tags = append(tags, tagged{f, t, w.Line})
			}
		}
	}
	var lacks []string
	for _, k := range vaultKeys {
		if !has[k.name] {
			lacks = append(lacks, k.written)
		}
	}
	if len(lacks) > 0 {
		c.fact("vault/key", d, f, strings.Join(lacks, " "), "The entry has no "+strings.Join(lacks, ", ")+".")
	}
	return tags
}

// tagsIn splits a list of tags; they are compared without # and case.
func tagsIn(text string) []string {
	var out []string
	for _, t := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == ';' || r == '[' || r == ']' }) {
		if t = strings.ToLower(strings.Trim(t, "#`*\"'")); t != "" {
			out = append(out, t)
		}
	}
	return out
}

// taxonomyNames are the files in which the tags of a vault are listed.
var taxonomyNames = []string{"TAG_TAXONOMY.md", "TAXONOMY.md", "tag-taxonomy.md", "taxonomy.md", "tags.md", "TAGS.md", "taxonomy.yaml", "taxonomy.yml", "tags.yaml", "tags.yml"}

var taxonomyTag = regexp.MustCompile("(?m)(?:^|[\\s`|,(-])#?([a-z0-9][a-z0-9_-]*(?:/[a-z0-9_-]+)*(?:/\\*+)?)(?:$|[\\s`|,):])")

// taxonomy checks tags against the file that lists them, where there is one.
func (c *checker) taxonomy(d *knowledge.Document, tags []tagged) {
	name, allowed := c.allowed(d)
	if len(allowed) == 0 {
		return
	}
	for _, t := range tags {
		if !permits(allowed, t.tag) {
			f := c.fact("vault/tag", d, t.fact, t.tag, fmt.Sprintf("The tag #%s is not in %s.", t.tag, name))
			f.Fact.Line, f.Fact.EndLine = t.line, t.line
		}
	}
}

// allowed reads the taxonomy beside a vault, or at its usual places.
func (c *checker) allowed(d *knowledge.Document) (name string, tags map[string]bool) {
	if c.Read == nil {
		return "", nil
	}
	for _, dir := range []string{path.Dir(d.Path), ".", "knowledge", "docs"} {
		for _, base := range taxonomyNames {
			p := path.Join(dir, base)
			src, ok := c.Read(p)
			if !ok {
				continue
			}
			if tags = taxonomyTags(p, string(src)); len(tags) > 0 {
				return p, tags
			}
		}
	}
	return "", nil
}

// taxonomyTags finds tags in a taxonomy: what begins with #, stands in code, or
// is nested, is one.
func taxonomyTags(name, text string) map[string]bool {
	out := map[string]bool{}
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "# ") || strings.HasPrefix(strings.TrimSpace(line), "## ") {
			continue
		}
		for _, m := range taxonomyTag.FindAllStringSubmatchIndex(" "+strings.ReplaceAll(line, " ", "  ")+" ", -1) {
			padded := " " + strings.ReplaceAll(line, " ", "  ") + " "
			tag := padded[m[2]:m[3]]
			marked := m[2] > 0 && (padded[m[2]-1] == '#' || padded[m[2]-1] == '`')
			if marked || strings.Contains(tag, "/") || path.Ext(name) != ".md" {
				out[strings.TrimRight(strings.TrimRight(tag, "*"), "/")] = true
			}
		}
	}
	return out
}

// permits reports whether a tag, or one that it is nested in, is allowed.
func permits(allowed map[string]bool, tag string) bool {
	for t := tag; t != "." && t != ""; t = path.Dir(t) {
		if allowed[t] {
			return true
		}
	}
	return false
}

// fewEntries is the size up to which any tag tells entries apart well enough.
const fewEntries = 8

// broad names tags that choose too much: one word among nested tags, or a tag
// of most entries.
func (c *checker) broad(d *knowledge.Document, tags []tagged, entries int) {
	count, deep := map[string]int{}, 0
	for _, t := range tags {
		count[t.tag]++
		if strings.Contains(t.tag, "/") {
			deep++
		}
	}
	told := map[string]bool{}
	for _, t := range tags {
		flat := !strings.Contains(t.tag, "/") && 2*deep > len(tags) && prefixes(tags, t.tag)
		most := entries >= fewEntries && 2*count[t.tag] > entries
		if told[t.tag] || !flat && !most {
			continue
		}
		told[t.tag] = true
		why := fmt.Sprintf("The tag #%s stands for everything below it; other entries say which part.", t.tag)
		if most {
			why = fmt.Sprintf("The tag #%s is on %d of %d entries: it chooses none.", t.tag, count[t.tag], entries)
		}
		f := c.fact("vault/broad", d, t.fact, t.tag, why)
		f.Fact.Line, f.Fact.EndLine = t.line, t.line
	}
}

// prefixes reports whether a tag is the beginning of nested ones.
func prefixes(tags []tagged, tag string) bool {
	return slices.ContainsFunc(tags, func(t tagged) bool { return strings.HasPrefix(t.tag, tag+"/") })
}

// vaultIndex checks the map of tags to lines that stands beside a vault.
func (c *checker) vaultIndex(d *knowledge.Document, tags []tagged) {
	name := path.Join(path.Dir(d.Path), "VAULT_INDEX.json")
	if c.Read == nil {
		return
	}
	src, ok := c.Read(name)
	if !ok {
		return
	}
	var root any
	if err := json.Unmarshal(src, &root); err != nil {
		c.file("index/vault", name, "json", fmt.Sprintf("It is not valid JSON (%v), so no tag can be looked up.", err))
		return
	}
	wrong, first, said := 0, "", map[string]bool{}
	for _, r := range ranges(root, "") {
		said[r.tag] = true
		if !r.holds(tags) {
			if wrong++; first == "" {
				first = fmt.Sprintf("#%s at lines %d-%d", r.tag, r.from, r.to)
			}
		}
	}
	if wrong > 0 {
		c.file("index/vault", name, "range", fmt.Sprintf("%s of it lead to lines of %s without the tag, the first %s.", plural(wrong, "range"), d.Path, first))
	}
	for _, t := range tags {
		if !said[t.tag] && len(said) > 0 {
			c.file("index/vault", name, "tag", fmt.Sprintf("It does not know the tag #%s of %s:%d.", t.tag, d.Path, t.line))
			return
		}
	}
}

// span is where an index says that a tag stands.
type span struct {
	tag      string
	from, to int
}

// holds reports whether an entry with the tag begins in the lines of a span.
func (s span) holds(tags []tagged) bool {
	return slices.ContainsFunc(tags, func(t tagged) bool { return t.tag == s.tag && t.line >= s.from && t.line <= s.to })
}

var lineRange = regexp.MustCompile(`^L?(\d+)(?:\s*[-–:]\s*L?(\d+))?$`)

// ranges reads an index: tags over line ranges, which are written as "12-20",
// [12, 20], {"start": 12, "end": 20}, or lists of these.
func ranges(v any, tag string) []span {
	var out []span
	switch v := v.(type) {
	case string:
		if m := lineRange.FindStringSubmatch(v); m != nil && tag != "" {
			from, _ := strconv.Atoi(m[1])
			to, _ := strconv.Atoi(m[2])
			out = append(out, span{tag, from, max(from, to)})
		}
	case []any:
		if from, to, ok := twoLines(v); ok && tag != "" {
			return []span{{tag, from, to}}
		}
		for _, x := range v {
			out = append(out, ranges(x, tag)...)
		}
	case map[string]any:
		if from, to, ok := startEnd(v); ok && tag != "" {
			return []span{{tag, from, to}}
		}
		for k, x := range v {
			out = append(out, ranges(x, below(k, tag))...)
		}
	}
	slices.SortFunc(out, func(a, b span) int { return cmp.Or(strings.Compare(a.tag, b.tag), a.from-b.from) })
	return out
}

// below is the tag that a key stands for: keys around the map are not tags.
func below(key, tag string) string {
	switch k := strings.ToLower(strings.TrimPrefix(key, "#")); k {
	case "tags", "index", "entries", "ranges", "lines", "line_ranges", "lineranges", "version", "generated", "vault":
		return tag
	default:
		return k
	}
}

func twoLines(v []any) (from, to int, ok bool) {
	if len(v) != 2 {
		return 0, 0, false
	}
	a, okA := v[0].(float64)
	b, okB := v[1].(float64)
	return int(a), int(b), okA && okB
}

func startEnd(v map[string]any) (from, to int, ok bool) {
	num := func(keys ...string) (int, bool) {
		for _, k := range keys {
			if n, ok := v[k].(float64); ok {
				return int(n), true
			}
		}
		return 0, false
	}
	from, okA := num("start", "from", "start_line", "line")
	to, okB := num("end", "to", "end_line", "line")
	return from, to, okA && okB
}
