package awk

import (
	"math"
	"math/bits"
	"strings"
)

// math1 returns the compilation of a function of one number.
func math1(name string, f func(float64) float64) func(*compiler, *builtinExpr) code {
	return func(c *compiler, x *builtinExpr) code {
		arg := c.expr(x.args[0])
		n := arg.num
		switch name {
		case "log", "sqrt":
			return numberCode(func(m *machine) float64 {
				v := n(m)
				if v < 0 {
					m.warn("%s: received negative argument %s", name, m.format(v, "%g"))
					return math.Copysign(math.NaN(), -1)
				}
				return f(v)
			}, false)
		case "exp":
			return numberCode(func(m *machine) float64 {
				v := n(m)
				r := f(v)
				if math.IsInf(r, 0) && !math.IsInf(v, 0) {
					m.warn("exp: argument %s is out of range", m.format(v, "%g"))
				}
				return r
			}, false)
		}
		return numberCode(func(m *machine) float64 {
			v := n(m)
			return invalid(f(v), v, v)
		}, arg.pure)
	}
}

func compileAtan2(c *compiler, x *builtinExpr) code {
	y, z := c.expr(x.args[0]), c.expr(x.args[1])
	return numberCode(func(m *machine) float64 {
		a := y.num(m)
		return math.Atan2(a, z.num(m))
	}, y.pure && z.pure)
}

func compileRand(*compiler, *builtinExpr) code {
	return numberCode(func(m *machine) float64 { return m.random.float() }, false)
}

func compileSrand(c *compiler, x *builtinExpr) code {
	seed := func(m *machine) float64 { return float64(m.call.Clock.Now().Unix()) }
	if len(x.args) == 1 {
		seed = c.expr(x.args[0]).num
	}
	return numberCode(func(m *machine) float64 {
		was := m.seed
		m.seed = math.Trunc(seed(m))
		m.random = newRandom(uint32(int64(clamp(m.seed, -1<<62, 1<<62))))
		return was
	}, false)
}

// bits returns an argument of a bitwise function.
func (m *machine) bits(name string, i int, n float64) uint64 {
	if n < 0 {
		m.fatal("%s: argument %d negative value %s is not allowed", name, i, m.format(n, "%g"))
	}
	return uint64(clamp(n, 0, 1<<63))
}

// fromBits returns u as a number. Of what does not fit, the high bits are lost.
func fromBits(u uint64) float64 {
	const precision = 53
	return float64(u & (1<<(precision+bits.TrailingZeros64(u)) - 1))
}

func bitwise(name string, f func(a, b uint64) uint64) func(*compiler, *builtinExpr) code {
	return func(c *compiler, x *builtinExpr) code {
		args := make([]func(*machine) float64, len(x.args))
		for i, arg := range x.args {
			args[i] = c.expr(arg).num
		}
		return numberCode(func(m *machine) float64 {
			u := m.bits(name, 1, args[0](m))
			for i, arg := range args[1:] {
				u = f(u, m.bits(name, i+2, arg(m)))
			}
			return fromBits(u)
		}, false)
	}
}

func shift(name string, f func(a, n uint64) uint64) func(*compiler, *builtinExpr) code {
	return func(c *compiler, x *builtinExpr) code {
		a, b := c.expr(x.args[0]).num, c.expr(x.args[1]).num
		return numberCode(func(m *machine) float64 {
			l := a(m)
			r := b(m)
			if l < 0 || r < 0 {
				m.fatal("%s(%f, %f): negative values are not allowed", name, l, r)
			}
			return fromBits(f(uint64(clamp(l, 0, 1<<63)), uint64(clamp(r, 0, 64))))
		}, false)
	}
}

func compileCompl(c *compiler, x *builtinExpr) code {
	n := c.expr(x.args[0]).num
	return numberCode(func(m *machine) float64 {
		v := n(m)
		if v < 0 {
			m.fatal("compl(%f): negative value is not allowed", v)
		}
		return fromBits(^uint64(clamp(v, 0, 1<<63)))
	}, false)
}

func compileStrtonum(c *compiler, x *builtinExpr) code {
	get := c.expr(x.args[0]).val
	return numberCode(func(m *machine) float64 {
		v := get(m)
		if n, ok := v.numeric(); ok && v.k != input {
			return n
		}
		return strtonum(m.str(&v))
	}, false)
}

// strtonum returns the number that s begins with; it may be octal or
// hexadecimal.
func strtonum(s string) float64 {
	if s == "" || s[0] != '0' {
		return toNumber(s)
	}
	end := 0
	if len(s) > 2 && s[1]|0x20 == 'x' && isHex(s[2]) {
		s = s[2:]
		for end < len(s) && isHex(s[end]) {
			end++
		}
		return parseRadix(s[:end], 16)
	}
	for end < len(s) && isDigit(s[end]) {
		end++
	}
	if strings.ContainsAny(s[:end], "89") || end < len(s) && strings.IndexByte(".eE", s[end]) >= 0 {
		return toNumber(s)
	}
	return parseRadix(s[:end], 8)
}
