package pattern

// A goal is which of several matches is wanted.
type goal uint8

const (
	whole goal = iota
	shortest
	longest
)

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
		id, i = m.glide(s, id, i, min(len(s), paid+stride))
		if i < len(s) {
			k, n := m.first(s[i:])
			id = m.advance(id, k)
			i += n
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
		id, i = m.glideBack(s, id, i, max(0, paid-stride))
		if i > 0 {
			k, n := m.last(s[:i])
			id = m.advance(id, k)
			i -= n
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

// glide consumes the characters of s from i to end, as long as they are of one
// byte and lead from state id to states that are known and not special. It
// returns where it ends.
//
// A row of the table has a place for each class: the number of the state that
// follows plus 1, negative if that state is special, or 0 if it is unknown.
func (m *machine) glide(s string, id int32, i, end int) (int32, int) {
	table, shift := m.table, m.shift
	for ; i < end; i++ {
		next := table[int(id)<<shift+int(m.ascii[s[i]])]
		if next <= 0 {
			break
		}
		id = next - 1
	}
	return id, i
}

// glideBack is glide towards the beginning of s, from i to end.
func (m *machine) glideBack(s string, id int32, i, end int) (int32, int) {
	table, shift := m.table, m.shift
	for ; i > end; i-- {
		next := table[int(id)<<shift+int(m.ascii[s[i-1]])]
		if next <= 0 {
			break
		}
		id = next - 1
	}
	return id, i
}

// A bitset is a set of offsets in a string.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, n/64+1) }

func (b bitset) add(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]>>(i%64)&1 != 0 }
