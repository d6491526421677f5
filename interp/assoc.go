package interp

import "slices"

// An assoc is an associative array. Its order is the one that scripts see in
// bash, and so it is bash's table: FNV-1 hashes in a power of two of buckets,
// the newest entry first in each bucket, and four times as many buckets when
// there are twice as many entries as buckets.
type assoc struct {
	buckets []int32 // the first entry of each, plus one; 0 where empty
	entries []entry
	free    int32 // the first free entry, plus one
	count   int
	bytes   int
}

type entry struct {
	key, value string
	hash       uint32
	next       int32 // the next entry of the bucket, plus one; -1 in a free entry
	used       bool
}

const (
	assocBuckets = 1024
	entrySize    = 48
)

func newAssoc() *assoc { return &assoc{} }

// hashKey is the FNV-1 hash of key, with bytes as signed chars.
func hashKey(key string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(key); i++ {
		h *= 16777619
		h ^= uint32(int32(int8(key[i])))
	}
	return h
}

// find returns the place of key among the entries, or -1.
func (a *assoc) find(key string) int {
	if a == nil || a.count == 0 {
		return -1
	}
	h := hashKey(key)
	for i := a.buckets[h&uint32(len(a.buckets)-1)]; i != 0; i = a.entries[i-1].next {
		if e := &a.entries[i-1]; e.hash == h && e.key == key {
			return int(i - 1)
		}
	}
	return -1
}

func (a *assoc) get(key string) (string, bool) {
	if i := a.find(key); i >= 0 {
		return a.entries[i].value, true
	}
	return "", false
}

// set sets the value of key, and returns by how much the table has grown.
func (a *assoc) set(key, value string) (grown int) {
	if i := a.find(key); i >= 0 {
		e := &a.entries[i]
		grown = len(value) - len(e.value)
		e.value = value
		a.bytes += grown
		return grown
	}
	if a.buckets == nil {
		a.buckets = make([]int32, assocBuckets)
		grown += 4 * assocBuckets
	}
	if a.count >= 2*len(a.buckets) {
		grown += a.rehash()
	}
	i := a.free
	if i != 0 {
		a.free = a.entries[i-1].next
	} else {
		a.entries = append(a.entries, entry{})
		i = int32(len(a.entries))
	}
	h := hashKey(key)
	b := &a.buckets[h&uint32(len(a.buckets)-1)]
	a.entries[i-1] = entry{key: key, value: value, hash: h, next: *b, used: true}
	*b = i
	a.count++
	grown += len(key) + len(value) + entrySize + 16
	a.bytes += grown
	return grown
}

func (a *assoc) rehash() (grown int) {
	old := a.buckets
	a.buckets = make([]int32, 4*len(old))
	for _, i := range old {
		for i != 0 {
			e := &a.entries[i-1]
			next := e.next
			b := &a.buckets[e.hash&uint32(len(a.buckets)-1)]
			e.next = *b
			*b = i
			i = next
		}
	}
	return 4 * (len(a.buckets) - len(old))
}

// unset removes key, and returns by how much the table has shrunk.
func (a *assoc) unset(key string) (shrunk int) {
	i := a.find(key)
	if i < 0 {
		return 0
	}
	e := &a.entries[i]
	p := &a.buckets[e.hash&uint32(len(a.buckets)-1)]
	for *p != int32(i+1) {
		p = &a.entries[*p-1].next
	}
	*p = e.next
	shrunk = len(e.key) + len(e.value)
	*e = entry{next: a.free}
	a.free = int32(i + 1)
	a.count--
	a.bytes -= shrunk
	return shrunk
}

// all calls do for every entry, in bash's order.
func (a *assoc) all(do func(key, value string)) {
	if a == nil {
		return
	}
	for _, i := range a.buckets {
		for ; i != 0; i = a.entries[i-1].next {
			do(a.entries[i-1].key, a.entries[i-1].value)
		}
	}
}

func (a *assoc) keys() []string {
	keys := make([]string, 0, a.len())
	a.all(func(key, _ string) { keys = append(keys, key) })
	return keys
}

func (a *assoc) appendTexts(dst []string) []string {
	dst = slices.Grow(dst, a.len())
	a.all(func(_, value string) { dst = append(dst, value) })
	return dst
}

func (a *assoc) len() int {
	if a == nil {
		return 0
	}
	return a.count
}

func (a *assoc) clone() *assoc {
	c := *a
	c.buckets = slices.Clone(a.buckets)
	c.entries = slices.Clone(a.entries)
	return &c
}
