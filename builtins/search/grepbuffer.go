package search

import (
	"bytes"
	"io"
)

// fill reads the next block behind the lines that are still needed. It reports
// whether there may be more.
func (s *scan) fill() (more bool, err error) {
	s.discard()
	if s.end+blockSize > cap(s.buf) {
		if err := s.grow(blockSize); err != nil {
			return false, err
		}
	}
	from := s.end
	for s.end == from {
		n, err := s.in.Read(s.buf[from : from+blockSize])
		s.end += n
		if err := s.Poll(1 + n>>12); err != nil {
			return false, err
		}
		if err == io.EOF {
			return false, nil
		}
		if err != nil {
			s.readErr = err
			return false, nil
		}
	}
	return true, nil
}

// discard drops what is no longer needed: what was searched, but for the lines
// that a match to come would show before it.
func (s *scan) discard() {
	keep := s.begin
	if s.before > 0 && !s.quietly {
		for range s.before {
			if keep <= s.shown || keep == 0 {
				break
			}
			keep = bytes.LastIndexByte(s.buf[:keep-1], s.delim) + 1
		}
	}
	if keep == 0 {
		return
	}
	s.countTo(keep)
	copy(s.buf, s.buf[keep:s.end])
	s.base += int64(keep)
	s.begin -= keep
	s.end -= keep
	s.counted -= keep
	s.stop -= keep
	s.shown = max(s.shown-keep, -1)
}

// grow makes room for n more bytes.
func (s *scan) grow(n int) error {
	need := s.end + n
	if need <= cap(s.buf) {
		s.buf = s.buf[:cap(s.buf)]
		return nil
	}
	size := max(need, 2*cap(s.buf), 2*blockSize)
	if err := s.Alloc(size); err != nil {
		return err
	}
	buf := make([]byte, size)
	copy(buf, s.buf[:s.end])
	s.Free(cap(s.buf))
	s.buf = buf
	return nil
}

// lookForNulls notices that the file is binary, and reports whether it is not to
// be searched then.
func (s *scan) lookForNulls() (skip bool) {
	if s.delim == 0 || s.grep.binary == "text" {
		return false
	}
	fresh := s.buf[s.begin:s.end]
	if i := bytes.IndexByte(fresh, 0); !s.binary && i >= 0 {
		s.nullAt = s.base + int64(s.begin+i)
		if s.grep.binary == "without-match" {
			if s.rg == nil {
				s.selected = 0
			}
			s.binary = true
			return true
		}
		s.binary, s.clean = true, s.selected
		if s.rg != nil && s.rg.json {
			return false
		}
		if !s.count {
			s.firstOnly, s.quietly = true, true
		}
	}
	if s.binary && (s.rg == nil || !s.rg.json) {
		for i := bytes.IndexByte(fresh, 0); i >= 0; {
			fresh[i] = '\n'
			k := bytes.IndexByte(fresh[i:], 0)
			if k < 0 {
				break
			}
			i += k
		}
	}
	return false
}

// terminate ends the last line of the buffer where nothing else does.
func (s *scan) terminate() error {
	if s.end == s.begin || s.buf[s.end-1] == s.delim {
		return nil
	}
	if err := s.grow(1); err != nil {
		return err
	}
	s.buf[s.end] = s.delim
	s.end++
	s.unended = true
	return nil
}

// contentEnd returns where the content of the file ends in the buffer.
func (s *scan) contentEnd() int {
	if s.unended {
		return s.end - 1
	}
	return s.end
}
