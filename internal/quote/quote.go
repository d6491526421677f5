// Package quote writes text so that a shell reads it back, and reads what was
// written with backslash escapes: the forms of bash (printf %q, ${x@Q}, declare
// -p, set -x, $'…') and those of GNU's messages.
//
// Characters are those of UTF-8. What cannot be shown, bytes that are no
// characters among it, is written as escapes.
package quote

import (
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/wchar"
)

// shown reports whether s begins with a character that can be shown, and the
// length of that character; n is 1 for a byte that is none.
func shown(s string) (ok bool, n int) {
	if c := s[0]; c < utf8.RuneSelf {
		return ' ' <= c && c <= '~', 1
	}
	r, n := utf8.DecodeRuneInString(s)
	return (r != utf8.RuneError || n > 1) && wchar.IsPrint(r), n
}

// allShown reports whether all of s can be shown.
func allShown(s string) bool {
	for i := 0; i < len(s); {
		ok, n := shown(s[i:])
		if !ok {
			return false
		}
		i += n
	}
	return true
}

// octal appends c as a backslash and three digits.
func octal(b []byte, c byte) []byte {
	return append(b, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
}
