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

// Kinds of tokens other than operators.
const (
	tokEnd    = ""
	tokNumber = "0"
	tokName   = "a"
	tokDollar = "$"
)

// maxParens bounds the nesting of an expression.
const maxParens = 2000

// expression compiles an expression without expansions.
func (c *compiler) expression(src string) arith {
	p := &exprParser{c: c, src: src}
	e := p.parse()
	if !p.failed {
		return e
	}
	msg, token := p.msg, src[min(p.at, len(src)):]
	return func(sh *Shell) int64 {
		sh.exprError(src, msg, token)
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
	if !p.failed && p.tok != tokEnd {
		p.fail("syntax error in expression", p.start)
	}
	return e
}

func (p *exprParser) fail(msg string, at int) {
	if !p.failed {
		p.failed, p.msg, p.at = true, msg, at
	}
	p.tok = tokEnd
}

// operators, the longest first.
var exprOperators = []string{
	"<<=", ">>=", "**=", "++", "--", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "**", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=",
}

// next reads the next token.
func (p *exprParser) next() {
	if p.failed {
		return
	}
	s := p.src
	for p.pos < len(s) && strings.IndexByte(" \t\n\r", s[p.pos]) >= 0 {
		p.pos++
	}
	if p.pos >= len(s) {
		p.tok = tokEnd // and p.start remains: errors at the end show the last token
		return
	}
	p.start = p.pos
	switch b := s[p.pos]; {
	case b >= '0' && b <= '9':
		p.number()
	case isNameByte(b):
		p.identifier()
	case b == '$' && p.dollars:
		p.dollar()
	default:
		for _, op := range exprOperators {
			if strings.HasPrefix(s[p.pos:], op) {
				// ++ and -- are operators only beside a name.
				if (op == "++" || op == "--") && !p.besideName() {
					break
				}
				p.tok = op
				p.pos += len(op)
				return
			}
		}
		if strings.IndexByte("+-*/%!~<>&|^?:=(),", b) < 0 {
			if p.tok == tokNumber || p.tok == tokName || p.tok == "++" || p.tok == "--" {
				p.fail("syntax error: invalid arithmetic operator", p.start)
			} else {
				p.fail("syntax error: operand expected", p.start)
			}
			return
		}
		p.tok = s[p.pos : p.pos+1]
		p.pos++
	}
}

// besideName reports whether the ++ or -- at p.pos follows a name or stands
// before one.
func (p *exprParser) besideName() bool {
	if p.tok == tokName {
		return true
	}
	rest := strings.TrimLeft(p.src[p.pos+2:], " \t\n")
	return rest != "" && isNameByte(rest[0]) && (rest[0] < '0' || rest[0] > '9')
}

func (p *exprParser) number() {
	end := p.pos
	for end < len(p.src) && (isNameByte(p.src[end]) || p.src[end] == '#' || p.src[end] == '@') {
		end++
	}
	n, msg := parseNumber(p.src[p.pos:end])
	if msg != "" {
		p.fail(msg, p.pos)
		return
	}
	p.tok, p.num, p.pos = tokNumber, n, end
}

// parseNumber parses an integer constant: decimal, octal, hexadecimal or
// base#digits. It wraps around beyond 64 bits, as bash does.
func parseNumber(s string) (n int64, msg string) {
	base, digits := int64(10), s
	if i := strings.IndexByte(s, '#'); i >= 0 {
		b, ok := plainInt(s[:i])
		if !ok || b < 2 || b > 64 {
			return 0, "invalid arithmetic base"
		}
		base, digits = b, s[i+1:]
		if digits == "" {
			return 0, "invalid integer constant"
		}
	} else if len(s) > 1 && s[0] == '0' {
		base, digits = 8, s[1:]
		if digits[0] == 'x' || digits[0] == 'X' {
			base, digits = 16, digits[1:]
		}
	}
	for i := 0; i < len(digits); i++ {
		d := int64(64)
		switch b := digits[i]; {
		case b >= '0' && b <= '9':
			d = int64(b - '0')
		case b >= 'a' && b <= 'z':
			d = int64(b-'a') + 10
		case b >= 'A' && b <= 'Z' && base <= 36:
			d = int64(b-'A') + 10
		case b >= 'A' && b <= 'Z':
			d = int64(b-'A') + 36
		case b == '@':
			d = 62
		case b == '_':
			d = 63
		case b == '#':
			return 0, "invalid number"
		}
		if d >= base {
			return 0, "value too great for base"
		}
		n = n*base + d
	}
	return n, ""
}

func (p *exprParser) identifier() {
	end := p.pos
	for end < len(p.src) && isNameByte(p.src[end]) {
		end++
	}
	p.tok, p.name, p.index = tokName, p.src[p.pos:end], nil
	p.pos = end
	if end < len(p.src) && p.src[end] == '[' {
		close := skipNested(p.src, end+1, '[', ']')
		if close > len(p.src) || p.src[close-1] != ']' {
			p.fail("bad array subscript", p.start)
			return
		}
		p.index = p.c.subscriptText(p.src[end+1 : close-1])
		p.index.owner = p.name
		p.indexed = true
		p.pos = close
	}
}

// dollar reads $name, ${name} and $1, the expansions that are operands here.
func (p *exprParser) dollar() {
	rest := p.src[p.pos+1:]
	brace := strings.HasPrefix(rest, "{")
	if brace {
		rest = rest[1:]
	}
	n := 0
	for n < len(rest) && isNameByte(rest[n]) {
		n++
	}
	name := rest[:n]
	if n == 0 && strings.HasPrefix(rest, "#") {
		name, n = "#", 1
	}
	size := 1 + n
	if brace {
		if n >= len(rest) || rest[n] != '}' {
			p.fail("", p.start)
			return
		}
		size += 2
	} else if n > 1 && name[0] >= '0' && name[0] <= '9' {
		name, size = name[:1], 2
	}
	switch {
	case isName(name), name == "#", len(name) > 0 && name[0] >= '1' && name[0] <= '9':
	default:
		p.fail("", p.start)
		return
	}
	after := p.pos + size
	if after < len(p.src) && (isNameByte(p.src[after]) || p.src[after] == '[' || p.src[after] == '#' || p.src[after] == '$') || p.start > 0 && (isNameByte(p.src[p.start-1]) || p.src[p.start-1] == '#') {
		p.fail("", p.start) // joined to what is beside it
		return
	}
	p.tok, p.name, p.pos = tokDollar, name, after
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
		return nil
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
		return e
	}
	p.assign(name)
	p.next()
	at := p.start
	r := p.assignment()
	if p.failed {
		return e
	}
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
		return cond
	}
	yes := p.comma()
	if p.tok != ":" {
		p.fail("`:' expected for conditional expression", p.start)
		return cond
	}
	p.next()
	if p.tok == tokEnd {
		p.fail("expression expected", p.start)
		return cond
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
	p.lastConst = isNumber
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
		return nil
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
		return nil
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
		p.next()
		return func(*Shell) int64 { return n }
	case tokDollar:
		return p.dollarOperand()
	case tokName:
		t := p.c.target(p.name, p.index)
		name := p.name
		p.next()
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
			return nil
		}
		defer func() { p.depth-- }()
		p.next()
		e := p.comma()
		if p.tok != ")" {
			p.fail("missing `)'", p.start)
			return nil
		}
		p.next()
		return e
	}
	p.fail("syntax error: operand expected", p.start)
	return nil
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

// A binaryOp applies an operator.
type binaryOp func(sh *Shell, a, b int64) int64

// operator returns the operator op, whose right operand begins at at.
func (p *exprParser) operator(op string, at int) binaryOp {
	src := p.src
	fail := func(sh *Shell, msg string) int64 {
		sh.exprError(src, msg, src[min(at, len(src)):])
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

// A target is a variable or an element in an expression.
type target struct {
	id    int
	index *subscriptExpr
}

func (c *compiler) target(name string, index *subscriptExpr) target {
	return target{c.id(name), index}
}

func (t target) read() arith {
	id, index := t.id, t.index
	if index != nil {
		return func(sh *Shell) int64 { return sh.elementInt(id, index) }
	}
	return func(sh *Shell) int64 {
		v := sh.vars[id]
		if v.flags&(vNum|vSlowRead) == vNum {
			return v.num
		}
		return sh.intOf(id)
	}
}

func (t target) write(sh *Shell, n int64) {
	if sh.pending != ctlNone {
		return
	}
	if t.index != nil {
		sh.assignElementInt(t.id, t.index, n)
		return
	}
	sh.assignInt(t.id, n)
}

func (t target) assign(r arith) arith {
	if t.index != nil {
		return func(sh *Shell) int64 {
			n := r(sh)
			t.write(sh, n)
			return n
		}
	}
	id := t.id
	return func(sh *Shell) int64 {
		n := r(sh)
		if sh.pending == ctlNone {
			sh.assignInt(id, n)
		}
		return n
	}
}

func (t target) update(apply binaryOp, r arith) arith {
	if t.index != nil {
		return t.updateElement(apply, r)
	}
	id := t.id
	return func(sh *Shell) int64 {
		n := sh.intOf(id)
		m := r(sh)
		if sh.pending != ctlNone {
			return 0
		}
		n = apply(sh, n, m)
		if sh.pending == ctlNone {
			sh.assignInt(id, n)
		}
		return n
	}
}

func (t target) increment(d int64, post bool) arith {
	if t.index != nil {
		e := t.updateElement(func(_ *Shell, a, _ int64) int64 { return a + d }, func(*Shell) int64 { return 0 })
		if !post {
			return e
		}
		return func(sh *Shell) int64 { return e(sh) - d }
	}
	id := t.id
	return func(sh *Shell) int64 {
		v := sh.vars[id]
		if v.owner == sh.owner && v.flags&(vSlowWrite|vNum) == vNum {
			n := v.num
			v.setNum(n + d)
			if post {
				return n
			}
			return n + d
		}
		n := sh.intOf(id)
		if sh.pending != ctlNone {
			return 0
		}
		sh.assignInt(id, n+d)
		if post {
			return n
		}
		return n + d
	}
}

// updateElement evaluates the subscript once.
func (t target) updateElement(apply binaryOp, r arith) arith {
	return func(sh *Shell) int64 {
		index := sh.fixed(t.id, t.index)
		n := sh.elementInt(t.id, index)
		m := r(sh)
		if sh.pending != ctlNone {
			return 0
		}
		n = apply(sh, n, m)
		target{t.id, index}.write(sh, n)
		return n
	}
}

// fixed returns a subscript with the value that index has now.
func (sh *Shell) fixed(id int, index *subscriptExpr) *subscriptExpr {
	f := &subscriptExpr{raw: index.raw, owner: index.owner}
	if sh.resolve(id).flags&vAssoc != 0 {
		key := index.key(sh)
		f.key = constant(key)
		return f
	}
	n := index.number(sh)
	sh.indexFailed()
	f.number = func(*Shell) int64 { return n }
	return f
}
