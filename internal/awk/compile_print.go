package awk

// print compiles print and printf.
func (c *compiler) print(s *printStmt) func(*machine) control {
	dest := func(m *machine) *output { return m.out }
	if s.redir != 0 {
		name, kind := c.expr(s.dest).str, s.redir
		dest = func(m *machine) *output { return m.output(kind, name(m)) }
	}
	switch {
	case s.format:
		return c.printf(s, dest)
	case len(s.args) == 0:
		if s.redir == 0 {
			return printRecord
		}
		return func(m *machine) control {
			o := dest(m)
			o.write(m.rec.bytes())
			o.write(view(m.ors))
			o.printed(m)
			return proceeds
		}
	}
	var printers []func(*machine, *output)
	for _, arg := range s.args {
		x := c.expr(arg)
		if !x.pure {
			return c.printValues(s, dest)
		}
		printers = append(printers, x.printer())
	}
	return func(m *machine) control {
		o := dest(m)
		for i, print := range printers {
			if i > 0 {
				o.buf = append(o.buf, m.ofs...)
			}
			print(m, o)
		}
		o.buf = append(o.buf, m.ors...)
		o.printed(m)
		return proceeds
	}
}

// printValues compiles a print whose arguments must all be evaluated before
// anything is printed.
func (c *compiler) printValues(s *printStmt, dest func(*machine) *output) func(*machine) control {
	if len(s.args) == 1 {
		get := c.expr(s.args[0]).val
		return func(m *machine) control {
			v := get(m)
			o := dest(m)
			o.print(m, &v)
			o.write(view(m.ors))
			o.printed(m)
			return proceeds
		}
	}
	args := c.values(s.args)
	return func(m *machine) control {
		base := len(m.stack)
		args(m)
		o := dest(m)
		for i := base; i < len(m.stack); i++ {
			if i > base {
				o.write(view(m.ofs))
			}
			o.print(m, &m.stack[i])
		}
		o.write(view(m.ors))
		o.printed(m)
		m.pop(base)
		return proceeds
	}
}

func (c *compiler) printf(s *printStmt, dest func(*machine) *output) func(*machine) control {
	args := c.values(s.args)
	return func(m *machine) control {
		base := len(m.stack)
		args(m)
		layout := m.str(&m.stack[base])
		start := len(m.scratch)
		m.scratch = m.sprintf(m.scratch, layout, m.stack[base+1:])
		o := dest(m)
		o.write(m.scratch[start:])
		m.trim(start)
		o.printed(m)
		m.pop(base)
		return proceeds
	}
}
