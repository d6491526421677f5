package interp

import (
	"iter"
	"slices"
	"sync/atomic"

	"github.com/limpet-sh/limpet/internal/unparse"
	"github.com/limpet-sh/limpet/limits"
)

// An environ is the exported variables of a shell at one time. It does not
// change.
type environ struct {
	values map[string]string
	names  []string
}

// Lookup returns the value of an exported variable.
func (e *environ) Lookup(name string) (string, bool) {
	v, ok := e.values[name]
	return v, ok
}

// All returns the exported variables by name.
func (e *environ) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, name := range e.names {
			if !yield(name, e.values[name]) {
				return
			}
		}
	}
}

// An inheritance is the environment of shells that are copies of each other and
// have changed nothing of it: nil until one of them needs it.
type inheritance = atomic.Pointer[environ]

// environment returns what commands of the shell inherit.
func (sh *Shell) environment() *environ {
	if sh.env == nil {
		sh.env = new(inheritance)
	}
	if e := sh.env.Load(); e != nil {
		return e
	}
	e, lasting := &environ{values: map[string]string{}}, true
	for id, v := range sh.vars {
		if v.flags&vExport == 0 || v.flags&(vIndexed|vAssoc) != 0 || !v.isSet() {
			continue
		}
		name := sh.names.name(id)
		lasting = lasting && v.flags&vDynamic == 0
		e.values[name] = v.text(sh)
		e.names = append(e.names, name)
	}
	for id, f := range sh.funcs {
		if f != nil && f.exported {
			name := "BASH_FUNC_" + sh.names.name(id) + "%%"
			e.values[name] = sh.functionSource(f)
			e.names = append(e.names, name)
		}
	}
	slices.Sort(e.names)
	if lasting {
		sh.env.Store(e)
	}
	return e
}

// functionSource returns a function as the environment passes it on.
func (sh *Shell) functionSource(f *function) string {
	text, err := unparse.Exported(f.decl.Body, f.source, maxFunctionText)
	if err != nil {
		sh.stop(sh.x.meter.Exceed(limits.Memory))
	}
	return text
}

// A programEnviron is what one program inherits: _ is its file.
type programEnviron struct {
	*environ
	file string
}

// Lookup returns the value of an exported variable.
func (e programEnviron) Lookup(name string) (string, bool) {
	if name == "_" {
		return e.file, true
	}
	return e.environ.Lookup(name)
}

// All returns the exported variables by name.
func (e programEnviron) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		shown := false
		for name, value := range e.environ.All() {
			if !shown && name > "_" {
				shown = true
				if !yield("_", e.file) {
					return
				}
			}
			if name != "_" && !yield(name, value) {
				return
			}
		}
		if !shown {
			yield("_", e.file)
		}
	}
}

// variableNames returns the names of the variables that keep selects, sorted.
func (sh *Shell) variableNames(keep func(name string, v *variable) bool) []string {
	var names []string
	for id, v := range sh.vars {
		if v == unsetVariable {
			continue
		}
		if name := sh.names.name(id); keep(name, v) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
