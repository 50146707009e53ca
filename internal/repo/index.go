package repo

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/format/index"
)

// maxIndexBytes bounds an index that is read: a million files are smaller.
const maxIndexBytes = 256 << 20

// Index returns the files of the index, sorted by path: what the next commit
// of the working tree would hold. A path that is in conflict is left out. A
// repository that has no index yet has no files in it. The index is read and
// never written.
func (r *Repo) Index() ([]Entry, error) {
	name := filepath.Join(r.gitDir, "index")
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() > maxIndexBytes {
		return nil, fmt.Errorf("read the index %s: %w", name, errors.Join(err, ErrTooLarge))
	}
	var idx index.Index
	if err := decodeIndex(f, &idx); err != nil {
		return nil, fmt.Errorf("read the index %s: %w", name, err)
	}
	return indexEntries(&idx), nil
}

// decodeIndex survives what the decoder does not: the file is anybody's.
func decodeIndex(f *os.File, idx *index.Index) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read: %v", r)
		}
	}()
	return index.NewDecoder(bufio.NewReaderSize(f, 1<<16)).Decode(idx)
}

func indexEntries(idx *index.Index) []Entry {
	modes := map[filemode.FileMode]Mode{
		filemode.Regular: ModeFile, filemode.Deprecated: ModeFile, filemode.Executable: ModeExec,
		filemode.Symlink: ModeSymlink, filemode.Submodule: ModeSubmodule,
	}
	out := make([]Entry, 0, len(idx.Entries))
	for _, e := range idx.Entries {
		if mode, ok := modes[e.Mode]; ok && e.Stage == 0 && !e.IntentToAdd {
			out = append(out, Entry{Path: e.Name, Mode: mode, Hash: e.Hash})
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Path < out[j].Path })
	return out
}
