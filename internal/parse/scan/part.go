package scan

import "iter"

// Functions that read a piece of source on its own.

// SubscriptEnd returns the offset of the ] that matches the [ at open, or -1.
func SubscriptEnd(text string, open int) (end int) {
	s := New(text, open+1, 1)
	if s.try(func() { s.matched(pair{start: open, open: '[', close: ']', subscript: true}) }) != nil {
		return -1
	}
	return s.pos - 1
}

// Plain yields the offsets of the bytes in src[start:end] that are neither
// quoted nor part of an expansion. In arithmetic <( is no process substitution.
func Plain(src string, start, end int, arithmetic bool) iter.Seq[int] {
	return func(yield func(int) bool) {
		s := New(src[:end], start, 1)
		for c := s.at(s.pos); c != 0; c = s.at(s.pos) {
			if !s.skipNested(c, arithmetic) {
				if !yield(s.pos) {
					return
				}
				s.pos++
			}
		}
	}
}

// skipNested moves past a quoted byte, a quoted string or an expansion.
func (s *Scanner) skipNested(c byte, arithmetic bool) (skipped bool) {
	err := s.try(func() {
		switch {
		case c == '\\' && s.at(s.pos+1) != 0:
			s.pos += 2
		case c == '\'' || c == '"' || c == '`':
			s.quote(c)
		case c == '$' || !arithmetic && (c == '<' || c == '>'):
			skipped = s.dollar(&token{})
			return
		default:
			return
		}
		skipped = true
	})
	if err != nil {
		s.pos = len(s.src)
	}
	return skipped || err != nil
}

// try returns the error with which read ends, if any.
func (s *Scanner) try(read func()) (err error) {
	defer func() {
		if v := recover(); v != nil {
			b, isBail := v.(bail)
			if !isBail {
				panic(v)
			}
			err = b.err
		}
	}()
	read()
	return nil
}
