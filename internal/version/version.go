// Package version compares names that contain version numbers, in the order of
// sort -V and ls -v: gnulib's filevercmp, after Debian's comparison of versions.
package version

import "bytes"

// Compare returns a negative number, 0 or a positive number as a sorts before,
// with or after b. Runs of digits compare as numbers, letters before other
// bytes, ~ before everything and the end; extensions such as .tar.gz matter
// only where the rest is equal.
func Compare(a, b []byte) int {
	switch {
	case len(a) == 0 && len(b) == 0:
		return 0
	case len(a) == 0:
		return -1
	case len(b) == 0:
		return 1
	}
	if x, y := dotRank(a), dotRank(b); x != y || x < hidden {
		return x - y
	}
	m, n := stem(a), stem(b)
	if result := compare(a[:m], b[:n]); result != 0 || m == len(a) && n == len(b) {
		return result
	}
	return compare(a, b)
}

// The ranks of names by the dots that they begin with.
const (
	dot    = iota // .
	dotDot        // ..
	hidden
	visible
)

func dotRank(name []byte) int {
	switch {
	case name[0] != '.':
		return visible
	case len(name) == 1:
		return dot
	case len(name) == 2 && name[1] == '.':
		return dotDot
	}
	return hidden
}

// stem returns the length of name without its extensions, each of which is a
// dot, a letter or ~, and letters, digits and ~.
func stem(name []byte) int {
	for i := 0; ; i++ {
		length := i
		for i+1 < len(name) && name[i] == '.' && (alpha(name[i+1]) || name[i+1] == '~') {
			for i += 2; i < len(name) && (alpha(name[i]) || digit(name[i]) || name[i] == '~'); i++ {
			}
		}
		if i >= len(name) {
			return length
		}
	}
}

func compare(a, b []byte) int {
	for len(a) > 0 || len(b) > 0 {
		for len(a) > 0 && !digit(a[0]) || len(b) > 0 && !digit(b[0]) {
			if x, y := rank(a), rank(b); x != y {
				return x - y
			}
			a, b = a[1:], b[1:]
		}
		a, b = bytes.TrimLeft(a, "0"), bytes.TrimLeft(b, "0")
		first := 0
		for len(a) > 0 && len(b) > 0 && digit(a[0]) && digit(b[0]) {
			if first == 0 {
				first = int(a[0]) - int(b[0])
			}
			a, b = a[1:], b[1:]
		}
		switch {
		case len(a) > 0 && digit(a[0]):
			return 1
		case len(b) > 0 && digit(b[0]):
			return -1
		case first != 0:
			return first
		}
	}
	return 0
}

// rank returns the place of the first byte of s among those that are no digits.
func rank(s []byte) int {
	switch {
	case len(s) == 0:
		return -1
	case digit(s[0]):
		return 0
	case alpha(s[0]):
		return int(s[0])
	case s[0] == '~':
		return -2
	}
	return int(s[0]) + 256
}

func alpha(b byte) bool { return 'a' <= b|0x20 && b|0x20 <= 'z' }
func digit(b byte) bool { return '0' <= b && b <= '9' }
