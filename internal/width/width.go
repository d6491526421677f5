// Package width tells how many columns of a terminal text takes, as wcwidth
// does in a UTF-8 locale.
package width

import (
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/internal/wchar"
	"golang.org/x/text/width"
)

// Rune returns the number of columns of r: 0, 1 or 2, or -1 if r cannot be
// printed.
func Rune(r rune) int {
	switch {
	case r >= ' ' && r < 127:
		return 1
	case r == 0:
		return 0
	case !wchar.IsPrint(r):
		return -1
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me), unicode.Is(unicode.Cf, r) && r != 0xad, r >= 0x1160 && r <= 0x11ff:
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Bytes returns the number of columns of text. Bytes that are not UTF-8 and
// characters that cannot be printed take none.
func Bytes(text []byte) int {
	n := 0
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			if b >= ' ' && b < 127 {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		if r != utf8.RuneError || size > 1 {
			n += max(Rune(r), 0)
		}
		i += size
	}
	return n
}
