package jq

// Bounds on what recurses: levels of nesting, and the height of an expression.
const (
	maxNesting = 1000
	maxHeight  = 4000
)

// A parser parses a program by descent.
type parser struct {
	src     string
	origin  string // the file that it is from; "" for the program itself
	pos     int    // of what follows tok
	tok     lexeme
	before  lexeme // the token before tok
	nesting int
}

// parse parses a whole program. It panics with a *syntaxError.
func parse(src string) node {
	p := &parser{src: src}
	p.next()
	if p.tok.kind == "eof" {
		return &identity{tall{1}}
	}
	links := p.links()
	var defs []*definition
	for p.tok.kind == "def" {
		defs = append(defs, p.definition())
	}
	var x node = &identity{tall{1}}
	if p.tok.kind != "eof" {
		x = p.pipeline()
	}
	if p.tok.kind != "eof" {
		p.unexpectedAfter(", expecting end of file")
	}
	for i := len(defs) - 1; i >= 0; i-- {
		x = &define{p.over(x, defs[i].body), defs[i], x}
	}
	if len(links) > 0 {
		x = &linked{p.over(x), links, x}
	}
	return x
}

// names has what error messages call the tokens that are not shown as they are.
var names = map[string]string{
	"eof": "end of file", "ident": "IDENT", "field": "FIELD", "number": "LITERAL", "string": "QQSTRING_START",
	"format": "FORMAT", "variable": "'$'",
}

func (p *parser) unexpected() { p.unexpectedAfter("") }

// unexpectedAfter reports the token as one that must not be here; what was
// expected follows.
func (p *parser) unexpectedAfter(expected string) {
	name, ok := names[p.tok.kind]
	switch {
	case ok:
	case len(p.tok.kind) == 1:
		name = "'" + p.tok.kind + "'"
	default:
		name = p.tok.kind
	}
	pos := p.tok.pos
	switch p.tok.kind {
	case "eof":
		if pos = p.before.pos; p.before.kind == "variable" {
			pos++ // the name is a token of its own
		}
	case ")", "]", "}":
		if expected != "" {
			name = "INVALID_CHARACTER"
		}
	}
	p.fail(pos, "syntax error, unexpected %s%s", name, expected)
}

func (p *parser) expect(kind string) {
	if p.tok.kind != kind {
		p.unexpected()
	}
	p.next()
}

func (p *parser) accept(kind string) bool {
	if p.tok.kind != kind {
		return false
	}
	p.next()
	return true
}

// nest counts a level of nesting; its result ends the level.
func (p *parser) nest() func() {
	if p.nesting++; p.nesting > maxNesting {
		p.failAt(p.tok.pos, "program is nested too deeply")
	}
	return func() { p.nesting-- }
}

// over returns the height of an expression that contains those in list.
func (p *parser) over(list ...node) tall {
	h := 0
	for _, x := range list {
		if x != nil {
			h = max(h, x.height())
		}
	}
	if h >= maxHeight {
		p.failAt(p.tok.pos, "expression is too complex")
	}
	return tall{h + 1}
}

// pipeline parses a whole expression.
func (p *parser) pipeline() node {
	defer p.nest()()
	if p.tok.kind == "def" {
		fn := p.definition()
		body := p.pipeline()
		return &define{p.over(fn.body, body), fn, body}
	}
	// Pipes are right-associative, but long ones must not recurse.
	stages := []node{p.commas()}
	for p.accept("|") {
		if p.tok.kind == "def" {
			stages = append(stages, p.pipeline())
			break
		}
		stages = append(stages, p.commas())
	}
	x := stages[len(stages)-1]
	for i := len(stages) - 2; i >= 0; i-- {
		x = &pipe{p.over(stages[i], x), stages[i], x}
	}
	return x
}

func (p *parser) definition() *definition {
	defer p.nest()()
	p.next()
	fn := &definition{name: p.tok.text}
	if p.tok.kind != "ident" && !keywords[p.tok.kind] {
		p.unexpected()
	}
	p.next()
	if p.accept("(") {
		for {
			switch p.tok.kind {
			case "variable":
				fn.params = append(fn.params, "$"+p.tok.text)
			case "ident":
				fn.params = append(fn.params, p.tok.text)
			default:
				p.unexpected()
			}
			p.next()
			if !p.accept(";") {
				break
			}
		}
		p.expect(")")
	}
	p.expect(":")
	fn.body = p.pipeline()
	p.expect(";")
	return fn
}

func (p *parser) commas() node {
	x := p.alternatives()
	for p.accept(",") {
		y := p.alternatives()
		x = &comma{p.over(x, y), x, y}
	}
	return x
}

// alternatives parses what // joins, which is right-associative and binds less
// tightly than assignment.
func (p *parser) alternatives() node {
	x := p.assignment()
	switch p.tok.kind {
	case "//":
	case "?//":
		x = &try{p.over(x), x, nil}
	default:
		return x
	}
	defer p.nest()()
	p.next()
	y := p.alternatives()
	return &alternative{p.over(x, y), x, y}
}

func (p *parser) assignment() node {
	x := p.or()
	switch p.tok.kind {
	case "=", "|=", "+=", "-=", "*=", "/=", "%=", "//=":
		op := p.tok.kind
		if op != "=" && op != "|=" && op != "//=" {
			op = op[:1]
		}
		p.next()
		y := p.or()
		return &assign{p.over(x, y), op, x, y}
	}
	return x
}

func (p *parser) or() node {
	x := p.and()
	for p.accept("or") {
		y := p.and()
		x = &logic{p.over(x, y), false, x, y}
	}
	return x
}

func (p *parser) and() node {
	x := p.comparison()
	for p.accept("and") {
		y := p.comparison()
		x = &logic{p.over(x, y), true, x, y}
	}
	return x
}

func (p *parser) comparison() node {
	x := p.sum()
	switch p.tok.kind {
	case "==", "!=", "<", "<=", ">", ">=":
		op, pos := p.tok.kind, p.tok.pos
		p.next()
		y := p.sum()
		return &binary{p.over(x, y), op, x, y, pos}
	}
	return x
}

func (p *parser) sum() node {
	x := p.product()
	for p.tok.kind == "+" || p.tok.kind == "-" {
		x = p.binary(x, p.product)
	}
	return x
}

func (p *parser) product() node {
	x := p.unary()
	for p.tok.kind == "*" || p.tok.kind == "/" || p.tok.kind == "%" {
		x = p.binary(x, p.unary)
	}
	return x
}

func (p *parser) binary(x node, operand func() node) node {
	op, pos := p.tok.kind, p.tok.pos
	p.next()
	y := operand()
	if n, ok := y.(*literal); ok && op == "/" {
		if d, ok := number(n.v); ok && d == 0 {
			if _, constant := x.(*literal); constant {
				p.failAt(pos, "Division by zero?")
			}
		}
	}
	return &binary{p.over(x, y), op, x, y, pos}
}

func (p *parser) unary() node {
	if p.tok.kind != "-" {
		return p.postfix()
	}
	defer p.nest()()
	p.next()
	x := p.unary()
	if n, ok := x.(*literal); ok {
		if f, ok := n.v.(float64); ok {
			return &literal{tall{1}, -f}
		}
	}
	return &negate{p.over(x), x}
}

// postfix parses a term with what may follow it, and a binding of its values.
func (p *parser) postfix() node {
	x := p.suffixed()
	if p.tok.kind == "as" {
		return p.as(x)
	}
	return x
}

// suffixed parses a term with the fields, indices and question marks after it.
func (p *parser) suffixed() node {
	x := p.term()
	for {
		switch p.tok.kind {
		case "field":
			key := &literal{tall{1}, p.tok.text}
			p.next()
			x = p.indexed(x, key)
		case ".":
			p.next()
			switch p.tok.kind {
			case "string":
				x = p.indexed(x, p.stringTerm())
			case "[":
				x = p.brackets(x)
			default:
				p.unexpected()
			}
		case "[":
			x = p.brackets(x)
		case "?":
			p.next()
			x = &try{p.over(x), x, nil}
		default:
			return x
		}
	}
}

func (p *parser) indexed(x, i node) node { return &index{p.over(x, i), x, i} }

// brackets parses an index, a slice or an iteration of x.
func (p *parser) brackets(x node) node {
	p.next()
	if p.accept("]") {
		return &iterate{p.over(x), x}
	}
	if p.accept(":") {
		to := p.pipeline()
		p.expect("]")
		return &slice{p.over(x, to), x, nil, to}
	}
	i := p.pipeline()
	if !p.accept(":") {
		p.expect("]")
		return p.indexed(x, i)
	}
	var to node
	if p.tok.kind != "]" {
		to = p.pipeline()
	}
	p.expect("]")
	return &slice{p.over(x, i, to), x, i, to}
}

// as parses the rest of x as $name | body.
func (p *parser) as(x node) node {
	p.next()
	patterns := p.patterns()
	p.expect("|")
	body := p.pipeline()
	return &bind{p.over(x, body), x, patterns, body}
}

func (p *parser) patterns() []*pattern {
	list := []*pattern{p.pattern()}
	for p.accept("?//") {
		list = append(list, p.pattern())
	}
	return list
}

func (p *parser) pattern() *pattern {
	defer p.nest()()
	switch p.tok.kind {
	case "variable":
		pat := &pattern{name: p.tok.text}
		p.next()
		return pat
	case "[":
		pat := &pattern{}
		for {
			p.next()
			pat.elems = append(pat.elems, p.pattern())
			if p.tok.kind != "," {
				break
			}
		}
		p.expect("]")
		return pat
	case "{":
		pat := &pattern{}
		for {
			p.next()
			pat.object = append(pat.object, p.memberPattern())
			if p.tok.kind != "," {
				break
			}
		}
		p.expect("}")
		return pat
	}
	p.unexpected()
	return nil
}

func (p *parser) memberPattern() (m memberPattern) {
	switch {
	case p.tok.kind == "variable":
		m.name = p.tok.text
		m.key = &literal{tall{1}, p.tok.text}
		p.next()
	case p.tok.kind == "ident" || keywords[p.tok.kind]:
		m.key = &literal{tall{1}, p.tok.text}
		p.next()
	case p.tok.kind == "string":
		m.key = p.stringTerm()
	case p.accept("("):
		m.key = p.pipeline()
		p.expect(")")
	default:
		p.unexpected()
	}
	if p.accept(":") {
		m.val = p.pattern()
	} else if m.name == "" {
		p.unexpected()
	}
	return m
}
