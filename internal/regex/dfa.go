package regex

import (
	"encoding/binary"
	"slices"
	"unicode/utf8"
)

// A dfa is a deterministic automaton that is built from a program while it
// reads. The states of the automaton are sets of instructions; a transition
// leads to the next state for each class of characters, and says whether there
// was a match before that character, which conditions such as \> depend on.
type dfa struct {
	prog     *program
	matcher  *Matcher
	anywhere bool // a match may begin at any position
	first    bool // stop at the first sign of a match
	groups   bool // keep apart what began at different positions: leftmost, then longest
	mask     kind // what of the preceding character matters

	stride int32
	trans  []int32 // by state and class: see the constants below
	states []state
	byKey  map[string]int32
	held   int // bytes charged
	starts [8]int32

	home home

	now, next list
	stack     []int32
	key       []byte
}

// A transition is the offset of the next state's row, negative where there was
// a match before the character; or one of these.
const (
	unknown = 0 // not computed yet
	deadRow = 1 // times the stride: no match can follow
)

// A state is a state of a [dfa].
type state struct {
	pcs     []int32 // instructions; mark separates groups
	before  kind
	matched bool // a match has been seen: no more beginnings
}

// mark separates the instructions of threads that began at one position from
// those that began later.
const mark = -1

// A list is an ordered set of instructions.
type list struct {
	pcs  []int32
	seen []uint32
	gen  uint32
}

func (l *list) clear() {
	l.pcs = l.pcs[:0]
	if l.gen++; l.gen == 0 {
		clear(l.seen)
		l.gen = 1
	}
}

func (l *list) add(pc int32) bool {
	if l.seen[pc] == l.gen {
		return false
	}
	l.seen[pc] = l.gen
	return true
}

// maxHeld bounds the memory of one automaton. When it is reached, the automaton
// is built anew.
const maxHeld = 4 << 20

func newDFA(p *program, m *Matcher) *dfa {
	d := &dfa{prog: p, matcher: m, stride: 1 << p.shift}
	if p.word {
		d.mask |= kindWord
	}
	if p.line {
		d.mask |= kindNewline
	}
	if p.ends {
		d.mask |= kindEnd
	}
	d.now.seen = make([]uint32, len(p.code))
	d.next.seen = make([]uint32, len(p.code))
	d.hold(8*len(p.code) + 512)
	d.reset()
	return d
}

// hold charges n bytes.
func (d *dfa) hold(n int) {
	d.held += n
	d.matcher.alloc(n)
}

// reset forgets all states.
func (d *dfa) reset() {
	fixed := 8*len(d.prog.code) + 512
	d.matcher.free(d.held - fixed)
	d.held = fixed
	d.trans = make([]int32, 2*d.stride, 16*d.stride)
	for i := d.stride; i < 2*d.stride; i++ {
		d.trans[i] = d.stride * deadRow
	}
	d.states = make([]state, 2, 16)
	d.byKey = make(map[string]int32)
	d.starts = [8]int32{}
	d.home = home{row: noHome}
}

// start returns the state before the first character, which follows one of the
// kind before.
func (d *dfa) start(before kind) int32 {
	before &= d.mask
	if row := d.starts[before]; row != 0 {
		return row
	}
	d.next.clear()
	d.follow(d.prog.start)
	slices.Sort(d.next.pcs)
	row := d.intern(state{pcs: d.next.pcs, before: before})
	d.starts[before] = row
	return row
}

// follow adds to d.next what can be reached from pc without a character, up to
// conditions.
func (d *dfa) follow(pc int32) {
	d.stack = append(d.stack[:0], pc)
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if !d.next.add(pc) {
			continue
		}
		switch i := &d.prog.code[pc]; i.code {
		case codeSplit:
			d.stack = append(d.stack, i.arg, i.out)
		case codeRun:
			d.next.pcs = append(d.next.pcs, pc)
			d.stack = append(d.stack, i.out)
		case codeSet, codeAssert, codeMatch:
			d.next.pcs = append(d.next.pcs, pc)
		case codeFail:
		default:
			d.stack = append(d.stack, i.out)
		}
	}
}

// settle adds to d.now what can be reached from pc without a character at a
// position between before and after.
func (d *dfa) settle(pc int32, before, after kind) {
	d.stack = append(d.stack[:0], pc)
	for len(d.stack) > 0 {
		pc := d.stack[len(d.stack)-1]
		d.stack = d.stack[:len(d.stack)-1]
		if !d.now.add(pc) {
			continue
		}
		switch i := &d.prog.code[pc]; i.code {
		case codeSplit:
			d.stack = append(d.stack, i.arg, i.out)
		case codeRun:
			d.now.pcs = append(d.now.pcs, pc)
			d.stack = append(d.stack, i.out)
		case codeSet, codeMatch:
			d.now.pcs = append(d.now.pcs, pc)
		case codeAssert:
			if i.at.holds(before, after) {
				d.stack = append(d.stack, i.out)
			}
		case codeFail:
		default:
			d.stack = append(d.stack, i.out)
		}
	}
}

// step computes the transition of the state at row for a class.
func (d *dfa) step(row int32, class int32) int32 {
	s := d.states[row>>d.prog.shift]
	d.matcher.work(len(s.pcs) + 16)
	before, after := s.before, d.prog.kind[class]
	if d.prog.backward {
		before, after = after, before
	}
	d.now.clear()
	d.next.clear()
	hit := false
	for begin := 0; begin < len(s.pcs) && !(hit && d.groups); {
		end := len(s.pcs)
		if i := slices.Index(s.pcs[begin:], mark); i >= 0 {
			end = begin + i
		}
		hit = d.stepGroup(s.pcs[begin:end], class, before, after) || hit
		begin = end + 1
	}
	matched := s.matched || hit
	if d.anywhere && !matched && int(class) < d.prog.size-1 {
		d.endGroup()
		from := len(d.next.pcs)
		d.follow(d.prog.start)
		slices.Sort(d.next.pcs[from:])
	}
	pcs := d.next.pcs
	if n := len(pcs); n > 0 && pcs[n-1] == mark {
		pcs = pcs[:n-1]
	}
	if !d.groups {
		slices.Sort(pcs)
	}
	to := d.stride * deadRow
	if len(pcs) > 0 && int(class) < d.prog.size-1 {
		if d.held > maxHeld {
			d.reset()
			row = d.intern(s)
		}
		to = d.intern(state{pcs: pcs, before: d.prog.kind[class] & d.mask, matched: matched && d.groups})
	}
	if hit {
		to = -to
	}
	d.trans[row+class] = to
	return to
}

// stepGroup moves one group of threads over a character, and reports whether one
// of them had matched before it.
func (d *dfa) stepGroup(pcs []int32, class int32, before, after kind) (hit bool) {
	from := len(d.now.pcs)
	for _, pc := range pcs {
		d.settle(pc, before, after)
	}
	begin := len(d.next.pcs)
	for _, pc := range d.now.pcs[from:] {
		switch i := &d.prog.code[pc]; i.code {
		case codeMatch:
			hit = true
		case codeSet:
			if d.prog.consumes(i, class) {
				d.follow(i.out)
			}
		case codeRun:
			if d.prog.consumes(i, class) {
				d.follow(pc)
			}
		}
	}
	slices.Sort(d.next.pcs[begin:])
	if len(d.next.pcs) > begin {
		d.endGroup()
	}
	return hit
}

func (d *dfa) endGroup() {
	if n := len(d.next.pcs); d.groups && n > 0 && d.next.pcs[n-1] != mark {
		d.next.pcs = append(d.next.pcs, mark)
	}
}

// intern returns the row of a state like s.
func (d *dfa) intern(s state) int32 {
	d.key = append(d.key[:0], byte(s.before))
	if s.matched {
		d.key[0] |= 0x80
	}
	for _, pc := range s.pcs {
		d.key = binary.AppendVarint(d.key, int64(pc))
	}
	if row, ok := d.byKey[string(d.key)]; ok {
		return row
	}
	row := int32(len(d.trans))
	d.hold(4*int(d.stride) + 6*len(s.pcs) + 100)
	d.trans = append(d.trans, make([]int32, d.stride)...)
	s.pcs = slices.Clone(s.pcs)
	d.states = append(d.states, s)
	d.byKey[string(d.key)] = row
	return row
}

// chunk is how many bytes are read before the budget is asked.
const chunk = 16 << 10

// forward reads b from position from on, and returns the end of the match.
func (d *dfa) forward(b []byte, from int) (end int, ok bool) {
	p := d.prog
	row, end := d.start(p.before(b, from)), -1
	for i := from; ; {
		if i >= len(b) {
			if d.transition(row, int32(p.size-1)) < 0 {
				end = len(b)
			}
			return end, end >= 0
		}
		stop := min(len(b), i+chunk)
		d.matcher.work(stop - i)
		if d.matcher.err != nil {
			return -1, false
		}
		if d.home.read >= 0 {
			row = d.findHome(row, stop-i)
		}
		trans, home := d.trans, d.home.row
		for i < stop {
			class, width := int32(p.ascii[b[i]]), 1
			if b[i] >= utf8.RuneSelf && !p.bytes {
				var c uint16
				c, width = p.alphabet.next(b[i:])
				class = int32(c)
			}
			to := trans[row+class]
			if to == home {
				i += width
				if i < stop {
					i += d.home.skip(b[i:stop])
				}
				row = to
				continue
			}
			if to <= d.stride { // unknown, dead, or after a match
				if to == unknown {
					to = d.step(row, class)
					trans, home = d.trans, d.home.row
				}
				if to < 0 {
					end, to = i, -to
					if d.first {
						return end, true
					}
				}
				if to == d.stride*deadRow {
					return end, end >= 0
				}
			}
			row = to
			i += width
		}
	}
}

// transition returns the transition of the state at row for a class.
func (d *dfa) transition(row, class int32) int32 {
	if to := d.trans[row+class]; to != unknown {
		return to
	}
	return d.step(row, class)
}

// back reads b backwards from position end down to position from, and returns
// the first position at which a match begins that ends at end.
func (d *dfa) back(b []byte, from, end int) (start int) {
	p := d.prog
	row, start := d.start(p.after(b, end)), end
	for i, n := end, 0; ; n++ {
		if n%chunk == 0 {
			d.matcher.work(min(chunk, i-from))
			if d.matcher.err != nil {
				return start
			}
		}
		class, width := uint16(p.size-1), 0
		if i > 0 {
			class, width = p.alphabet.last(b[:i])
		}
		to := d.transition(row, int32(class))
		if to < 0 {
			start, to = i, -to
		}
		if to == d.stride*deadRow || i <= from {
			return start
		}
		row = to
		i -= width
	}
}
