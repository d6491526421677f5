package pattern

import (
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf8"
)

// ErrTooComplex is the error of patterns that are nested too deeply or would
// need too much memory to match.
var ErrTooComplex = errors.New("pattern too complex")

// A Step is told how much work, in characters looked at, matching has done
// since the last call. An error ends the matching. A nil Step lets all pass.
type Step func(n int) error

const (
	stride    = 1 << 13 // characters between calls of a Step
	softLimit = 1 << 18 // words in states at which a machine forgets them
	hardLimit = 1 << 21 // words in states that a machine may not forget
)

// A machine runs a program as a deterministic automaton, whose states it makes
// when they are first reached and forgets when they are too many. What a group
// !(…) excludes is run by states of the same machine, to which threads refer,
// so that negation costs no more than the rest.
type machine struct {
	prog  *program
	bytes bool // characters are bytes
	fold  func(rune) rune

	states  []state
	table   []int32          // rows of transitions by state; see glide
	shift   uint             // of a state's number to the place of its row
	index   map[string]int32 // of states, by their threads
	initial [2]int32         // what start returns plus 1; 0 is unknown
	size    int              // words in states and classes
	work    int              // not yet told to the Step
	over    bool             // too many words for one character

	ascii   [256]int32 // classes by byte; 0 if unknown or not a character
	class   map[rune]int32
	members map[string]int32 // classes by the sets that contain them
	sample  []rune           // a character of each class; there is no class 0

	mark []uint32 // instructions seen while building a state: mark is gen
	gen  uint32
	free []*builder
}

// A state is a set of threads.
type state struct {
	threads []thread
	accept  bool // the characters so far match
	tail    bool // whatever follows, it matches
}

// special reports whether matching may end in s.
func (s *state) special() bool { return s.accept || s.tail || len(s.threads) == 0 }

// A thread is an instruction that waits for a character, in the low 32 bits.
// In the high ones opNot has the state of what it excludes.
type thread uint64

func (t thread) pc() int32    { return int32(uint32(t)) }
func (t thread) inner() int32 { return int32(t >> 32) }

// dead is the state without threads, from which nothing matches.
const dead = 0

func newMachine(prog *program, bytes bool, fold func(rune) rune) *machine {
	m := &machine{prog: prog, bytes: bytes, fold: fold, mark: make([]uint32, len(prog.code))}
	m.clear()
	return m
}

// clear forgets all classes, and all states but the dead one.
func (m *machine) clear() {
	m.states = append(m.states[:0:0], state{})
	m.shift = 3
	m.table = append(m.table[:0], make([]int32, 1<<m.shift)...)
	m.index = map[string]int32{"\x00": dead}
	m.initial = [2]int32{}
	m.ascii = [256]int32{}
	m.class = map[rune]int32{}
	m.members = map[string]int32{}
	m.sample = append(m.sample[:0], 0)
	m.size = 0
}

// start returns the state before the first character. If dot, that is one that
// only a period in the pattern may match.
func (m *machine) start(dot bool) int32 {
	i := 0
	if dot {
		i = 1
	}
	if m.initial[i] == 0 {
		b := m.begin()
		b.dot = dot
		m.follow(b, 0)
		m.initial[i] = m.intern(b) + 1
	}
	return m.initial[i] - 1
}

// A builder collects the threads of a state.
type builder struct {
	dot     bool // leave out threads that match more than given characters
	threads []thread
	nots    map[thread]struct{}
	stack   []int32
	gen     uint32
	accept  bool
	tail    bool
}

func (m *machine) begin() *builder {
	var b *builder
	if n := len(m.free); n > 0 {
		b, m.free = m.free[n-1], m.free[:n-1]
	} else {
		b = &builder{}
	}
	m.gen++
	*b = builder{threads: b.threads[:0], stack: b.stack[:0], nots: b.nots, gen: m.gen}
	clear(b.nots)
	return b
}

// follow adds the threads that instruction pc leads to without consuming a
// character.
//
// The builders that are in use at one time do not disturb each other's marks:
// no instruction inside an excluded program is reached from outside.
func (m *machine) follow(b *builder, pc int32) {
	b.stack = append(b.stack[:0], pc)
	for len(b.stack) > 0 {
		pc := b.stack[len(b.stack)-1]
		b.stack = b.stack[:len(b.stack)-1]
		if m.mark[pc] == b.gen {
			continue
		}
		m.mark[pc] = b.gen
		m.work++
		switch in := &m.prog.code[pc]; in.op {
		case opSplit:
			b.stack = append(b.stack, in.y, in.x)
		case opJump:
			b.stack = append(b.stack, in.x)
		case opMatch:
			b.accept = true
		case opNot:
			if b.dot {
				continue
			}
			inner := m.begin()
			m.follow(inner, in.x)
			if m.exclude(b, pc, m.intern(inner)) {
				b.stack = append(b.stack, in.y)
			}
		default:
			if b.dot && in.op != opChar {
				continue
			}
			b.tail = b.tail || in.tail
			b.threads = append(b.threads, thread(pc))
		}
	}
}

// exclude adds the thread of the opNot at pc whose program is in state inner.
// It reports whether the characters so far are not excluded.
func (m *machine) exclude(b *builder, pc, inner int32) bool {
	t := thread(inner)<<32 | thread(pc)
	if _, ok := b.nots[t]; ok {
		return false
	}
	if b.nots == nil {
		b.nots = map[thread]struct{}{}
	}
	b.nots[t] = struct{}{}
	b.threads = append(b.threads, t)
	return !m.states[inner].accept
}

// intern returns the state that b describes, and takes b back.
func (m *machine) intern(b *builder) int32 {
	slices.Sort(b.threads)
	key := make([]byte, 0, 1+8*len(b.threads))
	for _, t := range b.threads {
		key = binary.LittleEndian.AppendUint64(key, uint64(t))
	}
	accept := byte(0)
	if b.accept {
		accept = 1
	}
	key = append(key, accept)
	m.work += len(b.threads)
	id, ok := m.index[string(key)]
	switch {
	case ok:
	case m.size > 2*hardLimit:
		m.over = true
		id = dead
	default:
		id = int32(len(m.states))
		m.states = append(m.states, state{threads: slices.Clone(b.threads), accept: b.accept, tail: b.tail})
		m.index[string(key)] = id
		m.table = append(m.table, make([]int32, 1<<m.shift)...)
		m.size += 2*len(b.threads) + 16 + 1<<m.shift/2
	}
	m.free = append(m.free, b)
	return id
}

// advance returns the state that a character of class c leads to from state id.
func (m *machine) advance(id, c int32) int32 {
	if next := m.table[int(id)<<m.shift+int(c)]; next != 0 {
		return max(next, -next) - 1
	}
	r := m.sample[c]
	folded := m.fold(r)
	b := m.begin()
	for _, t := range m.states[id].threads {
		pc := t.pc()
		switch in := &m.prog.code[pc]; in.op {
		case opChar:
			if in.r == folded {
				m.follow(b, pc+1)
			}
		case opAny:
			m.follow(b, pc+1)
		case opSet:
			if m.prog.sets[in.x].has(r, folded) {
				m.follow(b, pc+1)
			}
		case opNot:
			if m.exclude(b, pc, m.advance(t.inner(), c)) {
				m.follow(b, in.y)
			}
		}
	}
	to := m.intern(b)
	next := to + 1
	if m.states[to].special() {
		next = -next
	}
	m.table[int(id)<<m.shift+int(c)] = next
	return to
}

// trim forgets what is not needed to go on from state id, if it is time to,
// and returns the new number of that state.
func (m *machine) trim(id int32) (int32, error) {
	if m.over {
		return dead, ErrTooComplex
	}
	if m.size < softLimit {
		return id, nil
	}
	old := m.states
	m.clear()
	id = m.keep(old, id, map[int32]int32{})
	if m.size > hardLimit || m.over {
		return dead, ErrTooComplex
	}
	return id, nil
}

// keep copies the state id of old, and those that it refers to, into m.
func (m *machine) keep(old []state, id int32, kept map[int32]int32) int32 {
	if to, ok := kept[id]; ok {
		return to
	}
	s := old[id]
	b := m.begin()
	b.accept, b.tail = s.accept, s.tail
	for _, t := range s.threads {
		if m.prog.code[t.pc()].op == opNot {
			t = thread(m.keep(old, t.inner(), kept))<<32 | thread(t.pc())
		}
		b.threads = append(b.threads, t)
	}
	to := m.intern(b)
	kept[id] = to
	return to
}

// classify returns the class of r: characters of one class are the same to
// every instruction.
func (m *machine) classify(r rune) int32 {
	single := r < utf8.RuneSelf || m.bytes
	if single && m.ascii[r] != 0 {
		return m.ascii[r]
	}
	c, ok := m.class[r]
	if !ok {
		c = m.newClass(r)
		m.class[r] = c
		m.size += 2
	}
	if single {
		m.ascii[r] = c
	}
	return c
}

func (m *machine) newClass(r rune) int32 {
	folded := m.fold(r)
	key := make([]byte, 0, 4+len(m.prog.sets)/8)
	if _, ok := m.prog.literals[folded]; ok {
		key = binary.LittleEndian.AppendUint32(key, uint32(folded)+1)
	}
	key = append(key, 0)
	for i, s := range m.prog.sets {
		if i%8 == 0 {
			key = append(key, 0)
		}
		if s.has(r, folded) {
			key[len(key)-1] |= 1 << (i % 8)
		}
	}
	m.work += len(m.prog.sets)
	c, ok := m.members[string(key)]
	if !ok {
		c = int32(len(m.sample))
		m.sample = append(m.sample, r)
		if len(m.sample) > 1<<m.shift {
			m.widen()
		}
		m.members[string(key)] = c
		m.size += 4 + len(key)/8
	}
	return c
}

// widen makes room for twice as many classes in the rows of the table.
func (m *machine) widen() {
	width := 1 << m.shift
	table := make([]int32, 2*len(m.table))
	for id := range m.states {
		copy(table[2*width*id:], m.table[width*id:width*(id+1)])
	}
	m.table = table
	m.shift++
	m.size += len(table) / 4
}

// first returns the class of the first character of s, and its length.
func (m *machine) first(s string) (int32, int) {
	if c := s[0]; c < utf8.RuneSelf || m.bytes {
		return m.classify(rune(c)), 1
	}
	r, n := utf8.DecodeRuneInString(s)
	return m.classify(r), n
}

// last returns the class of the last character of s, and its length.
func (m *machine) last(s string) (int32, int) {
	if c := s[len(s)-1]; c < utf8.RuneSelf || m.bytes {
		return m.classify(rune(c)), 1
	}
	r, n := utf8.DecodeLastRuneInString(s)
	return m.classify(r), n
}
