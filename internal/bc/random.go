package bc

// A random is the generator of the C library's random(): additive feedback,
// with its initial state.
type random struct {
	state [34]int32
	at    int
}

func newRandom() *random {
	var first [344]int32
	first[0] = 1
	for i := 1; i < 31; i++ {
		n := 16807 * int64(first[i-1]) % 2147483647
		if n < 0 {
			n += 2147483647
		}
		first[i] = int32(n)
	}
	for i := 31; i < 34; i++ {
		first[i] = first[i-31]
	}
	for i := 34; i < 344; i++ {
		first[i] = first[i-31] + first[i-3]
	}
	r := &random{}
	copy(r.state[:], first[310:])
	return r
}

func (r *random) next() int64 {
	n := len(r.state)
	x := r.state[(r.at+n-31)%n] + r.state[(r.at+n-3)%n]
	r.state[r.at] = x
	r.at = (r.at + 1) % n
	return int64(uint32(x) >> 1)
}

func (m *machine) nextRandom() int64 {
	if m.random == nil {
		m.random = newRandom()
	}
	return m.random.next()
}
