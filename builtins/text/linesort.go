package text

import (
	"bytes"
	"slices"
	"unsafe"
)

// A lineSort sorts entries by a key after the other. Of each it takes a number that
// decides most comparisons, sorts by that, and goes on with those that are equal
// so far: the lines are looked at once for each key, or each eight bytes of one.
type lineSort struct {
	*sorter
	lines *sortLines
	whole sortKey // the line, after all keys
}

// sort sorts the lines.
func (s *sorter) sort(l *sortLines) error {
	all := lineSort{sorter: s, lines: l, whole: sortKey{endField: endOfLine, sortOrder: sortOrder{reverse: s.reverse}}}
	return all.run(l.entries, 0, 0)
}

// fewEntries is how many are sorted by comparing their lines.
const fewEntries = 4

// run sorts entries that are equal in the keys before the given, and in the first
// depth bytes of that. After the last key come the whole lines.
func (s *lineSort) run(a []sortEntry, key, depth int) error {
	switch {
	case len(a) < 2 || key > len(s.keys):
		return nil
	case key == len(s.keys) && !s.hasLastResort():
		slices.SortFunc(a, comparePlaces)
		return s.call.Poll(len(a))
	case len(a) <= fewEntries:
		insertionSort(a, func(a, b sortEntry) int {
			if d := s.compareFrom(key, s.lines.line(a.place), s.lines.line(b.place)); d != 0 {
				return d
			}
			return comparePlaces(a, b)
		})
		return s.call.Poll(4 * len(a))
	}
	k := s.key(key)
	if k.plain() {
		common, err := s.common(a, k, depth)
		if err != nil {
			return err
		}
		depth += common
	}
	more, err := s.prepare(a, k, depth)
	if err == nil {
		err = radixSort(a, 56, s.call.Poll)
	}
	for len(a) > 0 && err == nil {
		n, exact := 1, a[0].place&exactPlace != 0
		for n < len(a) && a[n].prefix == a[0].prefix {
			exact = exact && a[n].place&exactPlace != 0
			n++
		}
		switch {
		case exact:
			err = s.run(a[:n], key+1, 0)
		case more:
			err = s.run(a[:n], key, depth+8)
		default:
			err = s.compareKeys(a[:n], key)
		}
		a = a[n:]
	}
	return err
}

// key returns the key of a number, which may be the whole line.
func (s *lineSort) key(i int) *sortKey {
	if i < len(s.keys) {
		return s.keys[i]
	}
	return &s.whole
}

// prepare sets the prefixes of entries. It reports whether those that are not
// exact can be told apart by what follows in the key.
func (s *lineSort) prepare(a []sortEntry, k *sortKey, depth int) (more bool, err error) {
	more = true
	for i := range a {
		if i&0xff == 0xff {
			if err := s.call.Poll(0x100); err != nil {
				return false, err
			}
		}
		e := &a[i]
		p := k.prefix(k.find(s.lines.line(e.place), s.tab), depth, s.seed)
		if e.place = e.place.order(); p.exact {
			e.place |= exactPlace
		} else {
			more = more && p.more
		}
		if e.prefix = p.number; k.reverse {
			e.prefix = ^e.prefix
		}
	}
	return more, nil
}

// common returns how many bytes the keys of all entries have in common behind the
// first depth.
func (s *lineSort) common(a []sortEntry, k *sortKey, depth int) (int, error) {
	rest := func(e sortEntry) []byte {
		key := k.find(s.lines.line(e.place), s.tab)
		return key[min(depth, len(key)):]
	}
	first := rest(a[0])
	for i := range a {
		if len(first) == 0 {
			break
		}
		if err := s.call.Poll(1 + len(first)>>8); err != nil {
			return 0, err
		}
		first = first[:commonPrefix(first, rest(a[i]))]
	}
	return len(first), nil
}

// commonPrefix returns how many bytes a and b begin with in common.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	if bytes.Equal(a[:n], b[:n]) {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// A foundKey is an entry, and its line and key.
type foundKey struct {
	line, key []byte
	entry     sortEntry
}

// compareKeys sorts entries by comparing the key of a number, and then what comes
// after it.
func (s *lineSort) compareKeys(a []sortEntry, key int) error {
	k := s.key(key)
	size := len(a) * int(unsafe.Sizeof(foundKey{}))
	if err := s.lines.alloc(size); err != nil {
		return err
	}
	defer s.lines.free(size)
	found := make([]foundKey, len(a))
	for i, e := range a {
		line := s.lines.line(e.place)
		found[i] = foundKey{line, k.find(line, s.tab), e}
	}
	var stopped error
	slices.SortFunc(found, func(a, b foundKey) int {
		if stopped == nil {
			stopped = s.call.Poll(1)
		}
		if stopped != nil {
			return 0
		}
		d := k.compare(a.key, b.key, s.seed)
		if k.reverse {
			d = -d
		}
		if d == 0 {
			d = s.compareFrom(key+1, a.line, b.line)
		}
		if d == 0 {
			d = comparePlaces(a.entry, b.entry)
		}
		return d
	})
	for i := range found {
		a[i] = found[i].entry
	}
	return stopped
}
