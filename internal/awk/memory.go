package awk

// A memory charges the host for what a program holds. It asks for it in larger
// pieces, so that counting small things costs little.
type memory struct {
	alloc   func(n int) error
	poll    func(n int) // counts steps, and may end the program
	free    func(n int)
	pending int // held, or given up, and not yet reported
	held    int // reported
}

// slack is how many bytes may be held without being reported, and the size
// from which a string is counted.
const (
	slack   = 16 << 10
	counted = 1 << 10
)

// hold charges n more bytes, or gives back -n.
func (m *memory) hold(n int) {
	m.pending += n
	if m.pending >= slack || m.pending <= -slack {
		m.settle()
	}
}

func (m *memory) settle() {
	n := m.pending
	m.pending = 0
	if n < 0 {
		m.held += n
		m.free(-n)
		return
	}
	if err := m.alloc(n); err != nil {
		panic(abort{err})
	}
	m.held += n
}

// resize charges for a string of the length now in the place of one of the
// length was.
func (m *memory) resize(was, now int) {
	if was >= counted {
		m.hold(-was)
	}
	if now >= counted {
		m.hold(now)
	}
}

// room makes sure that n bytes can be had for a result that is not held yet.
func (m *memory) room(n int) {
	if n < counted {
		return
	}
	if err := m.alloc(n); err != nil {
		panic(abort{err})
	}
	m.free(n)
}

// release gives everything back.
func (m *memory) release() {
	m.free(m.held)
	m.held, m.pending = 0, 0
}

// An account is the part of a memory that one array holds.
type account struct {
	*memory
	used int
}

func (a *account) hold(n int) {
	a.used += n
	a.memory.hold(n)
}

func (a *account) release() {
	a.memory.hold(-a.used)
	a.used = 0
}

// forget gives back what the value of an element holds.
func (a *account) forget(v *value) {
	if v.k == arrayRef {
		v.arr.clear()
		return
	}
	a.memory.resize(len(v.s), 0)
}
