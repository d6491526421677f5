package pattern

import "strings"

// A shape is a pattern of stars and given characters: the literals that a star
// each separates. It is matched without an automaton, byte by byte, which in
// UTF-8 comes to the same. The shape of other patterns is nil.
type shape []string

// shapeOf returns the shape of nodes, whose characters are bytes if bytes.
func shapeOf(nodes []node, bytes bool) shape {
	var b strings.Builder
	s := make(shape, 0, 3)
	for _, n := range nodes {
		switch {
		case n.kind == star:
			s = append(s, b.String())
			b.Reset()
		case n.kind != literal:
			return nil
		case bytes:
			b.WriteByte(byte(n.r))
		default:
			b.WriteRune(n.r)
		}
	}
	return append(s, b.String())
}

// match reports whether s matches as a whole.
func (p shape) match(s string) bool {
	last := len(p) - 1
	if last == 0 {
		return s == p[0]
	}
	if len(s) < len(p[0])+len(p[last]) || !strings.HasPrefix(s, p[0]) || !strings.HasSuffix(s, p[last]) {
		return false
	}
	_, ok := after(s[len(p[0]):len(s)-len(p[last])], p[1:last])
	return ok
}

// after returns the length of the shortest beginning of s that has all of
// middle one behind the other.
func after(s string, middle []string) (int, bool) {
	end := 0
	for _, lit := range middle {
		i := strings.Index(s[end:], lit)
		if i < 0 {
			return 0, false
		}
		end += i + len(lit)
	}
	return end, true
}

// before returns where the shortest end of s begins that has all of middle.
func before(s string, middle []string) (int, bool) {
	start := len(s)
	for i := len(middle) - 1; i >= 0; i-- {
		start = strings.LastIndex(s[:start], middle[i])
		if start < 0 {
			return 0, false
		}
	}
	return start, true
}

// prefix returns the length of the longest or shortest beginning of s that
// matches, or -1.
func (p shape) prefix(s string, g goal) int {
	last := len(p) - 1
	if !strings.HasPrefix(s, p[0]) {
		return -1
	}
	if last == 0 {
		return len(p[0])
	}
	end, ok := after(s[len(p[0]):], p[1:last])
	if !ok {
		return -1
	}
	end += len(p[0])
	i := strings.Index(s[end:], p[last])
	if g == longest {
		i = strings.LastIndex(s[end:], p[last])
	}
	if i < 0 {
		return -1
	}
	return end + i + len(p[last])
}

// suffix returns where the longest or shortest end of s begins that matches, or
// -1.
func (p shape) suffix(s string, g goal) int {
	last := len(p) - 1
	if !strings.HasSuffix(s, p[last]) {
		return -1
	}
	if last == 0 {
		return len(s) - len(p[0])
	}
	start, ok := before(s[:len(s)-len(p[last])], p[1:last])
	if !ok {
		return -1
	}
	if g == longest {
		return strings.Index(s[:start], p[0])
	}
	return strings.LastIndex(s[:start], p[0])
}

// find returns the leftmost of the longest matches in s, or -1.
func (p shape) find(s string) (from, to int) {
	from = strings.Index(s, p[0])
	if from < 0 {
		return -1, -1
	}
	n := p.prefix(s[from:], longest)
	if n < 0 {
		return -1, -1
	}
	return from, from + n
}
