package schedule

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Mark is what is remembered of the last run.
type Mark struct {
	At       time.Time `json:"at"`       // when its slot came, or when it began
	Done     bool      `json:"done"`     // it ended by itself, well or not
	Attempts int       `json:"attempts"` // how often its slot was begun
}

// Store remembers the last run across restarts.
type Store interface {
	// Last returns the zero mark where nothing is known: a first run.
	Last(ctx context.Context) (Mark, error)
	Save(ctx context.Context, m Mark) error
}

// Memory is a store that lives as long as the process. Its zero value is ready.
type Memory struct {
	mu   sync.Mutex
	mark Mark
}

// Last returns the mark that was saved last.
func (m *Memory) Last(context.Context) (Mark, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mark, nil
}

// Save keeps the mark.
func (m *Memory) Save(_ context.Context, mark Mark) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mark = mark
	return nil
}

// File is a store in one file; the value is its path.
type File string

// Last reads the file; there is nothing known where it does not exist.
func (f File) Last(context.Context) (Mark, error) {
	var m Mark
	b, err := os.ReadFile(string(f))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(b, &m)
	}
	if err != nil {
		return Mark{}, fmt.Errorf("read the last run from %s: %w", string(f), err)
	}
	return m, nil
}

// Save replaces the file in one step, so that a crash leaves the old or the new.
func (f File) Save(_ context.Context, m Mark) error {
	b, err := json.Marshal(m)
	if err == nil {
		err = f.replace(b)
	}
	if err != nil {
		return fmt.Errorf("write the last run to %s: %w", string(f), err)
	}
	return nil
}

func (f File) replace(b []byte) error {
	dir := filepath.Dir(string(f))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(dir, filepath.Base(string(f))+".*")
	if err != nil {
		return err
	}
	_, err = temp.Write(b)
	err = errors.Join(err, temp.Close())
	if err == nil {
		err = os.Rename(temp.Name(), string(f))
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp.Name()))
	}
	return nil
}

// Newest joins stores: the latest of what they know counts, and all are told.
// One that cannot be read does not hide what the others know.
type Newest []Store

// Last returns the latest mark of all stores that answer, with the faults of
// those that do not.
func (n Newest) Last(ctx context.Context) (Mark, error) {
	var last Mark
	var faults []error
	for _, s := range n {
		m, err := s.Last(ctx)
		faults = append(faults, err)
		if m.At.After(last.At) {
			last = m
		}
	}
	return last, errors.Join(faults...)
}

// Save tells every store.
func (n Newest) Save(ctx context.Context, m Mark) error {
	var faults []error
	for _, s := range n {
		faults = append(faults, s.Save(ctx, m))
	}
	return errors.Join(faults...)
}
