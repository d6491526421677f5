package awk

// control says how a statement ended.
type control uint8

const (
	proceeds control = iota
	breaks
	continues
	nexts
	nextFiles
	exits
	returns
)

// compiled is a program in the form in which it runs.
type compiled struct {
	begin, end, beginFile, endFile []func(*machine) control
	rules                          []func(*machine) control
	reads                          bool // the program reads its main input
}

// compile compiles the program for m.
func (m *machine) compile() {
	c := &compiler{m: m}
	for _, fn := range m.prog.order {
		fn.run = c.stmt(fn.body)
	}
	out := &compiled{}
	for _, r := range m.prog.rules {
		switch r.kind {
		case tBegin:
			out.begin = append(out.begin, c.stmt(r.body))
		case tEnd:
			out.end = append(out.end, c.stmt(r.body))
			out.reads = true
		case tBeginFile:
			out.beginFile = append(out.beginFile, c.stmt(r.body))
			out.reads = true
		case tEndFile:
			out.endFile = append(out.endFile, c.stmt(r.body))
			out.reads = true
		default:
			out.rules = append(out.rules, c.rule(r))
			out.reads = true
		}
	}
	m.constants = make([]*matcher, c.regexps)
	m.code = out
}

// A compiler makes closures of a syntax tree.
type compiler struct {
	m       *machine
	regexps int // constants so far
}

// rule compiles a pattern and its action.
func (c *compiler) rule(r *rule) func(*machine) control {
	body := printRecord
	if r.body != nil {
		body = c.stmt(r.body)
	}
	if r.from == nil {
		return body
	}
	from := c.expr(r.from).test
	at := r.at
	if r.to == nil {
		return func(m *machine) control {
			m.line = at
			if !from(m) {
				return proceeds
			}
			return body(m)
		}
	}
	to := c.expr(r.to).test
	inside := false
	return func(m *machine) control {
		m.line = at
		if !inside && !from(m) {
			return proceeds
		}
		inside = !to(m)
		return body(m)
	}
}

func printRecord(m *machine) control {
	o := m.out
	o.write(m.rec.bytes())
	o.write(view(m.ors))
	o.printed(m)
	return proceeds
}

// stmt compiles a statement.
func (c *compiler) stmt(s stmt) func(*machine) control {
	switch s := s.(type) {
	case nil:
		return func(*machine) control { return proceeds }
	case *lineStmt:
		run := c.stmt(s.s)
		at := s.at
		return func(m *machine) control {
			m.line = at
			return run(m)
		}
	case *blockStmt:
		return c.block(s.list)
	case *exprStmt:
		run := c.expr(s.x).discard()
		return func(m *machine) control {
			run(m)
			return proceeds
		}
	case *printStmt:
		return c.print(s)
	case *ifStmt:
		return c.ifStmt(s)
	case *whileStmt:
		return c.while(s)
	case *forStmt:
		return c.forStmt(s)
	case *forInStmt:
		return c.forIn(s)
	case *switchStmt:
		return c.switchStmt(s)
	case *jumpStmt:
		to := s.to
		return func(*machine) control { return to }
	case *exitStmt:
		return c.exit(s)
	case *returnStmt:
		return c.returnStmt(s)
	case *deleteStmt:
		return c.delete(s)
	}
	panic("awk: unknown statement")
}

func (c *compiler) block(stmts []stmt) func(*machine) control {
	switch len(stmts) {
	case 0:
		return func(*machine) control { return proceeds }
	case 1:
		return c.stmt(stmts[0])
	}
	type lined struct {
		run func(*machine) control
		at  place
	}
	list := make([]lined, len(stmts))
	for i, s := range stmts {
		if l, ok := s.(*lineStmt); ok {
			list[i].at, s = l.at, l.s
		}
		list[i].run = c.stmt(s)
	}
	return func(m *machine) control {
		for i := range list {
			m.line = list[i].at
			if to := list[i].run(m); to != proceeds {
				return to
			}
		}
		return proceeds
	}
}

func (c *compiler) ifStmt(s *ifStmt) func(*machine) control {
	test := c.expr(s.test).test
	yes := c.stmt(s.yes)
	if s.no == nil {
		return func(m *machine) control {
			if test(m) {
				return yes(m)
			}
			return proceeds
		}
	}
	no := c.stmt(s.no)
	return func(m *machine) control {
		if test(m) {
			return yes(m)
		}
		return no(m)
	}
}

func (c *compiler) while(s *whileStmt) func(*machine) control {
	test := c.expr(s.test).test
	body := c.stmt(s.body)
	first := s.do
	return func(m *machine) control {
		for skip := first; skip || test(m); skip = false {
			m.poll(1)
			if to := body(m); to > continues {
				return to
			} else if to == breaks {
				break
			}
		}
		return proceeds
	}
}

func (c *compiler) forStmt(s *forStmt) func(*machine) control {
	init := c.stmt(s.init)
	post := c.stmt(s.post)
	test := func(*machine) bool { return true }
	if s.test != nil {
		test = c.expr(s.test).test
	}
	body := c.stmt(s.body)
	return func(m *machine) control {
		for init(m); test(m); post(m) {
			m.poll(1)
			if to := body(m); to > continues {
				return to
			} else if to == breaks {
				break
			}
		}
		return proceeds
	}
}

func (c *compiler) forIn(s *forInStmt) func(*machine) control {
	set := c.store(s.v)
	array := c.array(s.array)
	body := c.stmt(s.body)
	return func(m *machine) control {
		items := m.visiting(array(m))
		size := len(items) * itemSize
		m.hold(size)
		defer m.hold(-size)
		for i := range items {
			m.poll(1)
			set(m, keyValue(items[i].key))
			if to := body(m); to > continues {
				return to
			} else if to == breaks {
				break
			}
		}
		return proceeds
	}
}

func (c *compiler) switchStmt(s *switchStmt) func(*machine) control {
	x := c.expr(s.x).val
	tests := make([]func(*machine, *value) bool, len(s.cases))
	bodies := make([]func(*machine) control, len(s.cases))
	otherwise := len(s.cases)
	for i, cs := range s.cases {
		bodies[i] = c.block(cs.body)
		if cs.x == nil {
			otherwise = i
			continue
		}
		tests[i] = c.caseTest(cs.x)
	}
	return func(m *machine) control {
		v := x(m)
		at := otherwise
		for i, test := range tests {
			if test != nil && test(m, &v) {
				at = i
				break
			}
		}
		for _, body := range bodies[min(at, len(bodies)):] {
			if to := body(m); to == breaks {
				break
			} else if to != proceeds {
				return to
			}
		}
		return proceeds
	}
}

// caseTest compiles the comparison of the value of a switch with a case.
func (c *compiler) caseTest(x expr) func(*machine, *value) bool {
	if re, ok := x.(*regexpLit); ok {
		find := c.regexp(re.src)
		return func(m *machine, v *value) bool { return find(m).match(view(m.str(v))) }
	}
	want := *c.expr(x).fixed
	if want.k == text {
		return func(m *machine, v *value) bool { return v.k != number && m.collate(m.str(v), want.s) == 0 }
	}
	return func(m *machine, v *value) bool {
		n, ok := v.numeric()
		return ok && n == want.n
	}
}

func (c *compiler) exit(s *exitStmt) func(*machine) control {
	if s.x == nil {
		return func(*machine) control { return exits }
	}
	x := c.expr(s.x).num
	return func(m *machine) control {
		m.status = int(int64(clamp(x(m), -1<<62, 1<<62))) & 0xff
		return exits
	}
}

func (c *compiler) returnStmt(s *returnStmt) func(*machine) control {
	if s.x == nil {
		return func(m *machine) control {
			m.result = value{k: unset}
			return returns
		}
	}
	x := c.expr(s.x).val
	return func(m *machine) control {
		m.result = x(m)
		return returns
	}
}

func (c *compiler) delete(s *deleteStmt) func(*machine) control {
	array := c.array(s.array)
	if s.subs == nil {
		return func(m *machine) control {
			array(m).clear()
			return proceeds
		}
	}
	key := c.subscript(s.subs)
	return func(m *machine) control {
		a := array(m)
		a.remove(key(m))
		return proceeds
	}
}
