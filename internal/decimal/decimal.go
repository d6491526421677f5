// Package decimal computes with decimal numbers of any precision in the manner
// of bc and dc: a number has a scale, the count of its digits after the point,
// and results are truncated to a scale and never rounded.
package decimal

import (
	"errors"
	"math/big"
	"strings"
)

// A Num is a number. It is immutable. The zero Num is 0.
type Num struct {
	n     *big.Int // times 10^scale; nil is 0
	scale int
}

// MaxBits bounds the size of numbers, so that no single operation takes long.
const MaxBits = 1 << 21

// The errors of operations.
var (
	ErrTooLarge = errors.New("number too large")
	ErrDivide   = errors.New("divide by zero")
	ErrNegative = errors.New("square root of a negative number")
	ErrExponent = errors.New("exponent too large")
)

var (
	zero = new(big.Int)
	one  = big.NewInt(1)
	ten  = big.NewInt(10)
)

// Int returns n.
func Int(n int64) Num { return Num{n: big.NewInt(n)} }

// New returns n / 10^scale. The caller gives up n.
func New(n *big.Int, scale int) Num { return Num{n, scale} }

// Parse returns the number that decimal digits with an optional point stand
// for.
func Parse(s string) (Num, error) {
	whole, fraction, _ := strings.Cut(s, ".")
	if len(whole)+len(fraction) > MaxBits/4 {
		return Num{}, ErrTooLarge
	}
	n, ok := new(big.Int).SetString("0"+whole+fraction, 10)
	if !ok {
		return Num{}, errors.New("invalid number")
	}
	return Num{n, len(fraction)}, nil
}

func (x Num) int() *big.Int {
	if x.n == nil {
		return zero
	}
	return x.n
}

// Unscaled returns x times 10 to the power of its scale. It must not be changed.
func (x Num) Unscaled() *big.Int { return x.int() }

// Scale returns the number of digits after the point.
func (x Num) Scale() int { return x.scale }

// Sign returns -1, 0 or 1.
func (x Num) Sign() int { return x.int().Sign() }

// Size returns about how many bytes x occupies.
func (x Num) Size() int { return 48 + x.int().BitLen()/8 }

// Length returns the number of digits that count, at least 1: those of the
// integer part without leading zeros, and all of the scale.
func (x Num) Length() int {
	digits := 0
	if whole := x.Trunc(0); whole.Sign() != 0 {
		digits = len(new(big.Int).Abs(whole.int()).String())
	}
	return max(digits+x.scale, 1)
}

// power returns 10^n.
func power(n int) *big.Int { return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil) }

// withScale returns the unscaled value of x at a scale, truncated.
func (x Num) withScale(scale int) *big.Int {
	switch {
	case scale > x.scale:
		return new(big.Int).Mul(x.int(), power(scale-x.scale))
	case scale < x.scale:
		return new(big.Int).Quo(x.int(), power(x.scale-scale))
	}
	return x.int()
}

// Trunc returns x with at most scale digits after the point.
func (x Num) Trunc(scale int) Num {
	if scale >= x.scale {
		return x
	}
	return Num{x.withScale(scale), scale}
}

// Extend returns x with scale digits after the point, truncated or filled with
// zeros.
func (x Num) Extend(scale int) (Num, error) {
	if err := checkDigits(scale - x.scale); err != nil {
		return Num{}, err
	}
	return Num{x.withScale(scale), scale}, nil
}

// Neg returns -x.
func (x Num) Neg() Num { return Num{new(big.Int).Neg(x.int()), x.scale} }

// Cmp compares x and y.
func (x Num) Cmp(y Num) int {
	scale := max(x.scale, y.scale)
	return x.withScale(scale).Cmp(y.withScale(scale))
}

// Int64 returns the integer part of x, and whether it fits.
func (x Num) Int64() (int64, bool) {
	n := x.withScale(0)
	return n.Int64(), n.IsInt64()
}

func check(bits int) error {
	if bits > MaxBits {
		return ErrTooLarge
	}
	return nil
}

// checkDigits checks a number of decimal digits.
func checkDigits(digits int) error {
	if digits > MaxBits/4 {
		return ErrTooLarge
	}
	return nil
}

// Add returns x + y, with the greater of their scales.
func Add(x, y Num) Num {
	scale := max(x.scale, y.scale)
	return Num{new(big.Int).Add(x.withScale(scale), y.withScale(scale)), scale}
}

// Sub returns x - y, with the greater of their scales.
func Sub(x, y Num) Num { return Add(x, y.Neg()) }

// Mul returns x * y, with as many digits as it has but not more than the
// greatest of scale and the scales of x and y.
func Mul(x, y Num, scale int) (Num, error) {
	if err := check(x.int().BitLen() + y.int().BitLen()); err != nil {
		return Num{}, err
	}
	product := Num{new(big.Int).Mul(x.int(), y.int()), x.scale + y.scale}
	return product.Trunc(max(scale, x.scale, y.scale)), nil
}

// Div returns x / y with scale digits.
func Div(x, y Num, scale int) (Num, error) {
	if y.Sign() == 0 {
		return Num{}, ErrDivide
	}
	shift := scale + y.scale - x.scale
	if err := checkDigits(max(shift, -shift)); err != nil {
		return Num{}, err
	}
	a, b := x.int(), y.int()
	if shift >= 0 {
		a = new(big.Int).Mul(a, power(shift))
	} else {
		b = new(big.Int).Mul(b, power(-shift))
	}
	if err := check(max(a.BitLen(), b.BitLen())); err != nil {
		return Num{}, err
	}
	return Num{new(big.Int).Quo(a, b), scale}, nil
}

// Mod returns what x / y with scale digits leaves of x.
func Mod(x, y Num, scale int) (Num, error) {
	_, r, err := DivMod(x, y, scale)
	return r, err
}

// DivMod returns x / y with scale digits and what that leaves of x.
func DivMod(x, y Num, scale int) (q, r Num, err error) {
	if q, err = Div(x, y, scale); err != nil {
		return q, r, err
	}
	rscale := max(x.scale, y.scale+scale)
	product, err := Mul(q, y, rscale)
	if err != nil {
		return q, r, err
	}
	if r, err = Sub(x, product).Extend(rscale); err != nil {
		return q, r, err
	}
	return q, r, nil
}

// Pow returns x to the power of the integer part of y. A negative power has
// scale digits; others have as many as they need but not more than scale and
// those of x.
func Pow(x, y Num, scale int) (Num, error) {
	n, ok := y.Int64()
	if !ok {
		return Num{}, ErrExponent
	}
	if n == 0 {
		return Int(1), nil
	}
	size := max(n, -n)
	if bits := int64(max(x.int().BitLen(), 1)); bits > 1 && size > MaxBits/(bits-1)+1 || int64(x.scale) > MaxBits/size {
		return Num{}, ErrTooLarge
	}
	p := Num{new(big.Int).Exp(x.int(), big.NewInt(size), nil), x.scale * int(size)}
	if n < 0 {
		return Div(Int(1), p, scale)
	}
	return p.Trunc(max(scale, x.scale)), nil
}

// Sqrt returns the square root of x, with the greater of scale and its own.
func Sqrt(x Num, scale int) (Num, error) {
	switch x.Sign() {
	case -1:
		return Num{}, ErrNegative
	case 0:
		return Num{}, nil
	}
	if x.Cmp(Int(1)) == 0 {
		return Int(1), nil
	}
	scale = max(scale, x.scale)
	if err := checkDigits(2 * scale); err != nil {
		return Num{}, err
	}
	return Num{new(big.Int).Sqrt(x.withScale(2 * scale)), scale}, nil
}

// String returns x in decimal digits, without a zero before the point.
func (x Num) String() string {
	if x.Sign() == 0 {
		return "0"
	}
	digits := new(big.Int).Abs(x.int()).String()
	if x.scale > 0 {
		if len(digits) <= x.scale {
			digits = strings.Repeat("0", x.scale-len(digits)+1) + digits
		}
		whole := digits[:len(digits)-x.scale]
		if whole == "0" {
			whole = ""
		}
		digits = whole + "." + digits[len(digits)-x.scale:]
	}
	if x.Sign() < 0 {
		return "-" + digits
	}
	return digits
}
