package interp

import (
	"math/bits"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

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
	inFunction := sh.nested() > 0
	if name == "local" && !inFunction {
		for _, a := range args { // Bash: lists have been assigned before local runs
			if a.assign != nil && a.assign.isList && !a.assign.list(sh) {
				return ctlNone
			}
		}
		sh.complain("local", "can only be used in a function")
		return sh.done(1)
	}
	args, ok := d.options(args)
	if !ok {
		return ctlNone
	}
	if bits.OnesCount32(d.on&vCase) > 1 { // Bash: more than one is none
		d.on, d.off = d.on&^vCase, d.off|vCase
	}
	switch name {
	case "local":
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
	if c := d.on & vCase; c != vLower && c != vUpper && c != vCapital {
		d.on &^= vCase // Bash: they cancel each other
		d.off |= c
	}
	if d.on&vNameref != 0 && d.on&(vIndexed|vAssoc) != 0 {
		d.on &^= vNameref
	}
	both := d.on&(vIndexed|vAssoc) == vIndexed|vAssoc
	if both {
		d.on &^= vIndexed
	}
	for _, a := range args {
		switch {
		case name == "export" && d.off&vExport != 0 && a.assign == nil && isName(a.word) && !sh.lookup(a.word).exists():
			// Bash: it makes no variable
		case both:
			d.bothKinds(a)
		case a.assign != nil:
			d.assign(a.assign)
		default:
			d.word(a.word)
		}
		if sh.pending != ctlNone {
			return ctlNone
		}
	}
	return sh.done(d.status)
}

// bothKinds declares what is to be an associative array and an indexed one: it
// becomes the first, takes a list, and is an error.
func (d *declaration) bothKinds(a declared) {
	var name string
	if a.assign != nil {
		name = a.assign.name
	} else {
		name, _, _ = strings.Cut(strings.Replace(a.word, "+=", "=", 1), "=")
	}
	if a.assign != nil && a.assign.isList {
		d.assign(a.assign)
	} else {
		d.word(name)
	}
	if d.status == 0 && d.sh.pending == ctlNone {
		if id := d.sh.id(name); name != a.word {
			d.sh.own(id).flags |= vSet
		}
		d.sh.complain(d.name, "%s: cannot convert associative to indexed array", name)
		d.status = 1
	}
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
		if isName(name) {
			w = name + "[" + index + "]"
		}
		sh.complain(d.name, "`%s': not a valid identifier", w)
		d.status = 1
		return
	}
	a := &assignment{id: sh.id(name), name: name, add: add}
	if isElement && hasValue && index == "" {
		sh.errorf("%s[]: bad array subscript", name)
		d.status = 1
		return
	}
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
			if b = b.ready(sh, d.on&vAssoc != 0); sh.pending == ctlNone {
				d.assign(b)
			}
			return
		}
	}
	a.value = constant(value)
	a.run = a.general
	d.assign(a)
}

// A declared is an argument of declare or one of its kin: a word, or an
// assignment.
type declared struct {
	word   string
	assign *assignment
}

// declaredWords returns the arguments as words, for a function that has the name
// of a declaration command.
func (sh *Shell) declaredWords(variant string, list []declared) []string {
	argv := []string{variant}
	for _, d := range list {
		if d.assign != nil && d.assign.value != nil {
			argv = append(argv, d.assign.name+"="+d.assign.value(sh))
		} else {
			argv = append(argv, d.word)
		}
	}
	return argv
}

// parseAssignment parses name=(values), which a declaration was given as a word.
func (sh *Shell) parseAssignment(name string, add bool, value string) *assignment {
	op := "="
	if add {
		op = "+="
	}
	src := name + op + value
	prog, err := parse.File(src, sh.parseMode())
	if err != nil || len(prog.Stmts) != 1 {
		return nil
	}
	call, ok := prog.Stmts[0].Cmd.(*syntax.CallExpr)
	if !ok || len(call.Args) > 0 || len(call.Assigns) != 1 {
		return nil
	}
	c := &compiler{names: sh.names, src: prog.Source, file: sh.file}
	a := c.assignment(call.Assigns[0])
	sh.grow()
	return a
}

// lastDeclared returns what $_ is after a declaration command.
func (sh *Shell) lastDeclared(variant string, list []declared) string {
	if len(list) == 0 {
		return variant
	}
	switch d := list[len(list)-1]; {
	case d.assign == nil:
		return d.word
	case d.assign.isList || d.assign.index != nil:
		return d.assign.name
	default:
		if v := sh.lookupRaw(d.assign.name); v.flags&vNameref != 0 {
			return d.assign.name + "=" + v.str
		}
		return d.assign.name + "=" + sh.get(d.assign.name)
	}
}
