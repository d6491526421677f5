package text

import (
	"context"
	"math"
	"math/big"
	"strconv"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/printf"
)

var _ = commands.Add(&builtins.Command{
	Name:     "seq",
	Synopsis: "[OPTION]... [FIRST [INCREMENT]] LAST",
	Summary:  "print a sequence of numbers",
	Run:      runSeq,
})

// A sequence is what seq prints.
type sequence struct {
	call              *builtins.Call
	out               *output
	first, step, last decimal
	separator         string
	places            int // digits after the point
	width             int // of numbers, padded with zeros
	format            *floatFormat
	later             bool // a number has been printed
}

func runSeq(ctx context.Context, c *builtins.Call) (err error) {
	s := sequence{call: c, separator: "\n"}
	var format string
	var formatSet, equal bool
	f := c.Flags()
	f.Ordered = true
	f.Plain = func(arg string) bool { return arg[1] == '.' || isDigit(arg[1]) }
	f.Func("f,format", "print numbers in the `FORMAT` of printf for floating point", func(v string) error { format, formatSet = v, true; return nil })
	f.String(&s.separator, "s,separator", "separate the numbers with `STRING`, not a newline")
	f.Bool(&equal, "w,equal-width", "pad numbers with zeros to the same width")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	switch {
	case len(args) == 0:
		return f.Fail(builtins.Usage("missing operand"))
	case len(args) > 3:
		return f.Fail(extraOperand(args[3]))
	case formatSet:
		if s.format, err = parseFloatFormat(format); err != nil {
			return f.Fail(err)
		}
		if equal {
			return f.Fail(builtins.Usage("format string may not be specified when printing equal width strings"))
		}
	}
	if err := s.operands(args); err != nil {
		return f.Fail(err)
	}
	s.layout(equal)
	s.out = newOutput(c)
	defer s.out.close(&err)
	return s.print()
}

// operands parses the arguments.
func (s *sequence) operands(args []string) error {
	one := decimal{digits: big.NewInt(1), width: 1}
	s.first, s.step = one, one
	targets := []*decimal{&s.last}
	switch len(args) {
	case 2:
		targets = []*decimal{&s.first, &s.last}
	case 3:
		targets = []*decimal{&s.first, &s.step, &s.last}
	}
	for i, arg := range args {
		d, err := parseDecimal(arg)
		if err != nil {
			return err
		}
		*targets[i] = d
	}
	if s.step.inf == 0 && s.step.digits.Sign() == 0 {
		return builtins.Usage("invalid Zero increment value: %s", builtins.QuoteLocale(args[1]))
	}
	return nil
}

// layout decides on the form of the numbers.
func (s *sequence) layout(equal bool) {
	first, last := &s.first, &s.last
	if s.format == nil && (first.hexFloat || s.step.hexFloat || last.hexFloat) {
		s.format, _ = parseFloatFormat("%g")
		return
	}
	s.places = max(first.precision, s.step.precision)
	if equal {
		s.width = max(s.widthOf(first), s.widthOf(last))
	}
}

// widthOf returns the width of d with the places that are printed.
func (s *sequence) widthOf(d *decimal) int {
	w := d.width + s.places - d.precision
	if d.precision > 0 && s.places == 0 {
		w--
	}
	if d.precision == 0 && s.places > 0 {
		w++
	}
	return w
}

// print prints the numbers.
func (s *sequence) print() error {
	if s.first.inf != 0 || s.step.inf != 0 {
		return s.printInfinities()
	}
	scale := max(s.first.scale, s.step.scale, s.last.scale)
	first, step, last := s.first.at(scale), s.step.at(scale), s.last.at(scale)
	if s.last.inf != 0 {
		if s.last.inf != step.Sign() {
			return nil
		}
		// Print what fits in 64 bits, and then the rest.
		last.SetInt64(int64(s.last.inf) * math.MaxInt64)
	}
	count := new(big.Int).Sub(last, first)
	if count.Sign() == -step.Sign() {
		count.SetInt64(0)
	} else {
		count.Quo(count, step)
		count.Add(count, big.NewInt(1))
	}
	if s.format == nil && first.IsInt64() && step.IsInt64() && last.IsInt64() && count.IsInt64() {
		if err := s.printInts(first.Int64(), step.Int64(), count.Int64(), scale); err != nil {
			return err
		}
		first.Add(first, count.Mul(count, step))
		count.SetInt64(0)
	}
	if s.last.inf != 0 {
		count = nil
	}
	if err := s.printBig(first, step, count, scale); err != nil {
		return err
	}
	if s.later {
		s.out.buf = append(s.out.buf, '\n')
	}
	return nil
}

// next prints the separator before a number.
func (s *sequence) next() {
	if s.later {
		s.out.buf = append(s.out.buf, s.separator...)
	}
	s.later = true
}

// printInts prints count numbers that fit in 64 bits.
func (s *sequence) printInts(i, step, count int64, scale int) error {
	plain := scale == 0 && s.width == 0
	for ; count > 0; count-- {
		s.next()
		if plain {
			s.out.buf = strconv.AppendInt(s.out.buf, i, 10)
		} else {
			s.printInt(i, scale)
		}
		i += step // it may overflow after the last number
		if len(s.out.buf) >= blockSize {
			if err := s.call.Poll(blockSize >> 8); err != nil {
				return err
			}
			if err := s.out.flush(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *sequence) printInt(i int64, scale int) {
	var digits [20]byte
	size := uint64(i)
	if i < 0 {
		size = -size
	}
	text := strconv.AppendUint(digits[:0], size, 10)
	s.out.buf = appendPoint(s.out.buf, string(text), i < 0, scale, s.places, s.width)
}

// printBig prints count numbers; without end where count is nil.
func (s *sequence) printBig(x, step, count *big.Int, scale int) error {
	one := big.NewInt(1)
	for count == nil || count.Sign() > 0 {
		if err := s.call.Poll(1 + x.BitLen()>>8); err != nil {
			return err
		}
		s.next()
		if s.format == nil {
			s.out.buf = appendDecimal(s.out.buf, x, scale, s.places, s.width)
		} else if err := s.printFloat(quotient(x, scale)); err != nil {
			return err
		}
		if err := s.out.spill(); err != nil {
			return err
		}
		x.Add(x, step)
		if count != nil {
			count.Sub(count, one)
		}
	}
	return nil
}

// quotient returns x / 10^scale with the precision of the C library's long
// double.
func quotient(x *big.Int, scale int) *big.Float {
	q := new(big.Float).SetPrec(64).SetInt(x)
	if scale == 0 {
		return q
	}
	exact, _, _ := big.ParseFloat(string(appendDecimal(nil, x, scale, scale, 0)), 10, 64, big.ToNearestEven)
	return exact
}

// printFloat prints x in the format.
func (s *sequence) printFloat(x *big.Float) error {
	size := s.format.size()
	if err := s.call.Alloc(size); err != nil {
		return err
	}
	s.out.buf = s.format.append(s.out.buf, x)
	err := s.out.spill()
	s.call.Free(size)
	return err
}

// printInfinities prints a sequence that begins with infinity or gets there in
// one step.
func (s *sequence) printInfinities() error {
	direction := s.step.inf
	if direction == 0 {
		direction = s.step.digits.Sign()
	}
	value := func(d *decimal) *big.Float {
		if d.inf != 0 {
			return new(big.Float).SetInf(d.inf < 0)
		}
		return quotient(d.digits, d.scale)
	}
	if s.format == nil {
		s.format = &floatFormat{Directive: printf.Directive{Verb: 'f', Precision: s.places, Width: s.width, Zero: s.width > 0}}
	}
	last, x := value(&s.last), value(&s.first)
	for x.Cmp(last)*direction <= 0 {
		if err := s.call.Poll(1); err != nil {
			return err
		}
		s.next()
		if err := s.printFloat(x); err != nil {
			return err
		}
		if !x.IsInf() {
			x = new(big.Float).SetInf(direction < 0)
		}
	}
	if s.later {
		s.out.buf = append(s.out.buf, '\n')
	}
	return nil
}
