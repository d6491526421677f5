// Package linediff finds a short list of changes that makes one sequence of lines
// of another.
package linediff

import "strconv"

// A Change replaces the lines from A to A+Del of the first sequence by those from
// B to B+Ins of the second.
type Change struct {
	A, Del  int
	B, Ins  int
	Trivial bool // it does not count: for callers to set
}

// Compare returns the changes from x to y, in order. Lines are given as numbers,
// which are equal where lines are. Where minimal is not set, sequences that have
// little in common may give more changes than there need be. The error is that of
// poll, which is called with a number of steps as they are taken.
func Compare(x, y []int32, minimal bool, poll func(n int) error) ([]Change, error) {
	e := &edit{minimal: minimal, poll: poll}
	e.side[0].init(x, y, minimal)
	e.side[1].init(y, x, minimal)
	if err := e.search(); err != nil {
		return nil, err
	}
	e.side[0].settle(&e.side[1])
	e.side[1].settle(&e.side[0])
	return e.collect(), nil
}

// A Hunk is changes that are shown together, with the lines around them.
type Hunk struct {
	Changes []Change
	A0, A1  int // lines of the first sequence
	B0, B1  int
}

// Hunks groups changes between n and m lines, of which the context, of so many
// lines, touches. A group of trivial changes is left out.
func Hunks(changes []Change, n, m, context int) []Hunk {
	var list []Hunk
	for len(changes) > 0 {
		k := 1
		for k < len(changes) {
			limit := 2*context + 1
			if changes[k].Trivial {
				limit = context
			}
			if changes[k].A-(changes[k-1].A+changes[k-1].Del) >= limit {
				break
			}
			k++
		}
		h := Hunk{Changes: changes[:k]}
		changes = changes[k:]
		counts := false
		for _, c := range h.Changes {
			counts = counts || !c.Trivial
		}
		if !counts {
			continue
		}
		first, last := h.Changes[0], h.Changes[k-1]
		h.A0, h.B0 = max(first.A-context, 0), max(first.B-context, 0)
		h.A1, h.B1 = min(last.A+last.Del+context, n), min(last.B+last.Ins+context, m)
		list = append(list, h)
	}
	return list
}

// Header returns the line that a unified patch begins h with, without what may
// stand behind it.
func (h *Hunk) Header() string { return "@@ -" + span(h.A0, h.A1) + " +" + span(h.B0, h.B1) + " @@" }

// span writes the lines from i to j as a unified patch does.
func span(i, j int) string {
	switch j - i {
	case 1:
		return strconv.Itoa(j)
	case 0:
		return strconv.Itoa(i) + ",0"
	}
	return strconv.Itoa(i+1) + "," + strconv.Itoa(j-i)
}
