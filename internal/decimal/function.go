package decimal

import (
	"math/big"
)

// A Budget is asked before work is done; its error ends it.
type Budget interface {
	Poll(steps int) error
}

// A fixed computes with integers that stand for multiples of 10^-digits.
type fixed struct {
	budget Budget
	digits int
	unit   *big.Int
	err    error
}

func newFixed(b Budget, digits int) *fixed {
	return &fixed{budget: b, digits: digits, unit: power(digits)}
}

// from returns x as a fixed-point number.
func (f *fixed) from(x Num) *big.Int { return new(big.Int).Set(x.withScale(f.digits)) }

// result returns a fixed-point number with scale digits.
func (f *fixed) result(n *big.Int, scale int) (Num, error) {
	return Num{n, f.digits}.Trunc(scale), f.err
}

// step counts the work of one turn of a loop, and reports whether to go on.
func (f *fixed) step() bool {
	if f.err == nil && f.budget != nil {
		f.err = f.budget.Poll(1 + f.digits/64)
	}
	return f.err == nil
}

func (f *fixed) mul(a, b *big.Int) *big.Int {
	n := new(big.Int).Mul(a, b)
	return n.Quo(n, f.unit)
}

func (f *fixed) div(a, b *big.Int) *big.Int {
	n := new(big.Int).Mul(a, f.unit)
	return n.Quo(n, b)
}

func (f *fixed) sqrt(a *big.Int) *big.Int {
	n := new(big.Int).Mul(a, f.unit)
	return n.Sqrt(n)
}

// guard is how many digits are computed beyond those that are asked for.
const guard = 12

// Exp returns e to the power of x.
func Exp(x Num, scale int, b Budget) (Num, error) {
	n, ok := x.Int64()
	if size := max(n, -n); !ok || size > MaxBits/4 || checkDigits(scale+int(size)) != nil {
		if x.Sign() < 0 {
			return Num{new(big.Int), scale}, nil
		}
		return Num{}, ErrTooLarge
	}
	size := int(max(n, -n))
	f := newFixed(b, scale+guard+size/2+x.scale)
	value := f.exp(f.from(x))
	return f.result(value, scale)
}

func (f *fixed) exp(x *big.Int) *big.Int {
	negative := x.Sign() < 0
	x = new(big.Int).Abs(x)
	halvings := 0
	for limit := new(big.Int).Quo(f.unit, big.NewInt(256)); x.Cmp(limit) > 0; halvings++ {
		x.Rsh(x, 1)
	}
	g := newFixed(f.budget, f.digits+halvings)
	x.Mul(x, power(halvings))
	sum, term := new(big.Int).Add(g.unit, x), new(big.Int).Set(x)
	for i := int64(2); term.Sign() != 0 && g.step(); i++ {
		term = g.mul(term, x)
		term.Quo(term, big.NewInt(i))
		sum.Add(sum, term)
	}
	for range halvings {
		sum = g.mul(sum, sum)
	}
	if negative {
		sum = g.div(g.unit, sum)
	}
	f.err = g.err
	return sum.Quo(sum, power(halvings))
}

// Log returns the natural logarithm of x, which is positive.
func Log(x Num, scale int, b Budget) (Num, error) {
	f := newFixed(b, scale+guard+x.scale)
	value := f.log(f.from(x))
	return f.result(value, scale)
}

func (f *fixed) log(x *big.Int) *big.Int {
	// x = y * 2^k with y about 1; then square roots until the series is fast.
	k := x.BitLen() - f.unit.BitLen()
	y := new(big.Int).Set(x)
	if k > 0 {
		y.Rsh(y, uint(k))
	} else {
		y.Lsh(y, uint(-k))
	}
	roots := 0
	for limit := new(big.Int).Quo(f.unit, big.NewInt(64)); roots < 8 && f.step(); roots++ {
		if new(big.Int).Abs(new(big.Int).Sub(y, f.unit)).Cmp(limit) < 0 {
			break
		}
		y = f.sqrt(y)
	}
	sum := f.atanh(f.div(new(big.Int).Sub(y, f.unit), new(big.Int).Add(y, f.unit)))
	sum.Lsh(sum, uint(roots+1))
	if k != 0 {
		third := f.atanh(f.div(f.unit, new(big.Int).Mul(f.unit, big.NewInt(3)))) // ln 2 is twice that
		sum.Add(sum, third.Mul(third, big.NewInt(2*int64(k))))
	}
	return sum
}

func (f *fixed) atanh(z *big.Int) *big.Int {
	square := f.mul(z, z)
	sum, term := new(big.Int).Set(z), new(big.Int).Set(z)
	for i := int64(3); term.Sign() != 0 && f.step(); i += 2 {
		term = f.mul(term, square)
		sum.Add(sum, new(big.Int).Quo(term, big.NewInt(i)))
	}
	return sum
}

// Atan returns the arc tangent of x.
func Atan(x Num, scale int, b Budget) (Num, error) {
	f := newFixed(b, scale+guard+x.scale)
	value := f.atan(f.from(x))
	return f.result(value, scale)
}

func (f *fixed) atan(x *big.Int) *big.Int {
	z := new(big.Int).Set(x)
	halvings := 0
	for limit := new(big.Int).Quo(f.unit, big.NewInt(10)); z.CmpAbs(limit) > 0 && f.step(); halvings++ {
		root := f.sqrt(new(big.Int).Add(f.unit, f.mul(z, z)))
		z = f.div(z, root.Add(root, f.unit))
	}
	square := f.mul(z, z)
	sum, term := new(big.Int).Set(z), new(big.Int).Set(z)
	for i := int64(3); term.Sign() != 0 && f.step(); i += 2 {
		term = f.mul(term, square)
		part := new(big.Int).Quo(term, big.NewInt(i))
		if i%4 == 3 {
			part.Neg(part)
		}
		sum.Add(sum, part)
	}
	return sum.Lsh(sum, uint(halvings))
}

// Sin returns the sine of x.
func Sin(x Num, scale int, b Budget) (Num, error) { return circular(x, scale, b, false) }

// Cos returns the cosine of x.
func Cos(x Num, scale int, b Budget) (Num, error) { return circular(x, scale, b, true) }

func circular(x Num, scale int, b Budget, cosine bool) (Num, error) {
	whole := len(x.withScale(0).String())
	f := newFixed(b, scale+guard+whole+x.scale)
	value := f.circular(f.from(x), cosine)
	return f.result(value, scale)
}

func (f *fixed) circular(x *big.Int, cosine bool) *big.Int {
	quarter := f.atan(f.unit) // of pi
	half := new(big.Int).Lsh(quarter, 1)
	if cosine {
		x = new(big.Int).Add(x, half)
	}
	// x = n * half + r with r about 0
	n, r := new(big.Int).DivMod(x, half, new(big.Int))
	if r.Cmp(quarter) > 0 {
		r.Sub(r, half)
		n.Add(n, one)
	}
	odd := n.Bit(0) == 1
	square := f.mul(r, r)
	sum, term, i := new(big.Int).Set(r), new(big.Int).Set(r), int64(2)
	if odd {
		sum, term, i = new(big.Int).Set(f.unit), new(big.Int).Set(f.unit), 1
	}
	for ; term.Sign() != 0 && f.step(); i += 2 {
		term = f.mul(term, square)
		term.Quo(term, big.NewInt(-i*(i+1)))
		sum.Add(sum, term)
	}
	if n.Bit(1) == 1 {
		sum.Neg(sum)
	}
	return sum
}

// Bessel returns the Bessel function of the first kind of the integer order n.
func Bessel(n int64, x Num, scale int, b Budget) (Num, error) {
	negate := n < 0 && n%2 != 0
	n = max(n, -n)
	whole, _ := x.Int64()
	if size := max(whole, -whole); n > 1<<20 || size > 1<<16 {
		return Num{}, ErrTooLarge
	}
	f := newFixed(b, scale+guard+int(max(whole, -whole))+x.scale)
	half := new(big.Int).Rsh(f.from(x), 1)
	term := new(big.Int).Set(f.unit)
	for i := int64(1); i <= n && f.step(); i++ {
		term = f.mul(term, half)
		term.Quo(term, big.NewInt(i))
	}
	square := f.mul(half, half)
	sum := new(big.Int).Set(term)
	for i := int64(1); term.Sign() != 0 && f.step(); i++ {
		term = f.mul(term, square)
		term.Quo(term, big.NewInt(-i*(n+i)))
		sum.Add(sum, term)
	}
	if negate {
		sum.Neg(sum)
	}
	return f.result(sum, scale)
}
