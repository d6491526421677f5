package interp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// An emitter is a part of a word that may become several fields.
type emitter func(sh *Shell, b *builder)

// A builder makes fields of the parts of one word: it splits what expansions
// give, and keeps what is quoted together.
type builder struct {
	dst  []string
	buf  []byte // the field so far
	pat  []byte // the same as a pattern, where it may be one
	meta bool   // the field holds an unquoted character of a pattern
	open bool   // there is a field, if only an empty one
	gap  bool   // the last field was ended by white space of IFS
	held int
}

// fields compiles words that expand to any number of fields.
func (c *compiler) fields(words []*syntax.Word) fields {
	list := make([]fields, len(words))
	for i, w := range words {
		list[i] = c.field(w)
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

// field compiles one word.
func (c *compiler) field(w *syntax.Word) fields {
	if f := c.assignLike(w); f != nil {
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

// tildeEmitters compiles literal text in which a tilde may follow each colon.
func (c *compiler) tildeEmitters(s string, first, last bool) []emitter {
	var list []emitter
	pieces := strings.Split(s, ":")
	for i, piece := range pieces {
		if i > 0 {
			list = append(list, func(_ *Shell, b *builder) { b.literal(":") })
		}
		list = append(list, c.literalEmitter(piece, inAssign, first || i > 0, last || i < len(pieces)-1))
	}
	return list
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
			t := c.word(w)
			return func(sh *Shell, dst []string) []string { return append(dst, t(sh)) }
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
			t := c.word(w)
			return func(sh *Shell, dst []string) []string { return append(dst, t(sh)) }
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

// emitters compiles the parts of a word that may become several fields.
func (c *compiler) emitters(parts []syntax.WordPart, ctx wordContext) []emitter {
	list := make([]emitter, 0, len(parts))
	for i, p := range parts {
		list = append(list, c.emitter(p, ctx, i == 0, i == len(parts)-1))
	}
	return list
}

func (c *compiler) emitter(p syntax.WordPart, ctx wordContext, first, last bool) emitter {
	switch p := p.(type) {
	case *syntax.Lit:
		if ctx&inQuotes != 0 {
			s := unescape(p.Value, ctx)
			return func(sh *Shell, b *builder) { b.quote(s) }
		}
		return c.literalEmitter(p.Value, ctx, first, last)
	case *syntax.SglQuoted:
		if literalQuotes(p, ctx) {
			t := c.insideQuotes(p, ctx)
			return func(sh *Shell, b *builder) { b.quote(t(sh)) }
		}
		s := sglValue(p)
		return func(sh *Shell, b *builder) { b.quote(s) }
	case *syntax.DblQuoted:
		return c.quotedEmitter(p)
	case *syntax.ParamExp:
		return c.paramEmitter(p, ctx)
	case *syntax.ExtGlob:
		t := c.extGlob(p, inText|inPattern)
		return func(sh *Shell, b *builder) { b.pattern(sh, t(sh)) }
	case *syntax.ProcSubst:
		t := c.processSubst(p)
		return func(sh *Shell, b *builder) { b.quote(t(sh)) }
	case *syntax.BraceExp:
		s := c.text(p.Pos(), p.End())
		return func(sh *Shell, b *builder) { b.literal(s) }
	}
	t := c.part(p, inText)
	if ctx&inQuotes != 0 {
		return func(sh *Shell, b *builder) { b.quote(t(sh)) }
	}
	return func(sh *Shell, b *builder) { b.expand(sh, t(sh)) }
}

// quotedEmitter compiles what stands between double quotes.
func (c *compiler) quotedEmitter(p *syntax.DblQuoted) emitter {
	if !mayMultiply([]syntax.WordPart{p}) {
		t := c.parts(p.Parts, inText|inQuotes)
		return func(sh *Shell, b *builder) { b.quote(t(sh)) }
	}
	list := c.emitters(p.Parts, inQuotes)
	alone := len(list) == 1
	return func(sh *Shell, b *builder) {
		if !alone {
			b.open = true
		}
		for _, e := range list {
			e(sh, b)
		}
	}
}

// literalEmitter compiles unquoted literal text.
func (c *compiler) literalEmitter(s string, ctx wordContext, first, last bool) emitter {
	if hasTilde(s, ctx, first, last) && strings.HasPrefix(s, "~") {
		return func(sh *Shell, b *builder) {
			name, rest := s[1:], ""
			if i := strings.IndexByte(name, '/'); i >= 0 {
				name, rest = name[:i], name[i:]
			}
			if dir, ok := sh.homeOf(name); ok {
				b.quote(dir)
				b.escaped(sh, rest, ctx)
				return
			}
			b.escaped(sh, s, ctx)
		}
	}
	if ctx&inDefault == 0 && strings.IndexByte(s, '\\') < 0 {
		return func(sh *Shell, b *builder) { b.literal(s) }
	}
	return func(sh *Shell, b *builder) { b.escaped(sh, s, ctx) }
}

// escaped adds literal text of the source, in which backslashes quote.
func (b *builder) escaped(sh *Shell, s string, ctx wordContext) {
	for s != "" {
		i := strings.IndexByte(s, '\\')
		if i < 0 || i+1 == len(s) {
			b.unquoted(sh, s, ctx)
			return
		}
		if i > 0 {
			b.unquoted(sh, s[:i], ctx)
		}
		if s[i+1] != '\n' {
			b.quote(s[i+1 : i+2])
		}
		s = s[i+2:]
	}
}

func (b *builder) unquoted(sh *Shell, s string, ctx wordContext) {
	if ctx&inDefault != 0 {
		b.expand(sh, s)
		return
	}
	b.literal(s)
}

// quote adds quoted text.
func (b *builder) quote(s string) {
	b.open, b.gap = true, false
	if b.pat != nil {
		b.pat = append(b.pat, pattern.Quote(s)...)
	}
	b.buf = append(b.buf, s...)
}

// literal adds unquoted text that is not split.
func (b *builder) literal(s string) {
	if s == "" {
		return
	}
	b.open, b.gap = true, false
	b.globbing(s)
	b.buf = append(b.buf, s...)
	if b.pat != nil {
		b.pat = append(b.pat, s...)
	}
}

// globbing begins to keep the field as a pattern if s makes it one.
func (b *builder) globbing(s string) {
	if strings.ContainsAny(s, "*?[\\") || strings.IndexByte(s, '(') >= 0 {
		if b.pat == nil {
			b.pat = append(make([]byte, 0, len(b.buf)+len(s)+8), pattern.Quote(string(b.buf))...)
		}
		b.meta = true
	}
}

// pattern adds text that is a pattern already, and is not split.
func (b *builder) pattern(sh *Shell, p string) {
	b.open, b.gap = true, false
	if b.pat == nil {
		b.pat = append([]byte{}, pattern.Quote(string(b.buf))...)
	}
	b.meta = true
	b.pat = append(b.pat, p...)
	b.buf = append(b.buf, pattern.Unquote(p)...)
}

// expand adds the result of an unquoted expansion, which is split at the
// characters of IFS. (bash manual, Word Splitting)
func (b *builder) expand(sh *Shell, s string) {
	t := sh.ifs.table(sh)
	from := 0
	for i := 0; i < len(s); i++ {
		class := t[s[i]]
		if class == 0 {
			continue
		}
		size := 1
		if class == ifsWide {
			if size = sh.ifs.wideAt(s[i:]); size == 0 {
				continue
			}
		}
		b.literal(s[from:i])
		from = i + size
		i += size - 1
		if class == ifsSpace {
			if b.open {
				b.end(sh)
				b.gap = true
			}
			continue
		}
		if b.gap && !b.open {
			b.gap = false // this delimiter ends the field that white space did
			continue
		}
		b.open = true
		b.end(sh)
		b.gap = false
		if sh.pending != ctlNone {
			return
		}
	}
	b.literal(s[from:])
}

// list adds the elements of a list: each begins a field but the first, and each
// ends one but the last.
func (b *builder) list(sh *Shell, list []string, isQuoted bool) {
	if !isQuoted && len(list) > 1 {
		if sep := sh.ifs.joiner(sh); sep != "" && sh.ifs.classes[sep[0]] >= ifsOther {
			if joined := (&value{list: list, isList: true, star: true}).one(sh, 0); sh.pending == ctlNone {
				b.expand(sh, joined)
			}
			return
		}
	}
	for i, s := range list {
		if i > 0 {
			if b.open {
				b.end(sh)
			}
			b.gap = false
			if sh.pending != ctlNone {
				return
			}
		}
		if isQuoted {
			b.quote(s)
		} else {
			b.expand(sh, s)
		}
	}
}

// end ends a field.
func (b *builder) end(sh *Shell) {
	n := len(b.buf) + 16
	if n > 4096 {
		if !sh.fits(n) {
			return
		}
	}
	if b.held += n; b.held > 1<<16 && !sh.fits(b.held) {
		return
	}
	if len(b.dst)&0xff == 0 && sh.step(16) != nil {
		return
	}
	if b.meta && sh.opts&optNoglob == 0 {
		b.dst = sh.globField(b.dst, string(b.pat), string(b.buf))
	} else {
		b.dst = append(b.dst, string(b.buf))
	}
	b.buf, b.pat, b.meta, b.open = b.buf[:0], nil, false, false
}

// finish ends the last field.
func (b *builder) finish(sh *Shell) {
	if b.open {
		b.end(sh)
	}
}

// Classes of characters of IFS.
const (
	ifsSpace = 1 + iota // white space
	ifsOther
	ifsWide // the first byte of a character of several bytes
)

// An ifsCache holds what follows from the value of IFS.
type ifsCache struct {
	valid   bool
	value   string
	classes [256]byte
	first   string   // what "$*" is joined with
	number  bool     // a digit or a minus is in IFS
	wide    []string // characters of several bytes
}

// wideAt returns the size of the character of IFS that s begins with, or 0.
func (c *ifsCache) wideAt(s string) int {
	for _, w := range c.wide {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

// table returns the class of every byte.
func (c *ifsCache) table(sh *Shell) *[256]byte {
	v := sh.vars[idIFS]
	value := " \t\n"
	if v.flags&vSet != 0 {
		value = v.text(sh)
	}
	if !c.valid || c.value != value {
		c.set(value)
	}
	return &c.classes
}

func (c *ifsCache) set(value string) {
	*c = ifsCache{valid: true, value: value}
	for i := 0; i < len(value); i++ {
		b := value[i]
		if r, size := utf8.DecodeRuneInString(value[i:]); size > 1 && r != utf8.RuneError {
			c.classes[b] = ifsWide
			c.wide = append(c.wide, value[i:i+size])
			i += size - 1
			continue
		}
		c.classes[b] = ifsOther
		if b == ' ' || b == '\t' || b == '\n' {
			c.classes[b] = ifsSpace
		}
		c.number = c.number || b == '-' || b >= '0' && b <= '9'
	}
	if value != "" {
		c.first = value[:skipChars(value, 1)]
	}
}

// digits reports whether a number is always one field.
func (c *ifsCache) digits(sh *Shell) bool {
	c.table(sh)
	return !c.number
}

// joiner returns what "$*" is joined with: the first character of IFS.
func (c *ifsCache) joiner(sh *Shell) string {
	c.table(sh)
	return c.first
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
