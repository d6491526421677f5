package printf

import (
	"math/big"
	"strings"
)

// A Real is a floating point number as C's long double is on x86: 64 bits of
// mantissa and 15 of exponent, an infinity or not a number. The zero Real is 0.
type Real struct {
	abs      big.Float // with precision 64; may be infinite
	negative bool
	nan      bool
}

// The exponents of long double, as those of a big.Float are counted.
const (
	mantissa    = 64
	maxExponent = 16384
	minExponent = -16381 // of a normal number
	tiniest     = minExponent - mantissa + 1
)

// Int returns n as a Real.
func Int(n int64) (x Real) {
	x.negative = n < 0
	x.abs.SetPrec(mantissa).SetUint64(uint64(max(n, -n)))
	return x
}

// Float returns f as a Real.
func Float(f float64) (x Real) {
	if f != f {
		x.nan = true
		return x
	}
	x.abs.SetPrec(mantissa).SetFloat64(f)
	x.negative = x.abs.Signbit()
	x.abs.Abs(&x.abs)
	return x
}

// BigFloat returns f, rounded, as a Real.
func BigFloat(f *big.Float) (x Real) {
	x.negative = f.Signbit()
	x.abs.SetPrec(mantissa).Abs(f)
	return x
}

// ParseReal reads a number as strtold does: decimal or hexadecimal, inf or
// nan. It returns how many bytes that takes, 0 if there is no number, and
// whether the number is too large or too small for a Real.
func ParseReal(s string) (x Real, n int, outOfRange bool) {
	x.abs.SetPrec(mantissa)
	i := space(s)
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		x.negative = s[i] == '-'
		i++
	}
	if n = x.word(s[i:]); n > 0 {
		return x, i + n, false
	}
	d := scanNumber(s[i:])
	if d.length == 0 {
		return Real{}, 0, false
	}
	outOfRange = x.set(d)
	return x, i + d.length, outOfRange
}

// word sets x to the infinity or the nan that s begins with, and returns its
// length.
func (x *Real) word(s string) int {
	lower := strings.ToLower(s[:min(len(s), 8)])
	switch {
	case strings.HasPrefix(lower, "infinity"):
		x.abs.SetInf(false)
		return 8
	case strings.HasPrefix(lower, "inf"):
		x.abs.SetInf(false)
		return 3
	case !strings.HasPrefix(lower, "nan"):
		return 0
	}
	x.nan = true
	if rest, ok := strings.CutPrefix(s[3:], "("); ok {
		end := strings.TrimLeft(rest, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_")
		if strings.HasPrefix(end, ")") {
			return 3 + 1 + len(rest) - len(end) + 1
		}
	}
	return 3
}

// A scanned number is digits times a power of its base: of 10, or of 2.
type scanned struct {
	hex      bool
	digits   []byte
	exponent int // in units of digits if decimal, of bits if not
	length   int
}

// maxDigits is how many digits of a number are told apart; no number that lies
// half way between two Reals has more.
const maxDigits = 12_000

// scanNumber reads the number that s begins with.
func scanNumber(s string) (d scanned) {
	i, base, unit, mark := 0, 10, 1, byte('e')
	if len(s) > 2 && s[0] == '0' && s[1]|0x20 == 'x' && (digit(s[2]) < 16 || s[2] == '.' && len(s) > 3 && digit(s[3]) < 16) {
		d.hex = true
		i, base, unit, mark = 2, 16, 4, 'p'
	}
	point, any, more := false, false, false
	for ; i < len(s); i++ {
		c := s[i]
		if c == '.' && !point {
			point = true
			continue
		}
		if digit(c) >= base {
			break
		}
		any = true
		switch {
		case len(d.digits) == 0 && c == '0':
		case len(d.digits) < maxDigits:
			d.digits = append(d.digits, c)
		default:
			more = more || c != '0'
			d.exponent += unit
		}
		if point {
			d.exponent -= unit
		}
	}
	if !any {
		return scanned{}
	}
	if more {
		d.digits = append(d.digits, '1')
		d.exponent -= unit
	}
	d.length = i
	if i < len(s) && s[i]|0x20 == mark {
		if e, n := scanExponent(s[i+1:]); n > 0 {
			d.exponent += e
			d.length += 1 + n
		}
	}
	return d
}

// scanExponent reads a decimal number with a sign, at most 10^8.
func scanExponent(s string) (e, n int) {
	sign := 1
	if s != "" && (s[0] == '-' || s[0] == '+') {
		if s[0] == '-' {
			sign = -1
		}
		n++
	}
	begin := n
	for ; n < len(s) && '0' <= s[n] && s[n] <= '9'; n++ {
		e = min(e*10+int(s[n]-'0'), 1e8)
	}
	if n == begin {
		return 0, 0
	}
	return sign * e, n
}

// set sets the magnitude of x to d, rounded to the nearest. It reports whether
// d is out of range.
func (x *Real) set(d scanned) (outOfRange bool) {
	if len(d.digits) == 0 {
		return false
	}
	const most = 10_000 // in either direction, that is out of range
	size := len(d.digits) + d.exponent
	if d.hex {
		size = (4*len(d.digits) + d.exponent) / 4
	}
	switch {
	case size > most:
		x.abs.SetInf(false)
		return true
	case size < -most:
		return true
	}
	var v big.Int
	exponent := 0
	if d.hex {
		v.SetString(string(d.digits), 16)
		exponent = d.exponent
	} else {
		v.SetString(string(d.digits), 10)
		exponent = scale(&v, d.exponent)
	}
	return x.round(&v, exponent)
}

// scale multiplies v by a power of ten. It returns a power of two that the
// result is to be multiplied by; the result is exact, or has more bits than a
// Real and ends in a bit that says that it is not.
func scale(v *big.Int, power int) (exponent int) {
	ten := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(max(power, -power))), nil)
	if power >= 0 {
		v.Mul(v, ten)
		return 0
	}
	shift := max(0, ten.BitLen()-v.BitLen()+mantissa+2)
	v.Lsh(v, uint(shift))
	var rest big.Int
	v.QuoRem(v, ten, &rest)
	v.Lsh(v, 1)
	if rest.Sign() != 0 {
		v.SetBit(v, 0, 1)
	}
	return -shift - 1
}

// round sets the magnitude of x to v times a power of two.
func (x *Real) round(v *big.Int, exponent int) (outOfRange bool) {
	if v.Sign() == 0 {
		return false
	}
	top := v.BitLen() + exponent
	bits := mantissa
	if top < minExponent {
		bits = top - tiniest + 1
	}
	if bits <= 0 {
		if bits == 0 && v.TrailingZeroBits() < uint(v.BitLen()-1) { // more than half of the tiniest
			x.abs.SetMantExp(big.NewFloat(0.5), tiniest)
		}
		return true
	}
	x.abs.SetPrec(uint(bits)).SetInt(v)
	exact := x.abs.Acc() == big.Exact
	x.abs.SetMantExp(&x.abs, exponent)
	x.abs.SetPrec(mantissa)
	if x.abs.MantExp(nil) > maxExponent {
		x.abs.SetInf(false)
		return true
	}
	return bits < mantissa && !exact
}
