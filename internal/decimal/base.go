package decimal

import (
	"fmt"
	"math/big"
	"strings"
)

const digitLetters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"

// ParseBase returns the number that digits with an optional point stand for in
// a base. A digit that is too large for the base counts as the largest one,
// unless it is the only one before the point.
func ParseBase(s string, base int) (Num, error) {
	if base == 10 && strings.Trim(s, "0123456789.") == "" {
		return Parse(s)
	}
	if len(s) > MaxBits/8 {
		return Num{}, ErrTooLarge
	}
	whole, fraction, _ := strings.Cut(s, ".")
	n := digitsIn(whole, base)
	if len(whole) == 1 {
		n.SetInt64(int64(strings.IndexByte(digitLetters, whole[0])))
	}
	if fraction == "" {
		return Num{n, 0}, nil
	}
	divisor := new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(len(fraction))), nil)
	rest, err := Div(Num{digitsIn(fraction, base), 0}, Num{divisor, 0}, len(fraction))
	if err != nil {
		return Num{}, err
	}
	return Add(Num{n, 0}, rest), nil
}

// digitsIn returns the integer that digits stand for. Long ones are halved, for
// speed.
func digitsIn(s string, base int) *big.Int {
	if len(s) > 64 {
		half := len(s) / 2
		n := digitsIn(s[:half], base)
		n.Mul(n, new(big.Int).Exp(big.NewInt(int64(base)), big.NewInt(int64(len(s)-half)), nil))
		return n.Add(n, digitsIn(s[half:], base))
	}
	n := new(big.Int)
	b := big.NewInt(int64(base))
	for i := range len(s) {
		d := min(strings.IndexByte(digitLetters, s[i]), base-1)
		n.Add(n.Mul(n, b), big.NewInt(int64(d)))
	}
	return n
}

// Format returns x in a base of 2 or more. Digits of bases above 16 are decimal
// numbers of equal width, with a space before each.
func (x Num) Format(base int64) string {
	if base == 10 {
		return x.String()
	}
	if x.Sign() == 0 {
		return "0"
	}
	var b strings.Builder
	if x.Sign() < 0 {
		b.WriteByte('-')
		x = x.Neg()
	}
	width := len(fmt.Sprint(base - 1))
	digit := func(d int64, space bool) {
		switch {
		case base <= 16:
			b.WriteByte(digitLetters[d])
		case space:
			fmt.Fprintf(&b, " %0*d", width, d)
		default:
			fmt.Fprintf(&b, "%0*d", width, d)
		}
	}
	whole := x.Trunc(0)
	for _, d := range split(whole.int(), base) {
		digit(d, true)
	}
	if x.scale == 0 {
		return b.String()
	}
	b.WriteByte('.')
	unit := power(x.scale)
	fraction := new(big.Int).Sub(x.int(), new(big.Int).Mul(whole.int(), unit))
	big10, bigBase, d := one, big.NewInt(base), new(big.Int)
	for first := true; big10.Cmp(unit) < 0; first = false {
		fraction.Mul(fraction, bigBase)
		d.QuoRem(fraction, unit, fraction)
		digit(d.Int64(), !first)
		big10 = new(big.Int).Mul(big10, bigBase)
	}
	return b.String()
}

// split returns the digits of n in a base, the first one first.
func split(n *big.Int, base int64) []int64 {
	if n.Sign() == 0 {
		return nil
	}
	if base <= 16 {
		text := n.Text(int(base))
		list := make([]int64, len(text))
		for i := range len(text) {
			list[i] = int64(strings.IndexByte(digitLetters, strings.ToUpper(text[i : i+1])[0]))
		}
		return list
	}
	var list []int64
	rest, b, d := new(big.Int).Set(n), big.NewInt(base), new(big.Int)
	for rest.Sign() > 0 {
		rest.QuoRem(rest, b, d)
		list = append(list, d.Int64())
	}
	for i, j := 0, len(list)-1; i < j; i, j = i+1, j-1 {
		list[i], list[j] = list[j], list[i]
	}
	return list
}
