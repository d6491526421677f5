package system

import (
	"iter"
	"slices"

	"github.com/limpet-sh/limpet/builtins"
)

// An environ is an environment that can be changed. Variables keep their order;
// new ones come last.
type environ struct {
	names  []string
	values map[string]string
}

// newEnviron returns a copy of env, or an empty environment for nil.
func newEnviron(env builtins.Environ) *environ {
	e := &environ{values: map[string]string{}}
	if env != nil {
		for name, value := range env.All() {
			e.set(name, value)
		}
	}
	return e
}

// Lookup returns the value of a variable.
func (e *environ) Lookup(name string) (string, bool) {
	value, ok := e.values[name]
	return value, ok
}

// All yields the variables in order.
func (e *environ) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, name := range e.names {
			if !yield(name, e.values[name]) {
				return
			}
		}
	}
}

func (e *environ) set(name, value string) {
	if _, ok := e.values[name]; !ok {
		e.names = append(e.names, name)
	}
	e.values[name] = value
}

func (e *environ) unset(name string) {
	delete(e.values, name)
	e.names = slices.DeleteFunc(e.names, func(n string) bool { return n == name })
}
