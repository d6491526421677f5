package search

import (
	"bufio"
	"fmt"
	"io"
	"time"
)

// rgStats are the figures of --stats and --json.
type rgStats struct {
	matches, lines    int64
	searches, matched int64 // files
	searched          int64 // bytes
	printed           int64 // bytes, of --json
	elapsed           time.Duration

	out    *countingWriter
	buffer *bufio.Writer
}

// written returns how many bytes were printed.
func (s *rgStats) written() int64 { return s.out.n + int64(s.buffer.Buffered()) }

// A countingWriter counts what is written through it.
type countingWriter struct {
	w io.Writer
	n int64
}

func (c *countingWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}

// wantsFigures reports whether files are searched to their end, for figures.
func (r *ripgrep) wantsFigures() bool { return r.wantStats || r.json }

// summarize prints the figures of all files.
func (r *ripgrep) summarize(took time.Duration) {
	s := &r.stats
	switch {
	case r.listFiles || r.quiet && r.json:
	case r.json:
		r.summaryMessage(took)
	case r.wantStats:
		printed := s.written()
		if r.quiet || r.count || r.list != 0 {
			printed = 0
		}
		fmt.Fprintf(r.out, "\n%d matches\n%d matched lines\n%d files contained matches\n%d files searched\n%d bytes printed\n%d bytes searched\n"+
			"%.6f seconds spent searching\n%.6f seconds\n", s.matches, s.lines, s.matched, s.searches, printed, s.searched, s.elapsed.Seconds(), took.Seconds())
	}
}

// begun notes that the search of a file begins.
func (r *ripgrep) begun(s *scan) {
	s.start, s.earlier = r.Clock.Now(), r.stats
	r.stats.printed, s.printedFrom = 0, r.stats.written()
}

// ended notes that the search of a file has ended.
func (r *ripgrep) ended(s *scan) {
	took := r.Clock.Now().Sub(s.start)
	searched := s.base + int64(s.contentEnd())
	if s.left == 0 {
		searched = s.base + int64(s.stop)
	}
	switch {
	case s.binary && r.grep.binary == "without-match":
		searched = s.base
	case s.binary && r.json:
		searched = s.nullAt
	}
	if r.json && !s.told {
		r.stats.printed = s.earlier.printed
		return
	}
	r.stats.searches++
	r.stats.searched += searched
	r.stats.elapsed += took
	if s.selected > 0 {
		r.stats.matched++
	}
	if r.json {
		r.endMessage(s, searched, took)
	}
	r.stats.printed += s.earlier.printed
}
