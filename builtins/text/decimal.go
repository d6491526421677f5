package text

import (
	"math/big"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// A decimal is a number as an argument has it: digits / 10^scale, or an
// infinity.
type decimal struct {
	digits    *big.Int
	scale     int
	precision int  // digits after the point to show, if not hexFloat
	width     int  // of the number, written without an exponent
	inf       int  // -1 or 1 for an infinity, 0 for a number
	hexFloat  bool // written so that it has no natural precision
}

// maxExponent is the largest exponent of the C library's long double.
const maxExponent = 4932

// at returns the digits for a larger scale.
func (d *decimal) at(scale int) *big.Int {
	n := new(big.Int).Set(d.digits)
	return n.Mul(n, pow10(scale-d.scale))
}

func pow10(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }

// parseDecimal parses what strtold takes as a whole.
func parseDecimal(arg string) (d decimal, err error) {
	mistake := builtins.Usage("invalid floating point argument: %s", builtins.QuoteLocale(arg))
	text := strings.TrimPrefix(strings.TrimLeft(arg, " \t\n\v\f\r"), "+")
	d.digits, d.width = new(big.Int), len(text)
	body, negative := strings.CutPrefix(text, "-")
	if body == "" || body[0] == '+' || body[0] == '-' {
		return d, mistake
	}
	switch low := strings.ToLower(body); {
	case low == "inf" || low == "infinity":
		d.inf = 1
	case low == "nan":
		return d, builtins.Usage("invalid %s argument: %s", builtins.QuoteLocale("not-a-number"), builtins.QuoteLocale(arg))
	case strings.HasPrefix(low, "0x"):
		if !d.parseHex(low) {
			return d, mistake
		}
	default:
		if !d.parseDigits(low, text) {
			return d, mistake
		}
	}
	if negative {
		d.digits.Neg(d.digits)
		d.inf = -d.inf
	}
	return d, nil
}

// parseDigits parses digits with an optional point and exponent. text is the
// same with its sign.
func (d *decimal) parseDigits(body, text string) bool {
	mantissa, exponent, hasExponent := strings.Cut(body, "e")
	whole, fraction, point := strings.Cut(mantissa, ".")
	if whole+fraction == "" || strings.Trim(whole+fraction, "0123456789") != "" {
		return false
	}
	d.digits.SetString(whole+fraction, 10)
	d.scale, d.precision = len(fraction), len(fraction)
	if point {
		if fraction == "" {
			d.width--
		} else if whole == "" {
			d.width++
		}
	}
	if !hasExponent {
		return true
	}
	e, err := strconv.Atoi(exponent)
	if err != nil || e > maxExponent || e < -maxExponent {
		return false
	}
	d.width -= 1 + len(exponent)
	if e < 0 {
		d.precision -= e
		if !point {
			d.width++
		} else if fraction == "" {
			d.width++
		}
		d.width -= e
	} else {
		d.precision -= min(d.precision, e)
		if point && d.precision == 0 && fraction != "" {
			d.width--
		}
		d.width += e - min(len(fraction), e)
	}
	if d.scale -= e; d.scale < 0 {
		d.digits.Mul(d.digits, pow10(-d.scale))
		d.scale = 0
	}
	return true
}

// parseHex parses a hexadecimal integer or floating point number.
func (d *decimal) parseHex(body string) bool {
	d.width = 0
	mantissa, exponent, hasExponent := strings.Cut(body[2:], "p")
	whole, fraction, point := strings.Cut(mantissa, ".")
	d.hexFloat = point || hasExponent
	if _, ok := d.digits.SetString(whole+fraction, 16); !ok || strings.Trim(whole+fraction, "0123456789abcdef") != "" {
		return false
	}
	e := 0
	if hasExponent {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil || e > maxExponent || e < -maxExponent {
			return false
		}
	}
	if e -= 4 * len(fraction); e >= 0 {
		d.digits.Lsh(d.digits, uint(e))
		return true
	}
	d.scale = -e // n / 2^k is n * 5^k / 10^k
	d.digits.Mul(d.digits, new(big.Int).Exp(big.NewInt(5), big.NewInt(int64(d.scale)), nil))
	return true
}

// appendDecimal appends n / 10^scale with places digits after the point, where
// places <= scale, padded with zeros to width.
func appendDecimal(buf []byte, n *big.Int, scale, places, width int) []byte {
	digits := new(big.Int).Abs(n).Text(10)
	return appendPoint(buf, digits, n.Sign() < 0, scale, places, width)
}

// appendPoint appends digits with a point before the last scale of them, of
// which it shows the first places.
func appendPoint(buf []byte, digits string, negative bool, scale, places, width int) []byte {
	if len(digits) <= scale {
		digits = strings.Repeat("0", scale+1-len(digits)) + digits
	}
	whole, fraction := digits[:len(digits)-scale], digits[len(digits)-scale:][:places]
	length := len(whole)
	if places > 0 {
		length += 1 + places
	}
	if negative {
		buf = append(buf, '-')
		length++
	}
	for range width - length {
		buf = append(buf, '0')
	}
	buf = append(buf, whole...)
	if places > 0 {
		buf = append(append(buf, '.'), fraction...)
	}
	return buf
}
