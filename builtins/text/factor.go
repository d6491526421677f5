package text

import (
	"bytes"
	"context"
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

var _ = commands.Add(&builtins.Command{
	Name:     "factor",
	Synopsis: "[NUMBER]...",
	Summary:  "print the prime factors of numbers",
	Run:      runFactor,
})

// A factorer factors numbers.
type factorer struct {
	call *builtins.Call
	out  *output
}

func runFactor(ctx context.Context, c *builtins.Call) (err error) {
	args, err := c.Flags().Parse()
	if err != nil {
		return err
	}
	t := factorer{call: c, out: newOutput(c)}
	defer t.out.close(&err)
	for _, arg := range args {
		if err := t.print(arg); err != nil {
			return err
		}
	}
	if len(args) > 0 {
		return nil
	}
	err = eachLine(c, c.Stdin, '\n', func(line []byte) error {
		for _, word := range bytes.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' }) {
			if err := t.print(string(word)); err != nil {
				return err
			}
		}
		return t.out.spill()
	})
	return errnoError(err, "read error")
}

// print prints a number and its factors.
func (t *factorer) print(arg string) error {
	text := strings.TrimPrefix(strings.TrimLeft(arg, " "), "+")
	if text == "" || strings.Trim(text, "0123456789") != "" {
		t.call.Warn(fmt.Errorf("%s is not a valid positive integer", builtins.QuoteLocale(arg)))
		return nil
	}
	if n, err := strconv.ParseUint(text, 10, 64); err == nil {
		t.out.buf = append(strconv.AppendUint(t.out.buf, n, 10), ':')
		factors, err := t.factor(n)
		if err != nil {
			return err
		}
		for _, p := range factors {
			t.out.buf = strconv.AppendUint(append(t.out.buf, ' '), p, 10)
		}
		t.out.buf = append(t.out.buf, '\n')
		return t.out.spill()
	}
	n, _ := new(big.Int).SetString(text, 10)
	if err := t.call.Alloc(64 * len(text)); err != nil {
		return err
	}
	defer t.call.Free(64 * len(text))
	t.out.buf = append(n.Append(t.out.buf, 10), ':')
	factors, err := t.factorBig(n)
	if err != nil {
		return err
	}
	for _, p := range factors {
		t.out.buf = p.Append(append(t.out.buf, ' '), 10)
	}
	t.out.buf = append(t.out.buf, '\n')
	return t.out.spill()
}

// factor returns the prime factors of n in order.
func (t *factorer) factor(n uint64) ([]uint64, error) {
	var factors []uint64
	if n < 2 {
		return nil, nil
	}
	for p := uint64(2); p < 4096 && p*p <= n; p += 1 + p&1 {
		for n%p == 0 {
			factors = append(factors, p)
			n /= p
		}
	}
	for todo := []uint64{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case n == 1:
		case n < 4096*4096 || new(big.Int).SetUint64(n).ProbablyPrime(0):
			factors = append(factors, n)
		default:
			d, err := t.divisor(n)
			if err != nil {
				return nil, err
			}
			todo = append(todo, d, n/d)
		}
	}
	slices.Sort(factors)
	return factors, nil
}

// divisor returns a proper divisor of the odd composite n, by Pollard's rho.
func (t *factorer) divisor(n uint64) (uint64, error) {
	for c := uint64(1); ; c++ {
		step := func(x uint64) uint64 {
			hi, lo := bits.Mul64(x, x)
			_, r := bits.Div64(hi%n, lo, n)
			sum, carry := bits.Add64(r, c, 0)
			if carry != 0 || sum >= n {
				sum -= n
			}
			return sum
		}
		x, y, d := uint64(2), uint64(2), uint64(1)
		for d == 1 {
			if err := t.call.Poll(1); err != nil {
				return 0, err
			}
			product := uint64(1)
			x0, y0 := x, y
			for range 64 {
				x, y = step(x), step(step(y))
				hi, lo := bits.Mul64(product, max(x, y)-min(x, y))
				_, product = bits.Div64(hi%n, lo, n)
			}
			if d = gcd(product, n); d == n || d == 0 {
				// The factors came together: look at each step.
				for x, y, d = x0, y0, 1; d == 1; {
					x, y = step(x), step(step(y))
					d = gcd(max(x, y)-min(x, y), n)
				}
			}
		}
		if d != n {
			return d, nil
		}
	}
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// factorBig is factor for numbers above 64 bits.
func (t *factorer) factorBig(n *big.Int) ([]*big.Int, error) {
	var factors []*big.Int
	rest, r := new(big.Int), new(big.Int)
	for p := int64(2); p < 4096; p += 1 + p&1 {
		d := big.NewInt(p)
		for {
			if err := t.call.Poll(1 + n.BitLen()>>8); err != nil {
				return nil, err
			}
			if rest.QuoRem(n, d, r); r.Sign() != 0 {
				break
			}
			factors = append(factors, d)
			n = new(big.Int).Set(rest)
		}
	}
	for todo := []*big.Int{n}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		switch {
		case n.IsUint64():
			small, err := t.factor(n.Uint64())
			if err != nil {
				return nil, err
			}
			for _, p := range small {
				factors = append(factors, new(big.Int).SetUint64(p))
			}
		case n.ProbablyPrime(20):
			factors = append(factors, n)
		default:
			d, err := t.divisorBig(n)
			if err != nil {
				return nil, err
			}
			todo = append(todo, d, new(big.Int).Quo(n, d))
		}
	}
	slices.SortFunc(factors, (*big.Int).Cmp)
	return factors, nil
}

// divisorBig is divisor for numbers above 64 bits.
func (t *factorer) divisorBig(n *big.Int) (*big.Int, error) {
	one := big.NewInt(1)
	for c := int64(1); ; c++ {
		add := big.NewInt(c)
		step := func(x *big.Int) {
			x.Mul(x, x)
			x.Add(x, add)
			x.Mod(x, n)
		}
		x, y, d, diff := big.NewInt(2), big.NewInt(2), big.NewInt(1), new(big.Int)
		for d.Cmp(one) == 0 {
			if err := t.call.Poll(1 + n.BitLen()>>5); err != nil {
				return nil, err
			}
			step(x)
			step(y)
			step(y)
			d.GCD(nil, nil, diff.Abs(diff.Sub(x, y)), n)
		}
		if d.Cmp(n) != 0 {
			return d, nil
		}
	}
}
