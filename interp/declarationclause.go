package interp

import (
	"context"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

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
