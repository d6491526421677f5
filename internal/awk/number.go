package awk

import (
	"math"
	"strconv"
)

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// bytesOrString is text in either of the forms in which it is held.
type bytesOrString interface{ []byte | string }

// toNumber returns the number that s begins with, after white space, or 0.
func toNumber[T bytesOrString](s T) float64 {
	n, _ := scanNumber(s)
	return n
}

// looksNumeric returns the number that s is, but for white space around it, and
// whether it is one.
func looksNumeric[T bytesOrString](s T) (float64, bool) {
	if len(s) == 0 {
		return 0, false
	}
	// Most text that is not a number shows it at once.
	if c := s[0]; c > '9' {
		return 0, false
	}
	n, end := scanNumber(s)
	if end == 0 {
		return 0, false
	}
	for ; end < len(s); end++ {
		if !isSpace(s[end]) {
			return 0, false
		}
	}
	return n, true
}

// scanNumber returns the decimal number that s begins with, after white space,
// and where it ends; 0 and 0 if there is none.
func scanNumber[T bytesOrString](s T) (n float64, end int) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	start := i
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	digits := i
	var u uint64
	for i < len(s) && isDigit(s[i]) {
		u = u*10 + uint64(s[i]-'0')
		i++
	}
	if i-digits > 0 && i-digits <= 15 && (i == len(s) || s[i] != '.' && s[i]|0x20 != 'e') {
		if neg {
			return -float64(u), i
		}
		return float64(u), i
	}
	if i == digits && start != digits && len(s)-i >= 3 {
		if n, ok := namedNumber(string(s[start:])); ok {
			return n, i + 3
		}
	}
	return scanFloat(s, start, digits, i, u)
}

// namedNumber returns the number that s, which has a sign, names: inf or nan,
// in either case, with nothing but white space after it.
func namedNumber(s string) (float64, bool) {
	if len(s) > 4 && !isSpace(s[4]) {
		return 0, false
	}
	sign := 1.0
	if s[0] == '-' {
		sign = -1
	}
	switch string([]byte{s[1] | 0x20, s[2] | 0x20, s[3] | 0x20}) {
	case "inf":
		return math.Inf(int(sign)), true
	case "nan":
		return math.Copysign(math.NaN(), sign), true
	}
	return 0, false
}

// pow10 has the powers of ten that a float64 holds exactly.
var pow10 = [...]float64{1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22}

// scanFloat finishes scanNumber for a number whose integer part, of the value
// u, is s[digits:i].
func scanFloat[T bytesOrString](s T, start, digits, i int, u uint64) (float64, int) {
	whole := i - digits
	fraction := 0
	if i < len(s) && s[i] == '.' {
		j := i + 1
		for j < len(s) && isDigit(s[j]) {
			u = u*10 + uint64(s[j]-'0')
			j++
		}
		fraction = j - i - 1
		if whole+fraction == 0 {
			return 0, 0
		}
		i = j
	}
	if whole+fraction == 0 {
		return 0, 0
	}
	exponent := false
	if i < len(s) && s[i]|0x20 == 'e' {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		if j < len(s) && isDigit(s[j]) {
			for j < len(s) && isDigit(s[j]) {
				j++
			}
			i, exponent = j, true
		}
	}
	if !exponent && whole+fraction <= 15 {
		n := float64(u) / pow10[fraction]
		if s[start] == '-' {
			n = -n
		}
		return n, i
	}
	n, _ := strconv.ParseFloat(string(s[start:i]), 64) // out of range is ±Inf
	return n, i
}

// integerKey reports whether s is how an integer of 32 bits is written, and
// which.
func integerKey[T bytesOrString](s T) (int, bool) {
	if len(s) == 0 || len(s) > 11 {
		return 0, false
	}
	i, neg := 0, false
	if s[0] == '-' {
		if len(s) == 1 {
			return 0, false
		}
		i, neg = 1, true
	}
	if s[i] == '0' {
		return 0, len(s) == 1
	}
	n := 0
	for ; i < len(s); i++ {
		if !isDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	if neg {
		n = -n
	}
	return n, n >= math.MinInt32 && n <= math.MaxInt32
}
