package repo

import (
	"container/heap"
)

// queue yields commits newest first by committer date, and in the order they
// were put where dates are equal, as git does.
type queue struct{ h commitHeap }

type queued struct {
	commit Commit
	when   int64
	seq    int
}

type commitHeap struct {
	items []queued
	seq   int
}

func (h *commitHeap) Len() int { return len(h.items) }
func (h *commitHeap) Less(i, j int) bool {
	a, b := h.items[i], h.items[j]
	if a.when != b.when {
		return a.when > b.when
	}
	return a.seq < b.seq
}
func (h *commitHeap) Swap(i, j int) { h.items[i], h.items[j] = h.items[j], h.items[i] }
func (h *commitHeap) Push(x any)    { h.items = append(h.items, x.(queued)) }
func (h *commitHeap) Pop() any {
	last := len(h.items) - 1
	x := h.items[last]
	h.items[last] = queued{}
	h.items = h.items[:last]
	return x
}

func (q *queue) put(c Commit) {
	q.h.seq++
	heap.Push(&q.h, queued{commit: c, when: c.Committer.When.Unix(), seq: q.h.seq})
}

func (q *queue) take() Commit { return heap.Pop(&q.h).(queued).commit }
func (q *queue) len() int     { return len(q.h.items) }

// newest is the date of the commit that take would return.
func (q *queue) newest() int64 { return q.h.items[0].when }
