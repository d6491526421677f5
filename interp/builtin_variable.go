package interp

import (
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/quote"
)

func variableBuiltins() []*builtin {
	const declareUsage = "[-aAfFgiIlnrtux] [name[=value] ...] or declare -p [-aAfFilnrtux] [name ...]"
	words := func(run func(*Shell, string, []declared) ctl, name string) func(*Shell, []string) ctl {
		return func(sh *Shell, args []string) ctl {
			list := make([]declared, len(args))
			for i, a := range args {
				list[i].word = a
			}
			return run(sh, name, list)
		}
	}
	declare := func(name, usage string, special bool, run func(*Shell, string, []declared) ctl) *builtin {
		return &builtin{name: name, usage: usage, special: special, declare: run, run: words(run, name)}
	}
	return []*builtin{
		declare("declare", declareUsage, false, builtinDeclare),
		declare("typeset", strings.ReplaceAll(declareUsage, "declare", "typeset"), false, builtinDeclare),
		declare("local", "[option] name[=value] ...", false, builtinDeclare),
		declare("export", "[-fn] [name[=value] ...] or export -p", true, builtinDeclare),
		declare("readonly", "[-aAf] [name[=value] ...] or readonly -p", true, builtinDeclare),
		{name: "unset", special: true, usage: "[-f] [-v] [-n] [name ...]", run: builtinUnset},
		{name: "shift", special: true, usage: "[n]", run: builtinShift},
		{name: "getopts", usage: "optstring name [arg ...]", run: builtinGetopts},
	}
}

// A declaration is a call of declare or one of its kin, with its options read.
type declaration struct {
	sh       *Shell
	name     string
	on, off  uint32 // attributes to add and to take away
	print    bool   // -p
	function bool   // -f
	names    bool   // -F
	global   bool   // -g
	inherit  bool   // -I
	local    bool   // variables belong to the running function
	status   int
}

// attributes are the options of declare that are attributes.
var attributes = map[byte]uint32{
	'a': vIndexed, 'A': vAssoc, 'i': vInteger, 'l': vLower, 'u': vUpper, 'c': vCapital,
	'n': vNameref, 'r': vReadonly, 't': vTrace, 'x': vExport,
}

func builtinDeclare(sh *Shell, name string, args []declared) ctl {
	d := &declaration{sh: sh, name: name}
	args, ok := d.options(args)
	if !ok {
		return ctlNone
	}
	inFunction := false
	for i := range sh.frames {
		inFunction = inFunction || sh.frames[i].isFunc
	}
	switch name {
	case "local":
		if !inFunction {
			sh.complain("local", "can only be used in a function")
			return sh.done(1)
		}
		d.local = true
	case "declare", "typeset":
		d.local = inFunction && !d.global
	case "export":
		d.on |= vExport
	case "readonly":
		d.on |= vReadonly
	}
	if len(args) == 0 {
		return d.list()
	}
	if d.function || d.names {
		return d.functions(args)
	}
	if d.print && name != "export" && name != "readonly" {
		return d.printNames(args)
	}
	if name == "export" && d.off&vExport != 0 {
		d.on &^= vExport
	}
	for _, a := range args {
		if a.assign != nil {
			d.assign(a.assign)
		} else {
			d.word(a.word)
		}
		if sh.pending != ctlNone {
			return ctlNone
		}
	}
	return sh.done(d.status)
}

// options reads the options.
func (d *declaration) options(args []declared) (rest []declared, ok bool) {
	for len(args) > 0 && args[0].assign == nil {
		w := args[0].word
		if w == "--" {
			return args[1:], true
		}
		if len(w) < 2 || w[0] != '-' && w[0] != '+' || w[0] == '+' && (d.name == "export" || d.name == "readonly") {
			break
		}
		for i := 1; i < len(w); i++ {
			if !d.option(w[0], w[i]) {
				d.sh.complain(d.name, "%c%c: invalid option", w[0], w[i])
				d.sh.usage(d.name)
				return nil, false
			}
		}
		args = args[1:]
	}
	return args, true
}

func (d *declaration) option(sign, letter byte) bool {
	switch d.name {
	case "export":
		switch letter {
		case 'n':
			d.off |= vExport
			return true
		case 'f', 'p':
		default:
			return false
		}
	case "readonly":
		if strings.IndexByte("aAfp", letter) < 0 {
			return false
		}
	}
	switch letter {
	case 'p':
		d.print = true
		return true
	case 'f':
		d.function = true
		return true
	case 'F':
		d.names = true
		return true
	case 'g':
		d.global = true
		return true
	case 'I':
		d.inherit = true
		return true
	}
	bit, ok := attributes[letter]
	if !ok {
		return false
	}
	if sign == '+' {
		d.off |= bit
	} else {
		d.on |= bit
		if bit&vCase != 0 {
			d.off |= vCase &^ bit
		}
	}
	return true
}

// word declares a name that is a word: name, name=value, name[i]=value.
func (d *declaration) word(w string) {
	sh := d.sh
	name, value, hasValue := strings.Cut(w, "=")
	add := false
	if hasValue {
		name, add = strings.CutSuffix(name, "+")
	}
	if w == "-" && d.name == "local" {
		sh.localOptions()
		return
	}
	index := ""
	isElement := false
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") {
		index, name, isElement = name[i+1:len(name)-1], name[:i], true
	} else if i > 0 && hasValue { // the subscript holds an =
		if end := skipNested(w, i+1, '[', ']'); end < len(w) && (w[end] == '=' || strings.HasPrefix(w[end:], "+=")) {
			name, index, isElement = w[:i], w[i+1:end-1], true
			value, add = strings.CutPrefix(w[end:], "+")
			value = strings.TrimPrefix(value, "=")
		}
	}
	if !isName(name) || isElement && (d.name == "export" || d.name == "readonly") {
		sh.complain(d.name, "`%s': not a valid identifier", strings.TrimSuffix(w, "="+value))
		d.status = 1
		return
	}
	a := &assignment{id: sh.id(name), name: name, add: add}
	if isElement && hasValue {
		a.index = sh.compileSubscript(name, index)
	}
	if isElement && !hasValue {
		d.on |= vIndexed &^ (vIndexed * uint32(b2i(d.on&vAssoc != 0)))
	}
	if !hasValue {
		d.bare(a.id, name)
		return
	}
	if isElement == false && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") && (d.on|sh.vars[a.id].flags)&(vIndexed|vAssoc) != 0 {
		if b := sh.parseAssignment(name, add, value); b != nil {
			if b = b.ready(sh); sh.pending == ctlNone {
				d.assign(b)
			}
			return
		}
	}
	a.value = constant(value)
	a.run = a.general
	d.assign(a)
}

// target prepares the variable that is declared: for a local one it hides the
// outer.
func (d *declaration) target(id int) *variable {
	sh := d.sh
	switch {
	case d.local:
		if !sh.isLocal(id) && !sh.adopt(id) {
			d.hide(id)
		}
		sh.own(id).flags |= vLocal
	case d.global:
		return sh.globalVariable(id)
	}
	return sh.own(id)
}

// hide makes a local variable.
func (d *declaration) hide(id int) {
	sh := d.sh
	old := sh.vars[id]
	sh.hide(id)
	v := sh.vars[id]
	v.flags |= vLocal | old.flags&vHook
	inherit := d.inherit || sh.shopt(shoptLocalvarInherit)
	switch {
	case inherit && old.exists():
		c := *old.clone(sh)
		c.flags = c.flags&^vReadonly | vLocal
		*v = c
	case old.flags&vExport != 0 && old.flags&vLocal == 0 && sh.prefixed(id):
		v.str, v.flags = old.text(sh), v.flags|vSet|vStr|vExport
	case old.flags&vExport != 0:
		v.flags |= vExport
		sh.env = nil
	}
}

// adopt makes the variable that an assignment before the call of the running
// function has made a local one of it, and reports whether there is one.
func (sh *Shell) adopt(id int) bool {
	for i := len(sh.locals) - 1; i >= 0; i-- {
		l := &sh.locals[i]
		if l.id != id || l.opts != nil {
			continue
		}
		if l.by != byCall || l.frame != sh.functionFrame()-1 {
			return false
		}
		l.frame = sh.functionFrame()
		sh.own(id).flags |= vLocal
		return true
	}
	return false
}

// prefixed reports whether the variable id, which has just been hidden, was made
// by an assignment before a command.
func (sh *Shell) prefixed(id int) bool {
	for i := len(sh.locals) - 2; i >= 0; i-- {
		if sh.locals[i].id == id && sh.locals[i].opts == nil {
			return true
		}
	}
	return false
}

// isLocal reports whether the running function has made the variable id local.
func (sh *Shell) isLocal(id int) bool {
	for i := len(sh.locals) - 1; i >= 0 && sh.locals[i].frame >= sh.functionFrame(); i-- {
		if sh.locals[i].id == id && sh.locals[i].opts == nil {
			return true
		}
	}
	return false
}

// functionFrame returns the number of frames up to that of the running function.
func (sh *Shell) functionFrame() int {
	for i := len(sh.frames); i > 0; i-- {
		if sh.frames[i-1].isFunc {
			return i
		}
	}
	return 0
}

// globalVariable returns the variable that is seen outside all functions.
func (sh *Shell) globalVariable(id int) *variable {
	for i := range sh.locals {
		l := &sh.locals[i]
		if l.id == id && l.opts == nil {
			if l.v.owner != sh.owner {
				l.v = l.v.clone(sh)
			}
			return l.v
		}
	}
	return sh.own(id)
}

// bare declares a name without a value.
func (d *declaration) bare(id int, name string) {
	sh := d.sh
	if d.name != "local" && !d.local && !d.global {
		if v := sh.vars[id]; v.flags&vNameref != 0 && d.on&vNameref == 0 && d.off&vNameref == 0 {
			if to, index := sh.follow(id); to >= 0 && index == "" {
				id = to
			}
		}
	}
	v := d.target(id)
	v.flags |= vDeclared
	if !d.allowed(v, name) {
		return
	}
	if s := v.text(sh); d.on&vNameref != 0 && s != "" && !isTarget(s) {
		sh.complain(d.name, "`%s': invalid variable name for name reference", s)
		d.status = 1
		return
	}
	d.apply(id, v)
}

// allowed reports whether the attributes of v may change so.
func (d *declaration) allowed(v *variable, name string) bool {
	sh := d.sh
	switch {
	case v.flags&vReadonly != 0 && d.off&vReadonly != 0:
		sh.complain(d.name, "%s: readonly variable", name)
	case v.flags&vAssoc != 0 && d.on&vIndexed != 0:
		sh.complain(d.name, "%s: cannot convert associative to indexed array", name)
	case v.flags&vIndexed != 0 && d.on&vAssoc != 0:
		sh.complain(d.name, "%s: cannot convert indexed to associative array", name)
	case v.flags&(vIndexed|vAssoc) != 0 && d.off&(vIndexed|vAssoc) != 0:
		sh.complain(d.name, "%s: cannot destroy array variables in this way", name)
	case d.on&vNameref != 0 && v.flags&(vIndexed|vAssoc) != 0:
		sh.complain(d.name, "%s: reference variable cannot be an array", name)
	default:
		return true
	}
	d.status = 1
	return false
}

// apply changes the attributes of v.
func (d *declaration) apply(id int, v *variable) {
	sh := d.sh
	switch {
	case d.on&vAssoc != 0 && v.flags&vAssoc == 0:
		v.assoc, v.flags = newAssoc(), v.flags&^(vNum|vStr)|vAssoc
		if v.flags&vSet != 0 {
			sh.hold(v.assoc.set("0", v.str))
		}
	case d.on&vIndexed != 0 && v.flags&(vIndexed|vAssoc) == 0:
		a := &array{}
		if v.flags&vSet != 0 {
			sh.hold(a.set(0, element{str: v.text(sh), kind: textElement}))
		}
		v.arr, v.flags = a, v.flags&^(vNum|vStr)|vIndexed
	}
	if d.on&vNameref != 0 && v.flags&vNum != 0 {
		v.str = v.text(sh)
		v.flags |= vStr
	}
	v.flags = v.flags&^(d.off&^(vReadonly|vIndexed|vAssoc)) | d.on
	if (d.on|d.off)&vExport != 0 {
		sh.env = nil
	}
}

// ready returns the assignment with its values expanded: a declaration expands
// all its arguments before it makes the first variable.
func (a *assignment) ready(sh *Shell) *assignment {
	if a.isList {
		return a.expanded(sh)
	}
	b := *a
	b.value = constant(a.value(sh))
	b.run = b.general
	return &b
}

// assign declares a name with a value.
func (d *declaration) assign(a *assignment) {
	sh := d.sh
	id := a.id
	if d.on&vNameref == 0 && !d.local && sh.vars[id].flags&vNameref != 0 && d.off&vNameref == 0 {
		if to, index := sh.follow(id); to >= 0 && index == "" {
			id = to
		}
	}
	if sh.vars[id].flags&vReadonly != 0 && !(d.local && !sh.isLocal(id) && sh.vars[id].flags&vLocal != 0) {
		sh.complainReadonly(d.name, a.name, a.isList)
		d.status = 1
		return
	}
	if a.index != nil && (d.name == "export" || d.name == "readonly") {
		sh.complain(d.name, "`%s[%s]': not a valid identifier", a.name, a.index.raw)
		d.status = 1
		return
	}
	v := d.target(id)
	if !d.allowed(v, a.name) {
		return
	}
	if d.on&vNameref != 0 {
		d.reference(id, v, a)
		return
	}
	on := d.on
	d.on &^= vReadonly
	if a.isList && d.on&vAssoc == 0 && v.flags&vAssoc == 0 {
		d.on |= vIndexed
	}
	if a.index != nil && v.flags&(vIndexed|vAssoc) == 0 && d.on&vAssoc == 0 {
		d.on |= vIndexed
	}
	d.apply(id, v)
	d.on = on
	if v.flags&vNameref != 0 && d.off&vNameref != 0 {
		v.flags &^= vNameref
	}
	if d.global && !d.local {
		d.assignGlobal(id, v, a)
	} else {
		b := *a
		b.id = id
		sh.exprName = d.name
		b.general(sh)
		sh.exprName = ""
		v = sh.vars[id]
	}
	if sh.pending != ctlNone {
		return
	}
	if on&vReadonly != 0 {
		v = d.target(id)
		v.flags |= vReadonly
	}
	if v.flags&vExport != 0 {
		sh.env = nil
	}
}

// assignGlobal assigns to a variable that a local one hides.
func (d *declaration) assignGlobal(id int, v *variable, a *assignment) {
	sh := d.sh
	inner := sh.vars[id]
	sh.vars[id] = v
	b := *a
	b.id = id
	b.general(sh)
	if inner != v {
		for i := range sh.locals {
			if sh.locals[i].id == id && sh.locals[i].v == v {
				sh.locals[i].v = sh.vars[id]
			}
		}
		sh.vars[id] = inner
	}
}

// reference declares a name reference.
func (d *declaration) reference(id int, v *variable, a *assignment) {
	sh := d.sh
	s := ""
	if a.value != nil {
		s = a.value(sh)
	}
	if a.add {
		s = v.str + s
	}
	switch {
	case s == a.name:
		if !d.local {
			sh.complain(d.name, "%s: nameref variable self references not allowed", a.name)
			d.status = 1
			return
		}
		sh.errorf("%s: warning: %s: circular name reference", d.name, a.name)
	case s != "" && !isTarget(s):
		sh.complain(d.name, "`%s': invalid variable name for name reference", s)
		d.status = 1
		return
	}
	v.str, v.flags = s, v.flags&^vNum|vNameref|vSet|vStr|d.on
}

// complainReadonly reports a declaration of a readonly variable by cmd.
func (sh *Shell) complainReadonly(cmd, name string, list bool) {
	switch {
	case list && cmd != "local":
		sh.readonlyError(name)
	case cmd == "readonly", cmd == "export":
		sh.errorf("%s: readonly variable", name)
	default:
		sh.complain(cmd, "%s: readonly variable", name)
	}
}

// localOptions is local -: options set in the function end with it.
func (sh *Shell) localOptions() {
	opts := sh.opts
	sh.locals = append(sh.locals, saved{frame: len(sh.frames), opts: &opts})
}

// setOptions sets all options at once.
func (sh *Shell) setOptions(o option) {
	sh.opts = o
	sh.refreshHooks()
}

// expanded returns a with its list expanded, so that it can be assigned later.
func (a *assignment) expanded(sh *Shell) *assignment {
	b := *a
	b.array = nil
	for i := range a.array {
		e := a.array[i]
		if e.index == nil {
			words := e.values(sh, nil)
			e.values = func(_ *Shell, dst []string) []string { return append(dst, words...) }
		} else {
			s := e.value(sh)
			e.value = constant(s)
		}
		if sh.pending != ctlNone {
			return a
		}
		b.array = append(b.array, e)
	}
	b.run = b.general
	return &b
}

func builtinUnset(sh *Shell, args []string) ctl {
	opts, args, ok := sh.options("unset", args, "fvn")
	if !ok {
		return ctlNone
	}
	var funcs, vars, refs bool
	for _, o := range opts {
		switch o.letter {
		case 'f':
			funcs = true
		case 'v':
			vars = true
		case 'n':
			refs = true
		}
	}
	if funcs && vars {
		sh.complain("unset", "cannot simultaneously unset a function and a variable")
		return sh.done(1)
	}
	status := 0
	for _, name := range args {
		if !sh.unsetName(name, funcs, vars, refs) {
			status = 1
		}
		if sh.pending != ctlNone {
			return ctlNone
		}
	}
	return sh.done(status)
}

func (sh *Shell) unsetName(name string, funcs, vars, refs bool) bool {
	base, index := name, ""
	if strings.HasSuffix(name, "[]") && isName(name[:len(name)-2]) {
		return true
	}
	if i := strings.IndexByte(name, '['); i > 0 && strings.HasSuffix(name, "]") && !funcs && !refs {
		base, index = name[:i], name[i+1:len(name)-1]
	}
	if funcs || !isName(base) && !vars {
		if !funcs {
			sh.complain("unset", "`%s': not a valid identifier", name)
			return false
		}
		return sh.unsetFunction(name)
	}
	if !isName(base) {
		sh.complain("unset", "`%s': not a valid identifier", name)
		return false
	}
	id := sh.id(base)
	if !refs && sh.vars[id].flags&vNameref != 0 {
		to, sub := sh.follow(id)
		if to < 0 {
			return true
		}
		id = to
		if sub != "" {
			index = sub
		}
	}
	v := sh.vars[id]
	if v == unsetVariable && !vars && index == "" {
		if sh.funcs[id] != nil {
			return sh.unsetFunction(base)
		}
		return true
	}
	if v.flags&vReadonly != 0 {
		sh.complain("unset", "%s: cannot unset: readonly variable", base)
		return false
	}
	if index != "" {
		return sh.unsetElement(id, base, index)
	}
	sh.unsetVariable(id)
	return true
}

func (sh *Shell) unsetFunction(name string) bool {
	id, ok := sh.names.lookup(name)
	if !ok || id >= len(sh.funcs) || sh.funcs[id] == nil {
		return true
	}
	if sh.funcs[id].readonly {
		sh.complain("unset", "%s: cannot unset: readonly function", name)
		return false
	}
	sh.funcs[id] = nil
	sh.env = nil
	return true
}

// unsetVariable unsets a variable. A local one of the running function stays
// local; one of a function that calls it shows what it has hidden.
func (sh *Shell) unsetVariable(id int) {
	v := sh.vars[id]
	if v == unsetVariable {
		return
	}
	if v.flags&vExport != 0 {
		sh.env = nil
	}
	if v.owner == sh.owner {
		sh.hold(-v.size())
	}
	for i := len(sh.locals) - 1; i >= 0; i-- {
		l := &sh.locals[i]
		if l.id != id || l.opts != nil {
			continue
		}
		if l.frame >= sh.functionFrame() && (l.by == byLocal || v.flags&vLocal != 0) || sh.shopt(shoptLocalvarUnset) {
			sh.vars[id] = &variable{owner: sh.owner, flags: vLocal}
			return
		}
		sh.vars[id] = l.v
		sh.locals = slices.Delete(sh.locals, i, i+1)
		for f := range sh.frames {
			if sh.frames[f].locals > i {
				sh.frames[f].locals--
			}
		}
		sh.env = nil
		return
	}
	hook := v.flags & vHook
	sh.vars[id] = unsetVariable
	if hook != 0 {
		sh.vars[id] = &variable{owner: sh.owner, flags: vHook}
		sh.hookVariable(id, sh.vars[id])
	}
}

// unsetElement unsets an element of an array.
func (sh *Shell) unsetElement(id int, name, index string) bool {
	v := sh.vars[id]
	switch {
	case v.flags&(vIndexed|vAssoc) == 0:
		if !v.exists() {
			return true
		}
		if n := sh.evalText(index); sh.pending == ctlNone && n == 0 {
			sh.unsetVariable(id)
			return true
		}
		sh.complain("unset", "%s: not an array variable", name)
		return false
	case v.flags&vAssoc != 0:
		sub := sh.compileSubscript(name, index)
		key := sub.key(sh)
		if index == "@" || index == "*" {
			key = index
		}
		sh.hold(-sh.own(id).assoc.unset(key))
		return sh.pending == ctlNone
	case index == "@" || index == "*":
		w := sh.own(id)
		sh.hold(-w.arr.size())
		w.arr = &array{}
		return true
	}
	sub := sh.compileSubscript(name, index)
	i := sub.number(sh)
	if sh.pending != ctlNone && sh.indexFailed() {
		return false
	}
	w := sh.own(id)
	if i < 0 {
		if i += w.arr.end(); i < 0 {
			sh.complain("unset", "[%s]: bad array subscript", index)
			return false
		}
	}
	sh.hold(-w.arr.unset(i))
	return true
}

func builtinShift(sh *Shell, args []string) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	n := int64(1)
	if len(args) > 0 {
		var ok bool
		if n, ok = builtinInt(args[0]); !ok {
			sh.complain("shift", "%s: numeric argument required", args[0])
			return sh.done(1)
		}
	}
	switch {
	case len(args) > 1:
		sh.complain("shift", "too many arguments")
		return sh.done(1)
	case n < 0:
		sh.complain("shift", "%s: shift count out of range", args[0])
		return sh.done(1)
	case n > int64(len(sh.params)):
		if sh.shopt(shoptShiftVerbose) {
			sh.complain("shift", "%d: shift count out of range", n)
		}
		return sh.done(1)
	}
	sh.params = sh.params[n:]
	return sh.done(0)
}

// getoptState is where getopts stands.
type getoptState struct {
	index int // OPTIND
	place int // in the word at index, for bundled options
}

func builtinGetopts(sh *Shell, args []string) ctl {
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) < 2 {
		return sh.usage("getopts")
	}
	spec, name := args[0], args[1]
	words := args[2:]
	if len(args) == 2 {
		words = sh.params
	}
	silent := strings.HasPrefix(spec, ":")
	quiet := silent || sh.get("OPTERR") == "0"
	g := &sh.getopt
	g.index = min(g.index, len(words)+1)
	finish := func(value string, status int) ctl {
		v := sh.own(sh.id("OPTIND"))
		v.setText(sh, itoa(int64(g.index)))
		if !isName(name) {
			sh.complain("getopts", "`%s': not a valid identifier", name)
			return sh.done(1)
		}
		if !sh.forCommand(func() bool { return sh.set(name, value) }) {
			return sh.done(1)
		}
		return sh.done(status)
	}
	if g.place == 0 {
		if g.index > len(words) || len(words[g.index-1]) < 2 || words[g.index-1][0] != '-' {
			sh.unsetVariable(sh.id("OPTARG"))
			return finish("?", 1)
		}
		if words[g.index-1] == "--" {
			g.index++
			sh.unsetVariable(sh.id("OPTARG"))
			return finish("?", 1)
		}
		g.place = 1
	}
	if g.index > len(words) || g.place >= len(words[g.index-1]) {
		g.place = 0
		return finish("?", 1)
	}
	word := words[g.index-1]
	letter := word[g.place]
	g.place++
	at := strings.IndexByte(spec, letter)
	next := func() {
		if g.place >= len(word) {
			g.index, g.place = g.index+1, 0
		}
	}
	if at < 0 || letter == ':' {
		next()
		if silent {
			sh.set("OPTARG", string(letter))
		} else {
			sh.unsetVariable(sh.id("OPTARG"))
			if !quiet {
				sh.rawMessage("%s: illegal option -- %c", sh.scriptName(), letter)
			}
		}
		return finish("?", 0)
	}
	if at+1 >= len(spec) || spec[at+1] != ':' {
		next()
		sh.unsetVariable(sh.id("OPTARG"))
		return finish(string(letter), 0)
	}
	switch {
	case g.place < len(word):
		sh.set("OPTARG", word[g.place:])
		g.index, g.place = g.index+1, 0
	case g.index < len(words):
		sh.set("OPTARG", words[g.index])
		g.index, g.place = g.index+2, 0
	default:
		g.index, g.place = g.index+1, 0
		if silent {
			sh.set("OPTARG", string(letter))
			return finish(":", 0)
		}
		sh.unsetVariable(sh.id("OPTARG"))
		if !quiet {
			sh.rawMessage("%s: option requires an argument -- %c", sh.scriptName(), letter)
		}
		return finish("?", 0)
	}
	return finish(string(letter), 0)
}

// quoteDeclared returns the value of v as declare -p shows it.
func (sh *Shell) quoteDeclared(v *variable) string {
	switch {
	case v.flags&vIndexed != 0:
		var b strings.Builder
		b.WriteByte('(')
		for n, i := range v.arr.indices() {
			if n > 0 {
				b.WriteByte(' ')
			}
			e, _ := v.arr.get(i)
			b.WriteString("[" + itoa(i) + "]=" + quote.Double(e.text()))
		}
		return b.String() + ")"
	case v.flags&vAssoc != 0:
		var b strings.Builder
		b.WriteByte('(')
		v.assoc.all(func(key, value string) {
			b.WriteString("[" + quoteKey(key) + "]=" + quote.Double(value) + " ")
		})
		return b.String() + ")"
	}
	return quote.Double(v.text(sh))
}

// quoteKey quotes a key of an associative array where it has to be.
func quoteKey(key string) string {
	if key == "@" || key == "*" || strings.ContainsFunc(key, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == '/' || r == ':' || r == '+' || r == ',' || r == '%' || r == '=' ||
			r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= 0x80 && r != 0xFFFD)
	}) {
		return quote.Double(key)
	}
	return key
}
