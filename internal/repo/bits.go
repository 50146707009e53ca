package repo

import mathbits "math/bits"

// bits is a set of small numbers.
type bits []uint64

func newBits(n int) bits { return make(bits, (n+63)/64) }

func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) unset(i int)    { b[i/64] &^= 1 << (i % 64) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) clone() bits    { return append(bits(nil), b...) }
func (b bits) clear()         { clear(b) }

func (b bits) and(o bits) {
	for i := range b {
		b[i] &= o[i]
	}
}

func (b bits) or(o bits) {
	for i := range b {
		b[i] |= o[i]
	}
}

func (b bits) minus(o bits) {
	for i := range b {
		b[i] &^= o[i]
	}
}

func (b bits) any() bool {
	for _, word := range b {
		if word != 0 {
			return true
		}
	}
	return false
}

func (b bits) each(f func(i int)) {
	for w, word := range b {
		for ; word != 0; word &= word - 1 {
			f(w*64 + mathbits.TrailingZeros64(word))
		}
	}
}
