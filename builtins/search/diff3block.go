package search

import (
	"bytes"
	"fmt"

	"github.com/limpet-sh/limpet/internal/linediff"
)

// allDiffer is the odd one of a block in which no two files are the same.
const allDiffer = -1

// A block3 is a part of three files in which they differ.
type block3 struct {
	span [3]diffSpan
	odd  int // the file that differs from both others, or allDiffer
}

// blocks returns where the three files differ. Each of the others is compared
// with the base, and changes that touch there make one block.
func (m *merger) blocks(base int) ([]block3, error) {
	sides := [2]int{0, 3 - base}
	var changes [2][]change
	for _, i := range []int{1, 0} {
		list, err := m.compare(m.files[sides[i]], m.files[base])
		if err != nil {
			return nil, err
		}
		changes[i] = list
		for _, k := range []int{0, len(list) - 1} {
			if len(list) > 0 && i == 1 {
				m.differ.horizon = max(m.differ.horizon, list[k].Del, list[k].Ins)
			}
		}
	}
	for _, f := range m.files {
		if f.lines == nil {
			if err := m.differ.split(f); err != nil {
				return nil, err
			}
		}
	}
	var blocks []block3
	shift := [2]int{} // of lines of the sides from those of the base, after the last block
	for len(changes[0]) > 0 || len(changes[1]) > 0 {
		if err := m.Poll(1); err != nil {
			return nil, err
		}
		from, end, used := gather(&changes)
		b := block3{}
		b.span[base] = diffSpan{m.files[base], from, end}
		for i, side := range sides {
			s := diffSpan{m.files[side], from + shift[i], end + shift[i]}
			if n := len(used[i]); n > 0 {
				first, last := used[i][0], used[i][n-1]
				s.first = first.A - (first.B - from)
				s.end = last.A + last.Del + end - (last.B + last.Ins)
				shift[i] = s.end - end
			}
			b.span[side] = s
		}
		switch {
		case len(used[0]) == 0:
			b.odd = sides[1]
		case len(used[1]) == 0:
			b.odd = sides[0]
		case b.span[sides[0]].equal(b.span[sides[1]]):
			b.odd = base
		default:
			b.odd = allDiffer
		}
		blocks = append(blocks, b)
		if err := m.Alloc(128); err != nil {
			return nil, err
		}
		m.files[0].cost += 128
	}
	return blocks, nil
}

// compare returns what is different between two of the files.
func (m *merger) compare(x, y *diffFile) ([]change, error) {
	binary := !m.differ.text && (linediff.IsBinary(x.data) || linediff.IsBinary(y.data))
	if binary && !bytes.Equal(x.data, y.data) {
		return nil, fmt.Errorf("diff failed: Binary files %s and %s differ", x.name, y.name)
	}
	list, err := m.differ.changes(x, y)
	if err != nil || len(list) == 0 || m.merge || m.script == "" {
		return list, err
	}
	last := list[len(list)-1]
	for _, s := range []diffSpan{{x, last.A, last.A + last.Del}, {y, last.B, last.B + last.Ins}} {
		if n := len(s.file.data); s.first < s.end && s.end == len(s.file.lines) && s.file.data[n-1] != '\n' {
			fmt.Fprintln(m.Stderr, "diff3: No newline at end of file") // ed has no such lines
		}
	}
	return list, nil
}

// gather takes the next changes that overlap or touch in the base, which is the
// second file of either list, and returns the lines there.
func gather(changes *[2][]change) (from, end int, used [2][]change) {
	next := 0
	if len(changes[0]) == 0 || len(changes[1]) > 0 && changes[0][0].B > changes[1][0].B {
		next = 1
	}
	from = changes[next][0].B
	end = from
	for high := next; ; {
		c := changes[next][0]
		changes[next] = changes[next][1:]
		used[next] = append(used[next], c)
		if last := c.B + c.Ins; len(used[0])+len(used[1]) == 1 || last > end {
			end, high = last, next
		}
		if next = 1 - high; len(changes[next]) == 0 || changes[next][0].B > end {
			return from, end, used
		}
	}
}

// equal reports whether two spans have the same lines.
func (s diffSpan) equal(t diffSpan) bool {
	if s.end-s.first != t.end-t.first {
		return false
	}
	for i := range s.end - s.first {
		if !bytes.Equal(s.file.text(s.first+i), t.file.text(t.first+i)) {
			return false
		}
	}
	return true
}
