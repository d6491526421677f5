package interp

import (
	"errors"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// document compiles the body of a here-document, and reports whether it can be expanded.
func (c *compiler) document(r *syntax.Redirect) (t text, sound bool) {
	for _, p := range r.Word.Parts {
		if lit, ok := p.(*syntax.Lit); !ok || strings.Contains(lit.Value, "\\") { // a quoted delimiter
			var b strings.Builder
			for _, q := range r.Hdoc.Parts {
				if lit, ok := q.(*syntax.Lit); ok {
					b.WriteString(lit.Value)
				} else {
					b.WriteString(c.text(q.Pos(), q.End()))
				}
			}
			text := b.String()
			if r.Op == syntax.DashHdoc {
				text, _ = untab(text, true)
			}
			return constant(text), true
		}
	}
	parts := r.Hdoc.Parts
	read := func() text {
		parts := parts
		if r.Op == syntax.DashHdoc {
			parts = untabParts(parts)
		}
		ctx := inText | inQuotes | inDocument
		if namesList(parts) {
			ctx |= inListed
		}
		return c.parts(parts, ctx)
	}
	if len(parts) > 0 {
		body := c.text(parts[0].Pos(), parts[len(parts)-1].End())
		if t, sound := c.brokenDocument(body, isLiteral(parts), read); t != nil {
			return t, sound
		}
	}
	return read(), true
}

// namesList reports whether there is an expansion such as $@ or ${a[@]} in a body.
func namesList(parts []syntax.WordPart) bool {
	found := false
	for _, p := range parts {
		syntax.Walk(p, func(n syntax.Node) bool {
			switch n := n.(type) {
			case *syntax.CmdSubst, *syntax.ProcSubst, *syntax.ArithmExp:
				return false
			case *syntax.ParamExp:
				found = found || !n.Length && (n.Param != nil && n.Param.Value == "@" || subscript(n.Index) == "@")
			}
			return !found
		})
	}
	return found
}

// untabParts returns the parts of a <<- document without the tabs that begin its
// lines.
func untabParts(parts []syntax.WordPart) []syntax.WordPart {
	out := make([]syntax.WordPart, len(parts))
	atStart := true
	for i, p := range parts {
		if lit, ok := p.(*syntax.Lit); ok {
			l := *lit
			l.Value, atStart = untab(l.Value, atStart)
			out[i] = &l
			continue
		}
		out[i], atStart = p, false
	}
	return out
}

// untab removes the tabs that begin the lines of s; atStart says whether s itself
// begins one. It reports whether what follows s does.
func untab(s string, atStart bool) (string, bool) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if atStart && s[i] == '\t' {
			continue
		}
		b.WriteByte(s[i])
		atStart = s[i] == '\n'
	}
	return b.String(), atStart
}

// isLiteral reports whether parts are text alone.
func isLiteral(parts []syntax.WordPart) bool {
	for _, p := range parts {
		if _, ok := p.(*syntax.Lit); !ok {
			return false
		}
	}
	return true
}

// brokenDocument compiles a body with an expansion in it that has a mistake, or no end: what
// stands before that is expanded. A body that the parser has left as it is, unread, is
// compiled by its expansions, another, which depends on an option, by read. It returns nil for
// others.
func (c *compiler) brokenDocument(body string, unread bool, read func() text) (t text, sound bool) {
	p := &documentParser{compiler: c, body: body, unread: unread}
	for i := 0; i < len(body); {
		end, ok := p.next(i)
		if !ok {
			return nil, true
		}
		if p.flaw != nil {
			p.keep(i)
			flaw := p.flaw
			p.done = append(p.done, func(sh *Shell) string { flaw(sh); return "" })
			return joinTexts(p.done), false
		}
		i = end
	}
	if len(p.done) == 0 {
		return nil, true
	}
	if p.from == 0 && !unread {
		p.done, p.from = append(p.done, read()), len(body)
	}
	p.keep(len(body))
	return joinTexts(p.done), !p.doubt
}

// A documentParser looks for mistakes in the expansions of a body.
type documentParser struct {
	*compiler
	body   string
	unread bool
	from   int    // what stands before it is compiled
	done   []text // to this
	flaw   func(sh *Shell)
	doubt  bool // an option decides whether there is a mistake
}

// keep compiles the text up to end.
func (p *documentParser) keep(end int) {
	if p.from < end {
		p.done = append(p.done, p.documentPiece(p.body[p.from:end]))
	}
	p.from = end
}

// next returns where what begins at i ends. It fails where nothing can be said.
func (p *documentParser) next(i int) (end int, ok bool) {
	rest := p.body[i:]
	switch {
	case rest[0] == '\\':
		return i + 2, true
	case rest[0] == '`' || strings.HasPrefix(rest, "${"):
		if end = parse.ExpansionEnd(p.body, i); end < 0 {
			p.flaw = unendedExpansion(p.body, i)
		}
		return end, true
	case strings.HasPrefix(rest, "$(("):
		return skipExpansion(p.body, i), true
	case !strings.HasPrefix(rest, "$("):
		return i + 1, true
	}
	n, err := parse.SubstitutionEnd(rest[2:], parse.Mode{})
	var syn *parse.SyntaxError
	if errors.As(err, &syn) {
		if n, err = parse.SubstitutionEnd(rest[2:], parse.Mode{ExtGlob: true}); err != nil {
			p.flaw = func(sh *Shell) { sh.brokenSubstitution(syn) }
			return i, true
		}
		if p.doubt = true; p.unread {
			p.keep(i)
		}
		p.done = append(p.done, func(sh *Shell) string {
			if !sh.shopt(shoptExtglob) {
				sh.brokenSubstitution(syn)
			}
			return ""
		})
	}
	switch {
	case err != nil:
		return i, false
	case p.unread:
		p.keep(i)
		p.from = i + 2 + n
		source := rest[2 : 1+n]
		p.done = append(p.done, func(sh *Shell) string {
			return sh.capture(func(sub *Shell) ctl { return sub.evalString(source, "command substitution") })
		})
	}
	return i + 2 + n, true
}

// joinTexts puts texts together.
func joinTexts(list []text) text {
	return func(sh *Shell) string {
		s := ""
		for _, t := range list {
			if s = sh.join2(s, t(sh)); sh.pending != ctlNone {
				return ""
			}
		}
		return s
	}
}

// documentPiece compiles a part of a body.
func (c *compiler) documentPiece(source string) text {
	w, err := parse.Document(source, parse.Mode{ExtGlob: true})
	if err != nil || w == nil {
		return constant(source)
	}
	return c.within(source).parts(w.Parts, inText|inQuotes|inDocument)
}

// unendedExpansion reports an expansion without an end that begins at i.
func unendedExpansion(body string, i int) func(sh *Shell) {
	switch {
	case body[i] == '`':
		return func(sh *Shell) { sh.failReported("bad substitution: no closing \"`\" in %s", body[i:]) }
	case !strings.ContainsAny(body[i+2:], "#%^,~:-=?+/@}"):
		return func(sh *Shell) { sh.badSubstitution(body) }
	}
	return func(sh *Shell) { sh.failReported("bad substitution: no closing `}' in %s", body) }
}

// brokenSubstitution reports a mistake in a command substitution that is read when it is
// expanded.
func (sh *Shell) brokenSubstitution(syn *parse.SyntaxError) {
	old := sh.evalName
	sh.evalName = "command substitution"
	sh.printSyntaxError(syn, sh.line)
	sh.evalName = old
	sh.failed(ctlDiscard, 1)
}

// documentParams is $* in a here-document that has a list such as $@ too. Bash: it is
// split at IFS there, and joined with blanks.
func documentParams(sh *Shell) string {
	if len(sh.params) == 0 {
		return ""
	}
	v := value{list: sh.params, isList: true, star: sh.ifs.joiner(sh) != ""}
	joined := v.one(sh, 0)
	opts := sh.opts
	sh.opts |= optNoglob
	b := builder{}
	b.expand(sh, joined)
	b.finish(sh)
	sh.opts = opts
	v = value{list: b.dst, isList: true}
	return v.one(sh, 0)
}
