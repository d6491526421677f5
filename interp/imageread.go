package interp

import (
	"io/fs"
	"math"
	"math/bits"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/snapshot"
	"mvdan.cc/sh/v3/syntax"
)

// maxText bounds a text of a snapshot, besides what the reader's meter allows.
const maxText = math.MaxInt32

// ReadImage returns the image that [Image.Write] has written, of a shell of cfg.
// The Reader's own error tells if there is anything wrong. Nothing of what is read
// is run.
func ReadImage(r *snapshot.Reader, cfg *Config) *Image {
	ir := imageReader{Reader: r}
	ir.startup(cfg)
	ir.options()
	ir.directory()
	ir.variables()
	ir.functions()
	ir.tables()
	ir.completions()
	ir.counters()
	ir.traps()
	if r.Err() != nil {
		return nil
	}
	ir.sh.setLocale()
	ir.sh.refreshHooks()
	return ir.sh.Freeze()
}

type imageReader struct {
	*snapshot.Reader
	sh *Shell
}

func (r *imageReader) startup(cfg *Config) {
	var s Startup
	s.Shell = r.Text(maxText)
	s.Interactive, s.Stdin, s.Command = r.Bool(), r.Bool(), r.Bool()
	s.Name = r.Text(maxText)
	r.sh = New(cfg, s)
	r.sh.last = r.Text(maxText)
	r.sh.imports = r.Texts(maxText)
}

func (r *imageReader) options() {
	r.sh.opts, r.sh.shopts = 0, 0
	for _, name := range r.Texts(maxText) {
		o := r.sh.optionByName(name)
		if r.sh.opts |= o; o == 0 {
			r.Fail(snapshot.Damaged("an option %q", name))
		}
	}
	for _, name := range r.Texts(maxText) {
		o := shoptBit(name)
		if r.sh.shopts |= o; o == 0 {
			r.Fail(snapshot.Damaged("an option %q", name))
		}
	}
}

func (r *imageReader) directory() {
	r.sh.dir = r.Text(maxText)
	r.sh.umask = fs.FileMode(r.Uint(0o777))
	r.sh.stack = r.Texts(maxText)
	for _, dir := range append(slices.Clone(r.sh.stack), r.sh.dir) {
		if r.Err() == nil && !path.IsAbs(dir) {
			r.Fail(snapshot.Damaged("the directory %q", dir))
		}
	}
}

func (r *imageReader) variables() {
	sh := r.sh
	dynamics, constants := map[string]*variable{}, sh.constants()
	for id, v := range sh.vars {
		switch name := sh.names.name(id); {
		case constants[name]:
		case v.flags&vDynamic != 0:
			dynamics[name] = v
			fallthrough
		default:
			sh.vars[id] = unsetVariable
		}
	}
	last := ""
	for range r.Each(math.MaxUint32) {
		name := r.Text(maxText)
		r.Hold(nameSize)
		v := r.variable(dynamics[name])
		switch {
		case r.Err() != nil:
			return
		case !isName(name) || name <= last:
			r.Fail(snapshot.Damaged("the variable %q after %q", name, last))
			return
		case !constants[name]:
			sh.vars[sh.id(name)] = v
		}
		last = name
	}
}

// nameSize is what a name of a variable or a function takes, besides its bytes.
const nameSize = 256

// variable reads a variable. One that is computed is so as own, which may be nil,
// is.
func (r *imageReader) variable(own *variable) *variable {
	v := &variable{owner: r.sh.owner}
	set := r.Uint(1<<len(savedFlags) - 1)
	for i, flag := range savedFlags {
		if set&(1<<i) != 0 {
			v.flags |= flag
		}
	}
	switch {
	case r.Err() != nil:
	case v.flags&vDynamic != 0:
		if own == nil || v.flags&(vIndexed|vAssoc) != own.flags&(vIndexed|vAssoc) {
			r.Fail(snapshot.Damaged("a variable that is not computed"))
			break
		}
		v.dyn, v.arr, v.assoc, v.str = own.dyn, own.arr, own.assoc, own.str
	case v.flags&vIndexed != 0 && v.flags&(vAssoc|vNameref) != 0, v.flags&vAssoc != 0 && v.flags&vNameref != 0:
		r.Fail(snapshot.Damaged("a variable of two kinds"))
	case v.flags&vIndexed != 0:
		v.arr = r.array()
	case v.flags&vAssoc != 0:
		v.assoc = r.assoc()
	case r.Bool():
		v.str = r.Text(maxText)
		v.flags |= vStr
	}
	return v
}

func (r *imageReader) array() *array {
	a := &array{}
	last := int64(-1)
	for range r.Each(math.MaxUint32) {
		i := int64(r.Uint(math.MaxInt64))
		if i <= last {
			r.Fail(snapshot.Damaged("element %d after %d", i, last))
			break
		}
		r.Hold(4 * elementSize)
		if gap := i - last; gap < maxGap { // a dense array has room for what is not set
			r.Hold(elementSize * gap)
		}
		text := r.Text(maxText)
		if r.Err() != nil {
			break
		}
		a.set(i, element{str: text, kind: textElement})
		last = i
	}
	return a
}

func (r *imageReader) assoc() *assoc {
	a := newAssoc()
	size := r.Uint(1 << 30)
	r.Hold(4 * int64(size))
	if size != 0 && (size < assocBuckets || bits.OnesCount64(size) != 1) {
		r.Fail(snapshot.Damaged("an array of %d buckets", size))
	}
	if r.Err() == nil && size > 0 {
		a.buckets = make([]int32, size)
	}
	for range r.Each(2 * size) {
		r.Hold(2 * entrySize)
		key, value := r.Text(maxText), r.Text(maxText)
		if r.Err() != nil {
			break
		}
		if a.find(key) >= 0 {
			r.Fail(snapshot.Damaged("two elements %q", key))
			break
		}
		a.set(key, value)
	}
	return a
}

func (r *imageReader) functions() {
	last := ""
	for range r.Each(math.MaxUint32) {
		name, text := r.Text(maxText), r.Text(maxFunctionText)
		f := &function{name: name, file: r.Text(maxText), line: int(r.Uint(math.MaxInt32)), bodyLine: int(r.Uint(math.MaxInt32))}
		set := r.Uint(savedExported | savedTrace | savedReadonly)
		f.exported, f.trace, f.readonly = set&savedExported != 0, set&savedTrace != 0, set&savedReadonly != 0
		if r.Err() == nil && name <= last {
			r.Fail(snapshot.Damaged("the function %q after %q", name, last))
		}
		r.Hold(nameSize + compiledSize*int64(len(text)))
		if r.Err() != nil {
			return
		}
		r.compile(f, text)
		last = name
	}
}

// compiledSize is what a byte of source takes once it is compiled.
const compiledSize = 64

// compile makes text the source of f.
func (r *imageReader) compile(f *function, text string) {
	sh := r.sh
	prog, err := parse.File(text, parse.Mode{ExtGlob: true})
	if err != nil || len(prog.Stmts) != 1 {
		r.Fail(snapshot.Damaged("the function %q: %v", f.name, err))
		return
	}
	decl, ok := prog.Stmts[0].Cmd.(*syntax.FuncDecl)
	if !ok || decl.Name.Value != f.name || strings.ContainsAny(f.name, "$`'\"\\") {
		r.Fail(snapshot.Damaged("the function %q is something else", f.name))
		return
	}
	c := &compiler{names: sh.names, src: prog.Source, file: f.file}
	c.line = f.bodyLine - c.lineOf(decl.Body)
	f.decl, f.source, f.body = decl, prog.Source, c.stmt(decl.Body)
	id := sh.id(f.name)
	sh.grow()
	sh.funcs[id] = f
}

func (r *imageReader) tables() {
	sh := r.sh
	for range r.Each(math.MaxUint32) {
		r.Hold(nameSize)
		if sh.aliases == nil {
			sh.aliases = map[string]string{}
		}
		name := r.Text(maxText)
		sh.aliases[name] = r.Text(maxText)
	}
	for range r.Each(math.MaxUint32) {
		r.Hold(nameSize)
		if sh.hash == nil {
			sh.hash = map[string]hashed{}
		}
		name := r.Text(maxText)
		sh.hash[name] = hashed{path: r.Text(maxText), hits: int(r.Uint(math.MaxInt32))}
	}
	for _, name := range r.Texts(maxText) {
		if sh.disabled == nil {
			sh.disabled = map[string]bool{}
		}
		sh.disabled[name] = true
	}
	for _, m := range []*map[byte]int64{&sh.ulimits, &sh.hardLimits} {
		for range r.Each(math.MaxUint8) {
			if *m == nil {
				*m = map[byte]int64{}
			}
			letter := byte(r.Uint(math.MaxUint8))
			(*m)[letter] = r.Int()
		}
	}
	sh.history = r.Texts(maxText)
}

func (r *imageReader) completions() {
	sh := r.sh
	for range r.Each(math.MaxUint32) {
		r.Hold(nameSize)
		name, spec := r.Text(maxText), new(compSpec)
		spec.actions, spec.options, spec.hasList = r.Texts(maxText), r.Texts(maxText), r.Bool()
		for _, s := range []*string{&spec.glob, &spec.words, &spec.fn, &spec.command, &spec.filter, &spec.prefix, &spec.suffix} {
			*s = r.Text(maxText)
		}
		if sh.specs == nil {
			sh.specs = map[string]*compSpec{}
		}
		if sh.specs[name] != nil {
			r.Fail(snapshot.Damaged("two completions of %q", name))
		}
		sh.specs[name] = spec
		sh.specNames = append(sh.specNames, name)
	}
}

// counters reads the numbers that the shell keeps.
func (r *imageReader) counters() {
	sh := r.sh
	for _, n := range []*int{&sh.bg, &sh.funcNest, &sh.traceFD, &sh.commands, &sh.getopt.index, &sh.getopt.place} {
		*n = int(r.Uint(math.MaxInt))
	}
	if r.Err() == nil && (sh.getopt.index == 0 || sh.traceFD > math.MaxUint16) {
		r.Fail(snapshot.Damaged("an option at %d, a descriptor %d", sh.getopt.index, sh.traceFD))
	}
	sh.unheeded = r.Uint(math.MaxUint64)
	sh.seeded = r.Bool()
	sh.random, sh.lastRandom = uint32(r.Uint(math.MaxUint32)), uint32(r.Uint(math.MaxUint32))
	seconds := r.Int()
	sh.started = time.Unix(seconds, int64(r.Uint(999_999_999)))
	sh.secondsBase = r.Int()
}

func (r *imageReader) traps() {
	r.sh.status = int(r.Uint(255))
	for range r.Each(math.MaxUint8) {
		r.Hold(nameSize)
		name := r.Text(maxText)
		if canon, ok := trapName(name); r.Err() == nil && (!ok || canon != name) {
			r.Fail(snapshot.Damaged("a trap on %q", name))
		}
		if r.sh.traps == nil {
			r.sh.traps = map[string]string{}
		}
		r.sh.traps[name] = r.Text(maxText)
	}
}
