package interp

import (
	"maps"
	"slices"

	"github.com/limpet-sh/limpet/internal/snapshot"
	"github.com/limpet-sh/limpet/internal/unparse"
)

// savedFlags are the flags of variables that snapshots have, by the bit that each
// has there.
var savedFlags = []uint32{
	vSet, vReadonly, vExport, vInteger, vLower, vUpper, vCapital, vNameref, vTrace, vIndexed, vAssoc, vDynamic, vHook, vDeclared, vNull,
}

// savedFunction are the flags of functions that snapshots have.
const (
	savedExported = 1 << iota
	savedTrace
	savedReadonly
)

// Write writes the image to a snapshot. What the configuration says is not part of
// it: the names of the user and the host, and what else a new shell has
// that scripts cannot change.
func (i *Image) Write(w *snapshot.Writer) {
	iw := imageWriter{w, i.sh}
	iw.startup()
	iw.options()
	iw.directory()
	iw.variables()
	iw.functions()
	iw.tables()
	iw.completions()
	iw.counters()
	iw.traps()
}

type imageWriter struct {
	*snapshot.Writer
	sh *Shell
}

func (w imageWriter) startup() {
	s := &w.sh.startup
	w.Text(s.Shell)
	w.Bool(s.Interactive)
	w.Bool(s.Stdin)
	w.Bool(s.Command)
	w.Text(w.sh.name)
	w.Text(w.sh.last)
	w.Texts(w.sh.imports)
}

func (w imageWriter) options() {
	var names []string
	for _, row := range setOptions {
		if w.sh.is(row.bit) {
			names = append(names, row.name)
		}
	}
	w.Texts(names)
	names = nil
	for i, name := range shoptNames {
		if w.sh.shopts&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	w.Texts(names)
}

func (w imageWriter) directory() {
	w.Text(w.sh.dir)
	w.Uint(uint64(w.sh.umask))
	w.Texts(w.sh.stack)
}

func (w imageWriter) variables() {
	own := New(w.sh.cfg, Startup{}).constants()
	ids := map[string]int{}
	for id, v := range w.sh.vars {
		if name := w.sh.names.name(id); v.exists() && !own[name] {
			ids[name] = id
		}
	}
	w.Uint(uint64(len(ids)))
	for _, name := range slices.Sorted(maps.Keys(ids)) {
		w.Text(name)
		w.variable(w.sh.vars[ids[name]])
	}
}

// constants returns the names of the variables that are readonly.
func (sh *Shell) constants() map[string]bool {
	names := map[string]bool{}
	for id, v := range sh.vars {
		if v.flags&vReadonly != 0 {
			names[sh.names.name(id)] = true
		}
	}
	return names
}

func (w imageWriter) variable(v *variable) {
	bits := uint64(0)
	for i, flag := range savedFlags {
		if v.flags&flag != 0 {
			bits |= 1 << i
		}
	}
	w.Uint(bits)
	switch {
	case v.flags&vDynamic != 0: // the shell computes it
	case v.flags&vIndexed != 0:
		w.array(v.arr)
	case v.flags&vAssoc != 0:
		w.assoc(v.assoc)
	case v.flags&vStr != 0:
		w.Bool(true)
		w.Text(v.str)
	case v.flags&vNum != 0:
		w.Bool(true)
		w.Text(itoa(v.num))
	default:
		w.Bool(false)
	}
}

func (w imageWriter) array(a *array) {
	if a == nil {
		a = &array{}
	}
	indices := a.indices()
	w.Uint(uint64(len(indices)))
	for _, i := range indices {
		e, _ := a.get(i)
		w.Uint(uint64(i))
		w.Text(e.text())
	}
}

// assoc writes the entries so that those that come first are added last.
func (w imageWriter) assoc(a *assoc) {
	if a == nil {
		a = newAssoc()
	}
	w.Uint(uint64(len(a.buckets)))
	w.Uint(uint64(a.len()))
	for _, key := range slices.Backward(a.keys()) {
		value, _ := a.get(key)
		w.Text(key)
		w.Text(value)
	}
}

func (w imageWriter) functions() {
	list := map[string]*function{}
	for id, f := range w.sh.funcs {
		if f != nil {
			list[w.sh.names.name(id)] = f
		}
	}
	w.Uint(uint64(len(list)))
	for _, name := range slices.Sorted(maps.Keys(list)) {
		f := list[name]
		text, err := unparse.Source(f.name, f.decl.Body, f.source, maxFunctionText)
		w.Fail(err)
		w.Text(name)
		w.Text(text)
		w.Text(f.file)
		w.Uint(uint64(f.line))
		w.Uint(uint64(f.bodyLine))
		bits := uint64(0)
		for bit, on := range map[uint64]bool{savedExported: f.exported, savedTrace: f.trace, savedReadonly: f.readonly} {
			if on {
				bits |= bit
			}
		}
		w.Uint(bits)
	}
}

// tables writes what commands have been told by name.
func (w imageWriter) tables() {
	sh := w.sh
	w.Uint(uint64(len(sh.aliases)))
	for _, name := range slices.Sorted(maps.Keys(sh.aliases)) {
		w.Text(name)
		w.Text(sh.aliases[name])
	}
	w.Uint(uint64(len(sh.hash)))
	for _, name := range slices.Sorted(maps.Keys(sh.hash)) {
		w.Text(name)
		w.Text(sh.hash[name].path)
		w.Uint(uint64(sh.hash[name].hits))
	}
	w.Texts(slices.Sorted(maps.Keys(sh.disabled)))
	for _, m := range []map[byte]int64{sh.ulimits, sh.hardLimits} {
		w.Uint(uint64(len(m)))
		for _, letter := range slices.Sorted(maps.Keys(m)) {
			w.Uint(uint64(letter))
			w.Int(m[letter])
		}
	}
	w.Texts(sh.history)
}

func (w imageWriter) completions() {
	sh := w.sh
	w.Uint(uint64(len(sh.specNames)))
	for _, name := range sh.specNames {
		spec := sh.specs[name]
		w.Text(name)
		w.Texts(spec.actions)
		w.Texts(spec.options)
		w.Bool(spec.hasList)
		for _, s := range []*string{&spec.glob, &spec.words, &spec.fn, &spec.command, &spec.filter, &spec.prefix, &spec.suffix} {
			w.Text(*s)
		}
	}
}

// counters writes the numbers that the shell keeps.
func (w imageWriter) counters() {
	sh := w.sh
	for _, n := range []int{sh.bg, sh.funcNest, sh.traceFD, sh.commands, sh.getopt.index, sh.getopt.place} {
		w.Uint(uint64(n))
	}
	w.Uint(sh.unheeded)
	w.Bool(sh.seeded)
	w.Uint(uint64(sh.random))
	w.Uint(uint64(sh.lastRandom))
	w.Int(sh.started.Unix())
	w.Uint(uint64(sh.started.Nanosecond()))
	w.Int(sh.secondsBase)
}

// traps writes what only an interactive shell keeps.
func (w imageWriter) traps() {
	w.Uint(uint64(w.sh.status))
	w.Uint(uint64(len(w.sh.traps)))
	for _, name := range slices.Sorted(maps.Keys(w.sh.traps)) {
		w.Text(name)
		w.Text(w.sh.traps[name])
	}
}
