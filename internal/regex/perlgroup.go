package regex

import (
	"strings"
	"unicode"
)

// parenthesis parses a group, a look-around, a condition or a setting.
func (p *perl) parenthesis() (n *node, repeatable bool, err error) {
	p.pos++
	if p.peek() == '*' {
		return nil, false, perlError("(*VERB) not recognized or malformed")
	}
	if !p.accept("?") {
		n, err = p.capture("")
		return n, true, err
	}
	switch {
	case p.accept("#"):
		i := strings.IndexByte(p.rest(), ')')
		if i < 0 {
			return nil, false, perlError("missing ) after (?# comment")
		}
		p.pos += i + 1
		return &node{op: opEmpty}, false, nil
	case p.accept(":"):
		n, err = p.inside()
	case p.accept("="):
		n, err = p.look(false, false)
	case p.accept("!"):
		n, err = p.look(true, false)
	case p.accept("<="):
		n, err = p.look(false, true)
	case p.accept("<!"):
		n, err = p.look(true, true)
	case p.accept(">"):
		if n, err = p.inside(); err == nil {
			n = (&node{op: opAtomic}).nested(n)
		}
	case p.accept("("):
		n, err = p.condition()
	case p.accept("P="):
		n, err = p.namedReference(")")
	case p.accept("P<"), p.accept("<"):
		n, err = p.named(">")
	case p.accept("'"):
		n, err = p.named("'")
	default:
		return p.settings()
	}
	return n, true, err
}

// inside parses up to a closing parenthesis.
func (p *perl) inside() (*node, error) {
	n, err := p.alternation()
	if err != nil {
		return nil, err
	}
	if !p.accept(")") {
		return nil, perlError("missing closing parenthesis")
	}
	return n, nil
}

func (p *perl) capture(name string) (*node, error) {
	p.group++
	index := p.group
	if name != "" {
		if p.re.names == nil {
			p.re.names = make(map[string]int)
		}
		if _, ok := p.re.names[name]; ok {
			return nil, perlError("two named subpatterns have the same name (PCRE2_DUPNAMES not set)")
		}
		p.re.names[name] = index
	}
	n, err := p.inside()
	if err != nil {
		return nil, err
	}
	return (&node{op: opGroup, index: index}).nested(n), nil
}

// name consumes a name and what ends it.
func (p *perl) name(end string) (string, error) {
	name, _, ok := strings.Cut(p.rest(), end)
	valid := func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	if !ok || name == "" || strings.IndexFunc(name, valid) >= 0 {
		return "", perlError("syntax error in subpattern name (missing terminator?)")
	}
	p.pos += len(name) + len(end)
	return name, nil
}

func (p *perl) named(end string) (*node, error) {
	name, err := p.name(end)
	if err != nil {
		return nil, err
	}
	return p.capture(name)
}

func (p *perl) namedReference(end string) (*node, error) {
	name, err := p.name(end)
	if err != nil {
		return nil, err
	}
	index, ok := p.re.names[name]
	if !ok {
		return nil, perlError("reference to non-existent subpattern")
	}
	return p.reference(index), nil
}

func (p *perl) reference(index int) *node {
	p.highest = max(p.highest, index)
	return &node{op: opBackref, index: index, fold: p.flags&IgnoreCase != 0}
}

func (p *perl) look(negative, behind bool) (*node, error) {
	sub, err := p.inside()
	if err != nil {
		return nil, err
	}
	n := (&node{op: opLook, negative: negative, behind: behind}).nested(sub)
	if !behind {
		return n, nil
	}
	alts := []*node{sub}
	if sub.op == opAlt {
		alts = sub.subs
	}
	n.min = maxLookBehind
	for _, a := range alts {
		lo, hi := width(a)
		if lo != hi {
			return nil, perlError("lookbehind assertion is not fixed length")
		}
		if hi > maxLookBehind {
			return nil, perlError("lookbehind is too long")
		}
		n.min, n.max = min(n.min, lo), max(n.max, hi)
	}
	return n, nil
}

const maxLookBehind = 65535

// width returns the least and the greatest number of characters that n matches;
// the latter is maxLookBehind+1 where there is no bound.
func width(n *node) (lo, hi int) {
	switch n.op {
	case opSet:
		return 1, 1
	case opBackref:
		return 0, maxLookBehind + 1
	case opGroup, opAtomic:
		return width(n.subs[0])
	case opCat:
		for _, s := range n.subs {
			a, b := width(s)
			lo, hi = min(lo+a, maxLookBehind+1), min(hi+b, maxLookBehind+1)
		}
	case opAlt:
		lo = maxLookBehind + 1
		for _, s := range n.subs {
			a, b := width(s)
			lo, hi = min(lo, a), max(hi, b)
		}
	case opRepeat:
		a, b := width(n.subs[0])
		lo = min(a*n.min, maxLookBehind+1)
		if hi = min(b*n.max, maxLookBehind+1); n.max < 0 {
			hi = maxLookBehind + 1
		}
	}
	return lo, hi
}

// condition parses (?(1)yes|no), of which (?( has been read.
func (p *perl) condition() (*node, error) {
	index, ok := p.number()
	if ok {
		if !p.accept(")") {
			return nil, perlError("missing closing parenthesis for condition")
		}
	} else {
		name, err := p.name(")")
		if err != nil {
			return nil, err
		}
		if index, ok = p.re.names[strings.Trim(name, "<>'")]; !ok {
			return nil, perlError("reference to non-existent subpattern")
		}
	}
	p.highest = max(p.highest, index)
	n, err := p.inside()
	if err != nil {
		return nil, err
	}
	yes, no := n, &node{op: opEmpty}
	if n.op == opAlt {
		if len(n.subs) > 2 {
			return nil, perlError("conditional subpattern contains more than two branches")
		}
		yes, no = n.subs[0], n.subs[1]
	}
	return alt(
		cat(&node{op: opIf, index: index}, yes),
		cat(&node{op: opIf, index: index, negative: true}, no),
	), nil
}
