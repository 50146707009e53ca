package corpus

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sort"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// DefaultMaxBytes is the largest knowledge file that is read.
const DefaultMaxBytes = 1 << 20

// Options narrow what is read.
type Options struct {
	Ignore   func(path string) bool // paths that the configuration leaves out
	MaxBytes int64                  // 0: DefaultMaxBytes
}

// Corpus holds the knowledge of one tree.
type Corpus struct {
	Docs     []*knowledge.Document // sorted by path
	Warnings []string              // what was left out, and why

	byPath map[string]*knowledge.Document
}

// New builds a corpus of documents that are already parsed.
func New(docs []*knowledge.Document) *Corpus {
	c := &Corpus{Docs: slices.Clone(docs), byPath: make(map[string]*knowledge.Document, len(docs))}
	sort.Slice(c.Docs, func(i, j int) bool { return c.Docs[i].Path < c.Docs[j].Path })
	for _, d := range docs {
		c.byPath[d.Path] = d
		for _, a := range d.Aliases {
			c.byPath[a] = d
		}
	}
	return c
}

// Doc returns the document at a path, or the one that a symbolic link at that
// path points at; nil where there is none.
func (c *Corpus) Doc(name string) *knowledge.Document { return c.byPath[name] }

// Load reads the knowledge files of a tree. A file that cannot be read is a
// warning; an error means that the tree could not be listed or ctx ended.
func Load(ctx context.Context, r *repo.Repo, t *repo.Tree, c *knowledge.Classifier, o Options) (*Corpus, error) {
	var warnings []string
	entries, err := t.Files(ctx)
	if errors.Is(err, repo.ErrMissing) {
		warnings = append(warnings, fmt.Sprintf("part of the tree is missing, its knowledge files are not read: %v", err))
	} else if err != nil {
		return nil, fmt.Errorf("list knowledge files: %w", err)
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = DefaultMaxBytes
	}
	files, links := choose(entries, c, o)
	docs, unread, err := parse(ctx, r, files, o)
	if err != nil {
		return nil, err
	}
	broken := fold(r, docs, links)
	out := New(docs)
	out.Warnings = slices.Concat(warnings, unread, broken)
	return out, nil
}

// file is a knowledge file that is to be read.
type file struct {
	entry  repo.Entry
	format knowledge.Format
}

// choose splits the knowledge files of a tree into those to read and symbolic
// links.
func choose(entries []repo.Entry, c *knowledge.Classifier, o Options) (files []file, links []repo.Entry) {
	for _, e := range entries {
		if e.Mode == repo.ModeSubmodule || Skipped(e.Path) {
			continue
		}
		format, _, ok := c.Classify(e.Path)
		switch {
		case !ok, o.Ignore != nil && o.Ignore(e.Path):
		case e.Mode == repo.ModeSymlink:
			links = append(links, e)
		default:
			files = append(files, file{e, format})
		}
	}
	return files, links
}

// skippedDirs hold other people's files and files that are wrong on purpose.
var skippedDirs = map[string]bool{
	"testdata": true, "fixtures": true, "__fixtures__": true, "vendor": true, "node_modules": true, "third_party": true,
}

// Skipped reports whether a path lies in a folder of such files.
func Skipped(name string) bool {
	dirs := strings.Split(name, "/")
	return slices.ContainsFunc(dirs[:len(dirs)-1], func(d string) bool { return skippedDirs[d] })
}

// parse reads and parses files side by side; documents and warnings come in
// the order of the files.
func parse(ctx context.Context, r *repo.Repo, files []file, o Options) ([]*knowledge.Document, []string, error) {
	docs, warnings := make([]*knowledge.Document, len(files)), make([]string, len(files))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(runtime.GOMAXPROCS(0))
	for i, f := range files {
		g.Go(func() error {
			if err := ctx.Err(); err != nil {
				return fmt.Errorf("read knowledge files: %w", err)
			}
			docs[i], warnings[i] = readOne(r, f, o.MaxBytes)
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	docs = slices.DeleteFunc(docs, func(d *knowledge.Document) bool { return d == nil })
	return docs, slices.DeleteFunc(warnings, func(w string) bool { return w == "" }), nil
}
