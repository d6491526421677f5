package interp

// A readSplitter splits a line at the characters of IFS that no backslash
// quotes.
type readSplitter struct {
	l     *readLine
	class *[256]byte
	pos   int
}

func newReadSplitter(sh *Shell, l *readLine) *readSplitter {
	s := &readSplitter{l: l, class: sh.ifs.table(sh)}
	s.blanks()
	return s
}

func (s *readSplitter) at(i int) byte {
	if s.l.quoted != nil && s.l.quoted[i] {
		return 0
	}
	return s.class[s.l.buf[i]]
}

func (s *readSplitter) blanks() {
	for s.pos < len(s.l.buf) && s.at(s.pos) == ifsSpace {
		s.pos++
	}
}

// word returns the next word.
func (s *readSplitter) word() (string, bool) {
	if s.pos >= len(s.l.buf) {
		return "", false
	}
	from := s.pos
	for s.pos < len(s.l.buf) && s.at(s.pos) == 0 {
		s.pos++
	}
	w := string(s.l.buf[from:s.pos])
	s.delimiter()
	return w, true
}

// delimiter skips what is between two words.
func (s *readSplitter) delimiter() {
	s.blanks()
	if s.pos < len(s.l.buf) && s.at(s.pos) == ifsOther {
		s.pos++
		s.blanks()
	}
}

// rest returns all that is left: without the white space at its end, and
// without a delimiter at its end where there is one word only.
func (s *readSplitter) rest() string {
	from := s.pos
	end := len(s.l.buf)
	for end > from && s.at(end-1) == ifsSpace {
		end--
	}
	t := *s
	if _, ok := t.word(); ok && t.pos >= len(s.l.buf) {
		w, _ := s.word()
		return w
	}
	return string(s.l.buf[from:end])
}
