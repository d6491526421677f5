package jq

import (
	"math"
	"strconv"
	"strings"
)

// parseNumber returns the number that text, which is one, means.
func parseNumber(text string) Value {
	if n, ok := parseShort(text); ok {
		return n
	}
	n, _ := strconv.ParseFloat(text, 64) // what is out of range is infinite
	if math.IsInf(n, 0) || exact(text, n) {
		return n
	}
	return Literal{n, text}
}

// parseShort is parseNumber for integers of up to 15 digits.
func parseShort(text string) (float64, bool) {
	i := 0
	if text[0] == '-' {
		i = 1
	}
	if len(text)-i > 15 || len(text) == i {
		return 0, false
	}
	n := int64(0)
	for ; i < len(text); i++ {
		if text[i] < '0' || text[i] > '9' {
			return 0, false
		}
		n = n*10 + int64(text[i]-'0')
	}
	if text[0] == '-' {
		return -float64(n), true
	}
	return float64(n), true
}

// exact reports whether the decimal number text is what n is printed as, though
// perhaps written in another way.
func exact(text string, n float64) bool {
	if len(text) <= 15 {
		return true
	}
	x, ex := digitsOf(text)
	y, ey := digitsOf(strconv.FormatFloat(n, 'e', -1, 64))
	return x == y && ex == ey
}

// digitsOf returns the significant digits of a number, and its exponent if these
// are a fraction that begins at the point.
func digitsOf(text string) (digits string, exponent int) {
	text = strings.TrimLeft(text, "-+")
	mantissa, exp, _ := strings.Cut(strings.ToLower(text), "e")
	exponent, _ = strconv.Atoi(exp)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	exponent += len(whole)
	digits = whole + fraction
	trimmed := strings.TrimLeft(digits, "0")
	exponent -= len(digits) - len(trimmed)
	digits = strings.TrimRight(trimmed, "0")
	if digits == "" {
		return "", 0
	}
	return digits, exponent
}

// appendNumber appends n as jq prints it: with up to 17 digits, as few as tell
// it from any other number.
func appendNumber(b []byte, n float64) []byte {
	switch {
	case n != n:
		return append(b, "null"...)
	case n > math.MaxFloat64:
		n = math.MaxFloat64
	case n < -math.MaxFloat64:
		n = -math.MaxFloat64
	}
	if i := int64(n); float64(i) == n && i > -1e15 && i < 1e15 && (i != 0 || !math.Signbit(n)) {
		return strconv.AppendInt(b, i, 10)
	}
	var scratch [32]byte
	e := strconv.AppendFloat(scratch[:0], n, 'e', -1, 64)
	if e[0] == '-' {
		b, e = append(b, '-'), e[1:]
	}
	at := strings.IndexByte(string(e), 'e')
	exponent, _ := strconv.Atoi(string(e[at+1:]))
	digits := 1
	if at > 1 {
		digits = at - 1
	}
	// The point is behind the digit number exponent+1.
	if exponent+1 > -4 && exponent+1 <= digits+15 {
		return strconv.AppendFloat(b, math.Abs(n), 'f', -1, 64)
	}
	return append(b, e...)
}
