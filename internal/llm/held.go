package llm

import (
	"fmt"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// shelf holds what batches answered, for the questions that are asked afterwards.
type shelf struct {
	mu  sync.Mutex
	all map[string]held
}

// held is one answer that was paid for and checked, or why there is none.
type held struct {
	text string
	err  error
}

func newShelf() *shelf { return &shelf{all: map[string]held{}} }

func (s *shelf) put(key string, h held) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all[key] = h
}

func (s *shelf) has(key string) bool {
	_, ok := s.get(key)
	return ok
}

func (s *shelf) get(key string) (held, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.all[key]
	return h, ok
}

// gathered answers from a batch. A question of a stage that is gathered and was
// in no batch is late: to ask it now would cost the full price.
func (c *Client) gathered(q question, schema *jsonschema.Schema, out any) error {
	h, ok := c.held.get(q.key)
	switch {
	case !ok:
		return fmt.Errorf("%w: it was not in the batch", ErrLate)
	case h.err != nil:
		return h.err
	}
	if found := decode(h.text, schema, out); found != nil {
		return fmt.Errorf("%w: %s", ErrSchema, list(found))
	}
	return nil
}
