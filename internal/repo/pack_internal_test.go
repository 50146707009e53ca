package repo

import (
	"bytes"
	"testing"
)

func TestApplyDelta(t *testing.T) {
	t.Parallel()
	base := []byte("the quick brown fox")
	tests := []struct {
		name, delta, want string // want "" : damaged
	}{
		{"insert", "\x13\x03\x03abc", "abc"},
		{"copy", "\x13\x05\x91\x04\x05", "quick"},
		{"copy and insert", "\x13\x08\x90\x04\x01!\x91\x10\x03", "the !fox"},
		{"another base", "\x12\x03\x03abc", ""},
		{"too short", "\x13\x04\x03abc", ""},
		{"too long", "\x13\x02\x03abc", ""},
		{"past the end", "\x13\x05\x91\x10\x05", ""},
		{"no such operation", "\x13\x00\x00", ""},
		{"cut insert", "\x13\x03\x03ab", ""},
		{"cut copy", "\x13\x05\x91\x04", ""},
		{"no sizes", "\x93", ""},
		{"a size beyond all", "\x13\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x03abc", ""},
	}
	for _, test := range tests {
		got, err := applyDelta(base, []byte(test.delta))
		if string(got) != test.want || (err != nil) != (test.want == "") {
			t.Errorf("%s: %q, %v; want %q", test.name, got, err, test.want)
		}
	}
}

func FuzzApplyDelta(f *testing.F) {
	f.Add([]byte("the quick brown fox"), []byte("\x13\x08\x90\x04\x01!\x91\x10\x03"))
	f.Fuzz(func(t *testing.T, base, delta []byte) {
		before := bytes.Clone(base)
		if len(delta) > 1000 {
			return
		}
		if _, size, _, err := deltaSizes(delta); err == nil && size > 1<<20 {
			return
		}
		if _, err := applyDelta(base, delta); err == nil && !bytes.Equal(base, before) {
			t.Error("the base was changed")
		}
	})
}
