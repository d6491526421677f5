package regex

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// A home is the state of a search that has seen no part of a match, and what is
// known of it: most bytes lead back to it, and those are read quickly.
type home struct {
	row   int32     // noHome where most bytes lead elsewhere, or too little was read
	read  int       // bytes so far; -1 where row was looked for
	idle  [256]bool // the bytes that lead from home to home
	wakes []byte    // the others, where they are few
}

const (
	noHome    = math.MinInt32
	homeAfter = 64 << 10 // bytes that are read before home is looked for
	maxWakes  = 3
)

// findHome notes that n more bytes are about to be read in the state at row, and
// finds out about home when they are many. It returns the row of the state.
func (d *dfa) findHome(row int32, n int) int32 {
	if d.home.read += n; d.home.read < homeAfter {
		return row
	}
	d.home.read = -1
	if !d.anywhere || d.mask != 0 {
		return row
	}
	s := d.states[row>>d.prog.shift]
	h, at := home{row: noHome, read: -1}, d.start(0)
	wide := d.prog.bytes || d.idleWide(at)
	idle := 0
	for b := range h.idle {
		switch {
		case b < utf8.RuneSelf || d.prog.bytes:
			h.idle[b] = d.transition(at, int32(d.prog.ascii[b])) == at
		default:
			h.idle[b] = wide
		}
		if h.idle[b] {
			idle++
		} else if len(h.wakes) <= maxWakes {
			h.wakes = append(h.wakes, byte(b))
		}
		if d.home.read >= 0 { // all states were forgotten
			return d.intern(s)
		}
	}
	if idle >= len(h.idle)/2-len(h.idle)/8 {
		h.row = at
	}
	d.home = h
	return row
}

// idleWide reports whether all characters above ASCII, and bytes that are none,
// lead from the state at row back to it.
func (d *dfa) idleWide(row int32) bool {
	seen := make([]bool, d.prog.size)
	for k, class := range d.prog.class {
		last := k == len(d.prog.class)-1
		if seen[class] || !last && d.prog.bounds[k+1] <= utf8.RuneSelf {
			continue
		}
		seen[class] = true
		if d.transition(row, int32(class)) != row {
			return false
		}
	}
	return true
}

// skip returns how many bytes at the start of b lead from home to home.
func (h *home) skip(b []byte) int {
	if len(h.wakes) <= maxWakes {
		return h.skipToWake(b)
	}
	idle, n := &h.idle, 0
	for len(b) >= 4 && idle[b[0]] && idle[b[1]] && idle[b[2]] && idle[b[3]] {
		b = b[4:]
		n += 4
	}
	for len(b) > 0 && idle[b[0]] {
		b = b[1:]
		n++
	}
	return n
}

// skipToWake is skip where few bytes lead elsewhere.
func (h *home) skipToWake(b []byte) int {
	n := 0
	for size := firstWindow; len(b) > 0; size = min(4*size, lastWindow) {
		window := b[:min(len(b), size)]
		for _, c := range h.wakes {
			if i := bytes.IndexByte(window, c); i >= 0 {
				window = window[:i]
			}
		}
		n += len(window)
		if len(window) < min(len(b), size) {
			break
		}
		b = b[len(window):]
	}
	return n
}
