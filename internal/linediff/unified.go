package linediff

import (
	"bufio"
	"bytes"
)

// IsBinary reports whether the beginning of a file is not text.
func IsBinary(data []byte) bool { return bytes.IndexByte(data[:min(len(data), 32<<10)], 0) >= 0 }

// Unified writes the hunks of a unified patch from x to y, with three lines of
// context.
func Unified(w *bufio.Writer, x, y []byte, poll func(n int) error) error {
	a, b := bytes.SplitAfter(x, []byte{'\n'}), bytes.SplitAfter(y, []byte{'\n'})
	a, b = withoutEmpty(a), withoutEmpty(b)
	if err := poll(len(a) + len(b)); err != nil {
		return err
	}
	numbers := make(map[string]int32, len(a))
	changes, err := Compare(number(numbers, a), number(numbers, b), false, poll)
	if err != nil {
		return err
	}
	for _, h := range Hunks(changes, len(a), len(b), 3) {
		if err := poll(h.A1 - h.A0 + h.B1 - h.B0); err != nil {
			return err
		}
		_, _ = w.WriteString(h.Header() + "\n")
		at := h.A0
		for _, c := range h.Changes {
			writeLines(w, ' ', a[at:c.A])
			writeLines(w, '-', a[c.A:c.A+c.Del])
			writeLines(w, '+', b[c.B:c.B+c.Ins])
			at = c.A + c.Del
		}
		writeLines(w, ' ', a[at:h.A1])
	}
	_, err = w.Write(nil)
	return err
}

// withoutEmpty leaves out what stands behind the last newline if that is nothing.
func withoutEmpty(lines [][]byte) [][]byte {
	if n := len(lines); len(lines[n-1]) == 0 {
		return lines[:n-1]
	}
	return lines
}

// number returns a number for each line, the same for equal ones.
func number(numbers map[string]int32, lines [][]byte) []int32 {
	list := make([]int32, len(lines))
	for i, line := range lines {
		n, ok := numbers[string(line)]
		if !ok {
			n = int32(len(numbers))
			numbers[string(line)] = n
		}
		list[i] = n
	}
	return list
}

// writeLines writes lines behind a mark.
func writeLines(w *bufio.Writer, mark byte, lines [][]byte) {
	for _, line := range lines {
		_ = w.WriteByte(mark)
		_, _ = w.Write(line)
		if !bytes.HasSuffix(line, []byte{'\n'}) {
			_, _ = w.WriteString("\n\\ No newline at end of file\n")
		}
	}
}
