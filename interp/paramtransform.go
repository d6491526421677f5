package interp

import (
	"math"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/quote"
	"mvdan.cc/sh/v3/syntax"
)

// indirect compiles ${!x}: the parameter whose name is the value of x.
func (c *compiler) indirect(p *param) getter {
	get, id, shown := p.get, p.id, p.name
	isName := p.id >= 0 && p.index == nil && p.exp.Index == nil
	return func(sh *Shell) value {
		if isName {
			if v := sh.vars[id]; v.flags&vNameref != 0 {
				return value{s: v.str, set: true}
			}
		}
		v := get(sh)
		if sh.pending != ctlNone {
			return value{}
		}
		name := v.one(sh, inText)
		switch {
		case name != "" || v.set && !v.isList:
			return sh.valueOf(name)
		case v.isList && id < 0, isName && sh.vars[id].exists(), id < 0 || p.index != nil:
			return value{}
		}
		sh.failReported("%s: invalid indirect expansion", shown)
		return value{}
	}
}

// valueOf returns the value of the parameter that text names: a variable, an
// element, a positional or a special parameter.
func (sh *Shell) valueOf(text string) value {
	switch {
	case isName(text):
		v := sh.resolve(sh.id(text))
		return value{s: v.text(sh), set: v.isSet()}
	case text == "@" || text == "*":
		return value{list: sh.params, isList: true, star: text == "*", set: len(sh.params) > 0}
	case len(text) == 1 && strings.IndexByte("?#$!-", text[0]) >= 0:
		return sh.special(text[0])
	}
	if n, ok := positionalNumber(text); ok {
		switch {
		case n == 0:
			return value{s: sh.name, set: true}
		case n <= int64(len(sh.params)):
			return value{s: sh.params[n-1], set: true}
		}
		return value{}
	}
	if isElementName(text) {
		i := strings.IndexByte(text, '[')
		name, index := text[:i], text[i+1:len(text)-1]
		v := sh.resolve(sh.id(name))
		if index == "@" || index == "*" {
			return sh.elements(v, index == "*")
		}
		return sh.element(v, sh.compileSubscript(name, index))
	}
	sh.failReported("%s: invalid variable name", text)
	return value{}
}

// positionalNumber returns the number of the positional parameter that text names.
func positionalNumber(text string) (int64, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	if text = strings.TrimLeft(text, "0"); text == "" {
		return 0, true
	}
	n, ok := plainInt(text)
	if !ok {
		n = math.MaxInt64
	}
	return n, true
}

// indirectArray returns the variable of the list that ${!x} is, or -1 for the
// positional parameters.
func (sh *Shell) indirectArray(p *param) int {
	v := p.get(sh)
	name, _, ok := strings.Cut(v.one(sh, inText), "[")
	if !ok {
		return -1
	}
	return sh.id(name)
}

// assignIndirect assigns the word of ${!x:=word}.
func (sh *Shell) assignIndirect(p *param, word string) string {
	v := p.get(sh)
	name := v.one(sh, inText)
	if !isName(name) {
		sh.fail("%s: invalid variable name", name)
		return ""
	}
	sh.set(name, word)
	return word
}

// parameterTransform compiles ${x@op}.
func (c *compiler) parameterTransform(pe *syntax.ParamExp, p *param, get getter) getter {
	op := pe.Exp.Word.Lit()
	source := c.text(pe.Pos(), pe.End())
	checked := func(sh *Shell) value {
		v := get(sh)
		if sh.opts&optNounset != 0 && !v.set && !p.quiet && sh.pending == ctlNone {
			sh.unset(p.name)
		}
		return v
	}
	switch op {
	case "Q":
		return each(checked, func(sh *Shell, s string) string {
			return sh.reusable(s)
		})
	case "U":
		return each(checked, func(sh *Shell, s string) string { return sh.changeCase(s, "", true, true) })
	case "u":
		return each(checked, func(sh *Shell, s string) string { return sh.changeCase(s, "", true, false) })
	case "L":
		return each(checked, func(sh *Shell, s string) string { return sh.changeCase(s, "", false, true) })
	case "E":
		return each(checked, func(sh *Shell, s string) string {
			if sh.worked(8 * len(s)); !sh.fits(len(s)) {
				return ""
			}
			return quote.UnescapeANSI(s)
		})
	case "P":
		return each(checked, func(sh *Shell, s string) string { return sh.expandPrompt(s) })
	case "a":
		return c.attributesOf(p, checked)
	case "A":
		return c.assignmentOf(p, checked)
	case "K", "k":
		return c.pairsOf(p, checked, op == "k")
	}
	return func(sh *Shell) value {
		v := get(sh)
		if v.set {
			sh.badTransformation(source)
		}
		return value{}
	}
}

// attributesOf compiles ${x@a}.
func (c *compiler) attributesOf(p *param, get getter) getter {
	return func(sh *Shell) value {
		v := get(sh)
		of := sh.attributed(p)
		switch {
		case sh.pending != ctlNone:
			return value{}
		case of == nil && v.isList:
			return value{list: make([]string, len(v.list)), isList: true, star: v.star, set: v.set}
		case of == nil:
			return value{set: v.set}
		case !of.exists() && sh.opts&optNounset != 0:
			sh.unset(p.name)
			return value{}
		}
		text := strings.Trim(attributeText(of.flags), "-")
		if v.isList && len(v.list) == 0 && of.flags&vSet == 0 && of.exists() {
			return value{s: text, set: true}
		}
		if v.isList {
			for i := range v.list {
				if i == 0 {
					v.list = append([]string(nil), v.list...)
				}
				v.list[i] = text
			}
			return v
		}
		return value{s: text, set: true}
	}
}

// attributed returns the variable that ${x@a} is about, or that ${!x@a} leads to;
// nil where it is none.
func (sh *Shell) attributed(p *param) *variable {
	if !p.exp.Excl {
		if p.id < 0 {
			return nil
		}
		return sh.resolve(p.id)
	}
	v := p.get(sh)
	name, _, _ := strings.Cut(v.one(sh, inText), "[")
	if !isName(name) {
		return nil
	}
	return sh.lookup(name)
}

// assignmentOf compiles ${x@A}. Bash: what stands in front of the values of a list of @ is
// split between double quotes too.
func (c *compiler) assignmentOf(p *param, get getter) getter {
	return func(sh *Shell) value {
		v := get(sh)
		if p.id < 0 {
			if len(v.list) == 0 {
				return value{isList: v.isList, star: v.star}
			}
			v = sh.reusableList(v)
			v.before = "set -- "
			return v
		}
		w := sh.resolve(p.id)
		name := p.exp.Param.Value
		flags := strings.Trim(attributeText(w.flags), "-")
		switch {
		case v.isList && !w.exists():
			return v
		case v.isList && w.flags&(vIndexed|vAssoc) != 0 && !v.star && p.exp.Index != nil:
			declared := strings.TrimSuffix(sh.declaredText(name, w), "\n")
			before, list, ok := strings.Cut(declared, "=")
			if ok {
				before += "="
			}
			return value{before: before, list: []string{list}, isList: true, set: true}
		case v.isList && w.flags&(vIndexed|vAssoc) != 0:
			return value{s: strings.TrimSuffix(sh.declaredText(name, w), "\n"), set: true}
		case !w.exists():
			return value{}
		case flags != "":
			if !v.set {
				return value{s: "declare -" + flags + " " + name, set: true}
			}
			return value{s: "declare -" + flags + " " + name + "=" + sh.reusable(v.s), set: true}
		case !v.set:
			return value{}
		}
		return value{s: name + "=" + sh.reusable(v.s), set: true}
	}
}

// pairsOf compiles ${a[@]@K} and ${a[@]@k}.
func (c *compiler) pairsOf(p *param, get getter, split bool) getter {
	return func(sh *Shell) value {
		v := get(sh)
		if !v.isList || p.id < 0 {
			if v.isList {
				return sh.reusableList(v)
			}
			if v.set {
				v.s = sh.reusable(v.s)
			}
			return v
		}
		w := sh.resolve(p.id)
		var list []string
		add := func(key, val string) {
			if split {
				list = append(list, key, val)
			} else {
				list = append(list, quoteKey(key)+" "+quote.Double(val))
			}
		}
		switch {
		case w.flags&vAssoc != 0:
			w.assoc.all(add)
		case w.flags&vIndexed != 0:
			for _, i := range w.arr.indices() {
				e, _ := w.arr.get(i)
				add(itoa(i), e.text())
			}
		default:
			return sh.reusableList(v)
		}
		if split {
			return value{list: list, isList: true, star: v.star, set: true}
		}
		text := strings.Join(list, " ")
		if w.flags&vAssoc != 0 && text != "" {
			text += " "
		}
		return value{s: text, set: true}
	}
}

func (sh *Shell) reusableList(v value) value {
	list := make([]string, len(v.list))
	for i, s := range v.list {
		list[i] = sh.reusable(s)
	}
	v.list = list
	return v
}

// reusable quotes a string for the shell, piece by piece where it is long.
func (sh *Shell) reusable(s string) string {
	sh.worked(8 * len(s))
	if len(s) < bulk {
		return quote.Reusable(s)
	}
	ansi := false
	pieces := func(do func(piece string) bool) {
		for rest := s; rest != ""; {
			n := min(bulk, len(rest))
			for n < len(rest) && n > bulk-utf8.UTFMax && !utf8.RuneStart(rest[n]) {
				n--
			}
			if sh.step(n>>6) != nil || !do(rest[:n]) {
				return
			}
			rest = rest[n:]
		}
	}
	pieces(func(piece string) bool {
		ansi = strings.HasPrefix(quote.Reusable(piece), "$'")
		return !ansi
	})
	var b strings.Builder
	b.WriteString("'")
	quoted := func(piece string) string { return strings.ReplaceAll(piece, "'", `'\''`) }
	if ansi {
		b.Reset()
		b.WriteString("$'")
		quoted = func(piece string) string { return strings.TrimSuffix(strings.TrimPrefix(quote.ANSI(piece), "$'"), "'") }
	}
	pieces(func(piece string) bool {
		text := quoted(piece)
		if !sh.fits(b.Cap() + b.Len() + len(text)) {
			return false
		}
		b.WriteString(text)
		return true
	})
	b.WriteByte('\'')
	return b.String()
}
