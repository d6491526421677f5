package regex

import (
	"math"
	"unicode/utf8"
)

// A leading says what a repetition operator is that has nothing to repeat.
type leading uint8

const (
	leadingLiteral leading = iota
	leadingSkip            // it is ignored, with a warning
	leadingError
)

// rules is what distinguishes the POSIX dialects.
type rules struct {
	bare         bool // ( ) and { } are operators without a backslash
	bareAlt      bool // | is an operator without a backslash
	barePlus     bool // + and ? are operators without a backslash
	interval     bool // there are intervals
	anchors      bool // ^ and $ are anchors wherever they stand
	leading      leading
	strictRepeat bool // * may not follow *, nor begin an expression as an interval
	looseBrace   bool // what looks like a bad interval is literal
	looseParen   bool // a closing parenthesis on its own is literal
	escapes      bool // \n, \t and \ooo are characters, in brackets too
	classes      bool // there are classes such as [:alpha:]
	yWordEdge    bool // \y is what \b is elsewhere
}

var rulesOf = map[Dialect]rules{
	Basic:    {interval: true, strictRepeat: true, classes: true},
	Extended: {bare: true, bareAlt: true, barePlus: true, interval: true, anchors: true, leading: leadingError, classes: true},
	Grep:     {interval: true, classes: true},
	Egrep: {bare: true, bareAlt: true, barePlus: true, interval: true, anchors: true, leading: leadingSkip,
		looseBrace: true, looseParen: true, classes: true},
	Awk: {bare: true, bareAlt: true, barePlus: true, interval: true, anchors: true, looseBrace: true, escapes: true,
		classes: true, yWordEdge: true},
	Emacs: {barePlus: true},
}

// maxRepeat is the greatest number in an interval.
const maxRepeat = 32767

// A parser turns the text of one pattern into a tree.
type parser struct {
	src     string
	pos     int
	dialect Dialect
	rules   rules
	flags   Flags
	group   int // groups opened so far, in all patterns
	first   int // groups of the patterns before this one
	closed  []bool
	depth   int
	brace   int // where a { stands that is literal
	re      *Regexp

	free, dots bool // Perl: (?x) and (?s) are in force
}

func (p *parser) parse() (*node, error) {
	switch p.dialect {
	case Literal:
		return p.literal(), nil
	case Perl:
		return p.parsePerl()
	}
	n, err := p.alternation(0)
	if err == nil && p.pos < len(p.src) {
		err = errCloseOnly
	}
	return n, err
}

func (p *parser) literal() *node {
	var list []*node
	for p.pos < len(p.src) {
		list = append(list, p.char(p.rune()))
	}
	return cat(list...)
}

// rune consumes the next character.
func (p *parser) rune() rune {
	r, n := p.runeAt(p.pos)
	p.pos += n
	return r
}

func (p *parser) runeAt(pos int) (rune, int) {
	if p.src[pos] < utf8.RuneSelf {
		return rune(p.src[pos]), 1
	}
	return decode([]byte(p.src[pos:min(pos+utf8.UTFMax, len(p.src))]), p.flags&Bytes != 0)
}

// char returns a node for one character of the pattern.
func (p *parser) char(r rune) *node { return p.chars(single(r)) }

// chars returns a node for one character of s, as the flags change it.
func (p *parser) chars(s set) *node {
	if p.flags&IgnoreCase != 0 {
		s = s.fold()
	}
	return p.exactly(s)
}

// exactly is chars for a set that has no case.
func (p *parser) exactly(s set) *node {
	if p.flags&Lines != 0 {
		s = s.without('\n')
	}
	if len(s) == 0 {
		return &node{op: opFail}
	}
	return &node{op: opSet, set: s}
}

func (p *parser) alternation(nest int) (*node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, errSize
	}
	defer func() { p.depth-- }()
	var alts []*node
	for {
		n, err := p.branch(nest)
		if err != nil {
			return nil, err
		}
		alts = append(alts, n)
		tok, size := p.token()
		if tok != tokAlt {
			return p.choice(alts), nil
		}
		p.pos += size
	}
}

// choice returns the choice between alternatives.
func (p *parser) choice(alts []*node) *node {
	if len(alts) >= 8 {
		return factor(alts)
	}
	return alt(alts...)
}

func (p *parser) branch(nest int) (*node, error) {
	var list []*node
	for {
		tok, _ := p.token()
		if tok == tokEnd || tok == tokAlt || tok == tokClose && (nest > 0 || !p.rules.looseParen) {
			return cat(list...), nil
		}
		n, err := p.piece(nest)
		if err != nil {
			return nil, err
		}
		list = append(list, n)
	}
}

// piece parses an atom and the operators that repeat it.
func (p *parser) piece(nest int) (*node, error) {
	n, repeatable, err := p.atom(nest)
	if err != nil || !repeatable {
		return n, err
	}
	for starred := false; ; {
		tok, size := p.token()
		lo, hi := 0, -1
		switch tok {
		case tokStar:
		case tokPlus:
			lo = 1
		case tokQuestion:
			hi = 1
		case tokBrace:
			at := p.pos
			if lo, hi, err = p.interval(); err != nil {
				return nil, err
			}
			if lo < 0 { // not an interval after all
				p.pos, p.brace = at, at
				return n, nil
			}
			size = 0
		default:
			return n, nil
		}
		if starred && p.rules.strictRepeat && (tok == tokStar || tok == tokBrace) {
			return nil, errRepeat
		}
		p.pos += size
		starred = true
		if n = repeat(n, lo, hi); n.depth > maxDepth {
			return nil, errSize
		}
	}
}

// interval parses an interval, whose { is next. Where it is not one and the
// dialect does not mind, lo is -1.
func (p *parser) interval() (lo, hi int, err error) {
	_, size := p.token()
	p.pos += size
	lo, ok := p.number()
	if !ok && p.peek() == ',' {
		lo, ok = 0, true
	}
	if !ok && p.closing() > 0 {
		return 0, 0, errInterval
	}
	hi = lo
	if ok && p.peek() == ',' {
		p.pos++
		var bounded bool
		if hi, bounded = p.number(); !bounded {
			hi = -1
		}
	}
	end := p.closing()
	switch {
	case !ok || end == 0:
		if p.rules.looseBrace {
			return -1, 0, nil
		}
		return 0, 0, p.badInterval()
	case hi >= 0 && lo > hi:
		return 0, 0, errInterval
	case max(lo, hi) > maxRepeat:
		return 0, 0, errSize
	}
	p.pos += end
	return lo, hi, nil
}

// badInterval returns what is wrong with an interval: its content, if it has an
// end or a comma.
func (p *parser) badInterval() error {
	for p.pos < len(p.src) {
		if p.src[p.pos] == ',' || p.closing() > 0 {
			return errInterval
		}
		_, size := p.token()
		p.pos += size
	}
	return errBrace
}

// number consumes a number; one that is too big becomes a big one.
func (p *parser) number() (n int, ok bool) {
	for p.pos < len(p.src) && p.src[p.pos] >= '0' && p.src[p.pos] <= '9' {
		n = min(n*10+int(p.src[p.pos]-'0'), math.MaxInt32)
		p.pos++
		ok = true
	}
	return n, ok
}

func (p *parser) peek() byte {
	if p.pos < len(p.src) {
		return p.src[p.pos]
	}
	return 0
}

// closing returns the length of the token that ends an interval, if it is next.
func (p *parser) closing() int {
	switch rest := p.src[p.pos:]; {
	case p.rules.bare && rest != "" && rest[0] == '}':
		return 1
	case !p.rules.bare && len(rest) > 1 && rest[:2] == `\}`:
		return 2
	}
	return 0
}

// atom parses what a repetition operator can follow, and reports whether one
// can: none refers to an anchor.
func (p *parser) atom(nest int) (n *node, repeatable bool, err error) {
	tok, size := p.token()
	switch tok {
	case tokStar, tokPlus, tokQuestion, tokBrace:
		return p.dangling(tok, size)
	case tokTrailing:
		return nil, false, errEscape
	case tokOpen:
		p.pos += size
		n, err = p.groupOf(nest)
		return n, true, err
	case tokBracket:
		n, err = p.bracket()
		return n, true, err
	case tokBackref:
		n, err = p.backref()
		return n, true, err
	case tokEscape:
		n, repeatable = p.escape()
		return n, repeatable, nil
	}
	switch tok {
	case tokDot:
		p.pos += size
		return p.exactly(set(nil).complement(p.flags&Bytes != 0)), true, nil
	case tokCaret:
		p.pos += size
		return lineStart(p.flags), false, nil
	case tokDollar:
		p.pos += size
		return lineEnd(p.flags), false, nil
	}
	if size == 2 { // an escaped character
		p.pos++
		if p.rules.escapes {
			return p.char(p.awkEscape()), true, nil
		}
	}
	return p.char(p.rune()), true, nil
}

// dangling deals with a repetition operator that has nothing before it.
func (p *parser) dangling(tok token, size int) (*node, bool, error) {
	if p.rules.leading == leadingError || p.rules.strictRepeat && tok == tokBrace {
		return nil, false, errRepeat
	}
	if p.rules.leading == leadingLiteral {
		p.pos += size
		return p.char(rune(p.src[p.pos-1])), true, nil
	}
	what := p.src[p.pos : p.pos+size]
	if tok == tokBrace {
		at := p.pos
		lo, _, err := p.interval()
		if err != nil {
			return nil, false, err
		}
		if lo < 0 {
			p.pos, p.brace = at, at
			return &node{op: opEmpty}, false, nil
		}
		what, size = "{...}", 0
	}
	p.pos += size
	p.re.Warnings = append(p.re.Warnings, what+" at start of expression")
	return &node{op: opEmpty}, tok == tokBrace, nil
}

func (p *parser) groupOf(nest int) (*node, error) {
	p.group++
	index := p.group
	n, err := p.alternation(nest + 1)
	if err != nil {
		return nil, err
	}
	tok, size := p.token()
	if tok != tokClose {
		return nil, errParen
	}
	p.pos += size
	p.close(index)
	g := (&node{op: opGroup, index: index}).nested(n)
	if g.depth > maxDepth {
		return nil, errSize
	}
	return g, nil
}

// close records that a group is complete.
func (p *parser) close(index int) {
	for len(p.closed) <= index-p.first {
		p.closed = append(p.closed, false)
	}
	p.closed[index-p.first] = true
}

func (p *parser) backref() (*node, error) {
	index := int(p.src[p.pos+1] - '0')
	if index >= len(p.closed) || !p.closed[index] {
		return nil, errBackref
	}
	p.pos += 2
	return &node{op: opBackref, index: p.first + index, fold: p.flags&IgnoreCase != 0}, nil
}
