package pattern

// A goal is which of several matches is wanted.
type goal uint8

const (
	whole goal = iota
	shortest
	longest
)

// plain returns the state that byte c leads to from state id if it is known and
// not special, and a negative number otherwise.
func (m *machine) plain(id int32, c byte) int32 {
	next := m.states[id].next
	if k := int(m.ascii[c]) - 1; uint(k) < uint(len(next)) {
		return next[k] - 1
	}
	return -1
}

// pay tells step of n characters and of the work on states.
func (m *machine) pay(step Step, n int) error {
	n += m.work
	m.work = 0
	if step == nil || n == 0 {
		return nil
	}
	return step(n)
}

// forward matches a beginning of s, or the whole of it. It returns the length
// of the match, or -1, and how much of s it looked at.
func (m *machine) forward(s string, g goal, dot bool, step Step) (end, seen int, err error) {
	end = -1
	id, paid := m.start(dot), 0
	i := 0
	for {
		st := &m.states[id]
		if st.accept && (g != whole || i == len(s)) {
			if end = i; g == shortest {
				break
			}
		}
		if st.tail && g != shortest {
			end, i = len(s), len(s)
			break
		}
		if i == len(s) || id == dead {
			break
		}
		for end := min(len(s), paid+stride); i < end; i++ {
			next := m.plain(id, s[i])
			if next < 0 {
				k, n := m.first(s[i:])
				id = m.advance(id, k)
				i += n
				break
			}
			id = next
		}
		if id, err = m.trim(id); err != nil {
			return -1, i, err
		}
		if i-paid >= stride || m.work > stride {
			if err = m.pay(step, i-paid); err != nil {
				return -1, i, err
			}
			paid = i
		}
	}
	return end, i, m.pay(step, i-paid)
}

// backward matches an end of s with a backward program, and returns where the
// match begins, or -1. It adds the places where a match could begin to starts
// unless that is nil.
func (m *machine) backward(s string, g goal, starts bitset, step Step) (start int, err error) {
	start = -1
	id, paid := m.start(false), len(s)
	i := len(s)
	for {
		st := &m.states[id]
		if st.accept {
			if starts != nil {
				starts.add(i)
			}
			if start = i; g == shortest {
				break
			}
		}
		if st.tail && starts == nil {
			start, i = 0, 0
			break
		}
		if i == 0 || id == dead {
			break
		}
		for end := max(0, paid-stride); i > end; i-- {
			next := m.plain(id, s[i-1])
			if next < 0 {
				k, n := m.last(s[:i])
				id = m.advance(id, k)
				i -= n
				break
			}
			id = next
		}
		if id, err = m.trim(id); err != nil {
			return -1, err
		}
		if paid-i >= stride || m.work > stride {
			if err = m.pay(step, paid-i); err != nil {
				return -1, err
			}
			paid = i
		}
	}
	return start, m.pay(step, paid-i)
}

// A bitset is a set of offsets in a string.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, n/64+1) }

func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
