package jq

import "strings"

// term parses an expression that nothing can bind more tightly than.
func (p *parser) term() node {
	switch p.tok.kind {
	case "number":
		x := &literal{tall{1}, p.tok.num}
		p.next()
		return x
	case "string":
		return p.stringTerm()
	case "format":
		return p.format()
	case "field":
		key := &literal{tall{1}, p.tok.text}
		p.next()
		return &index{tall{2}, &identity{tall{1}}, key}
	case ".":
		return p.dot()
	case "..":
		p.next()
		return &call{tall: tall{1}, name: "recurse"}
	case "variable":
		return p.variable()
	case "$":
		p.next()
		if p.tok.kind != "__loc__" && !keywords[p.tok.kind] {
			p.unexpected()
		}
		p.tok.kind, p.tok.text = "variable", p.tok.kind
		return p.variable()
	case "ident":
		return p.call()
	case "(":
		p.next()
		x := p.pipeline()
		p.expect(")")
		return &pipe{p.over(x), &identity{tall{1}}, x} // so that it is no literal
	case "[":
		p.next()
		if p.accept("]") {
			return &arrayOf{tall{1}, nil}
		}
		x := p.pipeline()
		p.expect("]")
		return &arrayOf{p.over(x), x}
	case "{":
		return p.object()
	case "-":
		return p.unary()
	case "def":
		return p.pipeline()
	}
	return p.compound()
}

// compound parses the terms that begin with a keyword.
func (p *parser) compound() node {
	defer p.nest()()
	switch p.tok.kind {
	case "if":
		return p.conditional()
	case "reduce":
		r := &reduce{}
		r.x, r.patterns = p.source()
		r.init = p.pipeline()
		p.expect(";")
		r.update = p.pipeline()
		p.expect(")")
		r.tall = p.over(r.x, r.init, r.update)
		return r
	case "foreach":
		f := &foreach{}
		f.x, f.patterns = p.source()
		f.init = p.pipeline()
		p.expect(";")
		f.update = p.pipeline()
		if p.accept(";") {
			f.extract = p.pipeline()
		}
		p.expect(")")
		f.tall = p.over(f.x, f.init, f.update, f.extract)
		return f
	case "try":
		p.next()
		t := &try{x: p.tried()}
		if p.accept("catch") {
			t.handler = p.tried()
		}
		t.tall = p.over(t.x, t.handler)
		return t
	case "label":
		p.next()
		l := &label{name: p.tok.text}
		p.expect("variable")
		p.expect("|")
		l.body = p.pipeline()
		l.tall = p.over(l.body)
		return l
	}
	p.unexpected()
	return nil
}

// tried parses the body of try or of catch.
func (p *parser) tried() node {
	if p.tok.kind == "-" {
		return p.unary()
	}
	return p.postfix()
}

// source parses the head of reduce and foreach, up to the parenthesis.
func (p *parser) source() (node, []*pattern) {
	p.next()
	x := p.suffixed()
	p.expect("as")
	patterns := p.patterns()
	p.expect("(")
	return x, patterns
}

// conditional parses from if or elif on.
func (p *parser) conditional() node {
	defer p.nest()()
	p.next()
	c := &conditional{}
	c.test = p.pipeline()
	p.expect("then")
	c.yes = p.pipeline()
	switch p.tok.kind {
	case "elif":
		c.no = p.conditional()
		c.tall = p.over(c.test, c.yes, c.no)
		return c
	case "else":
		p.next()
		c.no = p.pipeline()
	}
	p.expect("end")
	c.tall = p.over(c.test, c.yes, c.no)
	return c
}

// dot parses what begins with a dot that is no field.
func (p *parser) dot() node {
	p.next()
	id := &identity{tall{1}}
	switch p.tok.kind {
	case "string":
		return p.indexed(id, p.stringTerm())
	case "[":
		return p.brackets(id)
	}
	return id
}

func (p *parser) variable() node {
	name, pos := p.tok.text, p.tok.pos
	p.next()
	if name == "__loc__" {
		o := newObject(2)
		o.put("file", "<top-level>")
		o.put("line", float64(1+strings.Count(p.src[:pos], "\n")))
		return &literal{tall{1}, o}
	}
	return &variable{tall{1}, name, pos}
}

func (p *parser) call() node {
	c := &call{name: p.tok.text, pos: p.tok.pos}
	p.next()
	switch c.name {
	case "null":
		return &literal{tall{1}, nil}
	case "true", "false":
		return &literal{tall{1}, c.name == "true"}
	}
	if c.name == "break" {
		b := &breakTo{tall{1}, p.tok.text, c.pos}
		p.expect("variable")
		return b
	}
	if p.accept("(") {
		c.args = append(c.args, p.pipeline())
		for p.accept(";") {
			c.args = append(c.args, p.pipeline())
		}
		p.expect(")")
	}
	c.tall = p.over(c.args...)
	return c
}

// stringTerm returns the string that is the token, and moves on.
func (p *parser) stringTerm() node {
	t := p.tok.tmpl
	p.next()
	return simplify(t)
}

// simplify returns a template without expressions as a literal.
func simplify(t *template) node {
	switch {
	case len(t.parts) == 0:
		return &literal{tall{1}, ""}
	case len(t.parts) == 1:
		if l, ok := t.parts[0].(*literal); ok {
			if s, ok := l.v.(string); ok {
				return &literal{tall{1}, s}
			}
		}
	}
	return t
}

// format parses @name, or @name "template".
func (p *parser) format() node {
	name := p.tok.text
	p.next()
	if p.tok.kind != "string" {
		return &formatter{tall{1}, name}
	}
	t := p.tok.tmpl
	t.format = name
	p.next()
	return simplify(t)
}

func (p *parser) object() node {
	defer p.nest()()
	p.next()
	o := &objectOf{}
	var all []node
	for p.tok.kind != "}" {
		m := p.member()
		o.members = append(o.members, m)
		all = append(all, m.key, m.val)
		if !p.accept(",") {
			break
		}
	}
	p.expect("}")
	o.tall = p.over(all...)
	return o
}

func (p *parser) member() (m memberOf) {
	switch {
	case p.tok.kind == "variable":
		name := p.tok.text
		m.key = &literal{tall{1}, name}
		m.val = p.variable()
		return m
	case p.tok.kind == "$":
		p.next()
		m.key = &literal{tall{1}, p.tok.kind}
		p.tok.kind, p.tok.text = "variable", p.tok.kind
		m.val = p.variable()
		return m
	case p.tok.kind == "ident" || keywords[p.tok.kind]:
		m.key = &literal{tall{1}, p.tok.text}
		p.next()
	case p.tok.kind == "string":
		m.key = p.stringTerm()
	case p.tok.kind == "format":
		m.key = p.format()
	case p.tok.kind == "number":
		p.failAt(p.tok.pos, "Cannot use number (%s) as object key", compactScalar(p.tok.num))
	case p.accept("("):
		m.key = p.pipeline()
		p.expect(")")
		if l, ok := m.key.(*literal); ok {
			if _, ok := l.v.(string); !ok {
				p.failAt(p.tok.pos, "Cannot use %s (%s) as object key", kindOf(l.v), compactScalar(l.v))
			}
		}
	default:
		p.unexpected()
	}
	if !p.accept(":") {
		m.val = &index{p.over(m.key), &identity{tall{1}}, m.key}
		return m
	}
	m.val = p.memberValue()
	return m
}

// memberValue parses the value of a member: anything without a comma.
func (p *parser) memberValue() node {
	defer p.nest()()
	x := p.alternatives()
	if p.accept("|") {
		y := p.memberValue()
		return &pipe{p.over(x, y), x, y}
	}
	return x
}

func compactScalar(v Value) string {
	e := encoder{}
	e.value(v, 0)
	return string(e.b)
}
