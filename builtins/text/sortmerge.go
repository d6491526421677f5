package text

import (
	"bytes"
	"io"
	"slices"

	"github.com/limpet-sh/limpet/builtins"
)

// A mergeSource is a sorted file, at one of its lines.
type mergeSource struct {
	in    *input
	lines *builtins.LineReader
	line  []byte
	order int // among the sources
}

// next reads the next line. It returns io.EOF after the last.
func (m *mergeSource) next(delim byte) error {
	line, err := m.lines.Next()
	if err != nil {
		if err == io.EOF {
			return err
		}
		return errnoError(err, "read failed: %s", builtins.QuoteMaybe(m.in.name))
	}
	m.line, _ = bytes.CutSuffix(line, []byte{delim})
	return nil
}

func (m *mergeSource) close() {
	m.lines.Close()
	_ = m.in.close()
}

// A mergeQueue is the sources that have lines, in the order of these.
type mergeQueue []*mergeSource

// push reads the next line of m, and adds m if there is one.
func (q *mergeQueue) push(s *sorter, m *mergeSource) error {
	err := m.next(s.delim)
	if err == io.EOF {
		return nil
	}
	if err != nil {
		return err
	}
	at, _ := slices.BinarySearchFunc(*q, m, func(a, b *mergeSource) int {
		if d := s.compare(a.line, b.line); d != 0 {
			return d
		}
		return a.order - b.order
	})
	*q = slices.Insert(*q, at, m)
	return nil
}

// merge prints the lines of sorted files in order.
func (s *sorter) merge(names []string, out *output) error {
	var queue mergeQueue
	for i, name := range names {
		in, err := openInput(s.call, name)
		if err != nil {
			return errnoError(err, "open failed: %s", builtins.QuoteMaybe(name))
		}
		m := &mergeSource{in: in, lines: s.call.Lines(in, s.delim), order: i}
		defer m.close()
		if err := queue.push(s, m); err != nil {
			return err
		}
	}
	last := keptLine{call: s.call}
	defer last.drop()
	for len(queue) > 0 {
		m := queue[0]
		if !s.unique || !last.set || s.compare(last.text, m.line) != 0 {
			out.buf = append(append(out.buf, m.line...), s.delim)
			if err := out.spill(); err != nil {
				return err
			}
			if s.unique {
				if err := last.keep(m.line); err != nil {
					return err
				}
			}
		}
		queue = queue[1:]
		if err := queue.push(s, m); err != nil {
			return err
		}
	}
	return nil
}
