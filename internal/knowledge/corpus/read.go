package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"

	"github.com/retrosweep/retrosweep/internal/knowledge"
	"github.com/retrosweep/retrosweep/internal/repo"
)

// readOne reads and parses one file, or says why it did not.
func readOne(r *repo.Repo, f file, limit int64) (*knowledge.Document, string) {
	src, err := r.Blob(f.entry.Hash, limit)
	switch {
	case errors.Is(err, repo.ErrTooLarge):
		return nil, fmt.Sprintf("%s: not read: larger than %d KiB", f.entry.Path, limit>>10)
	case errors.Is(err, repo.ErrMissing):
		return nil, f.entry.Path + ": not read: the object is missing from the repository"
	case err != nil:
		return nil, fmt.Sprintf("%s: not read: %v", f.entry.Path, err)
	}
	if why := Unreadable(src); why != "" {
		return nil, f.entry.Path + ": not read: " + why
	}
	return knowledge.Parse(f.entry.Path, src, f.format), ""
}

// Unreadable says why bytes are not the text of a knowledge file, "" if they
// are.
func Unreadable(src []byte) string {
	nuls := bytes.Count(src, []byte{0})
	switch {
	case bytes.HasPrefix(src, []byte("\xff\xfe")), bytes.HasPrefix(src, []byte("\xfe\xff")):
		return "UTF-16 text: save it as UTF-8"
	case nuls*3 > len(src):
		return "UTF-16 text without a byte order mark: save it as UTF-8"
	case nuls > 0:
		return "it holds NUL bytes, as binary files do"
	case bytes.HasPrefix(src, []byte("version https://git-lfs.github.com/spec/")):
		return "a Git LFS pointer"
	}
	return ""
}

// fold adds symbolic links to the documents they point at. A link that points
// at no knowledge file is left alone.
func fold(r *repo.Repo, docs []*knowledge.Document, links []repo.Entry) (warnings []string) {
	targets := make(map[string]string, len(links))
	for _, l := range links {
		to, err := r.Blob(l.Hash, 4096)
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("%s: symbolic link not read: %v", l.Path, err))
			continue
		}
		targets[l.Path] = Target(l.Path, string(to))
	}
	Fold(docs, targets)
	return warnings
}

// Fold adds symbolic links, each with the path that it points at, to the
// documents where they end. One that ends at no document is left alone.
func Fold(docs []*knowledge.Document, targets map[string]string) {
	byPath := make(map[string]*knowledge.Document, len(docs))
	for _, d := range docs {
		byPath[d.Path] = d
	}
	for _, l := range slices.Sorted(maps.Keys(targets)) {
		if d := byPath[follow(targets, l)]; d != nil {
			d.Aliases = append(d.Aliases, l)
			d.Startup = d.Startup || knowledge.Startup(l)
		}
	}
}

// Target resolves where a link points, relative to the repository root; ""
// for a place outside it.
func Target(link, to string) string {
	if path.IsAbs(to) {
		return ""
	}
	return path.Join(path.Dir(link), to)
}

// follow follows links to links, a few steps.
func follow(targets map[string]string, name string) string {
	for range 8 {
		to, ok := targets[name]
		if !ok {
			return name
		}
		name = to
	}
	return ""
}
