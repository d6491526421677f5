package pattern

import "unicode/utf8"

// A goal is which of several matches is wanted.
type goal uint8

const (
	whole goal = iota
	shortest
	longest
)

// single returns the first byte that is not a character of its own.
func (m *machine) single() int {
	if m.bytes {
		return 0x100
	}
	return utf8.RuneSelf
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
	id, paid, single := m.start(dot), 0, m.single()
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
		c := s[i]
		if k := m.ascii[c]; k != 0 && int(c) < single && int(k) <= len(st.next) && st.next[k-1] != 0 {
			id = st.next[k-1] - 1
			i++
		} else {
			k, n := m.first(s[i:])
			id = m.advance(id, k)
			i += n
			if id, err = m.trim(id); err != nil {
				return -1, i, err
			}
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
	id, paid, single := m.start(false), len(s), m.single()
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
		c := s[i-1]
		if k := m.ascii[c]; k != 0 && int(c) < single && int(k) <= len(st.next) && st.next[k-1] != 0 {
			id = st.next[k-1] - 1
			i--
		} else {
			k, n := m.last(s[:i])
			id = m.advance(id, k)
			i -= n
			if id, err = m.trim(id); err != nil {
				return -1, err
			}
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
