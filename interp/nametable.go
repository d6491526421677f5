package interp

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// A nameTable gives small numbers to the names of variables and functions. The
// shells of a session share one. Below it are tables that do not change any more:
// that of all shells of a Config, and those of the images that the session goes on
// from.
type nameTable struct {
	base     *nameTable
	start    int // the number of the first name that is not of the base
	builtins map[string]*builtin
	cache    *cache
	owners   atomic.Uint64

	mu   sync.RWMutex
	ids  map[string]int
	text []string // by number, after those of base
}

// maxTables bounds how many tables are looked into for a name.
const maxTables = 8

// above returns an empty table on top of t, which must not get any more names.
func (t *nameTable) above() *nameTable {
	if t.height() >= maxTables {
		t = t.flat()
	}
	n := &nameTable{base: t, start: t.start + len(t.text), builtins: t.builtins, ids: map[string]int{}}
	if t.base == nil { // a template has run nothing
		n.cache = newCache(nil)
	} else {
		n.cache = newCache(t.cache)
	}
	n.owners.Store(t.owners.Load())
	return n
}

// height returns how many tables there are from t down.
func (t *nameTable) height() (n int) {
	for ; t != nil; t = t.base {
		n++
	}
	return n
}

// flat returns a table with the names of t and of those below it but the last,
// which it is on top of, and with what was compiled for them.
func (t *nameTable) flat() *nameTable {
	var list []*nameTable
	for ; t.base != nil; t = t.base {
		list = append(list, t)
	}
	n := t.above()
	n.owners.Store(list[0].owners.Load())
	for _, t := range slices.Backward(list) {
		n.text = append(n.text, t.text...)
		maps.Copy(n.ids, t.ids)
		n.cache.add(t.cache)
	}
	return n
}

func (t *nameTable) id(name string) int {
	if id, ok := t.lookup(name); ok {
		return id
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, ok := t.ids[name]; ok {
		return id
	}
	id := t.start + len(t.text)
	name = strings.Clone(name)
	t.ids[name] = id
	t.text = append(t.text, name)
	return id
}

// lookup returns the number of a name that has one.
func (t *nameTable) lookup(name string) (int, bool) {
	for b := t.base; b != nil; b = b.base {
		if id, ok := b.ids[name]; ok {
			return id, true
		}
	}
	t.mu.RLock()
	id, ok := t.ids[name]
	t.mu.RUnlock()
	return id, ok
}

func (t *nameTable) name(id int) string {
	if id >= t.start {
		t.mu.RLock()
		defer t.mu.RUnlock()
		return t.text[id-t.start]
	}
	b := t.base
	for id < b.start {
		b = b.base
	}
	return b.text[id-b.start]
}

func (t *nameTable) len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.start + len(t.text)
}
