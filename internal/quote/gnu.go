package quote

import "strings"

// Always quotes s as GNU tools do in messages that always quote (gnulib's
// shell-escape-always style): 'name', "it's", 'new'$'\n”line'.
func Always(s string) string {
	if doubles(s) {
		return `"` + s + `"`
	}
	return string(single(nil, s, true))
}

// Maybe quotes s as GNU tools do in messages that quote only where a shell
// would need it, or where the colon that follows would confuse (gnulib's
// shell-escape style with colons).
func Maybe(s string) string {
	if strings.IndexByte(s, ':') < 0 {
		return Name(s)
	}
	return Always(s)
}

// Name quotes s where a shell would need it, as ls shows names on a terminal
// (gnulib's shell-escape style).
func Name(s string) string {
	if needsQuotes(s) {
		return Always(s)
	}
	return s
}

// Shell is [Name] and ShellAlways is [Always] without escapes for characters
// that cannot be shown (gnulib's shell and shell-always styles).
func Shell(s string) string {
	if s != "" && !strings.ContainsAny(s, "\n\t\a\b\f\r\v") && !needsQuotes(strings.Map(visible, s)) {
		return s
	}
	return ShellAlways(s)
}

// ShellAlways quotes s between single quotes; see [Shell].
func ShellAlways(s string) string {
	if doubles(s) {
		return `"` + s + `"`
	}
	return string(single(nil, s, false))
}

// visible replaces characters that only escapes can show.
func visible(r rune) rune {
	if ok, _ := shown(string(r)); !ok {
		return 'x'
	}
	return r
}

// needsQuotes reports whether a shell would not read s as the word s.
func needsQuotes(s string) bool {
	switch {
	case s == "", s == "{", s == "}", s[0] == '#', s[0] == '~':
		return true
	}
	return strings.ContainsAny(s, " !\"$&'()*;<=>?[\\^`|") || !allShown(s)
}

// doubles reports whether double quotes show s as it is: it has single quotes,
// and nothing that is special inside double ones or often is elsewhere.
func doubles(s string) bool {
	if strings.IndexByte(s, '\'') < 0 || strings.ContainsAny(s, "!\"$&()*;<=>?[\\^`|") || !allShown(s) {
		return false
	}
	inner := strings.ContainsAny(s[1:], "#~") || len(s) > 1 && strings.ContainsAny(s, "{}")
	return !inner
}

// single appends s between single quotes, with $'…' for what cannot be shown if
// escape.
func single(b []byte, s string, escape bool) []byte {
	b = append(b, '\'')
	escaping := false
	for i := 0; i < len(s); {
		ok, n := shown(s[i:])
		switch {
		case escape && !ok:
			if !escaping {
				b = append(b, `'$'`...)
				escaping = true
			}
			for _, c := range []byte(s[i : i+n]) {
				if j := strings.IndexByte(controls, c); j >= 0 {
					b = append(b, '\\', letters[j])
				} else {
					b = octal(b, c)
				}
			}
		case s[i] == '\'':
			b = append(b, `'\''`...)
			escaping = false
		default:
			if escaping {
				b = append(b, `''`...)
				escaping = false
			}
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return append(b, '\'')
}

// The control characters that have escapes with a letter, and the letters.
const (
	controls = "\a\b\f\n\r\t\v"
	letters  = "abfnrtv"
)

// Locale quotes s as gnulib's locale style does in a UTF-8 locale: ‘s’, with
// C's escapes for what cannot be shown.
func Locale(s string) string {
	b := append([]byte("‘"), cEscape(s, "’")...)
	return string(append(b, "’"...))
}

// C quotes s as a string of C (gnulib's c style).
func C(s string) string {
	return `"` + string(cEscape(s, `"`)) + `"`
}

// Escape writes s with C's escapes and without quotes (gnulib's escape style).
// Spaces are escaped too, for the sake of lists of names.
func Escape(s string) string {
	return string(cEscape(s, " "))
}

// cEscape escapes what cannot be shown, backslashes and the character special.
func cEscape(s, special string) []byte {
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); {
		ok, n := shown(s[i:])
		switch j := strings.IndexByte(controls, s[i]); {
		case j >= 0:
			b = append(b, '\\', letters[j])
		case !ok:
			for _, c := range []byte(s[i : i+n]) {
				b = octal(b, c)
			}
		case s[i] == '\\', s[i:i+n] == special:
			b = append(append(b, '\\'), s[i:i+n]...)
		default:
			b = append(b, s[i:i+n]...)
		}
		i += n
	}
	return b
}
