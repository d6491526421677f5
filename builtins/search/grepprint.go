package search

import (
	"bytes"
	"io/fs"
	"math"
	"strconv"
)

// print prints the line from begin to end of the buffer, with the separator sep:
// ':' for a selected line, '-' for one that is context. A line that is not text is
// not printed, and does not count as shown.
func (s *scan) print(begin, end int, sep byte) error {
	if s.rg != nil {
		s.shown = end
		return s.rg.print(s, begin, end, sep)
	}
	text := s.buf[begin : end-1]
	selected := sep == ':'
	matches := selected != s.invert
	c := &s.color
	lineColor, matchColor := c.line, c.match
	if !selected {
		matchColor = c.contextMatch
	}
	if selected == (s.invert && c.reverse) {
		lineColor = c.contextLine
	}
	switch {
	case s.only:
		if matches && !s.parts(begin, text, sep, matchColor) {
			return nil
		}
		s.shown = end
		return s.flushLine()
	case !s.isText(text):
		s.garbled = true
		return nil
	}
	s.shown = end
	s.head(begin, len(text), sep)
	if c.on && matches && matchColor != "" {
		s.marked(text, lineColor, matchColor)
	} else if len(text) > 0 {
		s.paint(lineColor, text)
	}
	_ = s.out.WriteByte(s.delim)
	return s.flushLine()
}

func (s *scan) flushLine() error {
	if s.unbuffered {
		return s.out.Flush()
	}
	_, err := s.out.Write(nil)
	return err
}

// matches calls do for each match in text that is not empty.
func (s *scan) matches(text []byte, do func(begin, end int)) {
	for from := 0; from <= len(text); {
		begin, end, ok := s.matcher.Find(text, from)
		if !ok || s.Poll(1) != nil {
			return
		}
		if begin == end {
			from = end + 1
			continue
		}
		do(begin, end)
		from = end
	}
}

// parts prints the matches of a line, each on a line of its own. It reports
// whether all are text.
func (s *scan) parts(offset int, text []byte, sep byte, color string) (whole bool) {
	whole = true
	s.matches(text, func(begin, end int) {
		part := text[begin:end]
		if !whole || !s.isText(part) {
			s.garbled, whole = true, false
			return
		}
		s.head(offset+begin, len(part), sep)
		s.paint(color, part)
		_ = s.out.WriteByte(s.delim)
	})
	return whole
}

// marked prints a line with its matches in a color of their own.
func (s *scan) marked(text []byte, lineColor, matchColor string) {
	last := 0
	s.matches(text, func(begin, end int) {
		s.startColor(lineColor)
		_, _ = s.out.Write(text[last:begin])
		s.paint(matchColor, text[begin:end])
		last = end
	})
	if last < len(text) {
		s.paint(lineColor, text[last:])
	}
}

// head prints what stands before a line of n bytes: the name of the file, the
// number and the offset.
func (s *scan) head(begin, n int, sep byte) {
	if s.named {
		s.fileName(sep)
	}
	if s.number {
		s.countTo(begin)
		s.figure(s.color.number, s.lines+1, sep)
	}
	if s.offset {
		s.figure(s.color.offset, s.base+int64(begin), sep)
	}
	if s.tab && (s.named || s.number || s.offset) && n > 0 {
		_ = s.out.WriteByte('\t')
	}
}

func (s *scan) fileName(sep byte) {
	s.paint(s.color.file, []byte(s.name))
	if s.nullName {
		_ = s.out.WriteByte(0)
	} else {
		s.paint(s.color.sep, []byte{sep})
	}
}

// figure prints a number, as wide as the greatest of the file with -T.
func (s *scan) figure(color string, n int64, sep byte) {
	var room, digits [32]byte
	b := room[:0]
	number := strconv.AppendInt(digits[:0], n, 10)
	for range s.digits - len(number) {
		b = append(b, ' ')
	}
	b = append(b, number...)
	if s.color.on {
		s.paint(color, b)
		s.paint(s.color.sep, []byte{sep})
		return
	}
	_, _ = s.out.Write(append(b, sep))
}

// measure returns how wide numbers are printed: that of the greatest there may
// be in the input.
func (s *scan) measure(r any) int {
	if !s.tab || !s.number && !s.offset {
		return 0
	}
	greatest := int64(math.MaxInt64)
	if f, ok := r.(interface{ Stat() (fs.FileInfo, error) }); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			greatest = info.Size()
			if s.number {
				greatest++
			}
		}
	}
	return len(strconv.FormatInt(greatest, 10))
}

// countTo counts the lines before position pos.
func (s *scan) countTo(pos int) {
	if s.number && pos > s.counted {
		s.lines += int64(bytes.Count(s.buf[s.counted:pos], []byte{s.delim}))
		s.counted = pos
	}
}
