package find

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// items reads the items of xargs's input.
type items struct {
	x     *xargs
	in    *bufio.Reader
	buf   []byte
	held  int
	ended bool // by the logical end of file

	warnedNUL bool
}

func newItems(x *xargs, in io.Reader) *items {
	return &items{x: x, in: bufio.NewReaderSize(in, 64<<10)}
}

func (s *items) close() { s.x.c.Free(s.held) }

// append adds a byte to the item.
func (s *items) append(b byte) error {
	if len(s.buf) == cap(s.buf) {
		size := max(256, 2*cap(s.buf))
		if err := s.x.c.Alloc(size - s.held); err != nil {
			return err
		}
		s.held = size
		s.buf = append(make([]byte, 0, size), s.buf...)
	}
	s.buf = append(s.buf, b)
	return nil
}

// next returns the next item, and whether it ends a line in the sense of -L.
// The error is io.EOF after the last.
func (s *items) next() (item string, lineEnd bool, err error) {
	if s.ended {
		return "", false, io.EOF
	}
	if s.x.delim >= 0 {
		return s.delimited()
	}
	if s.x.replace != "" {
		item, err = s.line()
	} else {
		item, lineEnd, err = s.word()
	}
	item, _, _ = strings.Cut(item, "\x00") // which no argument can have
	if err == nil && s.x.eof != nil && item == *s.x.eof {
		s.ended = true
		return "", false, io.EOF
	}
	return item, lineEnd, err
}

// delimited returns an item that the byte of -0 or -d ends.
func (s *items) delimited() (string, bool, error) {
	s.buf = s.buf[:0]
	for n := 0; ; n++ {
		if err := s.x.c.Poll(1); err != nil {
			return "", false, err
		}
		b, err := s.in.ReadByte()
		switch {
		case err == io.EOF && n > 0:
			return string(s.buf), true, nil
		case err != nil:
			return "", false, err
		case int(b) == s.x.delim:
			return string(s.buf), true, nil
		}
		if err := s.append(b); err != nil {
			return "", false, err
		}
	}
}

func isBlank(b byte) bool { return b == ' ' || b == '\t' }

// line returns the item that a line is for -I: without the blanks before it.
func (s *items) line() (string, error) {
	for {
		s.buf = s.buf[:0]
		if err := s.skipBlanks(); err != nil {
			return "", err
		}
		any, end, err := s.unquote(func(b byte) bool { return b == '\n' })
		if err != nil {
			return "", err
		}
		if any {
			return string(s.buf), nil
		}
		if end {
			return "", io.EOF
		}
	}
}

func (s *items) skipBlanks() error {
	for {
		if err := s.x.c.Poll(1); err != nil {
			return err
		}
		b, err := s.in.ReadByte()
		if err != nil {
			return err
		}
		if !isBlank(b) {
			return s.in.UnreadByte()
		}
	}
}

// word returns an item that blanks or a newline end.
func (s *items) word() (item string, lineEnd bool, err error) {
	for {
		b, err := s.in.ReadByte()
		if err != nil {
			return "", false, err
		}
		if err := s.x.c.Poll(1); err != nil {
			return "", false, err
		}
		if !isBlank(b) && b != '\n' {
			_ = s.in.UnreadByte()
			break
		}
	}
	s.buf = s.buf[:0]
	_, end, err := s.unquote(func(b byte) bool { return isBlank(b) || b == '\n' })
	if err != nil || end {
		return string(s.buf), true, err
	}
	// A line that ends with a blank goes on in the next one.
	_ = s.in.UnreadByte()
	b, _ := s.in.ReadByte()
	return string(s.buf), b == '\n', nil
}

// unquote reads up to and with a byte that ends the item, and removes quotes
// and backslashes. It reports whether there was any character, quotes among
// them, and whether the input has ended.
func (s *items) unquote(ends func(byte) bool) (any, eof bool, err error) {
	quote := byte(0)
	for {
		if err := s.x.c.Poll(1); err != nil {
			return any, false, err
		}
		b, err := s.in.ReadByte()
		switch {
		case err == io.EOF && quote != 0:
			return any, true, unmatched(quote)
		case err == io.EOF:
			return any, true, nil
		case err != nil:
			return any, false, err
		case quote == 0 && ends(b):
			return any, false, nil
		case quote != 0 && b == '\n':
			return any, false, unmatched(quote)
		case b == quote && quote != 0:
			quote = 0
			continue
		case quote == 0 && (b == '\'' || b == '"'):
			quote, any = b, true
			continue
		case quote == 0 && b == '\\':
			if b, err = s.in.ReadByte(); err != nil {
				continue
			}
		case b == 0:
			s.warnNUL()
		}
		any = true
		if err := s.append(b); err != nil {
			return any, false, err
		}
	}
}

func unmatched(quote byte) error {
	kind := "double"
	if quote == '\'' {
		kind = "single"
	}
	return fmt.Errorf("unmatched %s quote; by default quotes are special to xargs unless you use the -0 option", kind)
}

func (s *items) warnNUL() {
	if !s.warnedNUL {
		s.warnedNUL = true
		fmt.Fprintf(s.x.c.Stderr, "%s: WARNING: a NUL character occurred in the input.  It cannot be passed through in the argument list.  Did you mean to use the --null option?\n", s.x.c.Name)
	}
}

// parseDelimiter parses the value of -d: a character or an escape.
func parseDelimiter(s string) (int, error) {
	switch {
	case len(s) == 1:
		return int(s[0]), nil
	case len(s) < 2 || s[0] != '\\':
		return 0, fmt.Errorf("Invalid input delimiter specification %s: the delimiter must be either a single character or an escape sequence starting with \\.", s)
	}
	if i := strings.IndexByte(`abfnrtv\`, s[1]); i >= 0 && len(s) == 2 {
		return int("\a\b\f\n\r\t\v\\"[i]), nil
	}
	digits, base, limit := s[1:], 8, "377"
	switch {
	case s[1] == 'x':
		digits, base, limit = s[2:], 16, "ff"
	case s[1] < '0' || s[1] > '7':
		return 0, fmt.Errorf("Invalid escape sequence %s in input delimiter specification.", s)
	}
	valid := "01234567"
	if base == 16 {
		valid = "0123456789abcdefABCDEF"
	}
	rest := strings.TrimLeft(digits, valid)
	if rest != "" {
		return 0, fmt.Errorf("Invalid escape sequence %s in input delimiter specification; trailing characters %s not recognised.", s, rest)
	}
	n, err := strconv.ParseUint("0"+digits, base, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) || n > 255 {
		return 0, fmt.Errorf("Invalid escape sequence %s in input delimiter specification; character values must not exceed %s.", s, limit)
	}
	return int(n), nil
}
