package interp

// A binaryOp applies an operator.
type binaryOp func(sh *Shell, a, b int64) int64

// operator returns the operator op, whose right operand begins at at.
func (p *exprParser) operator(op string, at int) binaryOp {
	src, c, dollars := p.src, p.c, p.dollars
	fail := func(sh *Shell, msg string) int64 {
		all, token := src, src[min(at, len(src)):]
		if dollars {
			all, token = c.shown(sh, all), c.shown(sh, token)
		}
		sh.exprError(all, msg, token)
		return 0
	}
	switch op {
	case "/":
		return func(sh *Shell, a, b int64) int64 {
			switch {
			case b == 0:
				return fail(sh, "division by 0")
			case b == -1:
				return -a
			}
			return a / b
		}
	case "%":
		return func(sh *Shell, a, b int64) int64 {
			switch {
			case b == 0:
				return fail(sh, "division by 0")
			case b == -1:
				return 0
			}
			return a % b
		}
	case "**":
		return func(sh *Shell, a, b int64) int64 {
			if b < 0 {
				return fail(sh, "exponent less than 0")
			}
			return power(a, b)
		}
	}
	return plainOperators[op]
}

// shown returns an expression with the values of its $name, as messages have it.
func (c *compiler) shown(sh *Shell, src string) string {
	if t := c.expansion(src); t != nil {
		return t(sh)
	}
	return src
}

// power returns a to the power of b, modulo 2^64.
func power(a, b int64) int64 {
	n := int64(1)
	for ; b > 0; b >>= 1 {
		if b&1 != 0 {
			n *= a
		}
		a *= a
	}
	return n
}

var plainOperators = map[string]binaryOp{
	"+":  func(_ *Shell, a, b int64) int64 { return a + b },
	"-":  func(_ *Shell, a, b int64) int64 { return a - b },
	"*":  func(_ *Shell, a, b int64) int64 { return a * b },
	"&":  func(_ *Shell, a, b int64) int64 { return a & b },
	"|":  func(_ *Shell, a, b int64) int64 { return a | b },
	"^":  func(_ *Shell, a, b int64) int64 { return a ^ b },
	"<<": func(_ *Shell, a, b int64) int64 { return a << (uint64(b) & 63) },
	">>": func(_ *Shell, a, b int64) int64 { return a >> (uint64(b) & 63) },
	"==": func(_ *Shell, a, b int64) int64 { return int64(b2i(a == b)) },
	"!=": func(_ *Shell, a, b int64) int64 { return int64(b2i(a != b)) },
	"<":  func(_ *Shell, a, b int64) int64 { return int64(b2i(a < b)) },
	">":  func(_ *Shell, a, b int64) int64 { return int64(b2i(a > b)) },
	"<=": func(_ *Shell, a, b int64) int64 { return int64(b2i(a <= b)) },
	">=": func(_ *Shell, a, b int64) int64 { return int64(b2i(a >= b)) },
}

// combine compiles l op r. The commonest operators have closures of their own.
func combine(op string, l, r arith, apply binaryOp) arith {
	switch op {
	case "||":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) != 0 || r(sh) != 0)) }
	case "&&":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) != 0 && r(sh) != 0)) }
	case "+":
		return func(sh *Shell) int64 { return l(sh) + r(sh) }
	case "-":
		return func(sh *Shell) int64 { return l(sh) - r(sh) }
	case "*":
		return func(sh *Shell) int64 { return l(sh) * r(sh) }
	case "<":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) < r(sh))) }
	case "<=":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) <= r(sh))) }
	case "==":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) == r(sh))) }
	}
	return func(sh *Shell) int64 {
		a := l(sh)
		if sh.pending != ctlNone {
			return 0
		}
		b := r(sh)
		if sh.pending != ctlNone {
			return 0
		}
		return apply(sh, a, b)
	}
}

// constRight compiles l op n for a constant n.
func constRight(op string, l arith, n int64, r arith, apply binaryOp) arith {
	switch op {
	case "+":
		return func(sh *Shell) int64 { return l(sh) + n }
	case "-":
		return func(sh *Shell) int64 { return l(sh) - n }
	case "*":
		return func(sh *Shell) int64 { return l(sh) * n }
	case "<":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) < n)) }
	case "<=":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) <= n)) }
	case ">":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) > n)) }
	case ">=":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) >= n)) }
	case "==":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) == n)) }
	case "!=":
		return func(sh *Shell) int64 { return int64(b2i(l(sh) != n)) }
	case "%":
		if n > 0 {
			return func(sh *Shell) int64 { return l(sh) % n }
		}
	case "/":
		if n > 0 {
			return func(sh *Shell) int64 { return l(sh) / n }
		}
	}
	return combine(op, l, r, apply)
}
