package interp

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// An emitter is a part of a word that may become several fields.
type emitter func(sh *Shell, b *builder)

// emitters compiles the parts of a word that may become several fields.
func (c *compiler) emitters(parts []syntax.WordPart, ctx wordContext) []emitter {
	defer c.inside(parts)()
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
			return func(sh *Shell, b *builder) { b.made(sh, t(sh)) }
		}
		s := sglValue(p)
		return func(sh *Shell, b *builder) { b.quote(s) }
	case *syntax.DblQuoted:
		return c.quotedEmitter(p, inner(ctx)&(inQuotes|inInner))
	case *syntax.ParamExp:
		return c.paramEmitter(p, ctx)
	case *syntax.ExtGlob:
		t := c.extGlob(p, inText|inPattern)
		return func(sh *Shell, b *builder) { b.pattern(sh, t(sh)) }
	case *syntax.ProcSubst:
		t := c.processSubst(p)
		return func(sh *Shell, b *builder) { b.made(sh, t(sh)) }
	case *syntax.BraceExp:
		s := c.text(p.Pos(), p.End())
		return func(sh *Shell, b *builder) { b.literal(s) }
	}
	t := c.part(p, inText)
	if ctx&inQuotes != 0 {
		return func(sh *Shell, b *builder) { b.made(sh, t(sh)) }
	}
	return func(sh *Shell, b *builder) { b.expand(sh, t(sh)) }
}

// quotedEmitter compiles what stands between double quotes.
func (c *compiler) quotedEmitter(p *syntax.DblQuoted, ctx wordContext) emitter {
	if !mayMultiply([]syntax.WordPart{p}) {
		t := c.parts(p.Parts, inText|ctx)
		return func(sh *Shell, b *builder) { b.made(sh, t(sh)) }
	}
	if spreads(p.Parts) {
		ctx |= inSpread
	}
	list := c.emitters(p.Parts, ctx)
	return func(sh *Shell, b *builder) {
		open, fields, size := b.open, len(b.dst), len(b.buf)
		b.open, b.nothing, b.element = true, false, false
		for _, e := range list {
			e(sh, b)
		}
		if b.nothing && !b.element && len(b.dst) == fields && len(b.buf) == size {
			b.open = open // "$@$x" is no field where both are empty
		}
	}
}

// literalEmitter compiles unquoted literal text.
func (c *compiler) literalEmitter(s string, ctx wordContext, first, last bool) emitter {
	if hasTilde(s, ctx, first, last) && strings.HasPrefix(s, "~") {
		return func(sh *Shell, b *builder) {
			name, rest := s[1:], ""
			if i := strings.IndexAny(name, "/:"); i >= 0 {
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
