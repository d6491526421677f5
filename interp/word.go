package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/internal/pattern"
	"github.com/limpet-sh/limpet/internal/quote"
	"mvdan.cc/sh/v3/syntax"
)

// A text is a compiled word that expands to one string.
type text func(sh *Shell) string

// A fields is a compiled list of words that expands to any number of them: it
// appends them to dst.
type fields func(sh *Shell, dst []string) []string

// A matcher is a compiled pattern.
type matcher func(sh *Shell, s string) bool

// A wordContext says what a word is expanded for.
type wordContext uint16

const (
	inText        wordContext = 1 << iota // a string: no splitting, no file names
	inQuotes                              // between double quotes
	inPattern                             // a pattern: what is quoted is escaped
	inRegexp                              // a regular expression: likewise
	inAssign                              // the value of an assignment: ~ after : too
	inDocument                            // a here-document: double quotes are literal
	inListed                              // a here-document in which there is a list such as $@
	inAlternative                         // the word of ${x:-word}: between double quotes, single ones are literal
	inDefault                             // the word of ${x:-word}: it may be split
	inInner                               // double quotes within that, inside which backslashes quote all
	inReplacement                         // the string of ${x/pattern/string}: what is quoted is escaped
	inJoined                              // a string in which lists are joined as those of * are; see joinedList
	inSpread                              // double quotes with a list of @ in them
	inElement                             // with inJoined: of an indexed array in parentheses, where all lists are
	inTrace                               // with inPattern: as traces of [[ show it, all that is quoted escaped
)

func constant(s string) text { return func(*Shell) string { return s } }

// word compiles a word that expands to one string.
func (c *compiler) word(w *syntax.Word) text {
	if w == nil {
		return constant("")
	}
	return c.parts(w.Parts, inText)
}

// value compiles the value of an assignment.
func (c *compiler) value(w *syntax.Word) text {
	if w == nil {
		return constant("")
	}
	return c.parts(w.Parts, inText|inAssign|inJoined)
}

// elementValue compiles the value of an element, with a subscript, of an indexed array
// in parentheses.
func (c *compiler) elementValue(w *syntax.Word) text {
	if w == nil {
		return constant("")
	}
	return c.parts(w.Parts, inText|inAssign|inJoined|inElement)
}

// parts compiles parts of a word that expand to one string.
func (c *compiler) parts(parts []syntax.WordPart, ctx wordContext) text {
	defer c.inside(parts)()
	var list []text
	for i, p := range parts {
		if s, ok := c.literal(p, ctx, i == 0, i == len(parts)-1); ok {
			list = appendText(list, s)
			continue
		}
		list = append(list, c.part(p, ctx))
	}
	switch len(list) {
	case 0:
		return constant("")
	case 1:
		return list[0]
	case 2:
		a, b := list[0], list[1]
		return func(sh *Shell) string { return sh.join2(a(sh), b(sh)) }
	case 3:
		a, b, d := list[0], list[1], list[2]
		return func(sh *Shell) string {
			x, y, z := a(sh), b(sh), d(sh)
			if !sh.fits(len(x) + len(y) + len(z)) {
				return ""
			}
			return x + y + z
		}
	}
	return func(sh *Shell) string {
		var b strings.Builder
		for _, t := range list {
			s := t(sh)
			if !sh.fits(b.Len() + len(s)) {
				return ""
			}
			b.WriteString(s)
		}
		return b.String()
	}
}

// inside notes the parts that are being compiled, which messages show whole, until the
// function that it returns is called.
func (c *compiler) inside(parts []syntax.WordPart) func() {
	old := c.around
	if len(parts) > 0 {
		c.around = c.text(parts[0].Pos(), parts[len(parts)-1].End())
	}
	return func() { c.around = old }
}

// appendText appends a constant to a list of texts.
func appendText(list []text, s string) []text { return append(list, constant(s)) }

func (sh *Shell) join2(a, b string) string {
	if !sh.fits(len(a) + len(b)) {
		return ""
	}
	return a + b
}

// literal returns the constant that p is, if it is one.
func (c *compiler) literal(p syntax.WordPart, ctx wordContext, first, last bool) (string, bool) {
	switch p := p.(type) {
	case *syntax.Lit:
		if ctx&inQuotes == 0 && hasTilde(p.Value, ctx, first, last) {
			return "", false
		}
		return unescape(p.Value, ctx), true
	case *syntax.SglQuoted:
		if literalQuotes(p, ctx) {
			return "", false
		}
		return quoted(sglValue(p), ctx), true
	case *syntax.DblQuoted:
		s, ctx := "", inner(ctx)
		for _, q := range p.Parts {
			t, ok := c.literal(q, ctx, false, false)
			if !ok {
				return "", false
			}
			s += t
		}
		return s, true
	}
	return "", false
}

// inner returns the context between double quotes that stand in ctx.
func inner(ctx wordContext) wordContext {
	if ctx&(inQuotes|inAlternative) == inQuotes|inAlternative {
		ctx |= inInner
	}
	return ctx | inQuotes
}

// literalQuotes reports whether single quotes are literal in ctx.
func literalQuotes(p *syntax.SglQuoted, ctx wordContext) bool {
	return !p.Dollar && ctx&(inQuotes|inAlternative) == inQuotes|inAlternative
}

// insideQuotes compiles single quotes that are literal, and what is between
// them, which is expanded.
func (c *compiler) insideQuotes(p *syntax.SglQuoted, ctx wordContext) text {
	w, err := parse.Document(p.Value, parse.Mode{})
	if err != nil || w == nil {
		return constant(quoted("'"+p.Value+"'", ctx))
	}
	inner := c.within(p.Value).parts(w.Parts, ctx)
	mark := quoted("'", ctx)
	return func(sh *Shell) string { return mark + inner(sh) + mark }
}

func sglValue(p *syntax.SglQuoted) string {
	if p.Dollar {
		return quote.UnescapeANSI(p.Value)
	}
	return p.Value
}

// quoted returns quoted text in the form that the context gives it.
func quoted(s string, ctx wordContext) string {
	switch {
	case ctx&inTrace != 0:
		return escapeAll(s)
	case ctx&inPattern != 0:
		return pattern.Quote(s)
	case ctx&inRegexp != 0:
		return quoteRegexp(s)
	case ctx&inReplacement != 0:
		return quoteReplacement(s)
	}
	return s
}

// escapeAll puts a backslash in front of every character.
func escapeAll(s string) string {
	var b strings.Builder
	for s != "" {
		n := skipChars(s, 1)
		b.WriteString("\\" + s[:n])
		s = s[n:]
	}
	return b.String()
}

// quoteRegexp escapes what is special in an extended regular expression.
func quoteRegexp(s string) string {
	if !strings.ContainsAny(s, `\.[]{}()*+?^$|`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '\\', '.', '[', ']', '{', '}', '(', ')', '*', '+', '?', '^', '$', '|':
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescape takes the backslashes out of literal text of the source.
func unescape(s string, ctx wordContext) string {
	if strings.IndexByte(s, '\\') < 0 {
		if ctx&inQuotes != 0 {
			return quoted(s, ctx)
		}
		return s
	}
	var b, raw strings.Builder
	flush := func() {
		if ctx&inQuotes != 0 {
			b.WriteString(quoted(raw.String(), ctx))
		} else {
			b.WriteString(raw.String())
		}
		raw.Reset()
	}
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			raw.WriteByte(s[i])
			continue
		}
		next := s[i+1]
		switch {
		case next == '\n':
			i++
		case ctx&inInner != 0 && !strings.ContainsRune("$`\"\\", rune(next)):
		case ctx&inQuotes != 0 && !(strings.IndexByte("$`\\", next) >= 0 || next == '"' && ctx&(inDocument|inInner) != inDocument) && !(next == '}' && ctx&inDefault != 0):
			raw.WriteByte('\\')
		default:
			i++
			flush()
			n := 1
			for n < 4 && i+n < len(s) && s[i]&0xC0 == 0xC0 && s[i+n]&0xC0 == 0x80 {
				n++
			}
			b.WriteString(quoted(s[i:i+n], ctx))
			i += n - 1
		}
	}
	flush()
	return b.String()
}

// part compiles a part of a word that is not constant.
func (c *compiler) part(p syntax.WordPart, ctx wordContext) text {
	switch p := p.(type) {
	case *syntax.Lit:
		return c.tilde(p.Value, ctx)
	case *syntax.SglQuoted:
		return c.insideQuotes(p, ctx)
	case *syntax.DblQuoted:
		return c.parts(p.Parts, inner(ctx))
	case *syntax.ParamExp:
		return c.paramText(p, ctx)
	case *syntax.CmdSubst:
		return escapeIn(c.substitution(p), ctx)
	case *syntax.ArithmExp:
		e := c.arithExpansion(p)
		return func(sh *Shell) string { return itoa(e(sh)) }
	case *syntax.ProcSubst:
		return c.processSubst(p)
	case *syntax.ExtGlob:
		return c.extGlob(p, ctx)
	case *syntax.BraceExp:
		return constant(c.text(p.Pos(), p.End()))
	}
	return constant("")
}

// escapeIn makes the value of a quoted expansion what the context wants.
func escapeIn(t text, ctx wordContext) text {
	if ctx&inQuotes == 0 || ctx&(inPattern|inRegexp|inReplacement) == 0 {
		return t
	}
	return func(sh *Shell) string { return quoted(t(sh), ctx) }
}

// extGlob compiles an extended pattern: its text, with the expansions that are
// in it.
func (c *compiler) extGlob(p *syntax.ExtGlob, ctx wordContext) text {
	op, body := p.Op.String(), p.Pattern.Value
	as := ctx
	if ctx&inPattern == 0 {
		as = inText
	}
	inner, ok := c.rawText(body, as, func(s string) string { return s })
	if !ok {
		return constant(op + body + ")")
	}
	return func(sh *Shell) string { return op + inner(sh) + ")" }
}

// matcher compiles a word that is a pattern. Where test is true it is one of [[,
// in which extended groups need no option.
func (c *compiler) matcher(w *syntax.Word, test bool) matcher {
	matches := (*Shell).matches
	if test {
		matches = func(sh *Shell, p, s string) bool { return sh.matchesAs(p, s, pattern.Extglob|sh.byteFlag()) }
	}
	t := c.parts(w.Parts, inText|inPattern)
	if isConstant(w) {
		s := t(nil)
		if !pattern.HasMeta(s, true) {
			lit := pattern.Unquote(s)
			return func(sh *Shell, x string) bool {
				if sh.shopts&shoptNocasematch != 0 {
					return matches(sh, s, x)
				}
				return lit == x
			}
		}
	}
	return func(sh *Shell, x string) bool {
		p := t(sh)
		return sh.pending == ctlNone && matches(sh, p, x)
	}
}

// isConstant reports whether w expands to the same string always.
func isConstant(w *syntax.Word) bool {
	for i, p := range w.Parts {
		switch p := p.(type) {
		case *syntax.Lit:
			if i == 0 && strings.HasPrefix(p.Value, "~") {
				return false
			}
		case *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !isConstant(&syntax.Word{Parts: p.Parts}) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// matches reports whether the pattern p matches all of s, as case has it.
func (sh *Shell) matches(p, s string) bool { return sh.matchesAs(p, s, sh.patternFlags()) }

func (sh *Shell) matchesAs(p, s string, flags pattern.Flags) bool {
	if sh.shopts&shoptNocasematch != 0 {
		flags |= pattern.IgnoreCase
	}
	ok, err := sh.patternFor(p, flags).MatchStep(s, sh.step)
	if err != nil {
		sh.engineError(err)
	}
	return ok
}

// worked counts the work on n bytes at once as steps, so that commands which do much
// are not polled less often than those which do little.
func (sh *Shell) worked(n int) { sh.steps -= n >> 12 }

// step counts n units of work of an engine, and fails when the shell has to
// stop.
func (sh *Shell) step(n int) error {
	sh.steps -= n
	if sh.steps < 0 && sh.poll() == ctlStop {
		return sh.x.error()
	}
	return nil
}
