package interp

import (
	"strings"

	"github.com/limpet-sh/limpet/internal/pattern"
	"mvdan.cc/sh/v3/syntax"
)

// replace compiles ${x/pattern/string}.
func (c *compiler) replace(pe *syntax.ParamExp) operation {
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
	var rep text
	if amp {
		rep = c.parts(r.With.Parts, inText|inDefault|inReplacement)
	}
	all := r.All
	return func(sh *Shell) transform {
		p := orig(sh)
		if sh.pending != ctlNone {
			return nil
		}
		anchor := byte(0)
		if !all && p != "" && (p[0] == '#' || p[0] == '%') {
			anchor, p = p[0], p[1:]
		}
		var w string
		special := false
		if rep != nil && sh.shopts&shoptPatsubReplacement != 0 {
			w = rep(sh)
			special = strings.ContainsAny(w, "&\\")
		} else {
			w = with(sh)
		}
		return func(sh *Shell, s string) string {
			if p == "" && anchor == 0 || miscounted(p) {
				return s
			}
			return sh.replaceIn(s, p, w, anchor, all, special)
		}
	}
}

// miscounted reports whether nothing matches the pattern p because of how bash
// counts the characters that it matches: it takes the ] of [^] and [!] for the end of a
// bracket expression. Where the number varies it is not counted.
func miscounted(p string) bool {
	found := false
	for i := 0; i < len(p); i++ {
		switch rest := p[i:]; {
		case rest[0] == '\\':
			i++
		case rest[0] == '*' || len(rest) > 1 && rest[1] == '(' && strings.IndexByte("?+@!", rest[0]) >= 0:
			return false
		case strings.HasPrefix(rest, "[^]") || strings.HasPrefix(rest, "[!]"):
			found = found || strings.Contains(rest[3:], "]")
			i += 2
		case strings.HasPrefix(rest, "[[:"):
			found = found || !strings.Contains(rest[3:], "]")
		}
	}
	return found
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

// quoteReplacement returns s with backslashes in front of what is special in the string of
// ${x/pattern/string}: a & that is not quoted stands for the match.
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
		if len(s) >= bulk {
			return sh.replaceMany(s, lit, w)
		}
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

// replaceMany replaces what is equal to lit in a long text.
func (sh *Shell) replaceMany(s, lit, w string) string {
	var b strings.Builder
	at := strings.Index(s, lit)
	if at < 0 {
		return s
	}
	for at >= 0 {
		if need := b.Len() + at + len(w); need > b.Cap() {
			room := max(need, min(2*b.Cap(), b.Len()+len(s)), bulk)
			if !sh.fits(b.Cap() + room) {
				return ""
			}
			b.Grow(room - b.Len())
		}
		b.WriteString(s[:at])
		b.WriteString(w)
		s = s[at+len(lit):]
		if sh.step(1) != nil {
			return ""
		}
		at = strings.Index(s, lit)
	}
	return sh.join2(b.String(), s)
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
