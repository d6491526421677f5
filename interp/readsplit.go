package interp

import "unicode/utf8"

// A readSplitter splits a line at the characters of IFS that no backslash
// quotes.
type readSplitter struct {
	l     *readLine
	ifs   *ifsCache
	class *[256]byte
	pos   int
}

func newReadSplitter(sh *Shell, l *readLine) *readSplitter {
	s := &readSplitter{l: l, ifs: &sh.ifs, class: sh.ifs.table(sh)}
	s.blanks()
	return s
}

// at returns the class of the character of IFS at i, 0 where there is none, and how
// many bytes it has.
func (s *readSplitter) at(i int) (class byte, size int) {
	if s.l.quoted != nil && s.l.quoted[i] {
		return 0, 1
	}
	class = s.class[s.l.buf[i]]
	if class != ifsWide {
		return class, 1
	}
	if n := s.ifs.wideAt(string(s.l.buf[i:min(i+utf8.UTFMax, len(s.l.buf))])); n > 0 {
		return ifsOther, n
	}
	return 0, 1
}

// is reports whether the character at i is of a class.
func (s *readSplitter) is(i int, class byte) bool {
	c, _ := s.at(i)
	return c == class
}

func (s *readSplitter) blanks() {
	for s.pos < len(s.l.buf) && s.is(s.pos, ifsSpace) {
		s.pos++
	}
}

// word returns the next word.
func (s *readSplitter) word() (string, bool) {
	if s.pos >= len(s.l.buf) {
		return "", false
	}
	from := s.pos
	for s.pos < len(s.l.buf) && s.is(s.pos, 0) {
		s.pos++
	}
	w := string(s.l.buf[from:s.pos])
	s.delimiter()
	return w, true
}

// delimiter skips what is between two words.
func (s *readSplitter) delimiter() {
	s.blanks()
	if s.pos >= len(s.l.buf) {
		return
	}
	if class, size := s.at(s.pos); class == ifsOther {
		s.pos += size
		s.blanks()
	}
}

// rest returns all that is left: without the white space at its end, and
// without a delimiter at its end where there is one word only.
func (s *readSplitter) rest() string {
	from := s.pos
	end := len(s.l.buf)
	for end > from && s.is(end-1, ifsSpace) {
		end--
	}
	t := *s
	if _, ok := t.word(); ok && t.pos >= len(s.l.buf) {
		w, _ := s.word()
		return w
	}
	return string(s.l.buf[from:end])
}
