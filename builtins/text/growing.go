package text

import "github.com/limpet-sh/limpet/builtins"

// A growing is a buffer that is charged before it grows.
type growing struct {
	call *builtins.Call
	data []byte
	held int
}

// add appends b.
func (g *growing) add(b []byte) error {
	if err := g.reserve(len(g.data) + len(b)); err != nil {
		return err
	}
	g.data = append(g.data, b...)
	return nil
}

// reserve makes room for n bytes in all.
func (g *growing) reserve(n int) error {
	if n <= cap(g.data) {
		return nil
	}
	size := max(n, 2*cap(g.data), 4<<10)
	if err := g.call.Alloc(size); err != nil {
		return err
	}
	old := g.held
	g.data = append(make([]byte, 0, size), g.data...)
	g.call.Free(old)
	g.held = size
	return nil
}

// prepend makes the buffer n bytes of any content and then rest, which may be a
// part of it.
func (g *growing) prepend(rest []byte, n int) error {
	size := n + len(rest)
	if size > cap(g.data) {
		grown := growing{call: g.call}
		if err := grown.reserve(size); err != nil {
			return err
		}
		copy(grown.data[:size][n:], rest)
		g.drop()
		*g = grown
	} else {
		copy(g.data[:size][n:], rest)
	}
	g.data = g.data[:size]
	return nil
}

// drop gives the memory back.
func (g *growing) drop() {
	g.call.Free(g.held)
	*g = growing{call: g.call}
}

// Write appends p.
func (g *growing) Write(p []byte) (int, error) { return len(p), g.add(p) }
