package awk

// A random is the generator of random numbers that gawk uses: BSD's additive
// feedback generator with 63 words of state, whose numbers are shuffled.
type random struct {
	state       [randomDegree]uint32
	front, back int
	waiting     [shuffleSize]uint32
	last        uint32
}

const (
	randomDegree = 63
	shuffleSize  = 512
)

func newRandom(seed uint32) *random {
	r := &random{front: 1}
	r.state[0] = seed
	for i := 1; i < randomDegree; i++ {
		r.state[i] = minimal(r.state[i-1])
	}
	for i := range r.waiting {
		r.waiting[i] = r.step()
	}
	r.last = r.step()
	for range 10 * randomDegree {
		r.next()
	}
	return r
}

// minimal is the generator of Park and Miller, 16807 x mod 2^31-1.
func minimal(x uint32) uint32 {
	if x == 0 {
		x = 123459876
	}
	n := int64(16807) * int64(int32(x)) % 0x7fffffff
	if n < 0 {
		n += 0x7fffffff
	}
	return uint32(n)
}

// next returns the next 31 bits: one of the numbers that wait, which the last
// one chooses, and whose place a new one takes.
func (r *random) next() uint32 {
	n := r.step()
	i := r.last % shuffleSize
	r.last, r.waiting[i] = r.waiting[i], n
	return r.last
}

// step returns the next number of the generator.
func (r *random) step() uint32 {
	r.state[r.front] += r.state[r.back]
	n := r.state[r.front] >> 1
	r.front = (r.front + 1) % randomDegree
	r.back = (r.back + 1) % randomDegree
	return n
}

// float returns the next number from 0 up to 1.
func (r *random) float() float64 {
	const scale = 1 << 31
	for {
		n := 0.5 + (float64(r.next())/scale+float64(r.next()))/scale
		if n -= 0.5; n != 1 {
			return n
		}
	}
}
