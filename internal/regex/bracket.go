package regex

import "strings"

// bracket parses a bracket expression, whose [ is next.
func (p *parser) bracket() (*node, error) {
	p.pos++
	b := bracket{parser: p, start: p.pos, bytes: p.flags&Bytes != 0}
	if p.peek() == '^' {
		b.negated = true
		p.pos++
	}
	if p.pos == len(p.src) {
		return nil, errPattern
	}
	if err := b.items(); err != nil {
		return nil, err
	}
	s := normalize(b.set)
	if p.flags&IgnoreCase != 0 {
		s = s.fold()
	}
	if b.negated {
		s = s.complement(b.bytes)
	}
	return p.exactly(s), nil
}

// A bracket is a bracket expression that is being parsed.
type bracket struct {
	*parser
	start   int
	bytes   bool
	negated bool
	rich    bool // has a class or a range
	set     set
}

func (b *bracket) items() error {
	for first := true; ; first = false {
		if b.pos == len(b.src) {
			return errBracket
		}
		if b.src[b.pos] == ']' && !first {
			b.pos++
			b.checkColons()
			return nil
		}
		if err := b.item(first); err != nil {
			return err
		}
	}
}

// checkColons notices the mistake of writing [:space:] for [[:space:]].
func (b *bracket) checkColons() {
	text := b.src[b.start : b.pos-1]
	if !b.rich && len(text) > 2 && text[0] == ':' && text[len(text)-1] == ':' {
		b.re.ClassSyntax = true
	}
}

// item parses a class, a range or a character.
func (b *bracket) item(first bool) error {
	if b.rules.classes && strings.HasPrefix(b.src[b.pos:], "[:") {
		return b.class()
	}
	if b.src[b.pos] == '-' && !first && b.pos+1 < len(b.src) && b.src[b.pos+1] != ']' {
		return errRange
	}
	lo, err := b.element()
	if err != nil {
		return err
	}
	rest := b.src[b.pos:]
	if len(rest) < 2 || rest[0] != '-' || rest[1] == ']' {
		b.set = append(b.set, span{lo, lo})
		return nil
	}
	b.pos++
	b.rich = true
	if b.rules.classes && strings.HasPrefix(b.src[b.pos:], "[:") {
		return errRange
	}
	hi, err := b.element()
	if err != nil {
		return err
	}
	if lo > hi {
		return errRange
	}
	b.set = append(b.set, span{lo, hi})
	return nil
}

// element parses one end of a range.
func (b *bracket) element() (rune, error) {
	rest := b.src[b.pos:]
	if strings.HasPrefix(rest, "[.") || strings.HasPrefix(rest, "[=") {
		return b.collating(rest[1])
	}
	if rest[0] == '\\' && b.rules.escapes && len(rest) > 1 {
		b.pos++
		return b.awkEscape(), nil
	}
	return b.rune(), nil
}

// collating parses [.x.] or [=x=].
func (b *bracket) collating(kind byte) (rune, error) {
	name, ok := b.named(kind)
	if !ok {
		return 0, errBracket
	}
	if name == "" {
		return 0, errCollate
	}
	r, n := decode([]byte(name), b.bytes)
	if n != len(name) {
		return 0, errCollate
	}
	b.rich = true
	return r, nil
}

// class parses [:name:].
func (b *bracket) class() error {
	name, ok := b.named(':')
	if !ok {
		return errBracket
	}
	if b.flags&IgnoreCase != 0 && (name == "upper" || name == "lower") {
		name = "alpha"
	}
	members, ok := class(name, b.bytes)
	if !ok {
		return errClass
	}
	if rest := b.src[b.pos:]; len(rest) > 1 && rest[0] == '-' && rest[1] != ']' {
		return errRange
	}
	b.rich = true
	b.set = append(b.set, members...)
	return nil
}

// named consumes what stands between [k and k].
func (b *bracket) named(kind byte) (string, bool) {
	name, _, ok := strings.Cut(b.src[b.pos+2:], string(kind)+"]")
	if ok {
		b.pos += len(name) + 4
	}
	return name, ok
}
