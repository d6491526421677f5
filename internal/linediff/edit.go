package linediff

import "math"

// An edit is the search for a short script of changes: the algorithm of Myers
// (An O(ND) Difference Algorithm and Its Variations, 1986), which meets in the
// middle and so needs no more memory than the files have lines.
type edit struct {
	minimal  bool
	poll     func(n int) error
	side     [2]editSide
	forward  []int // by diagonal: how far a path from the beginning gets
	backward []int // by diagonal: how far a path from the end gets
	zero     int   // index of diagonal 0
	patience int   // cost after which the best so far has to do
}

// An editSide is one of the files.
type editSide struct {
	class   []int32
	changed []bool  // with a false at either end: line i is changed[i+1]
	kept    []int32 // lines that are compared
}

// init prepares the lines mine for a comparison with the lines other, of which it
// leaves some out unless all is set.
func (s *editSide) init(mine, other []int32, all bool) {
	s.class = mine
	s.changed = make([]bool, len(mine)+2)
	var list []mark
	if !all {
		list = marks(mine, other)
	}
	for i := range mine {
		if all || list[i] == keepLine {
			s.kept = append(s.kept, int32(i))
		} else {
			s.changed[i+1] = true
		}
	}
}

// same reports whether kept lines x and y are equal.
func (e *edit) same(x, y int) bool {
	return e.side[0].class[e.side[0].kept[x]] == e.side[1].class[e.side[1].kept[y]]
}

// A box is a part of both files, of kept lines, that is to be compared.
type box struct {
	x0, x1, y0, y1 int
	minimal        bool // however long it takes
}

// search marks the lines that change.
func (e *edit) search() error {
	n, m := len(e.side[0].kept), len(e.side[1].kept)
	e.forward = make([]int, n+m+3)
	e.backward = make([]int, n+m+3)
	e.zero = m + 1
	e.patience = 1
	for k := n + m + 3; k > 0; k >>= 2 {
		e.patience <<= 1
	}
	e.patience = max(4096, e.patience)
	todo := []box{{0, n, 0, m, e.minimal}}
	for len(todo) > 0 {
		b := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for b.x0 < b.x1 && b.y0 < b.y1 && e.same(b.x0, b.y0) {
			b.x0++
			b.y0++
		}
		for b.x0 < b.x1 && b.y0 < b.y1 && e.same(b.x1-1, b.y1-1) {
			b.x1--
			b.y1--
		}
		if b.x0 == b.x1 || b.y0 == b.y1 {
			e.mark(b)
			continue
		}
		p, err := e.halfway(b)
		if err != nil {
			return err
		}
		todo = append(todo, box{p.x, b.x1, p.y, b.y1, p.minimalAfter}, box{b.x0, p.x, b.y0, p.y, p.minimalBefore})
	}
	return nil
}

// mark marks all lines of a box.
func (e *edit) mark(b box) {
	for x := b.x0; x < b.x1; x++ {
		e.side[0].changed[e.side[0].kept[x]+1] = true
	}
	for y := b.y0; y < b.y1; y++ {
		e.side[1].changed[e.side[1].kept[y]+1] = true
	}
}

// A band is the diagonals that a search has reached.
type band struct{ low, high int }

// widen adds a diagonal at either end of the band or, where the box ends, takes
// one away; beyond is what is there in a row.
func (r *band) widen(row []int, zero, least, most, beyond int) {
	if r.low > least {
		r.low--
		row[zero+r.low-1] = beyond
	} else {
		r.low++
	}
	if r.high < most {
		r.high++
		row[zero+r.high+1] = beyond
	} else {
		r.high--
	}
}

// A middle is a point of a box at which it is divided.
type middle struct {
	x, y                        int
	minimalBefore, minimalAfter bool // of the boxes on either side
}

// halfway returns a point on a shortest path through the box.
func (e *edit) halfway(b box) (middle, error) {
	least, most := b.x0-b.y1, b.x1-b.y0
	first, last := b.x0-b.y0, b.x1-b.y1
	ahead, behind := band{first, first}, band{last, last}
	odd := (first-last)%2 != 0
	e.forward[e.zero+first] = b.x0
	e.backward[e.zero+last] = b.x1
	for cost := 1; ; cost++ {
		if err := e.poll(1 + (ahead.high-ahead.low)/8); err != nil {
			return middle{}, err
		}
		ahead.widen(e.forward, e.zero, least, most, -1)
		for k := ahead.high; k >= ahead.low; k -= 2 {
			x := e.stepForward(b, k)
			if odd && behind.low <= k && k <= behind.high && e.backward[e.zero+k] <= x {
				return middle{x, x - k, true, true}, nil
			}
		}
		behind.widen(e.backward, e.zero, least, most, math.MaxInt)
		for k := behind.high; k >= behind.low; k -= 2 {
			x := e.stepBackward(b, k)
			if !odd && ahead.low <= k && k <= ahead.high && x <= e.forward[e.zero+k] {
				return middle{x, x - k, true, true}, nil
			}
		}
		if cost >= e.patience && !b.minimal {
			return e.bestSoFar(b, ahead, behind), nil
		}
	}
}

// stepForward goes one step further on diagonal k, and along what is equal.
func (e *edit) stepForward(b box, k int) int {
	x := e.forward[e.zero+k-1] + 1
	if other := e.forward[e.zero+k+1]; other >= x {
		x = other
	}
	for x < b.x1 && x-k < b.y1 && e.same(x, x-k) {
		x++
	}
	e.forward[e.zero+k] = x
	return x
}

// stepBackward is stepForward from the end.
func (e *edit) stepBackward(b box, k int) int {
	x := e.backward[e.zero+k+1] - 1
	if other := e.backward[e.zero+k-1]; other <= x {
		x = other
	}
	for x > b.x0 && x-k > b.y0 && e.same(x-1, x-k-1) {
		x--
	}
	e.backward[e.zero+k] = x
	return x
}

// bestSoFar returns the point that is farthest from where its search began.
func (e *edit) bestSoFar(b box, ahead, behind band) middle {
	most, mostX := -1, b.x0
	for k := ahead.high; k >= ahead.low; k -= 2 {
		x := min(e.forward[e.zero+k], b.x1)
		if x-k > b.y1 {
			x = b.y1 + k
		}
		if 2*x-k > most {
			most, mostX = 2*x-k, x
		}
	}
	least, leastX := math.MaxInt, b.x1
	for k := behind.high; k >= behind.low; k -= 2 {
		x := max(e.backward[e.zero+k], b.x0)
		if x-k < b.y0 {
			x = b.y0 + k
		}
		if 2*x-k < least {
			least, leastX = 2*x-k, x
		}
	}
	if b.x1+b.y1-least < most-(b.x0+b.y0) {
		return middle{mostX, most - mostX, true, false}
	}
	return middle{leastX, least - leastX, false, true}
}

// settle moves each run of changed lines of s to where readers expect it: it is
// joined with its neighbors where equal lines allow that, ends as late as it
// can, and is next to a change of the other file if it can be.
func (s *editSide) settle(other *editSide) {
	n := len(s.class)
	at := func(i int) bool { return s.changed[i+1] }
	otherAt := func(j int) bool { return other.changed[j+1] }
	for i, j := 0, 0; ; {
		for i < n && !at(i) {
			for otherAt(j) {
				j++
			}
			j++
			i++
		}
		if i == n {
			return
		}
		start := i
		for at(i) {
			i++
		}
		for otherAt(j) {
			j++
		}
		meets := n // where the run last ended next to a change of the other file
		for length := -1; length != i-start; {
			length = i - start
			for start > 0 && s.class[start-1] == s.class[i-1] {
				start--
				i--
				s.changed[start+1], s.changed[i+1] = true, false
				for start > 0 && at(start-1) {
					start--
				}
				for j--; otherAt(j); j-- {
				}
			}
			meets = n
			if j > 0 && otherAt(j-1) {
				meets = i
			}
			for i < n && s.class[start] == s.class[i] {
				s.changed[start+1], s.changed[i+1] = false, true
				start++
				i++
				for at(i) {
					i++
				}
				for j++; otherAt(j); j++ {
					meets = i
				}
			}
		}
		for meets < i {
			start--
			i--
			s.changed[start+1], s.changed[i+1] = true, false
			for j--; otherAt(j); j-- {
			}
		}
	}
}

// collect returns the changes that the marks mean.
func (e *edit) collect() []Change {
	var list []Change
	n, m := len(e.side[0].class), len(e.side[1].class)
	for i, j := 0, 0; i < n || j < m; i, j = i+1, j+1 {
		c := Change{A: i, B: j}
		for e.side[0].changed[i+1] {
			i++
		}
		for e.side[1].changed[j+1] {
			j++
		}
		if c.Del, c.Ins = i-c.A, j-c.B; c.Del > 0 || c.Ins > 0 {
			list = append(list, c)
		}
	}
	return list
}
