package search

import "bytes"

// runAcross searches a file whose matches may span lines, which must be in memory
// as a whole.
func (s *scan) runAcross() error {
	for {
		more, err := s.fill()
		if err != nil {
			return err
		}
		if s.readErr != nil {
			return nil
		}
		if !more {
			break
		}
	}
	if s.lookForNulls() {
		return nil
	}
	if err := s.terminate(); err != nil {
		return err
	}
	return s.block(s.end)
}

// nextAcross returns the bounds of the lines of the next match at or after from,
// and of those that begin on its last line.
func (s *scan) nextAcross(from int) (begin, end int, ok bool, err error) {
	text := s.buf[:s.contentEnd()]
	for pos := from; pos <= len(text); {
		if err := s.Poll(1); err != nil {
			return 0, 0, false, err
		}
		loc := s.matcher.Bounds(text, pos)
		if loc == nil {
			break
		}
		if loc[0] == len(text) && (loc[0] == 0 || text[loc[0]-1] == s.delim) {
			break // there is no line
		}
		if ok && loc[0] >= end {
			break
		}
		if !ok {
			begin = from + bytes.LastIndexByte(text[from:loc[0]], s.delim) + 1
		}
		end, ok = s.lineEnd(loc[0], loc[1]), true
		if pos = loc[1]; loc[0] == loc[1] {
			pos++
		}
	}
	return begin, end, ok, s.matcher.Err()
}

// lineEnd returns the end of the last line of the match from start to stop.
func (s *scan) lineEnd(start, stop int) int {
	if stop > start && s.buf[stop-1] == s.delim {
		return stop
	}
	return stop + bytes.IndexByte(s.buf[stop:s.end], s.delim) + 1
}

// countIn counts the matches in the lines from begin to end.
func (r *ripgrep) countIn(s *scan, begin, end int) error {
	lines := int64(bytes.Count(s.buf[begin:end], []byte{s.delim}))
	if r.invert {
		s.selected += lines
		r.stats.lines += lines
		return nil
	}
	s.left--
	s.stop = end
	matches := int64(0)
	err := r.eachMatch(s, begin, end, func([]int) error { matches++; return nil })
	r.stats.matches += matches
	r.stats.lines += lines
	if r.countMatches || r.across {
		s.selected += matches
	} else {
		s.selected++
	}
	return err
}
