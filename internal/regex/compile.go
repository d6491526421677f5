package regex

// A code is an operation of a program.
type code uint8

const (
	codeSet      code = iota // consume a character of class set, go to out
	codeRun                  // consume any number of them, as many as possible or (lazy) as few
	codeSplit                // go to out or, failing that, to arg
	codeSave                 // store the position in slot arg
	codeAssert               // go on if the position fits at
	codeMark                 // store the position in slot arg: a repetition begins
	codeProgress             // fail if the position is that in slot arg
	codeBackref              // consume what group arg matched
	codeLook                 // run the program at arg up to its end, go to out if it fits
	codeAtomic               // run the program at arg up to its end, go on from where it ended
	codeKeep                 // the match begins here
	codeIf                   // go on if group arg is set, or is not
	codeFail                 // no match this way
	codeMatch                // the end
)

// An inst is an instruction.
type inst struct {
	code           code
	at             at
	lazy           bool
	negative, back bool // codeLook, codeIf
	fold           bool // codeBackref
	memo           int32
	class          int32 // the one class that codeSet and codeRun consume; -1: those of set
	set            int32 // index into sets
	out, arg       int32
	min, max       int32 // codeLook that looks back: how many characters
}

const instSize = 32

// maxProgram bounds the instructions of a program.
const maxProgram = 1 << 17

// A program is an expression in the form in which it is run.
type program struct {
	*alphabet
	code     []inst
	start    int32
	sets     []classSet
	slots    int  // positions that a run stores
	memos    int  // instructions that remember positions
	special  bool // has what makes the future depend on more than the position
	looks    bool // runs parts of itself on their own
	backward bool
	word     bool // conditions ask for words
	line     bool // conditions ask for newlines
	ends     bool // conditions ask for the ends of the text
}

// A classSet is a set of classes, a bit for each.
type classSet []uint64

func (s classSet) has(class int32) bool { return s[class>>6]&(1<<(class&63)) != 0 }

// consumes reports whether the set of i has a class.
func (p *program) consumes(i *inst, class int32) bool {
	if i.class >= 0 {
		return i.class == class
	}
	return p.sets[i.set].has(class)
}

// A compiler makes a program of a tree.
type compiler struct {
	*program
	forBack bool             // for the backtracker
	bySpan  map[*span]setRef // by the first span of a set
}

// A setRef is how instructions refer to a set.
type setRef struct{ class, set int32 }

// compile returns a program for n. Code for the backtracker stores submatches.
func compile(n *node, abc *alphabet, backward, forBack bool) (*program, error) {
	c := &compiler{program: &program{alphabet: abc, backward: backward}, forBack: forBack, bySpan: make(map[*span]setRef)}
	if forBack {
		walk(n, func(n *node) {
			if n.op == opGroup {
				c.slots = max(c.slots, 2*n.index+2)
			}
		})
		c.slots = max(c.slots, 2)
	}
	end := c.emit(inst{code: codeMatch})
	c.start = c.node(n, end)
	if len(c.code) > maxProgram {
		return nil, errSize
	}
	return c.program, nil
}

// emit adds an instruction, and returns its number. Beyond the bound it adds
// none; compile looks at that in the end.
func (c *compiler) emit(i inst) int32 {
	if len(c.code) > maxProgram {
		return 0
	}
	if c.forBack {
		switch i.code {
		case codeSplit:
			c.memos++
			i.memo = int32(c.memos)
		case codeRun:
			c.memos += 2
			i.memo = int32(c.memos)
		}
	}
	c.code = append(c.code, i)
	return int32(len(c.code) - 1)
}

// node compiles n so that it continues at out, and returns where it begins.
func (c *compiler) node(n *node, out int32) int32 {
	switch n.op {
	case opEmpty:
		return out
	case opFail:
		return c.emit(inst{code: codeFail})
	case opSet:
		return c.emit(c.setInst(codeSet, n.set, out))
	case opCat:
		return c.cat(n.subs, out)
	case opAlt:
		return c.alt(n.subs, out)
	case opRepeat:
		return c.repeat(n, out)
	case opAssert:
		c.note(n.at)
		return c.emit(inst{code: codeAssert, at: n.at, out: out})
	}
	if !c.forBack { // a group
		return c.node(n.subs[0], out)
	}
	switch n.op {
	case opGroup:
		end := c.emit(inst{code: codeSave, arg: int32(2*n.index + 1), out: out})
		return c.emit(inst{code: codeSave, arg: int32(2 * n.index), out: c.node(n.subs[0], end)})
	case opBackref:
		c.special = true
		return c.emit(inst{code: codeBackref, arg: int32(n.index), fold: n.fold, out: out})
	case opKeep:
		return c.emit(inst{code: codeKeep, out: out})
	case opIf:
		c.special = true
		return c.emit(inst{code: codeIf, arg: int32(n.index), negative: n.negative, out: out})
	case opAtomic:
		c.special, c.looks = true, true
		sub := c.node(n.subs[0], c.emit(inst{code: codeMatch}))
		return c.emit(inst{code: codeAtomic, arg: sub, out: out})
	}
	c.special, c.looks = true, true
	sub := c.node(n.subs[0], c.emit(inst{code: codeMatch}))
	return c.emit(inst{code: codeLook, arg: sub, out: out, negative: n.negative, back: n.behind, min: int32(n.min), max: int32(n.max)})
}

// note records what conditions ask for.
func (c *compiler) note(a at) {
	switch a {
	case atTextStart, atTextEnd:
		c.ends = true
	case atLineStart, atLineEnd:
		c.ends, c.line = true, true
	default:
		c.word = true
	}
}

func (c *compiler) cat(subs []*node, out int32) int32 {
	for i := range subs {
		if c.backward {
			out = c.node(subs[i], out)
		} else {
			out = c.node(subs[len(subs)-1-i], out)
		}
	}
	return out
}

func (c *compiler) alt(subs []*node, out int32) int32 {
	next := c.node(subs[len(subs)-1], out)
	for i := len(subs) - 2; i >= 0; i-- {
		next = c.emit(inst{code: codeSplit, out: c.node(subs[i], out), arg: next})
	}
	return next
}

// repeat compiles n.min times the operand and then up to n.max, each turn of
// which may be the last.
func (c *compiler) repeat(n *node, out int32) int32 {
	sub := n.subs[0]
	next := out
	if n.max == -1 {
		next = c.star(n, sub, out)
	}
	for i := n.min; i < n.max && len(c.code) <= maxProgram; i++ {
		more, less := c.node(sub, next), out
		if n.lazy {
			more, less = less, more
		}
		next = c.emit(inst{code: codeSplit, out: more, arg: less})
	}
	for i := 0; i < n.min && len(c.code) <= maxProgram; i++ {
		next = c.node(sub, next)
	}
	return next
}

// star compiles any number of sub.
func (c *compiler) star(n, sub *node, out int32) int32 {
	if sub.op == opSet {
		run := c.setInst(codeRun, sub.set, out)
		run.lazy = n.lazy
		return c.emit(run)
	}
	loop := c.emit(inst{code: codeSplit})
	var body int32
	if c.forBack && nullable(sub) {
		slot := int32(c.slots)
		c.slots++
		check := c.emit(inst{code: codeProgress, arg: slot, out: loop})
		body = c.emit(inst{code: codeMark, arg: slot, out: c.node(sub, check)})
	} else {
		body = c.node(sub, loop)
	}
	i := &c.code[loop]
	i.out, i.arg = body, out
	if n.lazy {
		i.out, i.arg = out, body
	}
	return loop
}

// nullable reports whether n can match nothing.
func nullable(n *node) bool {
	switch n.op {
	case opSet, opFail:
		return false
	case opCat:
		for _, s := range n.subs {
			if !nullable(s) {
				return false
			}
		}
		return true
	case opAlt:
		for _, s := range n.subs {
			if nullable(s) {
				return true
			}
		}
		return false
	case opRepeat:
		return n.min == 0 || nullable(n.subs[0])
	case opGroup, opAtomic:
		return nullable(n.subs[0])
	}
	return true
}

// setInst returns an instruction that consumes a character of s.
func (c *compiler) setInst(op code, s set, out int32) inst {
	ref, ok := c.bySpan[&s[0]]
	if !ok {
		ref = c.ref(s)
		c.bySpan[&s[0]] = ref
	}
	return inst{code: op, class: ref.class, set: ref.set, out: out}
}

// ref finds the classes of s.
func (c *compiler) ref(s set) setRef {
	if len(s) == 1 && s[0].lo == s[0].hi {
		return setRef{class: int32(c.lookup(s[0].lo))}
	}
	in := make(classSet, (c.size+63)/64)
	count, last := 0, int32(0)
	for class, member := range c.members {
		if s.has(member) {
			in[class>>6] |= 1 << (class & 63)
			count, last = count+1, int32(class)
		}
	}
	if count == 1 {
		return setRef{class: last}
	}
	c.sets = append(c.sets, in)
	return setRef{class: -1, set: int32(len(c.sets) - 1)}
}

// first returns the classes of characters that a match can begin with, or nil
// where it can be empty or that is hard to say.
func (p *program) first() []bool {
	in := make([]bool, p.size)
	seen := make([]bool, len(p.code))
	stack := []int32{p.start}
	for len(stack) > 0 {
		pc := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		i := &p.code[pc]
		switch i.code {
		case codeMatch, codeBackref:
			return nil
		case codeSplit:
			stack = append(stack, i.arg, i.out)
			continue
		case codeAtomic:
			stack = append(stack, i.arg)
			continue
		case codeFail:
			continue
		case codeSet, codeRun:
			for class := range in {
				in[class] = in[class] || p.consumes(i, int32(class))
			}
			if i.code == codeSet {
				continue
			}
		}
		stack = append(stack, i.out)
	}
	return in
}
