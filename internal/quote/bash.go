package quote

import "strings"

// Backslash quotes s as bash's printf %q does.
func Backslash(s string) string {
	switch {
	case s == "":
		return "''"
	case !allShown(s):
		return ANSI(s)
	case !strings.ContainsAny(s, metas+",#~"):
		return s
	}
	b := make([]byte, 0, len(s)+8)
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case c == '#' && i > 0, c == '~' && i > 0 && s[i-1] != '=' && s[i-1] != ':':
		case strings.IndexByte(metas+",#~", c) >= 0:
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	return string(b)
}

// Reusable quotes s as bash's ${x@Q} does.
func Reusable(s string) string {
	if !allShown(s) {
		return ANSI(s)
	}
	return Single(s)
}

// Single quotes s between single quotes, whatever it has, as bash lists aliases
// and traps.
func Single(s string) string {
	if s == "'" {
		return `\'`
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Double quotes s as bash's declare -p does.
func Double(s string) string {
	if !allShown(s) {
		return ANSI(s)
	}
	if !strings.ContainsAny(s, "\"\\$`") {
		return `"` + s + `"`
	}
	b := make([]byte, 0, len(s)+8)
	b = append(b, '"')
	for i := 0; i < len(s); i++ {
		if strings.IndexByte("\"\\$`", s[i]) >= 0 {
			b = append(b, '\\')
		}
		b = append(b, s[i])
	}
	return string(append(b, '"'))
}

// Key quotes the subscript of an associative array as bash's declare -p does.
func Key(s string) string {
	if hasMetas(s) || s == "@" || !allShown(s) {
		return Double(s)
	}
	return s
}

// Trace quotes a word as bash's set -x does.
func Trace(s string) string {
	switch {
	case s == "":
		return "''"
	case hasMetas(s):
		return Single(s)
	case !allShown(s):
		return ANSI(s)
	}
	return s
}

// Listing quotes the value of a variable as bash's set without arguments does:
// only where it must, the empty value not at all.
func Listing(s string) string {
	switch {
	case !allShown(s):
		return ANSI(s)
	case hasMetas(s):
		return Single(s)
	}
	return s
}

// metas has the characters that mean something to a shell wherever they are.
const metas = " \t\n'\"\\|&;()<>!{}*[?]^$`"

// hasMetas reports whether s has a character that means something to a shell
// where it is.
func hasMetas(s string) bool {
	if strings.ContainsAny(s, metas) {
		return true
	}
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '~':
			if i == 0 || s[i-1] == '=' || s[i-1] == ':' {
				return true
			}
		case '#':
			if i == 0 {
				return true
			}
		}
	}
	return false
}

// plain returns how many characters of ASCII s begins with that are shown as they
// are in $'…'.
func plain(s string) int {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '\\' || c == '\'' {
			return i
		}
	}
	return len(s)
}

// ANSI quotes s as $'…'.
func ANSI(s string) string {
	b := make([]byte, 0, len(s)+16)
	b = append(b, "$'"...)
	for i := 0; i < len(s); {
		if n := plain(s[i:]); n > 0 {
			b = append(b, s[i:i+n]...)
			i += n
			continue
		}
		ok, n := shown(s[i:])
		switch j := strings.IndexByte(controls, s[i]); {
		case j >= 0:
			b = append(b, '\\', letters[j])
		case s[i] == '\x1b':
			b = append(b, `\E`...)
		case s[i] == '\\', s[i] == '\'':
			b = append(b, '\\', s[i])
		case ok:
			b = append(b, s[i:i+n]...)
		default:
			for _, c := range []byte(s[i : i+n]) {
				b = octal(b, c)
			}
		}
		i += n
	}
	return string(append(b, '\''))
}
