package awk

import (
	"math"
	"strconv"
)

// A kind says what a value is. POSIX awk calls input that looks like a number a
// "numeric string"; whether it looks like one is decided only when it matters.
type kind uint8

const (
	absent   kind = iota // no value: an array element that does not exist
	unset                // never assigned: both "" and 0
	number               // n
	text                 // s
	input                // s comes from outside: a number if it looks like one
	pattern              // s is the source of a strongly typed regexp, @/…/
	arrayRef             // arr: a variable, parameter or element that is an array
)

// A value is the value of an expression.
type value struct {
	s   string
	n   float64
	arr *array
	k   kind
}

func num(n float64) value { return value{k: number, n: n} }
func str(s string) value  { return value{k: text, s: s} }

// given returns a value that comes from outside the program.
func given(s string) value { return value{k: input, s: s} }

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// num returns v as a number.
func (v *value) num() float64 {
	switch v.k {
	case number:
		return v.n
	case text, input, pattern:
		return toNumber(v.s)
	}
	return 0
}

// toNumber is v.num, with the work counted.
func (m *machine) toNumber(v *value) float64 {
	if len(v.s) >= counted {
		m.poll(len(v.s) >> 6)
	}
	return v.num()
}

// numeric reports whether v is a number or looks like one, and which.
func (v *value) numeric() (float64, bool) {
	switch v.k {
	case number:
		return v.n, true
	case input:
		return looksNumeric(v.s)
	case unset:
		return 0, true
	}
	return 0, false
}

// test returns v as a condition.
func (v *value) test() bool {
	switch v.k {
	case number:
		return v.n != 0
	case text, pattern:
		return v.s != ""
	case input:
		if n, ok := looksNumeric(v.s); ok {
			return n != 0
		}
		return v.s != ""
	}
	return false
}

// compare returns the order of a and b: as numbers if both are numeric, as
// strings otherwise. It is 2 where a number is not a number.
func (m *machine) compare(a, b *value) int {
	if x, ok := a.numeric(); ok {
		if y, ok := b.numeric(); ok {
			return order(x, y)
		}
	}
	return m.collate(m.str(a), m.str(b))
}

func order(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	case x == y:
		return 0
	}
	return 2
}

// str returns v as a string, converting numbers with CONVFMT.
func (m *machine) str(v *value) string {
	switch v.k {
	case number:
		return m.format(v.n, m.convfmt)
	case arrayRef:
		m.fatal("attempt to use array `%s' in a scalar context", v.arr.name)
	}
	return v.s
}

// format returns n as a string: integers in full, others as layout has it.
func (m *machine) format(n float64, layout string) string {
	if i := int64(n); float64(i) == n && i >= 0 && i < int64(len(smallInts)) {
		return smallInts[i]
	}
	return string(m.appendNumber(m.num[:0], n, layout))
}

// smallInts has the text of the numbers that programs use most.
var smallInts = func() (table [256]string) {
	for i := range table {
		table[i] = strconv.Itoa(i)
	}
	return table
}()

// appendNumber appends n as a string: integers in full, others as layout has
// it.
func (m *machine) appendNumber(b []byte, n float64, layout string) []byte {
	if n > -1e15 && n < 1e15 {
		if i := int64(n); float64(i) == n {
			return strconv.AppendInt(b, i, 10)
		}
	} else if special, ok := infOrNaN(n); ok {
		return append(b, special...)
	} else if n == math.Trunc(n) {
		return strconv.AppendFloat(b, n, 'f', 0, 64)
	}
	if layout == "%.6g" {
		return strconv.AppendFloat(b, n, 'g', 6, 64)
	}
	return m.sprintf(b, layout, []value{num(n)})
}

// infOrNaN returns the text of a number that has no digits.
func infOrNaN(n float64) (string, bool) {
	switch {
	case math.IsInf(n, 1):
		return "+inf", true
	case math.IsInf(n, -1):
		return "-inf", true
	case n != n && math.Signbit(n):
		return "-nan", true
	case n != n:
		return "+nan", true
	}
	return "", false
}
