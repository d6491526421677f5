package printf

import (
	"bytes"
	"math/big"
	"slices"
	"strconv"
)

// sizeReal returns a bound for the memory that x in the form of d needs.
func (d *Directive) sizeReal(x Real) int {
	n := max(d.Precision, 6) + 32
	if d.Verb|0x20 == 'f' && !x.abs.IsInf() {
		n += max(x.abs.MantExp(nil), 0) * 31 / 100
	}
	if n > 1<<12 {
		n *= 2 // the digits are made apart
	}
	return max(d.Width, n)
}

// AppendReal appends x as f, e, g or a does, or their capitals.
func (d *Directive) AppendReal(dst []byte, x Real) []byte {
	sign := d.sign(x.negative)
	capital := d.Verb < 'a'
	if x.nan || x.abs.IsInf() {
		text := []byte("inf")
		if x.nan {
			text = []byte("nan")
		}
		if capital {
			upper(text)
		}
		return d.number(dst, sign, 0, text)
	}
	var text []byte
	switch d.Verb | 0x20 {
	case 'f':
		text = d.fixed(&x.abs, d.precision())
	case 'e':
		text = d.scientific(&x.abs, d.precision())
	case 'g':
		text = d.general(&x.abs)
	default:
		sign += "0x"
		text = d.hexadecimal(&x.abs)
	}
	if capital {
		upper(text)
		if d.Verb == 'A' {
			sign = sign[:len(sign)-1] + "X"
		}
	}
	zeros := 0
	if d.Zero && !d.Minus {
		zeros = max(d.Width-len(sign)-len(text), 0)
	}
	return d.number(dst, sign, zeros, text)
}

func (d *Directive) precision() int {
	if d.Precision < 0 {
		return 6
	}
	return d.Precision
}

func (d *Directive) fixed(x *big.Float, precision int) []byte {
	shown := min(precision, maxDigits*2)
	text := appendZeros(x.Append(nil, 'f', shown), precision-shown)
	if d.Alt && precision == 0 {
		text = append(text, '.')
	}
	return text
}

func (d *Directive) scientific(x *big.Float, precision int) []byte {
	shown := min(precision, maxDigits*2)
	text := x.Append(nil, 'e', shown)
	at := bytes.IndexByte(text, 'e')
	if precision > shown {
		exponent := string(text[at:])
		text = append(appendZeros(text[:at], precision-shown), exponent...)
	}
	if d.Alt && precision == 0 {
		text = append(text[:at:at], append([]byte("."), text[at:]...)...)
	}
	return text
}

// appendZeros appends the digits that no number has.
func appendZeros(text []byte, n int) []byte {
	text = slices.Grow(text, n)
	for range n {
		text = append(text, '0')
	}
	return text
}

// general chooses between the two forms by the exponent, and drops the zeros
// at the end.
func (d *Directive) general(x *big.Float) []byte {
	precision := max(d.precision(), 1)
	// No number has more digits; those beyond are zeros.
	text := x.Append(nil, 'e', min(precision, maxDigits*2)-1)
	at := bytes.IndexByte(text, 'e')
	exponent, _ := strconv.Atoi(string(text[at+1:]))
	if exponent < -4 || exponent >= precision {
		if d.Alt {
			return d.scientific(x, precision-1)
		}
		return append(trimZeros(text[:at:at]), text[at:]...)
	}
	if d.Alt {
		return d.fixed(x, precision-1-exponent)
	}
	return trimZeros(x.Append(nil, 'f', min(precision, maxDigits*2)-1-exponent))
}

// trimZeros returns text without the zeros at the end of its fraction.
func trimZeros(text []byte) []byte {
	if bytes.IndexByte(text, '.') < 0 {
		return text
	}
	return bytes.TrimSuffix(bytes.TrimRight(text, "0"), []byte("."))
}

// hexadecimal writes x without its 0x as the C library writes a long double:
// four bits of the mantissa stand before the point.
func (d *Directive) hexadecimal(x *big.Float) []byte {
	var m big.Float
	exponent := x.MantExp(&m)
	m.SetMantExp(&m, mantissa)
	bits, _ := m.Uint64()
	if lack := minExponent - exponent; bits != 0 && lack > 0 {
		bits >>= lack
		exponent = minExponent
	}
	if bits != 0 {
		exponent -= 4
	}
	if drop := 4 * (15 - d.Precision); d.Precision >= 0 && drop > 0 {
		rest := bits & (1<<drop - 1)
		bits >>= drop
		if half := uint64(1) << (drop - 1); rest > half || rest == half && bits&1 != 0 {
			bits++
		}
		if bits >= 1<<(mantissa-drop) {
			bits >>= 4
			exponent += 4
		}
		bits <<= drop
	}
	text := strconv.AppendUint(nil, bits, 16)
	text = append(bytes.Repeat([]byte("0"), mantissa/4-len(text)), text...)
	fraction := text[1:]
	if d.Precision < 0 {
		fraction = bytes.TrimRight(fraction, "0")
	} else {
		fraction = pad(fraction[:min(len(fraction), d.Precision)], '0', d.Precision-len(fraction))
	}
	out := append([]byte{}, text[0])
	if len(fraction) > 0 || d.Alt {
		out = append(append(out, '.'), fraction...)
	}
	out = append(out, 'p')
	if exponent >= 0 {
		out = append(out, '+')
	}
	return strconv.AppendInt(out, int64(exponent), 10)
}
