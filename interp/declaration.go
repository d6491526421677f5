package interp

import (
	"context"
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

// declaration compiles declare, local, export, readonly and typeset with the
// assignments among their arguments.
func (c *compiler) declaration(s *syntax.Stmt, cmd *syntax.DeclClause) node {
	variant := cmd.Variant.Value
	b := c.names.builtin(variant)
	if b == nil || b.declare == nil {
		b = c.names.builtin("declare")
	}
	type arg struct {
		words  fields
		assign *assignment
	}
	var args []arg
	for _, as := range cmd.Args {
		switch {
		case as.Name == nil:
			args = append(args, arg{words: c.field(as.Value)})
		case as.Index != nil && as.Array == nil && c.hasBlankSubscript(as):
			for _, w := range c.separate(as) {
				args = append(args, arg{words: w})
			}
		case as.Naked:
			name := as.Name.Value
			if as.Index != nil {
				name += "[" + c.arithSource(as.Index) + "]"
			}
			args = append(args, arg{words: func(_ *Shell, dst []string) []string { return append(dst, name) }})
		default:
			a := arg{assign: c.assignment(as)}
			if as.Array == nil && as.Value != nil && hasBraces(as.Value) {
				a.words = c.bracedArgument(as)
			}
			args = append(args, a)
		}
	}
	id := c.id(variant)
	redirs := c.redirections(s.Redirs)
	line, source := c.at, c.describe(s)
	var locals []localName
	if variant == "local" && len(redirs) == 0 {
		locals = c.plainLocals(cmd)
	}
	return func(sh *Shell) ctl {
		if locals != nil && sh.funcs[id] == nil && sh.x.hooks == nil && sh.declareLocals(locals) {
			if sh.pending != ctlNone {
				return sh.takeAssign()
			}
			sh.status = 0
			return ctlNone
		}
		sh.begins(source)
		if sh.hooks&hookCommand != 0 {
			if k, run := sh.beforeCommand(line); !run {
				return k
			}
		}
		sh.substStatus = -1
		list := make([]declared, 0, len(args))
		var buf []string
		for _, a := range args {
			if a.assign != nil && (a.words == nil || sh.opts&optBraceexpand == 0) {
				list = append(list, declared{assign: a.assign.ready(sh, declaresAssoc(list))})
				if sh.pending != ctlNone {
					return sh.takeAssign()
				}
				continue
			}
			buf = a.words(sh, buf[:0])
			if sh.pending != ctlNone {
				return sh.take()
			}
			for _, w := range buf {
				list = append(list, declared{word: w})
			}
		}
		if sh.hooks&hookTrace != 0 {
			sh.traceDeclaration(variant, list)
			if sh.pending != ctlNone {
				return sh.take()
			}
		}
		run := func() ctl {
			restore, ok := sh.redirect(redirs)
			if !ok {
				return sh.redirectFailed(b)
			}
			defer restore.undo(sh)
			if f := sh.funcs[id]; f != nil {
				return sh.call(f, sh.declaredWords(variant, list))
			}
			k := b.declare(sh, variant, list)
			sh.last = sh.lastDeclared(variant, list)
			if sh.pending != ctlNone {
				return sh.takeAssign()
			}
			return k
		}
		if sh.x.hooks == nil {
			return run()
		}
		return sh.watched(sh.kind(variant), sh.declaredWords(variant, list), run)
	}
}

// bracedArgument compiles name=value, whose value holds braces, to the words that it
// becomes; nil where they are no brace expansion.
func (c *compiler) bracedArgument(as *syntax.Assign) fields {
	inner := c.within(c.text(as.Pos(), as.End()))
	w := parseWord(inner.src)
	if w == nil || !expandsBraces(w) {
		return nil
	}
	return inner.braceField(w)
}

// hasBlankSubscript reports whether there are blanks in the subscript of an argument.
func (c *compiler) hasBlankSubscript(as *syntax.Assign) bool {
	end := as.End()
	if as.Value != nil {
		end = as.Value.Pos()
	}
	return strings.ContainsAny(c.text(as.Name.End(), end), " \t\n")
}

// separate compiles an argument whose subscript holds blanks to the words that it
// is: bash takes it for one assignment in front of a command alone.
func (c *compiler) separate(as *syntax.Assign) (list []fields) {
	inner := c.within(c.text(as.Pos(), as.End()))
	words, err := parse.Words(context.Background(), inner.src)
	for _, w := range words {
		list = append(list, inner.field(w))
	}
	if err != nil {
		return []fields{func(_ *Shell, dst []string) []string { return append(dst, inner.src) }}
	}
	return list
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
