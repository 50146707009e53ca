package prompts

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync/atomic"
)

// overrides holds the operator's own templates, nil where there are none.
var overrides atomic.Pointer[fs.FS]

// Override takes the operator's templates before the embedded ones: files such
// as triage.system.tmpl or patch.user.tmpl of a directory that the operator
// names. The schemas of answers stay: code reads by them. It is called once,
// before the first question; nothing of a reviewed repository is ever given to
// it. A template that cannot be read or that is none is an error, and changes
// nothing.
func Override(dir fs.FS) error {
	old := overrides.Swap(&dir)
	for _, name := range []string{"triage", "patch", "judge", "contradict"} {
		if _, err := load(name); err != nil {
			overrides.Store(old)
			return fmt.Errorf("the operator's prompts: %w", err)
		}
	}
	return nil
}

// read reads one file of a kind: the operator's, else the embedded one.
func read(name string) ([]byte, error) {
	if dir := overrides.Load(); dir != nil && strings.HasSuffix(name, ".tmpl") {
		b, err := fs.ReadFile(*dir, name)
		if !errors.Is(err, fs.ErrNotExist) {
			return b, err
		}
	}
	return files.ReadFile("templates/" + name)
}
