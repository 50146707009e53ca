package repo

import (
	"cmp"
	"context"
	"errors"
	"slices"
)

// Diff compares two commits or trees and returns the files that differ, sorted
// by path; the zero hash is the empty tree. It looks for no renames (see
// [Repo.DetectRenames]). A directory that became a file is a deletion of its
// files and an addition. Subtrees that are missing are an [ErrMissing], with the
// changes that could be read.
//
// go-git's differ takes 9 to 21 ms a commit on large repositories because it
// reads every tree of both sides; this one reads only where ids differ.
func (r *Repo) Diff(ctx context.Context, a, b Hash) ([]Change, error) {
	ta, err := r.treeOf(a)
	if err != nil {
		return nil, err
	}
	tb, err := r.treeOf(b)
	if err != nil {
		return nil, err
	}
	d := differ{walker: walker{repo: r, ctx: ctx}}
	d.trees(ta, tb, "")
	slices.SortStableFunc(d.changes, func(a, b Change) int { return cmp.Compare(a.Path(), b.Path()) })
	return d.changes, errors.Join(d.missing, d.err)
}

// Path returns the path of the file after the change, or before it where it was
// deleted.
func (c Change) Path() string {
	if c.Kind == Deleted {
		return c.From.Path
	}
	return c.To.Path
}

type differ struct {
	walker
	changes []Change
}

// trees merges two sorted lists of entries.
func (d *differ) trees(a, b Hash, prefix string) {
	if a == b {
		return
	}
	na, ok := d.enter(a, prefix)
	if !ok {
		return
	}
	nb, ok := d.enter(b, prefix)
	if !ok {
		return
	}
	i, j := 0, 0
	for d.err == nil && (i < len(na.entries) || j < len(nb.entries)) {
		var order int
		switch {
		case i == len(na.entries):
			order = 1
		case j == len(nb.entries):
			order = -1
		default:
			order = compareEntries(na.entries[i], nb.entries[j])
		}
		switch {
		case order < 0:
			d.side(na.entries[i], prefix, Deleted)
			i++
		case order > 0:
			d.side(nb.entries[j], prefix, Added)
			j++
		default:
			d.both(na.entries[i], nb.entries[j], prefix)
			i++
			j++
		}
	}
}

// both compares two entries of one name; either both or neither is a directory,
// since a directory sorts as another name.
func (d *differ) both(a, b nodeEntry, prefix string) {
	if !a.sane() || a.hash == b.hash && a.kind() == b.kind() {
		return
	}
	if a.isDir() {
		d.trees(a.hash, b.hash, prefix+a.name+"/")
		return
	}
	d.change(Change{Kind: Modified, From: d.entry(a, prefix), To: d.entry(b, prefix)})
}

// side adds an entry that one side does not have, with all that is below it.
func (d *differ) side(e nodeEntry, prefix string, kind ChangeKind) {
	if !e.sane() {
		return
	}
	var entries []Entry
	if e.isDir() {
		d.list(e.hash, prefix+e.name+"/", &entries)
	} else {
		d.add(&entries, d.entry(e, prefix))
	}
	for _, e := range entries {
		if kind == Added {
			d.changes = append(d.changes, Change{Kind: Added, To: e})
		} else {
			d.changes = append(d.changes, Change{Kind: Deleted, From: e})
		}
	}
}

func (d *differ) change(c Change) {
	var counted []Entry
	d.add(&counted, c.To)
	if len(counted) > 0 {
		d.changes = append(d.changes, c)
	}
}

func (d *differ) entry(e nodeEntry, prefix string) Entry {
	return Entry{Path: prefix + e.name, Mode: e.kind(), Hash: e.hash}
}
