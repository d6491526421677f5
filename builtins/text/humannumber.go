package text

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
)

// The limits of the numbers of numfmt.
const (
	maxUnscaledDigits = 18
	maxAcceptedDigits = 33
)

// humanUnits are the suffixes of numfmt, by power.
const humanUnits = "KMGTPEZY"

// exactDigits is how many digits a long double holds for sure.
const exactDigits = 18

// newLongDouble returns 0 with the precision of C's long double on x86.
func newLongDouble() *big.Float { return new(big.Float).SetPrec(64) }

func power(base uint64, n int) *big.Float {
	b, result := newLongDouble().SetUint64(base), newLongDouble().SetUint64(1)
	for range n {
		result.Mul(result, b)
	}
	return result
}

// parse parses a number with an optional suffix, and returns the number of its
// digits after the point too.
func (n *numberFormatter) parse(input string) (value *big.Float, precision int, err error) {
	quoted := builtins.QuoteLocale(input)
	value = newLongDouble()
	s, negative := strings.CutPrefix(input, "-")
	ten := newLongDouble().SetUint64(10)
	digits, significant := 0, 0
	for s != "" && isDigit(s[0]) {
		digits++
		if significant > 0 || s[0] != '0' {
			significant++
		}
		if significant > maxAcceptedDigits-6 {
			return nil, 0, fmt.Errorf("value too large to be converted: %s", quoted)
		}
		value.Mul(value, ten)
		value.Add(value, newLongDouble().SetUint64(uint64(s[0]-'0')))
		s = s[1:]
	}
	if digits == 0 && !strings.HasPrefix(s, ".") {
		return nil, 0, fmt.Errorf("invalid number: %s", quoted)
	}
	if strings.HasPrefix(s, ".") {
		s = s[1:]
		fraction, exact := newLongDouble(), 0
		for s != "" && isDigit(s[0]) {
			precision++
			if exact > 0 || s[0] != '0' {
				exact++
			}
			fraction.Mul(fraction, ten)
			fraction.Add(fraction, newLongDouble().SetUint64(uint64(s[0]-'0')))
			s = s[1:]
		}
		if precision == 0 || precision > maxAcceptedDigits-6 {
			return nil, 0, fmt.Errorf("invalid number: %s", quoted)
		}
		significant = max(significant, exact)
		value.Add(value, fraction.Quo(fraction, power(10, precision)))
	}
	if negative {
		value.Neg(value)
	}
	if s != "" {
		var multiplier *big.Float
		if multiplier, s, err = n.parseUnit(s, quoted); err != nil {
			return nil, 0, err
		}
		value.Mul(value, multiplier)
		precision = 0
	}
	if s != "" {
		return nil, 0, fmt.Errorf("invalid suffix in input %s: %s", quoted, builtins.QuoteLocale(s))
	}
	if significant > exactDigits {
		n.advise("large input value %s: possible precision loss", quoted)
	}
	return value, precision, nil
}

// parseUnit parses the suffix at the beginning of s.
func (n *numberFormatter) parseUnit(s, quoted string) (multiplier *big.Float, rest string, err error) {
	s = strings.TrimLeft(s, " \t")
	i := -1
	if s != "" {
		i = strings.IndexByte(humanUnits, s[0])
	}
	switch {
	case i < 0:
		return nil, s, fmt.Errorf("invalid suffix in input: %s", quoted)
	case n.from == "none":
		return nil, s, fmt.Errorf("rejecting suffix in input: %s (consider using --from)", quoted)
	}
	s = s[1:]
	base := uint64(1000)
	switch n.from {
	case "auto":
		if strings.HasPrefix(s, "i") {
			base, s = 1024, s[1:]
		}
	case "iec":
		base = 1024
	case "iec-i":
		if !strings.HasPrefix(s, "i") {
			return nil, s, fmt.Errorf("missing 'i' suffix in input: %s (e.g Ki/Mi/Gi)", quoted)
		}
		base, s = 1024, s[1:]
	}
	return power(base, i+1), s, nil
}

// checkSize returns an error if a value has too many digits.
func (n *numberFormatter) checkSize(value *big.Float, precision int) error {
	digits := 0
	for x := newLongDouble().Abs(value); x.Cmp(newLongDouble().SetUint64(10)) >= 0; digits++ {
		x.Quo(x, newLongDouble().SetUint64(10))
	}
	short := value.Text('g', 6)
	switch {
	case n.to == "none" && digits+precision > maxUnscaledDigits:
		if precision > 0 {
			return fmt.Errorf("value/precision too large to be printed: '%s/%d' (consider using --to)", short, precision)
		}
		return fmt.Errorf("value too large to be printed: '%s' (consider using --to)", short)
	case digits > maxAcceptedDigits-7:
		return fmt.Errorf("value too large to be printed: '%s' (cannot handle values > 999Y)", short)
	}
	return nil
}

// scale returns a value as text, with a unit if that is wanted.
func (n *numberFormatter) scale(value *big.Float, precision int) string {
	zeros := func(text string) string {
		sign := ""
		if strings.HasPrefix(text, "-") {
			sign, text = "-", text[1:]
		}
		return sign + strings.Repeat("0", max(n.zeros-len(sign)-len(text), 0)) + text
	}
	if n.to == "none" {
		return zeros(n.rounded(value, precision).Text('f', precision))
	}
	base := newLongDouble().SetUint64(1024)
	if n.to == "si" {
		base.SetUint64(1000)
	}
	abs := func() *big.Float { return newLongDouble().Abs(value) }
	unit := 0
	for abs().Cmp(base) >= 0 {
		value = newLongDouble().Quo(value, base)
		unit++
	}
	ten := newLongDouble().SetUint64(10)
	places := 0
	switch {
	case n.precision >= 0:
		places = min(3*unit, n.precision)
	case abs().Cmp(ten) < 0:
		places = 1
	}
	value = n.rounded(value, places)
	if abs().Cmp(base) >= 0 {
		value = newLongDouble().Quo(value, base)
		unit++
	}
	show := 0
	if n.precision >= 0 {
		show = n.precision
	} else if value.Sign() != 0 && abs().Cmp(ten) < 0 && unit > 0 {
		show = 1
	}
	suffix := ""
	if unit > 0 {
		suffix = humanUnits[unit-1 : unit]
		if n.to == "iec-i" {
			suffix += "i"
		}
	}
	return zeros(value.Text('f', show)) + suffix
}

// rounded returns a value rounded to a number of places.
func (n *numberFormatter) rounded(value *big.Float, places int) *big.Float {
	shift := power(10, places)
	x := newLongDouble().Mul(value, shift)
	whole, accuracy := x.Int(nil)
	negative := x.Sign() < 0
	if accuracy != big.Exact {
		away := false
		switch n.round {
		case "up":
			away = !negative
		case "down":
			away = negative
		case "from-zero":
			away = true
		case "nearest":
			fraction := newLongDouble().Sub(x, newLongDouble().SetInt(whole))
			away = fraction.Abs(fraction).Cmp(big.NewFloat(0.5)) >= 0
		}
		if away {
			step := int64(1)
			if negative {
				step = -1
			}
			whole.Add(whole, big.NewInt(step))
		}
	}
	result := newLongDouble().SetInt(whole)
	return result.Quo(result, shift)
}
