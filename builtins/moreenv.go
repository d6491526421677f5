package builtins

import (
	"iter"
	"maps"
	"slices"
)

// WithVariables returns env with more variables, which replace those of the same name.
func WithVariables(env Environ, more map[string]string) Environ { return moreEnviron{env, more} }

type moreEnviron struct {
	Environ
	more map[string]string
}

// Lookup finds a variable.
func (e moreEnviron) Lookup(name string) (string, bool) {
	if value, ok := e.more[name]; ok {
		return value, true
	}
	return e.Environ.Lookup(name)
}

// All has the variables of the environment, and then the others by name.
func (e moreEnviron) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for name, value := range e.Environ.All() {
			if _, ok := e.more[name]; !ok && !yield(name, value) {
				return
			}
		}
		for _, name := range slices.Sorted(maps.Keys(e.more)) {
			if !yield(name, e.more[name]) {
				return
			}
		}
	}
}
