package pattern

// An opcode is what an instruction of a program does.
type opcode uint8

const (
	opChar  opcode = iota // consume the character r
	opAny                 // consume a character
	opSet                 // consume a character of sets[x]
	opSplit               // go on at x and at y
	opJump                // go on at x
	opNot                 // consume what the program at x does not match; go on at y
	opMatch               // the end of a program
)

// An instruction consumes a character and leaves control to the one behind it,
// unless its opcode says otherwise.
type instruction struct {
	op   opcode
	tail bool // of the opAny of a star that ends the pattern
	r    rune
	x, y int32
}

// A program is a nondeterministic automaton. It begins at instruction 0.
type program struct {
	code     []instruction
	sets     []*set
	literals map[rune]struct{} // the characters of all opChar
	backward bool              // matches strings from their end to their beginning
}

// compile translates nodes. A backward program matches the same strings from
// their last character to the first. A searching program skips any number of
// characters before the match.
func compile(nodes []node, backward, searching bool) *program {
	p := &program{literals: map[rune]struct{}{}, backward: backward}
	if searching {
		p.star(false)
	}
	p.sequence(nodes, true)
	p.emit(instruction{op: opMatch})
	return p
}

func (p *program) emit(i instruction) int32 {
	p.code = append(p.code, i)
	return int32(len(p.code) - 1)
}

func (p *program) here() int32 { return int32(len(p.code)) }

// sequence translates nodes, which are those of the whole pattern if top.
func (p *program) sequence(nodes []node, top bool) {
	for i := range nodes {
		n := &nodes[i]
		if p.backward {
			n = &nodes[len(nodes)-1-i]
		}
		switch n.kind {
		case literal:
			p.emit(instruction{op: opChar, r: n.r})
			p.literals[n.r] = struct{}{}
		case any:
			p.emit(instruction{op: opAny})
		case star:
			p.star(top && i == len(nodes)-1)
		case bracket:
			p.emit(instruction{op: opSet, x: int32(len(p.sets))})
			p.sets = append(p.sets, n.set)
		case group:
			p.group(n)
		}
	}
}

// star translates a star; tail says that the program ends behind it.
func (p *program) star(tail bool) {
	split := p.emit(instruction{op: opSplit})
	p.code[split].x = p.here()
	p.emit(instruction{op: opAny, tail: tail})
	p.emit(instruction{op: opJump, x: split})
	p.code[split].y = p.here()
}

func (p *program) group(n *node) {
	if n.op == '!' {
		not := p.emit(instruction{op: opNot})
		p.code[not].x = p.here()
		p.alternatives(n.alts)
		p.emit(instruction{op: opMatch})
		p.code[not].y = p.here()
		return
	}
	enter := int32(-1)
	if n.op == '*' || n.op == '?' {
		enter = p.emit(instruction{op: opSplit, x: p.here() + 1})
	}
	body := p.here()
	p.alternatives(n.alts)
	switch n.op {
	case '*':
		p.emit(instruction{op: opJump, x: enter})
	case '+':
		again := p.emit(instruction{op: opSplit, x: body})
		p.code[again].y = p.here()
	}
	if enter >= 0 {
		p.code[enter].y = p.here()
	}
}

// alternatives translates alts so that control comes out behind them.
func (p *program) alternatives(alts [][]node) {
	var ends []int32
	for i, alt := range alts {
		split := int32(-1)
		if i < len(alts)-1 {
			split = p.emit(instruction{op: opSplit, x: p.here() + 1})
		}
		p.sequence(alt, false)
		if split >= 0 {
			ends = append(ends, p.emit(instruction{op: opJump}))
			p.code[split].y = p.here()
		}
	}
	for _, end := range ends {
		p.code[end].x = p.here()
	}
}
