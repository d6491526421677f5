package awk

// ref compiles a variable to what finds its slot.
func (c *compiler) ref(v *variable) func(*machine) *value {
	slot := v.slot
	if v.local {
		return func(m *machine) *value { return &m.stack[m.base+slot] }
	}
	p := &c.m.globals[slot]
	return func(*machine) *value { return p }
}

func (c *compiler) variable(v *variable) code {
	switch sp := v.special; {
	case sp == spNF:
		return numberCode(func(m *machine) float64 { return float64(m.rec.count()) }, true)
	case sp == spNR:
		return numberCode(func(m *machine) float64 { return m.nr }, true)
	case sp == spFNR:
		return numberCode(func(m *machine) float64 { return m.fnr }, true)
	case sp == spRT:
		return valueCode(func(m *machine) value { return m.readSpecial(sp) }, true)
	case v.local:
		return refCode(c.ref(v))
	}
	p := &c.m.globals[v.slot]
	out := refCode(func(*machine) *value { return p })
	out.num = func(m *machine) float64 {
		if p.k == number {
			return p.n
		}
		return m.toNumber(p)
	}
	return out
}

// store compiles an assignment to x of a value that is there already.
func (c *compiler) store(x expr) func(*machine, value) {
	switch x := x.(type) {
	case *varExpr:
		if sp := x.v.special; sp.live() {
			return func(m *machine, v value) { m.writeSpecial(sp, v) }
		}
		ref, grows := c.ref(x.v), x.v.grows
		return func(m *machine, v value) {
			p := ref(m)
			if p.k == arrayRef {
				m.scalarContext(p)
			}
			if grows != nil && grows.text != "" {
				grows.drop()
			}
			m.assign(p, v)
		}
	case *fieldExpr:
		at := c.expr(x.index).num
		return func(m *machine, v value) { m.rec.setField(m.fieldNumber(at(m)), v) }
	case *indexExpr:
		ref := c.element(x)
		return func(m *machine, v value) {
			p := ref(m)
			if p.k == arrayRef {
				m.scalarContext(p)
			}
			m.assign(p, v)
		}
	}
	panic("awk: unknown lvalue")
}

// assign makes v the value of the slot p.
func (m *machine) assign(p *value, v value) {
	if len(p.s) >= counted || len(v.s) >= counted {
		m.resize(len(p.s), len(v.s))
	}
	*p = v
}

// setNumber makes n the value of the slot p.
func (m *machine) setNumber(p *value, n float64) {
	switch p.k {
	case number:
		p.n = n
	case arrayRef:
		m.scalarContext(p)
	default:
		m.assign(p, num(n))
	}
}

// zeroIsSet makes v the record.
func (m *machine) zeroIsSet(v value) {
	m.rec.assign(m.str(&v))
}

// slotOf compiles x, an lvalue, to what finds its slot; nil if assigning to x
// takes more than that.
func (c *compiler) slotOf(x expr) func(*machine) *value {
	switch x := x.(type) {
	case *varExpr:
		if !x.v.special.live() && x.v.grows == nil {
			return c.ref(x.v)
		}
	case *indexExpr:
		return c.element(x)
	}
	return nil
}

func (c *compiler) assign(x *assignExpr) code {
	if x.op != tAssign {
		return c.update(x.lhs, x.op, c.expr(x.rhs), false)
	}
	if out, ok := c.growingAssign(x); ok {
		return out
	}
	rhs := c.expr(x.rhs)
	if slot := c.slotOf(x.lhs); slot != nil && rhs.kind == numeric {
		n := rhs.num
		return numberCode(func(m *machine) float64 {
			r := n(m)
			m.setNumber(slot(m), r)
			return r
		}, false)
	}
	set, get := c.store(x.lhs), rhs.val
	out := valueCode(func(m *machine) value {
		v := get(m)
		if v.k == arrayRef {
			m.scalarContext(&v)
		}
		set(m, v)
		return v
	}, false)
	out.kind = rhs.kind
	return out
}

// growingAssign compiles v = v …, where v is a variable, so that it does not
// copy v.
func (c *compiler) growingAssign(x *assignExpr) (code, bool) {
	lhs, ok := x.lhs.(*varExpr)
	if !ok || lhs.v.grows == nil || lhs.v.special.live() {
		return code{}, false
	}
	rhs, ok := x.rhs.(*concatExpr)
	if !ok {
		return code{}, false
	}
	first, ok := rhs.parts[0].(*varExpr)
	if !ok || first.v != lhs.v {
		return code{}, false
	}
	parts := make([]func(*machine, []byte) []byte, len(rhs.parts)-1)
	for i, part := range rhs.parts[1:] {
		p := c.expr(part)
		if !p.pure {
			return code{}, false // it may change v
		}
		parts[i] = p.appender()
	}
	ref, grows := c.ref(lhs.v), lhs.v.grows
	return stringCode(func(m *machine) string {
		base := len(m.scratch)
		m.concat(parts)
		p := ref(m)
		s := grows.appendTo(m, m.str(p), m.scratch[base:])
		m.trim(base)
		m.assign(p, str(s))
		return s
	}, false), true
}

// update compiles lhs op= rhs, whose value is the new one or the old one.
func (c *compiler) update(lhs expr, op token, rhs code, old bool) code {
	by := rhs.num
	if op == tDivide || op == tModulo {
		by = func(m *machine) float64 {
			r := rhs.num(m)
			if r == 0 {
				m.fatal("division by zero attempted in `%s='", map[token]string{tDivide: "/", tModulo: "%"}[op])
			}
			return r
		}
	}
	if slot := c.slotOf(lhs); slot != nil {
		if op == tPlus {
			return c.add(slot, rhs, old)
		}
		return numberCode(func(m *machine) float64 {
			r := by(m)
			p := slot(m)
			if p.k == arrayRef {
				m.scalarContext(p)
			}
			was := p.num()
			now := m.apply(op, was, r)
			m.setNumber(p, now)
			if old {
				return was
			}
			return now
		}, false)
	}
	get, set := c.expr(lhs).num, c.store(lhs)
	if f, ok := lhs.(*fieldExpr); ok && !c.pure(lhs) {
		return c.updateField(f, op, by, old)
	}
	return numberCode(func(m *machine) float64 {
		r := by(m)
		was := get(m)
		now := m.apply(op, was, r)
		set(m, num(now))
		if old {
			return was
		}
		return now
	}, false)
}

// updateField is update for a field whose number must be evaluated once.
func (c *compiler) updateField(lhs *fieldExpr, op token, by func(*machine) float64, old bool) code {
	at := c.expr(lhs.index).num
	return numberCode(func(m *machine) float64 {
		r := by(m)
		n := m.fieldNumber(at(m))
		v := m.rec.field(n)
		was := v.num()
		now := m.apply(op, was, r)
		m.rec.setField(n, num(now))
		if old {
			return was
		}
		return now
	}, false)
}

// add is update for the most common operator.
func (c *compiler) add(slot func(*machine) *value, rhs code, old bool) code {
	by := rhs.num
	if rhs.fixed != nil {
		r := rhs.fixed.num()
		by = func(*machine) float64 { return r }
	}
	return numberCode(func(m *machine) float64 {
		r := by(m)
		p := slot(m)
		if p.k == number {
			was := p.n
			p.n += r
			if old {
				return was
			}
			return p.n
		}
		was := p.num()
		m.setNumber(p, was+r)
		if old {
			return was
		}
		return was + r
	}, false)
}

func (c *compiler) increment(x *incExpr) code {
	return c.update(x.lhs, tPlus, constant(num(x.by)), x.post)
}
