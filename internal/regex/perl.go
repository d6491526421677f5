package regex

import (
	"strings"
)

// parsePerl parses the dialect of grep -P.
func (p *parser) parsePerl() (*node, error) {
	pl := perl{parser: p}
	n, err := pl.alternation()
	switch {
	case err != nil:
		return nil, err
	case p.pos < len(p.src):
		return nil, perlError("unmatched closing parenthesis")
	case pl.highest > p.group-p.first:
		return nil, perlError("reference to non-existent subpattern")
	}
	return n, nil
}

// A perl is the parser of one Perl pattern.
type perl struct {
	*parser
	extended bool // (?x): white space is ignored
	highest  int  // the greatest group that is referred to
	quoting  bool // between \Q and \E
}

func (p *perl) rest() string { return p.src[p.pos:] }

// accept consumes s if it is next.
func (p *perl) accept(s string) bool {
	if !strings.HasPrefix(p.rest(), s) {
		return false
	}
	p.pos += len(s)
	return true
}

func (p *perl) alternation() (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, perlError("parentheses are too deeply nested")
	}
	flags, extended := p.flags, p.extended
	defer func() {
		p.depth--
		p.flags, p.extended = flags, extended
	}()
	var alts []*node
	for {
		n, err := p.sequence()
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
		if !p.accept("|") {
			return alt(alts...), nil
		}
	}
}

func (p *perl) sequence() (*node, error) {
	var list []*node
	for {
		p.skip()
		if p.pos == len(p.src) || !p.quoting && (p.src[p.pos] == '|' || p.src[p.pos] == ')') {
			return cat(list...), nil
		}
		n, repeatable, err := p.item()
		if err != nil {
			return nil, err
		}
		if repeatable {
			n, err = p.quantify(n)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
}

// skip consumes what stands for nothing: \E, \Q and, with (?x), white space.
func (p *perl) skip() {
	for p.pos < len(p.src) {
		switch {
		case p.accept(`\E`):
			p.quoting = false
		case p.quoting:
			return
		case p.accept(`\Q`):
			p.quoting = true
		case p.extended && strings.IndexByte(" \t\n\r\f\v", p.src[p.pos]) >= 0:
			p.pos++
		case p.extended && p.src[p.pos] == '#':
			if i := strings.IndexByte(p.rest(), '\n'); i >= 0 {
				p.pos += i
			} else {
				p.pos = len(p.src)
			}
		default:
			return
		}
	}
}

// item parses what a quantifier may follow, or what none may.
func (p *perl) item() (n *node, repeatable bool, err error) {
	if p.quoting {
		return p.char(p.rune()), true, nil
	}
	switch p.src[p.pos] {
	case '(':
		return p.parenthesis()
	case '[':
		n, err = p.class()
		return n, true, err
	case '\\':
		return p.escape()
	case '.':
		p.pos++
		return p.dot(p.flags&DotNewline != 0), true, nil
	case '^':
		p.pos++
		return lineStart(p.flags), true, nil
	case '$':
		p.pos++
		return p.dollar(), true, nil
	case '*', '+', '?':
		return nil, false, perlError("quantifier does not follow a repeatable item")
	}
	return p.char(p.rune()), true, nil
}

// dollar returns the end of the text, or what comes before a newline there.
func (p *perl) dollar() *node {
	if p.flags&Multiline != 0 {
		return lineEnd(p.flags)
	}
	final := cat(&node{op: opSet, set: single('\n')}, assertion(atTextEnd))
	return alt(assertion(atTextEnd), (&node{op: opLook}).nested(final))
}

func (p *perl) dot(newline bool) *node {
	var not set
	if !newline {
		not = single('\n')
	}
	return p.exactly(not.complement(p.flags&Bytes != 0))
}

// quantify parses the quantifiers after n.
func (p *perl) quantify(n *node) (*node, error) {
	for {
		p.skip()
		lo, hi, ok, err := p.quantifier()
		if err != nil || !ok {
			return n, err
		}
		r := (&node{op: opRepeat, min: lo, max: hi}).nested(n)
		if r.depth > maxDepth {
			return nil, errSize
		}
		switch {
		case p.accept("?"):
			r.lazy = true
		case p.accept("+"):
			r = (&node{op: opAtomic}).nested(r)
		}
		n = r
		p.skip()
		if rest := p.rest(); !p.quoting && rest != "" && strings.IndexByte("*+?", rest[0]) >= 0 {
			return nil, perlError("quantifier does not follow a repeatable item")
		}
	}
}

// quantifier parses one quantifier, if one is next.
func (p *perl) quantifier() (lo, hi int, ok bool, err error) {
	if p.quoting {
		return 0, 0, false, nil
	}
	switch {
	case p.accept("*"):
		return 0, -1, true, nil
	case p.accept("+"):
		return 1, -1, true, nil
	case p.accept("?"):
		return 0, 1, true, nil
	case p.peek() != '{':
		return 0, 0, false, nil
	}
	begin := p.pos
	p.pos++
	lo, ok = p.number()
	hi = lo
	if ok && p.accept(",") {
		var bounded bool
		if hi, bounded = p.number(); !bounded {
			hi = -1
		}
	}
	if !ok || !p.accept("}") {
		p.pos = begin
		return 0, 0, false, nil
	}
	switch {
	case max(lo, hi) > 65535:
		return 0, 0, false, perlError("number too big in {} quantifier")
	case hi >= 0 && hi < lo:
		return 0, 0, false, perlError("numbers out of order in {} quantifier")
	}
	return lo, hi, true, nil
}

// settings parses (?i), (?i-s) or (?i:…), of which (? has been read.
func (p *perl) settings() (n *node, repeatable bool, err error) {
	flags, extended, off := p.flags, p.extended, false
	for {
		if p.pos == len(p.src) {
			return nil, false, perlError("missing closing parenthesis")
		}
		c := p.src[p.pos]
		p.pos++
		var bit Flags
		switch c {
		case '-':
			off = true
			continue
		case 'i':
			bit = IgnoreCase
		case 'm':
			bit = Multiline
		case 's':
			bit = DotNewline
		case 'x':
			extended = !off
			continue
		case ')':
			p.flags, p.extended = flags, extended
			return &node{op: opEmpty}, false, nil
		case ':':
			outer, outerExtended := p.flags, p.extended
			p.flags, p.extended = flags, extended
			n, err = p.inside()
			p.flags, p.extended = outer, outerExtended
			return n, true, err
		default:
			return nil, false, perlError("unrecognized character after (? or (?-")
		}
		if off && (bit != Multiline || p.flags&Lines == 0) {
			flags &^= bit
		} else {
			flags |= bit
		}
	}
}
