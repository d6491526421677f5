package interp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// fatalStatus is the status of a shell that an unset parameter ends.
func (sh *Shell) fatalStatus() int {
	if sh.fromCommand() && sh.subshells == 0 {
		return 127
	}
	return 1
}

// badSubstitution reports an expansion that bash accepts when it reads it and
// refuses when it runs it.
func (sh *Shell) badSubstitution(text string) {
	sh.failReported("%s: bad substitution", text)
}

// A transform is a compiled operator on one string.
type transform func(sh *Shell, s string) string

// paramValue compiles a parameter expansion with its operator, whatever it
// becomes.
func (c *compiler) paramValue(pe *syntax.ParamExp, ctx wordContext) getter {
	switch {
	case pe.Names != 0:
		return c.namesWithPrefix(pe)
	case pe.Excl && pe.Slice == nil && pe.Repl == nil && pe.Exp == nil && subscript(pe.Index) != "" && pe.Param != nil && isName(pe.Param.Value):
		return c.indices(pe)
	case pe.Length && (pe.Slice != nil || pe.Repl != nil || pe.Exp != nil):
		source := c.text(pe.Pos(), pe.End())
		return func(sh *Shell) value {
			sh.badSubstitution(source)
			return value{}
		}
	case pe.Length:
		return c.length(pe)
	}
	get, p := c.base(pe)
	checked := func(sh *Shell) value {
		v := get(sh)
		if sh.opts&optNounset != 0 && !v.set && !p.quiet && sh.pending == ctlNone {
			sh.unset(p.name)
		}
		return v
	}
	switch {
	case pe.Slice != nil:
		return c.slice(pe, p, checked)
	case pe.Repl != nil:
		return each(checked, c.replace(pe))
	case pe.Exp == nil:
		return checked
	case isAlternative(pe.Exp.Op):
		t := c.alternative(pe, ctx|inText)
		return func(sh *Shell) value { return value{s: t(sh), set: true} }
	case pe.Exp.Op == syntax.OtherParamOps:
		return c.parameterTransform(pe, p, get)
	}
	return each(checked, c.operator(pe))
}

// each applies t to a value: to each of its elements where it is a list.
func each(get getter, t transform) getter {
	return func(sh *Shell) value {
		v := get(sh)
		if sh.pending != ctlNone {
			return v
		}
		if !v.isList {
			if v.set {
				v.s = t(sh, v.s)
			}
			return v
		}
		list := make([]string, len(v.list))
		n := 0
		for i, s := range v.list {
			list[i] = t(sh, s)
			if n += len(list[i]); sh.step(1) != nil || !sh.fits(n) {
				break
			}
		}
		v.list = list
		return v
	}
}

// namesWithPrefix compiles ${!prefix@} and ${!prefix*}.
func (c *compiler) namesWithPrefix(pe *syntax.ParamExp) getter {
	prefix, star := pe.Param.Value, pe.Names == syntax.NamesPrefix
	return func(sh *Shell) value {
		list := sh.variableNames(func(name string, v *variable) bool {
			return strings.HasPrefix(name, prefix) && (v.flags&(vSet|vDynamic|vIndexed|vAssoc) != 0)
		})
		return value{list: list, isList: true, star: star, set: len(list) > 0}
	}
}

// indices compiles ${!a[@]} and ${!a[*]}.
func (c *compiler) indices(pe *syntax.ParamExp) getter {
	id, star := c.id(pe.Param.Value), subscript(pe.Index) == "*"
	return func(sh *Shell) value {
		val := value{isList: true, star: star}
		switch v := sh.resolve(id); {
		case v.flags&vIndexed != 0:
			if !sh.fits(24 * v.arr.len()) {
				return val
			}
			for _, i := range v.arr.indices() {
				val.list = append(val.list, itoa(i))
			}
		case v.flags&vAssoc != 0:
			val.list = v.assoc.keys()
		case v.isSet():
			val.list = []string{"0"}
		}
		val.set = len(val.list) > 0
		return val
	}
}

// length compiles ${#x}.
func (c *compiler) length(pe *syntax.ParamExp) getter {
	if pe.Param != nil && isName(pe.Param.Value) && pe.Index != nil && subscript(pe.Index) != "" {
		id := c.id(pe.Param.Value)
		return func(sh *Shell) value {
			n := 0
			switch v := sh.resolve(id); {
			case v.flags&vIndexed != 0:
				n = v.arr.len()
			case v.flags&vAssoc != 0:
				n = v.assoc.len()
			case v.isSet():
				n = 1
			}
			return value{s: itoa(int64(n)), set: true}
		}
	}
	p := c.param(pe)
	get := p.get
	return func(sh *Shell) value {
		v := get(sh)
		if v.isList {
			return value{s: itoa(int64(len(v.list))), set: true}
		}
		if sh.opts&optNounset != 0 && !v.set && !p.quiet {
			sh.unset(p.name)
		}
		return value{s: itoa(int64(charCount(v.s))), set: true}
	}
}

// charCount returns the number of characters of s; a byte that is not of one
// counts as one.
func charCount(s string) int { return utf8.RuneCountInString(s) }

// slice compiles ${x:offset:length}.
func (c *compiler) slice(pe *syntax.ParamExp, p *param, get getter) getter {
	offset := c.arithText(c.arithSource(pe.Slice.Offset), 0)
	var length arith
	if pe.Slice.Length != nil {
		length = c.arithText(c.arithSource(pe.Slice.Length), 0)
	}
	return func(sh *Shell) value {
		v := get(sh)
		if sh.pending != ctlNone || !v.set && !v.isList {
			return v
		}
		off, n := offset(sh), int64(1)<<62
		if length != nil && sh.pending == ctlNone {
			n = length(sh)
		}
		if sh.pending != ctlNone {
			return v
		}
		if !v.isList {
			v.s = sh.substring(v.s, off, n)
			return v
		}
		if n < 0 {
			sh.fail("%d: substring expression < 0", n)
			return v
		}
		id := p.id
		if pe.Excl {
			id = sh.indirectArray(p)
		}
		v.list = sh.sublist(id, &v, off, n)
		return v
	}
}

// sublist returns the part of a list that ${a[@]:off:n} names.
// The array is the variable id; below 0 it is the positional parameters.
func (sh *Shell) sublist(id int, v *value, off, n int64) []string {
	list := v.list
	var from int64
	switch {
	case id < 0: // the positional parameters, which begin with $0
		list = append([]string{sh.name}, list...)
		if from = off; from < 0 {
			from += int64(len(list))
		}
	default:
		a := sh.resolve(id)
		if a.flags&vIndexed == 0 {
			if from = off; from < 0 {
				from += int64(len(list))
			}
			if a.flags&vAssoc != 0 && from > 0 {
				from--
			}
			break
		}
		if off < 0 {
			if off += a.arr.end(); off < 0 {
				return nil
			}
		}
		if a.arr.sparse == nil && a.arr.count == len(a.arr.dense) {
			from = off
			break
		}
		for _, i := range a.arr.indices() {
			if i >= off {
				break
			}
			from++
		}
	}
	if from < 0 || from >= int64(len(list)) {
		return nil
	}
	return list[from:min(int64(len(list)), from+min(n, int64(len(list))))]
}

// substring returns the characters of s from off on, n of them or, where n is
// negative, all but the last -n.
func (sh *Shell) substring(s string, off, n int64) string {
	if isASCII(s) {
		size := int64(len(s))
		from, to, ok := sh.bounds(size, off, n)
		if !ok {
			return ""
		}
		return s[from:to]
	}
	runes := int64(charCount(s))
	from, to, ok := sh.bounds(runes, off, n)
	if !ok {
		return ""
	}
	i := skipChars(s, from)
	return s[i : i+skipChars(s[i:], to-from)]
}

func (sh *Shell) bounds(size, off, n int64) (from, to int64, ok bool) {
	if off < 0 {
		off += size
	}
	if off < 0 || off > size {
		return 0, 0, false
	}
	if n < 0 {
		to = size + n
		if to < off {
			sh.fail("%d: substring expression < 0", n)
			return 0, 0, false
		}
		return off, to, true
	}
	return off, min(size, off+min(n, size)), true
}

// skipChars returns how many bytes n characters of s take.
func skipChars(s string, n int64) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
	}
	return i
}

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// replace compiles ${x/pattern/string}.
func (c *compiler) replace(pe *syntax.ParamExp) transform {
	r := *pe.Repl
	given := r.With != nil || strings.HasSuffix(c.text(pe.Pos(), pe.End()), "///}")
	if r.All && given && (r.Orig == nil || len(r.Orig.Parts) == 0) { // ${x////c}: the pattern is the third slash
		r.Orig = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: "/"}}}
		r.With = withoutSlash(r.With)
	}
	orig := constant("")
	if r.Orig != nil {
		orig = c.parts(r.Orig.Parts, inText|inPattern)
	}
	with := constant("")
	amp := false
	if r.With != nil {
		with = c.parts(r.With.Parts, inText|inDefault)
		amp = true
	}
	var rep func(sh *Shell) string
	if amp {
		rep = c.replacement(r.With)
	}
	all := r.All
	return func(sh *Shell, s string) string {
		p := orig(sh)
		if sh.pending != ctlNone {
			return ""
		}
		anchor := byte(0)
		if !all && p != "" && (p[0] == '#' || p[0] == '%') {
			anchor, p = p[0], p[1:]
		}
		if p == "" && anchor == 0 {
			return s
		}
		var w string
		special := false
		if rep != nil && sh.shopts&shoptPatsubReplacement != 0 {
			w = rep(sh)
			special = strings.ContainsAny(w, "&\\")
		} else {
			w = with(sh)
		}
		if sh.pending != ctlNone {
			return ""
		}
		return sh.replaceIn(s, p, w, anchor, all, special)
	}
}

// withoutSlash returns w without the slash that it begins with.
func withoutSlash(w *syntax.Word) *syntax.Word {
	if w == nil || len(w.Parts) == 0 {
		return w
	}
	lit, ok := w.Parts[0].(*syntax.Lit)
	if !ok || !strings.HasPrefix(lit.Value, "/") {
		return w
	}
	first := *lit
	first.Value = lit.Value[1:]
	return &syntax.Word{Parts: append([]syntax.WordPart{&first}, w.Parts[1:]...)}
}

// replacement compiles the string of ${x/p/string} so that a & that is not
// quoted stands for the match: what is quoted comes with backslashes.
func (c *compiler) replacement(w *syntax.Word) text {
	var list []text
	for i, p := range w.Parts {
		if lit, ok := p.(*syntax.Lit); ok && !hasTilde(lit.Value, inText, i == 0, i == len(w.Parts)-1) {
			s := unescapeReplacement(lit.Value)
			list = append(list, constant(s))
			continue
		}
		t := c.parts([]syntax.WordPart{p}, inText|inDefault)
		switch p.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			list = append(list, func(sh *Shell) string { return quoteReplacement(t(sh)) })
		default:
			list = append(list, t)
		}
	}
	return func(sh *Shell) string {
		var b strings.Builder
		for _, t := range list {
			b.WriteString(t(sh))
		}
		return b.String()
	}
}

// unescapeReplacement keeps the backslashes before & and \, and takes the others
// out.
func unescapeReplacement(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			i++
			if s[i] == '&' || s[i] == '\\' {
				b.WriteByte('\\')
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func quoteReplacement(s string) string {
	if !strings.ContainsAny(s, `&\`) {
		return s
	}
	return strings.NewReplacer(`&`, `\&`, `\`, `\\`).Replace(s)
}

// expandReplacement puts match for each & of a replacement.
func expandReplacement(w, match string) string {
	var b strings.Builder
	for i := 0; i < len(w); i++ {
		switch {
		case w[i] == '&':
			b.WriteString(match)
		case w[i] == '\\' && i+1 < len(w) && (w[i+1] == '&' || w[i+1] == '\\'):
			i++
			b.WriteByte(w[i])
		default:
			b.WriteByte(w[i])
		}
	}
	return b.String()
}

// replaceIn replaces what the pattern p matches in s.
func (sh *Shell) replaceIn(s, p, w string, anchor byte, all, special bool) string {
	fold := sh.shopts&shoptNocasematch != 0
	if anchor == 0 && all && !fold && !special && !pattern.HasMeta(p, true) {
		lit := pattern.Unquote(p)
		if n := strings.Count(s, lit); !sh.fits(len(s) + n*(len(w)-len(lit))) {
			return ""
		}
		return strings.ReplaceAll(s, lit, w)
	}
	pat := sh.pattern(p, fold)
	put := func(match string) string {
		if special {
			return expandReplacement(w, match)
		}
		return w
	}
	var from, to int
	var ok bool
	var err error
	switch anchor {
	case '#':
		to, ok, err = pat.FindPrefix(s, sh.step)
	case '%':
		from, ok, err = pat.FindSuffix(s, sh.step)
		to = len(s)
	default:
		return sh.replaceFound(s, pat.Finder(s, sh.step), put, all)
	}
	if err != nil {
		sh.engineError(err)
	}
	if !ok || sh.pending != ctlNone {
		return s
	}
	return sh.join2(sh.join2(s[:from], put(s[from:to])), s[to:])
}

// replaceFound replaces the first match, or all.
func (sh *Shell) replaceFound(s string, f *pattern.Finder, put func(string) string, all bool) string {
	var b strings.Builder
	at := 0
	for {
		from, to, ok := f.Next()
		if !ok {
			break
		}
		b.WriteString(s[at:from])
		b.WriteString(put(s[from:to]))
		at = to
		if sh.step(1) != nil || !sh.fits(b.Len()+len(s)-at) {
			return ""
		}
		if !all {
			break
		}
	}
	if err := f.Err(); err != nil {
		sh.engineError(err)
	}
	if at == 0 && b.Len() == 0 {
		return s
	}
	b.WriteString(s[at:])
	return b.String()
}

// operator compiles the operators that take a pattern: # ## % %% ^ ^^ , ,,.
func (c *compiler) operator(pe *syntax.ParamExp) transform {
	pat := constant("")
	if pe.Exp.Word != nil {
		pat = c.parts(pe.Exp.Word.Parts, inText|inPattern)
	}
	op := pe.Exp.Op
	switch op {
	case syntax.RemSmallPrefix, syntax.RemLargePrefix:
		return func(sh *Shell, s string) string {
			p := pat(sh)
			if sh.pending != ctlNone || p == "" {
				return s
			}
			end, ok, err := sh.pattern(p, false).Prefix(s, op == syntax.RemLargePrefix, sh.step)
			return s[sh.cut(end, ok, err, 0):]
		}
	case parse.ToggleFirst, parse.ToggleAll:
		return func(sh *Shell, s string) string { return sh.toggleCase(s, pat(sh), op == parse.ToggleAll) }
	case syntax.RemSmallSuffix, syntax.RemLargeSuffix:
		return func(sh *Shell, s string) string {
			p := pat(sh)
			if sh.pending != ctlNone || p == "" {
				return s
			}
			start, ok, err := sh.pattern(p, false).Suffix(s, op == syntax.RemLargeSuffix, sh.step)
			return s[:sh.cut(start, ok, err, len(s))]
		}
	}
	upper := op == syntax.UpperFirst || op == syntax.UpperAll
	every := op == syntax.UpperAll || op == syntax.LowerAll
	return func(sh *Shell, s string) string { return sh.changeCase(s, pat(sh), upper, every) }
}

// changeCase changes the case of the first character of s, or of every one,
// where it matches the pattern p; an empty p matches all.
func (sh *Shell) changeCase(s, p string, upper, every bool) string {
	if p == "" && every && isASCII(s) {
		if upper {
			return strings.ToUpper(s)
		}
		return strings.ToLower(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		ch := s[i : i+size]
		if (i == 0 || every) && (p == "" || sh.matches(p, ch)) && !(r == utf8.RuneError && size == 1) {
			if upper {
				r = unicode.ToUpper(r)
			} else {
				r = unicode.ToLower(r)
			}
			b.WriteRune(r)
			continue
		}
		b.WriteString(ch)
	}
	return b.String()
}

// cut returns where to cut a string: at a match, or nowhere.
func (sh *Shell) cut(at int, ok bool, err error, nowhere int) int {
	if err != nil {
		sh.engineError(err)
	}
	if !ok {
		return nowhere
	}
	return at
}

// engineError takes the error of a matcher: the shell has to stop, or the
// pattern is too complex and matches nothing.
func (sh *Shell) engineError(err error) {
	if err != pattern.ErrTooComplex {
		sh.stop(err)
	}
}

// toggleCase changes upper case to lower and lower to upper.
func (sh *Shell) toggleCase(s, p string, every bool) string {
	var b strings.Builder
	for i, r := range s {
		_, size := utf8.DecodeRuneInString(s[i:])
		ch := s[i : i+size]
		switch {
		case i > 0 && !every || p != "" && !sh.matches(p, ch):
		case unicode.IsUpper(r):
			ch = string(unicode.ToLower(r))
		case unicode.IsLower(r):
			ch = string(unicode.ToUpper(r))
		}
		b.WriteString(ch)
	}
	return b.String()
}
