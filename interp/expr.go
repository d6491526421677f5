package interp

import "strings"

// An exprParser parses an arithmetic expression to closures. (bash manual,
// Shell Arithmetic; the operators and their precedence are those of C, and **.)
type exprParser struct {
	c       *compiler
	src     string
	dollars bool // $name may be an operand

	pos   int    // of the next token
	start int    // of the token
	tok   string // the token: an operator, or its kind
	num   int64
	name  string
	index *subscriptExpr
	depth int

	failed    bool
	msg       string // what is wrong, and where
	at        int
	operands  []func(sh *Shell) bool // report whether a $name is a plain integer
	used      map[string]bool        // the names of $name
	assigned  map[string]bool        // the names that are assigned to
	indexed   bool                   // there is a subscript
	lastConst bool                   // the operand just parsed is a number
}

// maxParens bounds the nesting of an expression.
const maxParens = 2000

// expression compiles an expression without expansions.
func (c *compiler) expression(src string) arith {
	p := &exprParser{c: c, src: src}
	e := p.parse()
	if !p.failed {
		return e
	}
	return p.failing(e)
}

// complain reports the mistake in the expression. It is also the value of the operand
// that the mistake takes the place of.
func (p *exprParser) complain(sh *Shell) int64 {
	sh.exprError(p.src, p.msg, p.src[min(p.at, len(p.src)):])
	return 0
}

// failing returns an expression that is evaluated up to the mistake behind it. Bash: it
// evaluates as it reads.
func (p *exprParser) failing(e arith) arith {
	return func(sh *Shell) int64 {
		if e(sh); sh.pending == ctlNone {
			p.complain(sh)
		}
		return 0
	}
}

// mixed reports whether the expression assigns to a name of which it uses the
// value by $name, which bash expands first.
func (p *exprParser) mixed() bool {
	for name := range p.used {
		if p.assigned[name] {
			return true
		}
	}
	return p.indexed && len(p.used) > 0 && len(p.assigned) > 0
}

func (p *exprParser) parse() arith {
	p.next()
	e := p.comma()
	if p.failed || p.tok == tokEnd {
		return e
	}
	at := p.start
	if p.tok != tokName {
		p.fail("syntax error in expression", at)
		return e
	}
	l, r := e, p.c.target(p.name, p.index).read()
	p.next()
	p.fail("syntax error in expression", at)
	return func(sh *Shell) int64 {
		if l(sh); sh.pending != ctlNone {
			return 0
		}
		return r(sh)
	}
}

func (p *exprParser) fail(msg string, at int) {
	if !p.failed {
		p.failed, p.msg, p.at = true, msg, at
	}
	p.tok = tokEnd
}

// comma parses expr, expr.
func (p *exprParser) comma() arith {
	e := p.assignment()
	for p.tok == "," {
		p.next()
		l, r := e, p.assignment()
		e = func(sh *Shell) int64 {
			l(sh)
			if sh.pending != ctlNone {
				return 0
			}
			return r(sh)
		}
	}
	return e
}

// enter counts a level of nesting.
func (p *exprParser) enter() bool {
	if p.depth++; p.depth > maxParens {
		p.fail("expression recursion level exceeded", p.start)
		return false
	}
	return true
}

// assignment parses a conditional expression, and the assignment that it may be
// the left side of.
func (p *exprParser) assignment() arith {
	if !p.enter() {
		return p.complain
	}
	defer func() { p.depth-- }()
	isName := p.tok == tokName
	name, index, start, after := p.name, p.index, p.start, p.pos
	e := p.conditional()
	op, ok := strings.CutSuffix(p.tok, "=")
	if !ok || op == "=" || op == "!" || op == "<" || op == ">" {
		return e
	}
	if !isName || p.before(start) != after {
		p.fail("attempted assignment to non-variable", p.start)
		return p.failing(e)
	}
	p.assign(name)
	p.next()
	at := p.start
	r := p.assignment()
	t := p.c.target(name, index)
	if op == "" {
		return t.assign(r)
	}
	return t.update(p.operator(op, at), r)
}

// before returns where the name that begins at start ends, with its subscript:
// the place of the assignment operator if nothing but blanks is between.
func (p *exprParser) before(start int) int {
	q := &exprParser{c: p.c, src: p.src, pos: start}
	q.next()
	end := q.pos
	q.next()
	if q.failed || q.start != p.start {
		return -1
	}
	return end
}

func (p *exprParser) assign(name string) {
	if p.assigned == nil {
		p.assigned = map[string]bool{}
	}
	p.assigned[name] = true
}

func (p *exprParser) conditional() arith {
	cond := p.binary(0)
	if p.tok != "?" {
		return cond
	}
	if !p.enter() {
		return cond
	}
	defer func() { p.depth-- }()
	p.next()
	if p.tok == ":" || p.tok == tokEnd {
		p.fail("expression expected", p.start)
		return p.failing(cond)
	}
	yes := p.comma()
	if p.tok != ":" {
		p.fail("`:' expected for conditional expression", p.start)
		return p.failing(cond)
	}
	p.next()
	if p.tok == tokEnd {
		p.fail("expression expected", p.start)
		return p.failing(cond)
	}
	no := p.assignment()
	return func(sh *Shell) int64 {
		if cond(sh) != 0 {
			return yes(sh)
		}
		return no(sh)
	}
}

// precedence has the binary operators, those that bind least first.
var precedence = []string{"||", "&&", "|", "^", "&", "== !=", "<= >= < >", "<< >>", "+ -", "* / %"}

func (p *exprParser) is(level int) bool {
	if p.tok == tokEnd || p.tok == tokNumber || p.tok == tokName || p.tok == tokDollar {
		return false
	}
	for ops := precedence[level]; ops != ""; {
		op, rest, _ := strings.Cut(ops, " ")
		if op == p.tok {
			return true
		}
		ops = rest
	}
	return false
}

// binary parses operators from precedence level on.
func (p *exprParser) binary(level int) arith {
	if level == len(precedence) {
		return p.power()
	}
	e := p.binary(level + 1)
	if !p.is(level) {
		return e
	}
	var chain []arith
	var ops []binaryOp
	for p.is(level) && !p.failed {
		op := p.tok
		p.next()
		at := p.start
		konst := p.num
		r := p.binary(level + 1)
		isConst := p.lastConst
		p.lastConst = false
		switch {
		case len(ops) < 8 && isConst && op != "||" && op != "&&":
			e = constRight(op, e, konst, r, p.operator(op, at))
		case len(ops) < 8:
			e = combine(op, e, r, p.operator(op, at))
		default:
			chain = append(chain, r)
		}
		ops = append(ops, p.operator(op, at))
		if len(chain) > 0 && (op == "||" || op == "&&") {
			chain = chain[:len(chain)-1]
			e = combine(op, e, r, nil)
		}
	}
	if len(chain) == 0 {
		return e
	}
	first, ops := e, ops[8:]
	return func(sh *Shell) int64 {
		n := first(sh)
		for i, r := range chain {
			if sh.pending != ctlNone {
				return 0
			}
			n = ops[i](sh, n, r(sh))
		}
		return n
	}
}

// power parses a ** b, which groups to the right.
func (p *exprParser) power() arith {
	isNumber := p.tok == tokNumber
	l := p.unary()
	p.lastConst = isNumber && !p.failed
	if p.tok != "**" {
		return l
	}
	p.lastConst = false
	if !p.enter() {
		return l
	}
	defer func() { p.depth-- }()
	p.next()
	r := p.power()
	p.lastConst = false
	return combine("**", l, r, p.operator("**", p.start))
}

func (p *exprParser) unary() arith {
	op := p.tok
	switch op {
	case "!", "~", "-", "+":
	case "++", "--":
		return p.preIncrement()
	default:
		return p.primary()
	}
	if !p.enter() {
		return p.complain
	}
	defer func() { p.depth-- }()
	p.next()
	e := p.unary()
	switch op {
	case "!":
		return func(sh *Shell) int64 { return int64(b2i(e(sh) == 0)) }
	case "~":
		return func(sh *Shell) int64 { return ^e(sh) }
	case "-":
		return func(sh *Shell) int64 { return -e(sh) }
	}
	return e
}

func (p *exprParser) preIncrement() arith {
	d := int64(1)
	if p.tok == "--" {
		d = -1
	}
	p.next()
	if p.tok != tokName {
		p.fail("syntax error: operand expected", p.start)
		return p.complain
	}
	t := p.c.target(p.name, p.index)
	p.assign(p.name)
	p.next()
	return t.increment(d, false)
}

func (p *exprParser) primary() arith {
	switch p.tok {
	case tokNumber:
		n := p.num
		if p.next(); p.failed {
			return p.complain
		}
		return func(*Shell) int64 { return n }
	case tokDollar:
		return p.dollarOperand()
	case tokName:
		t := p.c.target(p.name, p.index)
		name := p.name
		if p.next(); p.failed { // Bash: what follows is read before the variable is
			return p.complain
		}
		if p.tok == "++" || p.tok == "--" {
			d := int64(1)
			if p.tok == "--" {
				d = -1
			}
			p.assign(name)
			p.next()
			return t.increment(d, true)
		}
		return t.read()
	case "(":
		if !p.enter() {
			return p.complain
		}
		defer func() { p.depth-- }()
		p.next()
		e := p.comma()
		if p.tok != ")" {
			p.fail("missing `)'", p.start)
			return p.failing(e)
		}
		if p.next(); p.failed {
			return p.complain
		}
		return e
	}
	p.fail("syntax error: operand expected", p.start)
	return p.complain
}

func (p *exprParser) dollarOperand() arith {
	name := p.name
	if p.used == nil {
		p.used = map[string]bool{}
	}
	p.used[name] = true
	defer p.next()
	if isName(name) {
		id := p.c.id(name)
		p.operands = append(p.operands, func(sh *Shell) bool {
			v := sh.vars[id]
			if v.flags&(vNum|vSlowRead) == vNum {
				return true
			}
			if v.flags&vSlowRead != 0 {
				return false
			}
			_, ok := plainInt(v.text(sh))
			return ok
		})
		return func(sh *Shell) int64 { return sh.intOf(id) }
	}
	if name == "#" {
		return func(sh *Shell) int64 { return int64(len(sh.params)) }
	}
	n, _ := plainInt(name)
	param := func(sh *Shell) (int64, bool) {
		if n > int64(len(sh.params)) {
			return 0, false
		}
		return plainInt(sh.params[n-1])
	}
	p.operands = append(p.operands, func(sh *Shell) bool {
		_, ok := param(sh)
		return ok
	})
	return func(sh *Shell) int64 {
		v, _ := param(sh)
		return v
	}
}
