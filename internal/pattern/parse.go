package pattern

import "slices"

// maxNesting bounds the nesting of extended groups, and with it the recursion
// of everything that walks a parsed pattern.
const maxNesting = 1000

// maxRescan bounds how many symbols are read again because what seemed to be a
// bracket expression was not closed.
const maxRescan = 1 << 25

// A kind is what a node matches.
type kind uint8

const (
	literal kind = iota // one given character
	any                 // one character
	star                // any number of characters
	bracket             // one character of a set
	group               // an extended group
)

// A node is one element of a parsed pattern.
type node struct {
	kind kind
	r    rune     // of a literal, folded
	set  *set     // of a bracket
	op   byte     // of a group: one of ? * + @ !
	alts [][]node // of a group
}

// A parser turns the symbols of a pattern into nodes. A symbol is a character,
// or a byte where the pattern is matched by bytes.
type parser struct {
	text  []rune
	pos   int
	flags Flags
	bytes bool
	fold  func(rune) rune
	close int  // where the last closing bracket is
	again int  // symbols read again
	deep  bool // beyond maxNesting or maxRescan
}

// at returns the symbol i places ahead, or 0 beyond the end.
func (p *parser) at(i int) rune {
	if p.pos+i < len(p.text) {
		return p.text[p.pos+i]
	}
	return 0
}

// next consumes a symbol and returns it, or returns 0 at the end.
func (p *parser) next() rune {
	r := p.at(0)
	if p.pos < len(p.text) {
		p.pos++
	}
	return r
}

// isGroup reports whether an extended group begins with r at p.pos-1.
func (p *parser) isGroup(r rune) bool {
	if p.flags&Extglob == 0 || p.at(0) != '(' {
		return false
	}
	switch r {
	case '?', '*', '+', '@', '!':
		return true
	}
	return false
}

// pattern parses all of the text.
func (p *parser) pattern() []node {
	var nodes []node
	for p.close = len(p.text) - 1; p.close >= 0 && p.text[p.close] != ']'; p.close-- {
	}
	for p.pos < len(p.text) {
		start := p.pos
		n, ok := p.element(0)
		if !ok {
			if r := p.text[start]; (r == '*' || r == '?') && behindStar(nodes) {
				return nodes // Bash: it matches anything behind a star
			}
			// Bash: what follows an unclosed group matches itself only.
			for _, r := range p.text[start:] {
				nodes = append(nodes, p.literal(r))
			}
			return nodes
		}
		nodes = appendNode(nodes, n)
	}
	return nodes
}

// behindStar reports whether nodes end with a star that only characters and groups which may
// be empty follow.
func behindStar(nodes []node) bool {
	for i := len(nodes) - 1; i >= 0; i-- {
		switch n := nodes[i]; {
		case n.kind == star:
			return true
		case n.kind != any && !(n.kind == group && (n.op == '*' || n.op == '?')):
			return false
		}
	}
	return false
}

// appendNode appends n, which is nothing new after another star if it is a star.
func appendNode(nodes []node, n node) []node {
	if n.kind == star && len(nodes) > 0 && nodes[len(nodes)-1].kind == star {
		return nodes
	}
	return append(nodes, n)
}

func (p *parser) literal(r rune) node { return node{kind: literal, r: p.fold(r)} }

// element parses one element of a pattern; depth is the number of groups
// around it. It fails where it begins a group, or lies in one, that is not
// closed.
func (p *parser) element(depth int) (node, bool) {
	r := p.next()
	if p.isGroup(r) {
		return p.group(byte(r), depth+1)
	}
	switch r {
	case '?':
		return node{kind: any}, true
	case '*':
		return node{kind: star}, true
	case '[':
		start := p.pos
		if s := p.bracket(); s != nil {
			return node{kind: bracket, set: s}, true
		}
		p.again += p.pos - start
		p.deep = p.deep || p.again > maxRescan
		p.pos = start
		return p.literal('['), depth == 0 && !p.deep
	case '\\':
		if p.pos < len(p.text) {
			return p.literal(p.next()), true
		}
	}
	return p.literal(r), true
}

// group parses an extended group behind its operator.
func (p *parser) group(op byte, depth int) (node, bool) {
	if depth > maxNesting {
		p.deep = p.closers() >= depth // fewer close not all groups anyway
		return node{}, false
	}
	p.pos++ // the parenthesis
	n := node{kind: group, op: op}
	var alt []node
	parens := 0 // that are open and only characters
	for p.pos < len(p.text) {
		switch r := p.at(0); {
		case r == ')' && parens == 0:
			p.pos++
			n.alts = append(n.alts, slices.Clip(alt))
			return n, true
		case r == '|' && parens == 0:
			p.pos++
			n.alts = append(n.alts, slices.Clip(alt))
			alt = nil
			continue
		case r == '(':
			parens++
		case r == ')':
			parens--
		}
		e, ok := p.element(depth)
		if !ok {
			return node{}, false
		}
		alt = appendNode(alt, e)
	}
	return node{}, false
}

// closers returns how many closing parentheses are ahead.
func (p *parser) closers() int {
	n := 0
	for _, r := range p.text[p.pos:] {
		if r == ')' {
			n++
		}
	}
	return n
}
