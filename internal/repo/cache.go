package repo

import "sync"

// cache is a bounded map for immutable objects, safe for concurrent use. It
// holds two generations: when the young one is full, the old one is dropped and
// they change places. That is within a factor of two of a least-recently-used
// cache, without a list to keep.
type cache[V any] struct {
	mu         sync.Mutex
	young, old map[Hash]V
	cost, max  int
}

func newCache[V any](maxCost int) *cache[V] {
	return &cache[V]{young: map[Hash]V{}, max: maxCost / 2}
}

func (c *cache[V]) get(h Hash) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.young[h]; ok {
		return v, true
	}
	v, ok := c.old[h]
	return v, ok
}

func (c *cache[V]) put(h Hash, v V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cost+cost > c.max {
		c.old, c.young, c.cost = c.young, map[Hash]V{}, 0
	}
	c.young[h] = v
	c.cost += cost
}
