// Package quote writes text so that a shell reads it back: the forms of bash
// (printf %q, ${x@Q}, declare -p, set -x) and those of GNU's messages.
package quote

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Always quotes s as gnulib's shell-escape-always style does.
func Always(s string) string {
	if strings.Contains(s, "'") && !strings.ContainsAny(s, "\"$`\\!\n\t") {
		return `"` + s + `"`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Maybe quotes s as gnulib's shell-escape style does: only where it must.
func Maybe(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n'\"\\$`&|;<>()*?[]!~#=^{}") {
		return s
	}
	return Always(s)
}

// Locale quotes s as gnulib's locale style does in a UTF-8 locale: ‘s’, with
// C's escapes for what cannot be shown.
func Locale(s string) string {
	var b strings.Builder
	b.WriteString("‘")
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch j := strings.IndexByte("\a\b\f\n\r\t\v\\", s[i]); {
		case j >= 0:
			b.WriteByte('\\')
			b.WriteByte(`abfnrtv\`[j])
		case r == utf8.RuneError && n == 1, !unicode.IsPrint(r):
			for _, c := range []byte(s[i : i+n]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		case r == '’':
			b.WriteString(`\’`)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	b.WriteString("’")
	return b.String()
}
