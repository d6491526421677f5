package search

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/vfs"
)

// blockSize is how much grep reads at once, and so how far ahead of the output
// it notices that a file is binary.
const blockSize = 96 << 10

// A scan is the search of one file.
type scan struct {
	*grep
	name  string
	delim byte
	in    io.Reader

	buf   []byte // charged
	base  int64  // offset in the file of buf[0]
	begin int    // where lines begin that have not been searched
	end   int    // where what was read ends
	shown int    // where what was printed ends; -1 if that is not in buf

	lines     int64 // before buf[counted]
	counted   int
	left      int64 // lines that may still be selected
	pending   int   // lines of trailing context to come
	stop      int   // where the last selected line ends
	selected  int64
	binary    bool // the file has a null byte
	nullAt    int64
	garbled   bool // a line that should be printed is not text
	quietly   bool // print no lines
	firstOnly bool // one selected line is enough
	clean     int64
	readErr   error
	digits    int  // the least width of numbers
	unended   bool // the last line has no terminator but that in buf

	// Of rg alone.
	start       time.Time // when the search began
	earlier     rgStats   // the figures then
	printedFrom int64     // what was printed then
	told        bool      // a message of --json was printed
}

// searchReader searches one file.
func (g *grep) searchReader(r io.Reader, name string, stdin bool) error {
	if stdin && g.outInfo != nil {
		if s, ok := r.(vfs.Stream); ok {
			if info, err := s.Stat(); err == nil && vfs.SameFile(info, g.outInfo) {
				g.sameAsOutput(name)
				return nil
			}
		}
	}
	s := &scan{grep: g, name: name, delim: '\n', in: r, left: g.limit, shown: -1}
	if g.null {
		s.delim = 0
	}
	s.firstOnly = g.quiet || g.list != 0
	s.quietly = s.firstOnly || g.count
	if g.rg != nil {
		s.firstOnly = s.firstOnly && !g.rg.wantsFigures()
		g.rg.begun(s)
	}
	s.digits = s.measure(r)
	defer func() { g.Free(cap(s.buf)) }()
	if err := s.run(); err != nil {
		return err
	}
	if g.rg != nil {
		g.rg.ended(s)
	}
	if err := s.summary(); err != nil {
		return err
	}
	if stdin && s.left == 0 && s.readErr == nil {
		if seeker, ok := r.(io.Seeker); ok {
			_, _ = seeker.Seek(int64(s.stop-s.end), io.SeekCurrent)
		}
	}
	if s.readErr != nil {
		return s.readErr
	}
	return nil
}

// summary prints what -c, -l and -L ask for, and the message about binary
// files.
func (s *scan) summary() error {
	if s.selected > 0 {
		s.grep.selected = true
		if s.quiet && (s.rg == nil || !s.rg.wantsFigures()) {
			return errMatched
		}
	}
	if s.rg != nil && s.binary && s.grep.binary == "without-match" && s.selected == 0 {
		return nil // nobody looked at all of it
	}
	if s.count && !s.quiet && s.list == 0 && (s.selected > 0 || s.rg == nil || s.rg.includeZero) {
		if s.named {
			s.fileName(':')
		}
		_, _ = s.out.WriteString(strconv.FormatInt(s.selected, 10) + "\n")
	}
	if !s.quiet && (s.list == 'l' && s.selected > 0 || s.list == 'L' && s.selected == 0) {
		s.paint(s.color.file, []byte(s.name))
		end := byte('\n')
		if s.nullName {
			end = 0
		}
		_ = s.out.WriteByte(end)
	}
	if s.list == 0 && !s.count && !s.quiet {
		return s.binaryMessage()
	}
	return nil
}

// binaryMessage says that a binary file matches.
func (s *scan) binaryMessage() error {
	if s.rg != nil {
		return s.rg.binaryMessage(s)
	}
	if (!s.garbled || s.grep.binary == "without-match") && (!s.binary || s.selected <= s.clean) {
		return nil
	}
	if err := s.out.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(s.Stderr, "grep: %s: binary file matches\n", s.name)
	return nil
}

// run searches the blocks of the file.
func (s *scan) run() error {
	if s.rg != nil && s.rg.across {
		return s.runAcross()
	}
	for s.left > 0 || s.pending > 0 {
		more, err := s.fill()
		if err != nil {
			return err
		}
		if s.lookForNulls() {
			return nil
		}
		last := s.end
		if more {
			last = s.begin + bytes.LastIndexByte(s.buf[s.begin:s.end], s.delim) + 1
		} else if err := s.terminate(); err != nil {
			return err
		} else {
			last = s.end
		}
		if err := s.block(last); err != nil {
			return err
		}
		if !more || s.firstOnly && s.selected > 0 {
			return nil
		}
	}
	return nil
}

// block searches the lines up to last.
func (s *scan) block(last int) error {
	for s.begin < last && s.left > 0 {
		from, to, ok, err := s.nextMatch(s.begin, last)
		if err != nil {
			return err
		}
		switch {
		case s.invert && ok:
			err = s.selectLines(s.begin, from)
			s.begin = max(s.begin, to)
			if s.left == 0 {
				s.begin = s.stop
			}
		case s.invert:
			err = s.selectLines(s.begin, last)
			s.begin = last
			if s.left == 0 {
				s.begin = s.stop
			}
		case ok:
			err = s.selectLines(from, to)
			s.begin = to
		default:
			s.begin = last
		}
		if err != nil {
			return err
		}
		if s.firstOnly && s.selected > 0 {
			break
		}
	}
	if s.pending > 0 {
		return s.trailing(last)
	}
	return nil
}

// nextMatch returns the bounds of the next line between from and last that
// matches.
func (s *scan) nextMatch(from, last int) (begin, end int, ok bool, err error) {
	switch {
	case s.rg != nil && s.rg.across:
		return s.nextAcross(from)
	case s.delim == 0:
		return s.nextRecord(from, last)
	}
	text := s.buf[:last]
	pos, ok := s.matcher.Locate(text[from:last-1], 0)
	if err := s.matcher.Err(); err != nil || !ok {
		return 0, 0, false, err
	}
	pos += from
	begin = from + bytes.LastIndexByte(text[from:pos], '\n') + 1
	end = pos + bytes.IndexByte(text[pos:], '\n') + 1
	return begin, end, true, s.Poll(1)
}

// nextRecord is nextMatch for records that end in a null byte.
func (s *scan) nextRecord(from, last int) (begin, end int, ok bool, err error) {
	for from < last {
		n := bytes.IndexByte(s.buf[from:last], 0)
		if err := s.Poll(1 + n>>8); err != nil {
			return 0, 0, false, err
		}
		if s.matcher.Match(s.buf[from : from+n]) {
			return from, from + n + 1, true, nil
		}
		from += n + 1
	}
	return 0, 0, false, s.matcher.Err()
}

// selectLines selects the lines from begin to end, as far as the limit allows.
func (s *scan) selectLines(begin, end int) error {
	if begin >= end {
		return nil
	}
	if s.quietly {
		return s.countLines(begin, end)
	}
	if s.pending > 0 {
		if err := s.trailing(begin); err != nil {
			return err
		}
	}
	if err := s.leading(begin); err != nil {
		return err
	}
	if ok, err := s.copyLines(begin, end); ok || err != nil {
		return err
	}
	for begin < end && s.left > 0 {
		next := begin + bytes.IndexByte(s.buf[begin:end], s.delim) + 1
		if s.rg != nil && s.rg.across && !s.invert {
			next = end
		}
		if err := s.print(begin, next, ':'); err != nil {
			return err
		}
		if err := s.Poll(1); err != nil {
			return err
		}
		begin = next
		s.printed = true
		s.selected++
		s.left--
	}
	s.stop = begin
	if s.pending = s.after; s.left == 0 && s.rg != nil && s.rg.passthru {
		s.pending = 0
	}
	return nil
}

// copyLines selects lines that are printed as they are, all at once. It reports
// false, and does nothing, where something is to be done for each.
func (s *scan) copyLines(begin, end int) (ok bool, err error) {
	if s.rg != nil || s.color.on || s.only || s.named || s.number || s.offset || s.unbuffered || !s.isText(s.buf[begin:end]) {
		return false, nil
	}
	n := int64(1)
	if s.invert {
		n = int64(bytes.Count(s.buf[begin:end], []byte{s.delim}))
	}
	if n > s.left {
		return false, nil
	}
	s.shown, s.printed = end, true
	s.selected += n
	s.left -= n
	s.stop, s.pending = end, s.after
	if _, err := s.out.Write(s.buf[begin:end]); err != nil {
		return true, err
	}
	return true, s.Poll(int(n))
}

// countLines selects lines that are not printed.
func (s *scan) countLines(begin, end int) error {
	if s.rg != nil && (s.rg.countMatches || s.rg.across || s.rg.wantsFigures()) && !s.firstOnly {
		return s.rg.countIn(s, begin, end)
	}
	n := int64(1)
	if s.invert {
		n = int64(bytes.Count(s.buf[begin:end], []byte{s.delim}))
	}
	if n > s.left || s.firstOnly {
		n = min(n, s.left)
		if s.firstOnly {
			n = 1
		}
		for end = begin; n > 0; n-- {
			end += bytes.IndexByte(s.buf[end:], s.delim) + 1
			s.selected++
			s.left--
		}
		s.stop = end
		return nil
	}
	s.selected += n
	s.left -= n
	s.stop = end
	return nil
}

// leading prints the separator between groups and the lines before a selected
// one.
func (s *scan) leading(begin int) error {
	from := begin
	for range s.before {
		if from <= max(s.shown, 0) {
			break
		}
		from = bytes.LastIndexByte(s.buf[:from-1], s.delim) + 1
	}
	if s.grouped && s.printed && from != s.shown && !s.noSeparator {
		s.paint(s.color.sep, []byte(s.separator))
		_ = s.out.WriteByte('\n')
	}
	for from < begin {
		next := from + bytes.IndexByte(s.buf[from:begin], s.delim) + 1
		if err := s.print(from, next, '-'); err != nil {
			return err
		}
		from = next
	}
	return nil
}

// trailing prints the lines after a selected one, up to last.
func (s *scan) trailing(last int) error {
	for s.pending > 0 && s.shown < last {
		from := max(s.shown, 0)
		next := from + bytes.IndexByte(s.buf[from:last], s.delim) + 1
		if err := s.print(from, next, '-'); err != nil {
			return err
		}
		s.pending-- // also for a line that is not text, which is tried again
	}
	return nil
}

// isText reports whether b can be printed as text.
func (s *scan) isText(b []byte) bool {
	return s.grep.binary == "text" || s.bytesOnly || utf8.Valid(b)
}
