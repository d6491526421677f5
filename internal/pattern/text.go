package pattern

import "strings"

// special has the characters that mean something in a pattern, be it only
// inside brackets or extended groups.
const special = `\*?[]()|+@!^-:=`

// HasMeta reports whether text is more than a literal: whether bash would look
// for file names that match it. Backslash escapes are not enough.
func HasMeta(text string, extglob bool) bool {
	open := false
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '*', '?':
			return true
		case '[':
			open = true
		case ']':
			if open {
				return true
			}
		case '/':
			open = false
		case '+', '@', '!':
			if extglob && i+1 < len(text) && text[i+1] == '(' {
				return true
			}
		case '\\':
			i++
		}
	}
	return false
}

// Quote returns a pattern that matches s and nothing else. Periods and slashes
// stay as they are.
func Quote(s string) string {
	i := strings.IndexAny(s, special)
	if i < 0 {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 8)
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		if strings.IndexByte(special, s[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Unquote returns text without the backslashes that quote its characters: what
// a pattern for file names stands for when it matches none.
func Unquote(text string) string {
	i := strings.IndexByte(text, '\\')
	if i < 0 {
		return text
	}
	b := append(make([]byte, 0, len(text)), text[:i]...)
	for ; i < len(text); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b = append(b, text[i])
	}
	return string(b)
}
