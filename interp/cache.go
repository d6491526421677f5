package interp

import (
	"sync"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/pattern"
)

// cacheSize is how many entries of each kind a cache keeps.
const cacheSize = 512

// A cache keeps what the shells that share a table of names have compiled. It is
// safe for concurrent use.
type cache struct {
	units    cached[unitKey, *unit]
	exprs    cached[string, cachedExpr]
	patterns cached[patternKey, *pattern.Pattern]
	regexps  cached[regexpKey, *cachedRegexp]
}

// newCache returns an empty cache on top of base, which may be nil.
func newCache(base *cache) *cache {
	c := new(cache)
	if base != nil {
		c.units.base, c.exprs.base = &base.units, &base.exprs
		c.patterns.base, c.regexps.base = &base.patterns, &base.regexps
	}
	return c
}

// add adds what another cache has, but not what that is on top of.
func (c *cache) add(from *cache) {
	c.units.add(&from.units)
	c.exprs.add(&from.exprs)
	c.patterns.add(&from.patterns)
	c.regexps.add(&from.regexps)
}

// A cached is the part of a cache for one kind of entry.
type cached[K comparable, V any] struct {
	base *cached[K, V] // where else entries are looked for; nil for nowhere

	mu sync.RWMutex
	m  map[K]V
}

// keep adds an entry, and forgets all others when there are too many.
func (c *cached[K, V]) keep(key K, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[K]V{}
	}
	if len(c.m) >= cacheSize {
		clear(c.m)
	}
	c.m[key] = v
}

// add adds the entries of another.
func (c *cached[K, V]) add(from *cached[K, V]) {
	from.mu.RLock()
	defer from.mu.RUnlock()
	for key, v := range from.m {
		c.keep(key, v)
	}
}

// find returns an entry, of c or what is below it.
func (c *cached[K, V]) find(key K) (v V, ok bool) {
	for ; c != nil && !ok; c = c.base {
		c.mu.RLock()
		v, ok = c.m[key]
		c.mu.RUnlock()
	}
	return v, ok
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

func (c *cache) unit(key unitKey) *unit {
	u, _ := c.units.find(key)
	return u
}

// keepUnit keeps a unit, but not one of a size that would make the cache large.
func (c *cache) keepUnit(key unitKey, u *unit) {
	if len(key.src) < 16<<10 {
		c.units.keep(key, u)
	}
}

// expression returns the compiled form of the text of an expression.
func (c *cache) expression(sh *Shell, text string) arith {
	e, ok := c.exprs.find(text)
	if !ok {
		comp := &compiler{names: sh.names, src: text}
		e.run = comp.expression(text)
		e.names = sh.names.len()
		if len(text) < 4096 {
			c.exprs.keep(text, e)
		}
	}
	sh.needNames(e.names)
	return e.run
}

// pattern returns the compiled form of a pattern.
func (sh *Shell) pattern(text string, fold bool) *pattern.Pattern {
	flags := sh.patternFlags()
	if fold {
		flags |= pattern.IgnoreCase
	}
	return sh.patternFor(text, flags)
}

func (sh *Shell) patternFor(text string, flags pattern.Flags) *pattern.Pattern {
	c := sh.names.cache
	key := patternKey{text, flags}
	if p, ok := c.patterns.find(key); ok {
		return p
	}
	p := pattern.Compile(text, flags)
	if len(text) < 4096 {
		c.patterns.keep(key, p)
	}
	return p
}
