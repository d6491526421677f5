package search

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// A block is what is printed at once: a line or, with -U, the lines of a match.
type block struct {
	s       *scan
	begin   int    // where the block begins in the buffer
	text    []byte // with its line terminators; with -r, what it was replaced by
	sep     string
	matched bool
	locs    []int // bounds of the matches in text
	matches int   // how many there were before anything was replaced
}

// print prints lines as rg does; sep is ':' for selected ones.
func (r *ripgrep) print(s *scan, begin, end int, sep byte) error {
	b := &block{s: s, begin: begin, text: s.buf[begin:end], sep: r.contextSep, matched: sep == ':'}
	if b.matched {
		b.sep = r.matchSep
	}
	if b.matched && !r.invert && (r.json || r.only || r.vimgrep || r.column || r.replacing || r.wantStats || r.color.on) {
		if err := r.match(b); err != nil {
			return err
		}
		defer func() { r.Free(8 * cap(b.locs)) }()
	}
	if b.matched {
		r.stats.matches += int64(b.matches)
		r.stats.lines += int64(max(bytes.Count(s.buf[begin:end], []byte{s.delim}), 1))
	}
	if r.json {
		r.message(b)
		return s.flushLine()
	}
	r.head(s)
	s.countTo(begin)
	switch {
	case b.matches > 0 && r.only:
		r.parts(b)
	case b.matches > 0 && r.vimgrep:
		r.perMatch(b)
	default:
		r.lines(b)
	}
	return s.flushLine()
}

// match finds the matches of a block, and replaces them.
func (r *ripgrep) match(b *block) error {
	var replaced []byte
	last, text := 0, b.text
	err := r.eachMatch(b.s, b.begin, b.begin+len(text), func(loc []int) error {
		from, to := loc[0]-b.begin, loc[1]-b.begin
		if r.replacing && !r.json {
			replaced = append(replaced, text[last:from]...)
			last, from = to, len(replaced)
			replaced = r.expand(replaced, b.s.buf, loc)
			to = len(replaced)
		}
		b.matches++
		before := cap(b.locs)
		b.locs = append(b.locs, from, to)
		return r.Alloc(8 * (cap(b.locs) - before))
	})
	if r.replacing && !r.json && b.matches > 0 {
		b.text = append(replaced, text[last:]...)
	}
	return err
}

// eachMatch calls do with the bounds in the buffer of each match that begins
// between begin and end, which are bounds of lines.
func (r *ripgrep) eachMatch(s *scan, begin, end int, do func(loc []int) error) error {
	text, from, previous := s.buf[begin:end-1], begin, -1
	if r.across {
		text = s.buf[:s.contentEnd()]
	}
	for {
		if err := r.Poll(1); err != nil {
			return err
		}
		var loc []int
		if r.across {
			if from <= len(text) {
				loc = r.matcher.Submatches(text, from)
			}
		} else if from-begin <= len(text) {
			loc = r.matcher.Submatches(text, from-begin)
			for i := range loc {
				if loc[i] >= 0 {
					loc[i] += begin
				}
			}
		}
		if loc == nil || loc[0] >= end {
			return r.matcher.Err()
		}
		from = loc[1]
		if loc[0] == loc[1] {
			from++
			if loc[1] == previous {
				continue
			}
		}
		previous = loc[1]
		if err := do(loc); err != nil {
			return err
		}
	}
}

// head prints the name of the file above its first line, with --heading.
func (r *ripgrep) head(s *scan) {
	if !r.heading || !r.named || r.headed == s.name {
		return
	}
	if r.headed != "" {
		_ = r.out.WriteByte('\n')
	}
	r.headed = s.name
	r.paint(r.color.file, []byte(s.name))
	_ = r.out.WriteByte('\n')
}

// prefix prints the name of the file and the numbers that stand before a line,
// which is the one of number i of its block and begins at from in its text; a
// column of 0 is not shown.
func (r *ripgrep) prefix(b *block, i, from, column int) {
	if r.named && !r.heading {
		r.paint(r.color.file, []byte(b.s.name))
		if r.nullName {
			_ = r.out.WriteByte(0)
		} else {
			_, _ = r.out.WriteString(b.sep)
		}
	}
	figure := func(color string, n int64) {
		var room [20]byte
		r.paint(color, strconv.AppendInt(room[:0], n, 10))
		_, _ = r.out.WriteString(b.sep)
	}
	if r.grep.number {
		figure(r.color.number, b.s.lines+1+int64(i))
	}
	if r.column && column > 0 {
		figure(r.color.line, int64(column))
	}
	if r.offset {
		figure(r.color.offset, b.s.base+int64(b.begin+from))
	}
}

// eachLine calls do with the bounds of the lines of a block, their terminators
// included, until it returns false.
func (b *block) eachLine(do func(i, from, to int) bool) {
	for i, from := 0, 0; from < len(b.text); i++ {
		to := len(b.text)
		if n := bytes.IndexByte(b.text[from:], b.s.delim); n >= 0 {
			to = from + n + 1
		}
		if !do(i, from, to) {
			return
		}
		from = to
	}
}

// lines prints the lines of a block.
func (r *ripgrep) lines(b *block) {
	column := 0
	if b.matches > 0 {
		column = b.locs[0] + 1
	}
	next := 0
	b.eachLine(func(i, from, to int) bool {
		r.prefix(b, i, from, column)
		if r.tooLong(to - from) {
			next = r.shorten(b, from, to, next)
			return true
		}
		end := b.content(from, to)
		next = r.marked(b, r.trimmed(b, from, end), end, next)
		r.endLine(b, from, to)
		return true
	})
}

// content returns where the line between from and to ends but for its terminator.
func (b *block) content(from, to int) int {
	if to > from && b.text[to-1] == b.s.delim {
		to--
		if b.s.rg.crlf && to > from && b.text[to-1] == '\r' {
			to--
		}
	}
	return to
}

// endLine prints the terminator of a line.
func (r *ripgrep) endLine(b *block, from, to int) {
	if r.crlf && (b.matches > 0 || to-from >= 2 && b.text[to-2] == '\r') {
		_ = r.out.WriteByte('\r')
	}
	_ = r.out.WriteByte(b.s.delim)
}

func (r *ripgrep) tooLong(n int) bool { return r.maxColumns > 0 && n > r.maxColumns }

// trimmed returns where a line begins with --trim.
func (r *ripgrep) trimmed(b *block, from, to int) int {
	if !r.trim {
		return from
	}
	return to - len(bytes.TrimLeft(b.text[from:to], " \t\v\f\r\n"))
}

// marked prints the text between from and to, with the matches from number next
// on in their color. It returns the number of the first that goes on behind it.
func (r *ripgrep) marked(b *block, from, to, next int) int {
	for ; 2*next < len(b.locs); next++ {
		start, end := max(b.locs[2*next], from), min(b.locs[2*next+1], to)
		if b.locs[2*next] >= to {
			break
		}
		if start < end {
			_, _ = r.out.Write(b.text[from:start])
			r.paint(r.color.match, b.text[start:end])
			from = end
		}
		if b.locs[2*next+1] > to {
			break
		}
	}
	_, _ = r.out.Write(b.text[from:to])
	return next
}

// shorten prints what stands for a line that is too long.
func (r *ripgrep) shorten(b *block, from, to, next int) int {
	switch {
	case r.preview:
		end := from + columnsLen(b.text[from:to], r.maxColumns)
		next = r.marked(b, r.trimmed(b, from, end), end, next)
		rest := 0
		for i := 0; i < len(b.locs); i += 2 {
			if b.locs[i] >= end && b.locs[i] < to {
				rest++
			}
		}
		switch {
		case len(b.locs) == 0:
			_, _ = r.out.WriteString(" [... omitted end of long line]")
		case rest == 1:
			_, _ = r.out.WriteString(" [... 1 more match]")
		default:
			fmt.Fprintf(r.out, " [... %d more matches]", rest)
		}
	case !b.matched:
		_, _ = r.out.WriteString("[Omitted long context line]")
	case b.matches == 0 || r.only:
		_, _ = r.out.WriteString("[Omitted long matching line]")
	default:
		fmt.Fprintf(r.out, "[Omitted long line with %d matches]", b.matches)
	}
	_ = r.out.WriteByte(b.s.delim)
	return next
}

// columnsLen returns the length of the first n characters of text; marks that are
// put on a character count with it.
func columnsLen(text []byte, n int) int {
	i := 0
	for i < len(text) {
		c, size := utf8.DecodeRune(text[i:])
		if !unicode.Is(unicode.Mn, c) {
			if n == 0 {
				break
			}
			n--
		}
		i += size
	}
	return i
}

// parts prints the matches of a block, each on lines of its own.
func (r *ripgrep) parts(b *block) {
	if !r.across {
		for i := 0; i < len(b.locs); i += 2 {
			r.part(b, 0, b.locs[i], b.locs[i], b.locs[i+1])
		}
		return
	}
	next := 0
	b.eachLine(func(i, from, to int) bool {
		end := b.content(from, to)
		from = r.trimmed(b, from, end)
		for ; 2*next < len(b.locs) && b.locs[2*next] < end; next++ {
			start, stop := max(b.locs[2*next], from), min(b.locs[2*next+1], end)
			if start < stop {
				r.part(b, i, b.locs[2*next], start, stop)
			}
			if b.locs[2*next+1] > end {
				break
			}
		}
		return true
	})
}

// part prints a part of the match at position at, which is in line i of its block.
func (r *ripgrep) part(b *block, i, at, start, stop int) {
	r.prefix(b, i, at, at+1)
	if r.tooLong(stop - start) {
		r.shorten(b, start, stop, 0)
		return
	}
	if !r.across {
		start = r.trimmed(b, start, stop)
	}
	if r.crlf && stop > start && b.text[stop-1] == '\r' {
		stop--
	}
	r.paint(r.color.match, b.text[start:stop])
	if r.crlf {
		_ = r.out.WriteByte('\r')
	}
	_ = r.out.WriteByte(b.s.delim)
}

// perMatch prints the line of each match.
func (r *ripgrep) perMatch(b *block) {
	locs := b.locs
	defer func() { b.locs = locs }()
	for n := 0; n < len(locs); n += 2 {
		b.locs = locs[n : n+2]
		start := locs[n]
		b.eachLine(func(i, from, to int) bool {
			if to <= start && to < len(b.text) {
				return true
			}
			offset := from
			if !r.across {
				offset = start
			}
			r.prefix(b, i, offset, start-from+1)
			if r.tooLong(to - from) {
				matches := b.matches
				r.shorten(b, from, to, 0)
				b.matches = matches
				return false
			}
			end := b.content(from, to)
			r.marked(b, r.trimmed(b, from, end), end, 0)
			r.endLine(b, from, to)
			return false
		})
	}
}

// binaryMessage says that a binary file matches.
func (r *ripgrep) binaryMessage(s *scan) error {
	if r.json || !s.binary || s.selected == 0 {
		return nil
	}
	name := ""
	if r.named {
		name = s.name + ": "
	}
	if r.grep.binary == "without-match" {
		_, err := fmt.Fprintf(r.out, "%sWARNING: stopped searching binary file after match (found \"\\0\" byte around offset %d)\n", name, s.nullAt)
		return err
	}
	if s.selected > s.clean {
		_, err := fmt.Fprintf(r.out, "%sbinary file matches (found \"\\0\" byte around offset %d)\n", name, s.nullAt)
		return err
	}
	return nil
}
