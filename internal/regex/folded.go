package regex

import (
	"bytes"
	"strings"
)

// A folded is a text to be found without regard to the case of ASCII letters. It
// is looked for by that of its bytes which texts have least of.
type folded struct {
	text         []byte // in lower case
	rare         int    // the place of that byte
	lower, upper byte   // its forms, which are equal where it is no letter
}

// maxFolded bounds the length of the text, and so the work for each position.
const maxFolded = 32

func newFolded(text []byte) *folded {
	f := &folded{text: text}
	for i, c := range text {
		if rarity(c) > rarity(text[f.rare]) {
			f.rare = i
		}
	}
	f.lower = text[f.rare]
	f.upper = upperASCII(f.lower)
	return f
}

// rarity estimates how seldom texts have a byte.
func rarity(c byte) int {
	const common = " etaoin0123456789srhldcumfpg-.wybvkxjqz"
	if i := strings.IndexByte(common, c); i >= 0 {
		return i
	}
	return len(common)
}

const (
	firstWindow = 256
	lastWindow  = 16 << 10
)

// index returns where the text begins in b first, or -1. It reads b in windows
// that grow, so that it does not look for one case far behind the other.
func (f *folded) index(b []byte) int {
	last := len(b) - (len(f.text) - 1 - f.rare) // behind the last place for the rare byte
	for from, size := f.rare, firstWindow; from < last; size = min(4*size, lastWindow) {
		window := b[from:min(last, from+size)]
		if i := f.within(b, window, from); i >= 0 {
			return i
		}
		from += len(window)
	}
	return -1
}

// within is index for the texts whose rare byte is in the window of b at from.
func (f *folded) within(b, window []byte, from int) int {
	lower, upper := bytes.IndexByte(window, f.lower), -1
	if f.upper != f.lower {
		upper = bytes.IndexByte(window, f.upper)
	}
	for lower >= 0 || upper >= 0 {
		at := lower
		if lower < 0 || upper >= 0 && upper < lower {
			at = upper
		}
		if start := from + at - f.rare; f.matches(b[start : start+len(f.text)]) {
			return start
		}
		if at == lower {
			lower = indexFrom(window, f.lower, at+1)
		} else {
			upper = indexFrom(window, f.upper, at+1)
		}
	}
	return -1
}

// indexFrom is bytes.IndexByte for the first c that is not before from.
func indexFrom(b []byte, c byte, from int) int {
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return -1
}

func (f *folded) matches(b []byte) bool {
	for i, c := range f.text {
		if b[i] != c && lowerASCII(b[i]) != c {
			return false
		}
	}
	return true
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		c += 'a' - 'A'
	}
	return c
}

func upperASCII(c byte) byte {
	if 'a' <= c && c <= 'z' {
		c -= 'a' - 'A'
	}
	return c
}
