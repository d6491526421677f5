package awk

// comparison compiles a comparison, of numbers or of strings where that can be
// told.
func (c *compiler) comparison(x *binaryExpr) code {
	a, b := c.expr(x.x), c.expr(x.y)
	pure := a.pure && b.pure
	switch {
	case a.kind == numeric && b.kind == numeric:
		return compareNumbers(x.op, a.num, b.num, pure)
	case a.kind == textual || b.kind == textual:
		return compareStrings(x.op, a, b)
	case a.field && b.kind == numeric && b.pure:
		return compareField(x.op, a, b)
	case a.ref != nil && b.kind == numeric && b.pure:
		return compareVariable(x.op, a, b)
	}
	p, q := a.val, b.val
	holds := relation(x.op)
	return truthCode(func(m *machine) bool {
		l := p(m)
		r := q(m)
		if l.k == number && r.k == number {
			return holds(order(l.n, r.n))
		}
		return holds(m.compare(&l, &r))
	}, pure)
}

// relation returns the test that op makes of the order of its operands.
func relation(op token) func(int) bool {
	switch op {
	case tLess:
		return func(c int) bool { return c == -1 }
	case tLessEq:
		return func(c int) bool { return c <= 0 }
	case tEqual:
		return func(c int) bool { return c == 0 }
	case tNotEqual:
		return func(c int) bool { return c != 0 }
	case tGreater:
		return func(c int) bool { return c == 1 }
	}
	return func(c int) bool { return c == 0 || c == 1 }
}

func compareNumbers(op token, p, q func(*machine) float64, pure bool) code {
	var f func(*machine) bool
	switch op {
	case tLess:
		f = func(m *machine) bool { return p(m) < q(m) }
	case tLessEq:
		f = func(m *machine) bool { return p(m) <= q(m) }
	case tEqual:
		f = func(m *machine) bool { return p(m) == q(m) }
	case tNotEqual:
		f = func(m *machine) bool { return p(m) != q(m) }
	case tGreater:
		f = func(m *machine) bool { return p(m) > q(m) }
	default:
		f = func(m *machine) bool { return p(m) >= q(m) }
	}
	return truthCode(f, pure)
}

// compareVariable compiles the comparison of a variable with a number.
func compareVariable(op token, a, b code) code {
	ref, q := a.ref, b.num
	holds := relation(op)
	slow := func(m *machine, p *value) bool {
		r := num(q(m))
		return holds(m.compare(p, &r))
	}
	var f func(*machine) bool
	switch op {
	case tLess:
		f = func(m *machine) bool {
			if p := ref(m); p.k != number {
				return slow(m, p)
			} else {
				return p.n < q(m)
			}
		}
	case tLessEq:
		f = func(m *machine) bool {
			if p := ref(m); p.k != number {
				return slow(m, p)
			} else {
				return p.n <= q(m)
			}
		}
	default:
		f = func(m *machine) bool {
			if p := ref(m); p.k != number {
				return slow(m, p)
			} else {
				return holds(order(p.n, q(m)))
			}
		}
	}
	return truthCode(f, true)
}

func compareStrings(op token, a, b code) code {
	pure := a.pure && b.pure
	if a.view != nil && b.fixed != nil {
		get, want := a.view, b.fixed.s
		switch op {
		case tEqual:
			return truthCode(func(m *machine) bool { return m.equal(get(m), want) }, pure)
		case tNotEqual:
			return truthCode(func(m *machine) bool { return !m.equal(get(m), want) }, pure)
		}
	}
	holds := relation(op)
	p, q := a.str, b.str
	return truthCode(func(m *machine) bool {
		l := p(m)
		return holds(m.collate(l, q(m)))
	}, pure)
}

// equal reports whether b is s, in whatever case if IGNORECASE says so.
func (m *machine) equal(b []byte, s string) bool {
	return string(b) == s || m.ignorecase && m.collate(string(b), s) == 0
}

// compareField compiles the comparison of a field with a number.
func compareField(op token, a, b code) code {
	holds := relation(op)
	get, p, q := a.view, a.val, b.num
	return truthCode(func(m *machine) bool {
		if n, ok := looksNumeric(get(m)); ok && len(m.rec.values) == 0 {
			return holds(order(n, q(m)))
		}
		l := p(m)
		r := num(q(m))
		return holds(m.compare(&l, &r))
	}, a.pure && b.pure)
}
