package interp

import (
	"sync"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/pattern"
)

// cacheSize is how many entries of each kind a cache keeps.
const cacheSize = 512

// A cache keeps what the shells that share a table of names have compiled. It is safe for
// concurrent use.
type cache struct {
	mu       sync.RWMutex
	units    map[unitKey]*unit
	exprs    map[string]cachedExpr
	patterns map[patternKey]*pattern.Pattern
	regexps  map[regexpKey]*cachedRegexp
}

type unitKey struct {
	src, file string
	line      int
	mode      parse.Mode
}

type patternKey struct {
	text  string
	flags pattern.Flags
}

type cachedExpr struct {
	run   arith
	names int
}

func newCache() *cache {
	return &cache{
		units:    map[unitKey]*unit{},
		exprs:    map[string]cachedExpr{},
		patterns: map[patternKey]*pattern.Pattern{},
		regexps:  map[regexpKey]*cachedRegexp{},
	}
}

// keep adds an entry to one of the maps, and forgets all of them when there are
// too many.
func keep[K comparable, V any](c *cache, m map[K]V, key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(m) >= cacheSize {
		clear(m)
	}
	m[key] = v
}

func find[K comparable, V any](c *cache, m map[K]V, key K) (V, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := m[key]
	return v, ok
}

func (c *cache) unit(key unitKey) *unit {
	u, _ := find(c, c.units, key)
	return u
}

// keepUnit keeps a unit, but not one of a size that would make the cache large.
func (c *cache) keepUnit(key unitKey, u *unit) {
	if len(key.src) < 16<<10 {
		keep(c, c.units, key, u)
	}
}

// expression returns the compiled form of the text of an expression.
func (c *cache) expression(sh *Shell, text string) arith {
	e, ok := find(c, c.exprs, text)
	if !ok {
		comp := &compiler{names: sh.names, src: text}
		e.run = comp.expression(text)
		e.names = sh.names.len()
		if len(text) < 4096 {
			keep(c, c.exprs, text, e)
		}
	}
	sh.needNames(e.names)
	return e.run
}

// pattern returns the compiled form of a pattern.
func (sh *Shell) pattern(text string, fold bool) *pattern.Pattern {
	flags := pattern.Extglob
	if fold {
		flags |= pattern.IgnoreCase
	}
	return sh.patternFor(text, flags)
}

func (sh *Shell) patternFor(text string, flags pattern.Flags) *pattern.Pattern {
	c := sh.names.cache
	key := patternKey{text, flags}
	if p, ok := find(c, c.patterns, key); ok {
		return p
	}
	p := pattern.Compile(text, flags)
	if len(text) < 4096 {
		keep(c, c.patterns, key, p)
	}
	return p
}
