package interp

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/pattern"
)

// changeCase changes the case of the first character of s, or of every one,
// where it matches the pattern p; an empty p matches all.
func (sh *Shell) changeCase(s, p string, upper, every bool) string {
	sh.worked(4 * len(s))
	if !sh.fits(len(s)) {
		return ""
	}
	if p == "" && every && isASCII(s) {
		if upper {
			return sh.inPieces(s, strings.ToUpper)
		}
		return sh.inPieces(s, strings.ToLower)
	}
	var b strings.Builder
	b.Grow(len(s))
	n := 0
	for i, r := range s {
		if n++; n&0x3f == 0 && sh.step(1) != nil {
			break
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		ch := s[i : i+size]
		if p != "" && sh.step(1) != nil {
			return ""
		}
		if (i == 0 || every) && (p == "" || sh.matchesCase(p, ch)) && !(r == utf8.RuneError && size == 1) && !(sh.bytes && size > 1) {
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

// inPieces changes a text piece by piece where it is long. It is for changes that keep the
// length.
func (sh *Shell) inPieces(s string, change func(string) string) string {
	if len(s) < bulk {
		return change(s)
	}
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 && sh.step(bulk>>8) == nil {
		n := min(bulk, len(s))
		b.WriteString(change(s[:n]))
		s = s[n:]
	}
	return b.String()
}

// toggleCase changes upper case to lower and lower to upper.
func (sh *Shell) toggleCase(s, p string, every bool) string {
	sh.worked(4 * len(s))
	if !sh.fits(len(s)) {
		return ""
	}
	var b strings.Builder
	n := 0
	for i, r := range s {
		if n++; n&0x3f == 0 && sh.step(1) != nil {
			break
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		ch := s[i : i+size]
		switch {
		case i > 0 && !every || p != "" && !sh.matchesCase(p, ch):
		case sh.bytes && r >= utf8.RuneSelf:
		case unicode.IsUpper(r):
			ch = string(unicode.ToLower(r))
		case unicode.IsLower(r):
			ch = string(unicode.ToUpper(r))
		}
		b.WriteString(ch)
	}
	return b.String()
}

// matchesCase reports whether the pattern p matches a character. Bash: options
// make no difference.
func (sh *Shell) matchesCase(p, ch string) bool {
	ok, err := sh.patternFor(p, pattern.Extglob|sh.byteFlag()).MatchStep(ch, sh.step)
	if err != nil {
		sh.engineError(err)
	}
	return ok
}
