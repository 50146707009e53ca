package wire

import (
	"errors"
	"net/http"
	"sync"
)

// A read that was made before names what it got, and the host answers that it is
// the same still: that costs nothing of the hour's calls.
type memory struct {
	mu   sync.Mutex
	seen map[string]answer
}

const (
	maxSeen     = 500     // answers of one run
	maxSeenSize = 1 << 20 // of one of them, in bytes
)

// ask adds the condition to a read.
func (m *memory) ask(req *http.Request) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, ok := m.seen[key(req)]; ok && isRead(req) {
		req.Header.Set("If-None-Match", a.header.Get("Etag"))
	}
}

// complete is the whole answer: what a host calls the same is what it said
// before. One that says so of what was never asked for lies.
func (m *memory) complete(req *http.Request, a answer) (answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if a.status == http.StatusNotModified {
		was, ok := m.seen[key(req)]
		if !ok {
			return a, &answerError{"the host says that nothing changed, of what was never read"}
		}
		was.header = was.header.Clone()
		return was, nil
	}
	if isRead(req) && a.status == http.StatusOK && a.header.Get("Etag") != "" && len(a.body) <= maxSeenSize && len(m.seen) < maxSeen {
		if m.seen == nil {
			m.seen = map[string]answer{}
		}
		kept := a
		kept.header = a.header.Clone()
		m.seen[key(req)] = kept
	}
	return a, nil
}

func key(req *http.Request) string { return req.Header.Get("Accept") + " " + req.URL.String() }

// maxWrites is what one night may write: more is no queue that a person reads,
// but something that went wrong.
const maxWrites = 200

// ErrBudget says that a night wrote more than it may.
var ErrBudget = errors.New("the 200 writes of a night are spent: the next one goes on")
