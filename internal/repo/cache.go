package repo

import "sync"

// cache is a bounded map for immutable values, safe for concurrent use. It holds
// two generations: when the young one is full, the old one is dropped and they
// change places. That is within a factor of two of a least-recently-used cache,
// without a list to keep.
type cache[K comparable, V any] struct {
	mu         sync.Mutex
	young, old map[K]V
	cost, max  int
}

func newCache[K comparable, V any](maxCost int) *cache[K, V] {
	return &cache[K, V]{young: map[K]V{}, max: maxCost / 2}
}

func (c *cache[K, V]) get(k K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.young[k]; ok {
		return v, true
	}
	v, ok := c.old[k]
	return v, ok
}

func (c *cache[K, V]) put(k K, v V, cost int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cost+cost > c.max {
		c.old, c.young, c.cost = c.young, map[K]V{}, 0
	}
	c.young[k] = v
	c.cost += cost
}
