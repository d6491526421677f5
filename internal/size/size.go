// Package size reads numbers with suffixes such as 4K or 2MiB, as GNU tools do
// (gnulib's xstrtoumax).
package size

import (
	"errors"
	"math"
	"math/bits"
	"strings"
)

// The errors of [Parse].
var (
	ErrNumber   = errors.New("invalid number")
	ErrSuffix   = errors.New("invalid suffix in number")
	ErrOverflow = errors.New("Value too large for defined data type")
)

// Units are the letters that multiply a size, each 1024 or 1000 times the one
// before it.
const Units = "KMGTPEZY"

// Parse parses a decimal number that one of the letters of suffixes may
// multiply: b by 512, c by 1, w by 2, B by 1024, and those of [Units] by powers
// of 1024. With 0 among the suffixes the latter may be followed by iB, which
// changes nothing, or by B, which makes it powers of 1000. A letter alone has a
// 1 before it. The error is [ErrNumber], [ErrSuffix] or [ErrOverflow]; with the
// last, the number is the largest there is.
func Parse(s, suffixes string) (n uint64, err error) {
	s = strings.TrimLeft(s, " \t\n\v\f\r")
	s = strings.TrimPrefix(s, "+")
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	for _, d := range []byte(s[:digits]) {
		hi, lo := bits.Mul64(n, 10)
		sum, carry := bits.Add64(lo, uint64(d-'0'), 0)
		if hi|carry != 0 {
			err = ErrOverflow
		}
		n = sum
	}
	suffix := s[digits:]
	if digits == 0 {
		if suffix == "" || !has(suffixes, suffix[0]) {
			return 0, ErrNumber
		}
		n = 1
	}
	if err != nil {
		n = math.MaxUint64
	}
	if suffix == "" {
		return n, err
	}
	base, power, ok := multiplier(suffix, suffixes)
	if !ok {
		return n, ErrSuffix
	}
	for range power {
		hi, lo := bits.Mul64(n, base)
		if hi != 0 {
			return math.MaxUint64, ErrOverflow
		}
		n = lo
	}
	return n, err
}

// has reports whether letter is one of suffixes, of which 0 is none.
func has(suffixes string, letter byte) bool {
	return letter != '0' && strings.IndexByte(suffixes, letter) >= 0
}

// multiplier returns the factor that a suffix stands for, as a power of base.
func multiplier(suffix, suffixes string) (base uint64, power int, ok bool) {
	if !has(suffixes, suffix[0]) {
		return 0, 0, false
	}
	letter, rest := suffix[0], suffix[1:]
	base = 1024
	if strings.Contains(suffixes, "0") && strings.IndexByte("EGgkKMmPTtYZ", letter) >= 0 {
		switch rest {
		case "B", "D":
			base, rest = 1000, ""
		case "iB":
			rest = ""
		}
	}
	if rest != "" {
		return 0, 0, false
	}
	switch letter {
	case 'b':
		return 512, 1, true
	case 'B':
		return 1024, 1, true
	case 'c':
		return 1, 1, true
	case 'w':
		return 2, 1, true
	}
	if 'a' <= letter && letter <= 'z' {
		letter -= 'a' - 'A'
	}
	power = strings.IndexByte(Units, letter) + 1
	return base, power, power > 0
}
