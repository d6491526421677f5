package interp

import (
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// fields compiles words that expand to any number of fields.
func (c *compiler) fields(words []*syntax.Word) fields {
	list := make([]fields, len(words))
	for i, w := range words {
		list[i] = c.field(w)
	}
	if globsLate(words) {
		return lateGlobs(list)
	}
	switch len(list) {
	case 0:
		return func(sh *Shell, dst []string) []string { return dst }
	case 1:
		return list[0]
	case 2:
		a, b := list[0], list[1]
		return func(sh *Shell, dst []string) []string { return b(sh, a(sh, dst)) }
	}
	return func(sh *Shell, dst []string) []string {
		for _, f := range list {
			dst = f(sh, dst)
			if sh.pending != ctlNone {
				return dst
			}
		}
		return dst
	}
}

// globsLate reports whether a command runs in the expansion of a word behind one that
// may be a pattern: it may make files that the pattern matches.
func globsLate(words []*syntax.Word) bool {
	pattern := false
	for _, w := range words {
		if pattern && runsCommands(w) {
			return true
		}
		pattern = pattern || mayMultiply(w.Parts)
	}
	return false
}

// runsCommands reports whether there are substitutions in the expansion of a word.
func runsCommands(w *syntax.Word) bool {
	found := false
	syntax.Walk(w, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			found = true
		}
		return !found
	})
	return found
}

// A lateGlob is a field that is to be expanded to names of files when the words of
// its command have all been expanded.
type lateGlob struct {
	at        int // among the fields
	pat, word string
}

// lateGlobs compiles words whose patterns are expanded behind all else.
func lateGlobs(list []fields) fields {
	return func(sh *Shell, dst []string) []string {
		outer, first := sh.globs, len(dst)
		sh.globs = []lateGlob{}
		for _, f := range list {
			if dst = f(sh, dst); sh.pending != ctlNone {
				break
			}
		}
		globs := sh.globs
		sh.globs = outer
		if len(globs) == 0 || sh.pending != ctlNone || sh.opts&optNoglob != 0 {
			return dst
		}
		words := slices.Clone(dst[first:])
		dst = dst[:first]
		for i, w := range words {
			if len(globs) > 0 && globs[0].at == first+i {
				dst = sh.globField(dst, globs[0].pat, globs[0].word)
				globs = globs[1:]
			} else {
				dst = append(dst, w)
			}
			if sh.pending != ctlNone {
				break
			}
		}
		return dst
	}
}

// field compiles one word.
func (c *compiler) field(w *syntax.Word) fields {
	if f := c.assignLike(w); f != nil {
		return f
	}
	if f := c.quotedBraces(w); f != nil {
		return f
	}
	if f := c.simpleField(w); f != nil {
		return f
	}
	if hasBraces(w) {
		return c.braceField(w)
	}
	return c.splitField(c.emitters(w.Parts, 0))
}

// assignLike compiles a word that is no assignment but looks like one, and has
// tildes to expand where a value would have them; nil for others.
func (c *compiler) assignLike(w *syntax.Word) fields {
	if len(w.Parts) == 0 {
		return nil
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok {
		return nil
	}
	name, value, ok := strings.Cut(lit.Value, "=")
	if !ok || !isTarget(strings.TrimSuffix(name, "+")) || hasBraces(w) {
		return nil
	}
	parts := slices.Clone(w.Parts)
	first := *lit
	first.Value = value
	parts[0] = &first
	found := false
	list := []emitter{func(_ *Shell, b *builder) { b.literal(name + "=") }}
	for i, p := range parts {
		last := i == len(parts)-1
		if l, ok := p.(*syntax.Lit); ok && hasTilde(l.Value, inAssign, i == 0, last) {
			found = true
			list = append(list, c.tildeEmitters(l.Value, i == 0, last)...)
			continue
		}
		list = append(list, c.emitter(p, 0, false, last))
	}
	if !found {
		return nil
	}
	plain := c.splitField(c.emitters(w.Parts, 0))
	expanded := c.splitField(list)
	return func(sh *Shell, dst []string) []string {
		if sh.opts&optPosix != 0 {
			return plain(sh, dst)
		}
		return expanded(sh, dst)
	}
}

// splitField makes a field list of emitters.
func (c *compiler) splitField(parts []emitter) fields {
	return func(sh *Shell, dst []string) []string {
		b := builder{dst: dst}
		for _, p := range parts {
			p(sh, &b)
			if sh.pending != ctlNone {
				return b.dst
			}
		}
		b.finish(sh)
		return b.dst
	}
}

// simpleField compiles the words that need no builder, or returns nil.
func (c *compiler) simpleField(w *syntax.Word) fields {
	if isConstant(w) && !hasGlob(w) && !hasBraces(w) {
		s := c.word(w)(nil)
		return func(sh *Shell, dst []string) []string { return append(dst, s) }
	}
	if len(w.Parts) != 1 {
		if !mayMultiply(w.Parts) {
			return madeField(c.word(w))
		}
		return nil
	}
	switch p := w.Parts[0].(type) {
	case *syntax.DblQuoted:
		if len(p.Parts) == 1 {
			if list := c.wholeList(p.Parts[0]); list != nil {
				return list
			}
		}
		if !mayMultiply(w.Parts) {
			return madeField(c.word(w))
		}
	case *syntax.ParamExp:
		if isPlainName(p) {
			id := c.id(p.Param.Value)
			nounset := c.unbound(p.Param.Value)
			return func(sh *Shell, dst []string) []string {
				v := sh.vars[id]
				if v.flags&(vSet|vSlowRead) != vSet {
					if v.flags&vSlowRead == 0 {
						if sh.opts&optNounset != 0 {
							nounset(sh)
						}
						return dst
					}
				}
				if v.flags&(vStr|vSlowRead|vNum) == vNum && sh.ifs.digits(sh) {
					return append(dst, itoa(v.num))
				}
				return sh.splitInto(dst, sh.textOf(v, p.Param.Value))
			}
		}
	case *syntax.CmdSubst:
		t := c.substitution(p)
		return func(sh *Shell, dst []string) []string { return sh.splitInto(dst, t(sh)) }
	}
	return nil
}

// madeField makes one field of a text.
func madeField(t text) fields {
	return func(sh *Shell, dst []string) []string {
		s := t(sh)
		if len(s) >= light && !sh.makes(len(s)) {
			return dst
		}
		return append(dst, s)
	}
}

// mayMultiply reports whether parts can become other than one field.
func mayMultiply(parts []syntax.WordPart) bool {
	for i, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if hasMetaLit(p.Value) || i == 0 && strings.HasPrefix(p.Value, "~") {
				return true
			}
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			for _, q := range p.Parts {
				if pe, ok := q.(*syntax.ParamExp); ok && mayBeList(pe) {
					return true
				}
			}
		default:
			return true
		}
	}
	return false
}

// mayBeList reports whether a quoted expansion can become other than one field.
func mayBeList(pe *syntax.ParamExp) bool {
	if pe.Param != nil && pe.Param.Value == "@" || pe.Excl || pe.Names != 0 || pe.Exp != nil && pe.Exp.Word != nil {
		return true
	}
	return subscript(pe.Index) == "@"
}

func hasMetaLit(s string) bool {
	return strings.ContainsAny(s, "*?[\\{") || strings.Contains(s, "(")
}

// hasGlob reports whether w holds unquoted text of a pattern.
func hasGlob(w *syntax.Word) bool {
	for _, p := range w.Parts {
		if l, ok := p.(*syntax.Lit); ok && strings.ContainsAny(l.Value, "*?[") {
			return true
		}
	}
	return false
}

// splitInto appends the fields of the result of an unquoted expansion that is a
// word of its own.
func (sh *Shell) splitInto(dst []string, s string) []string {
	if s == "" || sh.pending != ctlNone {
		return dst
	}
	t := sh.ifs.table(sh)
	for i := 0; i < len(s); i++ {
		if t[s[i]] != 0 || s[i] == '*' || s[i] == '?' || s[i] == '[' || s[i] == '\\' || s[i] == '(' {
			b := builder{dst: dst}
			b.expand(sh, s)
			b.finish(sh)
			return b.dst
		}
	}
	return append(dst, s)
}

// wholeList compiles "$@" and "${a[@]}" standing alone, or returns nil.
func (c *compiler) wholeList(p syntax.WordPart) fields {
	pe, ok := p.(*syntax.ParamExp)
	if !ok || pe.Excl || pe.Length || pe.Width || pe.Slice != nil || pe.Repl != nil || pe.Exp != nil || pe.Param == nil {
		return nil
	}
	if pe.Param.Value == "@" && pe.Index == nil {
		return func(sh *Shell, dst []string) []string {
			if !sh.roomFor(dst, len(sh.params)) {
				return dst
			}
			return append(dst, sh.params...)
		}
	}
	if subscript(pe.Index) == "@" {
		id, name := c.id(pe.Param.Value), pe.Param.Value
		return func(sh *Shell, dst []string) []string {
			v := sh.resolve(id)
			switch {
			case v.flags&vIndexed != 0:
				if !sh.roomFor(dst, v.arr.len()) {
					return dst
				}
				return v.arr.appendTexts(dst)
			case v.flags&vAssoc != 0:
				if !sh.roomFor(dst, v.assoc.len()) {
					return dst
				}
				return v.assoc.appendTexts(dst)
			case v.isSet():
				return append(dst, sh.textOf(v, name))
			}
			return dst
		}
	}
	return nil
}

// roomFor reports whether n more fields may follow those in dst, which may have to
// move for them.
func (sh *Shell) roomFor(dst []string, n int) bool {
	if n < 1024 {
		return true
	}
	return sh.step(n/64) == nil && sh.fits(40*(len(dst)+n))
}

// dedupe is for lists that are sets.
func dedupe(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
