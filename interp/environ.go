package interp

import (
	"iter"
	"slices"
	"strings"
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

// environment returns what commands of the shell inherit.
func (sh *Shell) environment() *environ {
	if sh.env != nil {
		return sh.env
	}
	e := &environ{values: map[string]string{}}
	for id, v := range sh.vars {
		if v.flags&vExport == 0 || v.flags&(vIndexed|vAssoc) != 0 || !v.isSet() {
			continue
		}
		name := sh.names.name(id)
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
	if sh.last != "" {
		if _, ok := e.values["_"]; !ok {
			e.names = append(e.names, "_")
		}
		e.values["_"] = sh.last
	}
	slices.Sort(e.names)
	sh.env = e
	return e
}

// functionSource returns a function as the environment passes it on.
func (sh *Shell) functionSource(f *function) string {
	s := sh.printFunction(f)
	_, body, _ := strings.Cut(s, "() ")
	return "() " + body
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
