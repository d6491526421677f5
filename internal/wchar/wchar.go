// Package wchar classifies characters as the C library does in the C.UTF-8
// locale: iswalpha and its siblings, which GNU tools and bash consult for
// [[:alpha:]], for case, and for what may be shown as it is.
//
// The data is that of package unicode, which may know more recent characters
// than the C library of a given system.
package wchar

import "unicode"

// classes has the character classes by name, in the order of POSIX.
var classes = []struct {
	name string
	in   func(rune) bool
}{
	{"alnum", IsAlnum}, {"alpha", IsAlpha}, {"blank", IsBlank}, {"cntrl", IsCntrl},
	{"digit", IsDigit}, {"graph", IsGraph}, {"lower", IsLower}, {"print", IsPrint},
	{"punct", IsPunct}, {"space", IsSpace}, {"upper", IsUpper}, {"xdigit", IsXdigit},
}

// Class returns the predicate of the POSIX character class called name, or nil
// where there is no such class.
func Class(name string) func(rune) bool {
	for _, c := range classes {
		if c.name == name {
			return c.in
		}
	}
	return nil
}

// IsAlpha reports whether r is alphabetic. Digits of other scripts are.
func IsAlpha(r rune) bool {
	if r < 0x80 {
		return 'a' <= r|0x20 && r|0x20 <= 'z'
	}
	return unicode.In(r, unicode.L, unicode.Other_Alphabetic, unicode.Nl, unicode.Nd)
}

// IsDigit reports whether r is one of 0 to 9.
func IsDigit(r rune) bool { return '0' <= r && r <= '9' }

// IsXdigit reports whether r is an ASCII hexadecimal digit.
func IsXdigit(r rune) bool { return IsDigit(r) || 'a' <= r|0x20 && r|0x20 <= 'f' }

// IsAlnum reports whether r is alphabetic or a digit.
func IsAlnum(r rune) bool { return IsAlpha(r) || IsDigit(r) }

// IsUpper reports whether r is upper case. Title case counts.
func IsUpper(r rune) bool {
	if r < 0x80 {
		return 'A' <= r && r <= 'Z'
	}
	return unicode.In(r, unicode.Lu, unicode.Lt, unicode.Other_Uppercase)
}

// IsLower reports whether r is lower case. The title case digraphs count.
func IsLower(r rune) bool {
	if r < 0x80 {
		return 'a' <= r && r <= 'z'
	}
	switch r {
	case 0x1c5, 0x1c8, 0x1cb, 0x1f2:
		return true
	}
	return unicode.In(r, unicode.Ll, unicode.Other_Lowercase)
}

// IsSpace reports whether r is white space that a line may be broken at.
func IsSpace(r rune) bool {
	if r < 0x80 {
		return r == ' ' || '\t' <= r && r <= '\r'
	}
	return unicode.Is(unicode.Z, r) && r != 0xa0 && r != 0x2007 && r != 0x202f
}

// IsBlank reports whether r is white space within a line.
func IsBlank(r rune) bool {
	return r == '\t' || IsSpace(r) && unicode.Is(unicode.Zs, r)
}

// IsCntrl reports whether r is a control character.
func IsCntrl(r rune) bool {
	return unicode.IsControl(r) || r == 0x2028 || r == 0x2029
}

// IsPrint reports whether r may be shown as it is.
func IsPrint(r rune) bool {
	if r < 0x80 {
		return ' ' <= r && r <= '~'
	}
	return !IsCntrl(r) && unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cf, unicode.Co)
}

// IsGraph reports whether r is printable and not white space.
func IsGraph(r rune) bool { return IsPrint(r) && !IsSpace(r) }

// IsPunct reports whether r is printable, not white space and not alphanumeric.
func IsPunct(r rune) bool { return IsGraph(r) && !IsAlnum(r) }
