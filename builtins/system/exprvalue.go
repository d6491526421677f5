package system

import (
	"math/big"
	"strings"
	"unicode/utf8"
)

// An exprValue is a value of expr: a text, or a number whose text has not been
// asked for.
type exprValue struct {
	str string
	num *big.Int // nil for a text
}

func stringValue(s string) exprValue { return exprValue{str: s} }
func intValue(n int) exprValue       { return exprValue{num: big.NewInt(int64(n))} }

func boolValue(b bool) exprValue {
	if b {
		return intValue(1)
	}
	return intValue(0)
}

func (v exprValue) text() string {
	if v.num != nil {
		return v.num.String()
	}
	return v.str
}

// null reports whether v counts as false: it is empty or zero.
func (v exprValue) null() bool {
	if v.num != nil {
		return v.num.Sign() == 0
	}
	digits := strings.TrimPrefix(v.str, "-")
	return v.str == "" || digits != "" && strings.Trim(digits, "0") == ""
}

// integer returns v as a number, or nil where it is none.
func (v exprValue) integer() *big.Int {
	if v.num != nil {
		return v.num
	}
	digits := strings.TrimPrefix(v.str, "-")
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return nil
	}
	n, _ := new(big.Int).SetString(v.str, 10)
	return n
}

func (v exprValue) arithmetic(op string, w exprValue) (exprValue, error) {
	a, b := v.integer(), w.integer()
	if a == nil || b == nil {
		return exprValue{}, errNonInteger
	}
	n := new(big.Int)
	switch op {
	case "+":
		n.Add(a, b)
	case "-":
		n.Sub(a, b)
	case "*":
		n.Mul(a, b)
	default:
		if b.Sign() == 0 {
			return exprValue{}, errDivision
		}
		if op == "/" {
			n.Quo(a, b)
		} else {
			n.Rem(a, b)
		}
	}
	return exprValue{num: n}, nil
}

// compare compares numbers as such, and anything else as text.
func (v exprValue) compare(op string, w exprValue) exprValue {
	var n int
	if a, b := v.integer(), w.integer(); a != nil && b != nil {
		n = a.Cmp(b)
	} else {
		n = strings.Compare(v.text(), w.text())
	}
	switch op {
	case "<":
		return boolValue(n < 0)
	case "<=":
		return boolValue(n <= 0)
	case "=", "==":
		return boolValue(n == 0)
	case "!=":
		return boolValue(n != 0)
	case ">=":
		return boolValue(n >= 0)
	}
	return boolValue(n > 0)
}

// substring returns length characters of v from position pos on, which counts
// from 1.
func (v exprValue) substring(pos, length exprValue) exprValue {
	p, l := pos.integer(), length.integer()
	if p == nil || l == nil || p.Sign() <= 0 || l.Sign() <= 0 {
		return stringValue("")
	}
	s := v.text()
	size := big.NewInt(int64(len(s)))
	if p.Cmp(size) > 0 {
		return stringValue("")
	}
	if l.Cmp(size) > 0 {
		l = size
	}
	s = skipChars(s, int(p.Int64())-1)
	rest := skipChars(s, int(l.Int64()))
	return stringValue(s[:len(s)-len(rest)])
}

func skipChars(s string, n int) string {
	for ; n > 0 && s != ""; n-- {
		_, size := utf8.DecodeRuneInString(s)
		s = s[size:]
	}
	return s
}

// charCount returns the number of characters of s, each byte that is none
// counting as one.
func charCount(s string) int { return utf8.RuneCountInString(s) }

// indexAny returns the position of the first character of s that is in set,
// which counts from 1, or 0.
func indexAny(s, set string) int {
	for n := 1; s != ""; n++ {
		_, size := utf8.DecodeRuneInString(s)
		if strings.Contains(set, s[:size]) {
			return n
		}
		s = s[size:]
	}
	return 0
}
