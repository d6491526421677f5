package jq

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth is how deep values may be nested.
const maxDepth = 10000

// A parseError is a mistake in JSON text, in jq's words.
type parseError struct{ msg string }

func (e *parseError) Error() string { return e.msg }

// A tokenKind is a structural character of JSON, or one of the following.
type tokenKind byte

const (
	tokenEOF   tokenKind = 0
	tokenValue tokenKind = 'v' // a scalar
)

// A scanner splits JSON text into tokens. It reads as much as it needs.
type scanner struct {
	m    *machine
	in   io.Reader
	buf  []byte
	r, w int
	err  error // of in

	lines  int // newlines before buf[r]
	column int // bytes since the last of them
	seq    bool
}

func newScanner(m *machine, in io.Reader) *scanner { return &scanner{m: m, in: in} }

// fill reads more behind what is there. It is false at the end.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	if s.r > 0 {
		copy(s.buf, s.buf[s.r:s.w])
		s.w -= s.r
		s.r = 0
	}
	if s.w == len(s.buf) {
		const first = 64 << 10
		size := max(first, 2*len(s.buf))
		s.m.hold(size - len(s.buf))
		s.buf = append(make([]byte, 0, size), s.buf[:s.w]...)[:size]
	}
	n, err := s.in.Read(s.buf[s.w:])
	s.m.work(1 + n>>8)
	s.w += n
	s.err = err
	return n > 0 || err == nil
}

// skip moves over n bytes, none of which is a newline.
func (s *scanner) skip(n int) {
	s.r += n
	s.column += n
}

// fail returns a mistake at the place that has been read up to.
func (s *scanner) fail(format string, args ...any) error {
	return &parseError{fmt.Sprintf(format, args...) + fmt.Sprintf(" at line %d, column %d", s.lines+1, s.column)}
}

// failEOF is fail for text that is cut off.
func (s *scanner) failEOF(format string, args ...any) error {
	return &parseError{fmt.Sprintf(format, args...) + fmt.Sprintf(" at EOF at line %d, column %d", s.lines+1, s.column)}
}

// next returns the next token, and its value if it is a scalar.
func (s *scanner) next() (tokenKind, Value, error) {
	for {
		if s.r == s.w && !s.fill() {
			return tokenEOF, nil, s.readError()
		}
		if s.r == s.w {
			continue
		}
		switch c := s.buf[s.r]; c {
		case ' ', '\t', '\r':
			s.skip(1)
		case '\n':
			s.r++
			s.lines++
			s.column = 0
		case '[', ']', '{', '}', ',', ':':
			s.skip(1)
			return tokenKind(c), nil, nil
		case '"':
			v, err := s.string()
			return tokenValue, v, err
		case 0x1e: // the record separator of --seq
			s.skip(1)
		case 0xef:
			if s.lines == 0 && s.column == 0 && s.mark() {
				continue
			}
			v, err := s.word()
			return tokenValue, v, err
		default:
			v, err := s.word()
			return tokenValue, v, err
		}
	}
}

// readError returns why there is no more, if that is not the end of the input.
func (s *scanner) readError() error {
	if s.err == io.EOF {
		return nil
	}
	return s.err
}

// mark skips a byte order mark.
func (s *scanner) mark() bool {
	for s.w-s.r < 3 && s.fill() {
	}
	if bytes.HasPrefix(s.buf[s.r:s.w], []byte("\xef\xbb\xbf")) {
		s.r += 3
		return true
	}
	return false
}

// ends tells the bytes that end a word.
var ends = func() (table [256]bool) {
	for _, c := range " \t\r\n[]{},:\"\x1e" {
		table[c] = true
	}
	return table
}()

// word reads a number, or null and its like.
func (s *scanner) word() (Value, error) {
	n := 0
	for {
		for s.r+n < s.w && !ends[s.buf[s.r+n]] {
			n++
		}
		if s.r+n < s.w || !s.fill() {
			break
		}
	}
	word := s.buf[s.r : s.r+n]
	s.skip(n)
	v, ok := scalar(word)
	if ok {
		return v, nil
	}
	what := "Invalid numeric literal"
	if len(word) > 0 && bytes.IndexByte([]byte("tfn"), word[0]) >= 0 {
		what = "Invalid literal"
	}
	// jq notices when it has read what ends the word.
	if s.r == s.w {
		return nil, s.failEOF("%s", what)
	}
	if s.buf[s.r] == '\n' {
		s.lines++
		s.column = 0
	} else {
		s.column++
	}
	s.r++
	return nil, s.fail("%s", what)
}

// scalar returns the value of a word.
func scalar(word []byte) (Value, bool) {
	switch string(word) {
	case "null":
		return nil, true
	case "true":
		return true, true
	case "false":
		return false, true
	case "NaN":
		return nan, true
	}
	if !isNumber(word) {
		return nil, false
	}
	return parseNumber(string(word)), true
}

// isNumber reports whether word is a number. Like jq it allows zeros in front, a
// plus sign, and a point with nothing on one side.
func isNumber[T []byte | string](word T) bool {
	i, digits := 0, 0
	if len(word) > 0 && (word[0] == '-' || word[0] == '+') {
		i++
	}
	for ; i < len(word) && isDigit(word[i]); i++ {
		digits++
	}
	if i < len(word) && word[i] == '.' {
		for i++; i < len(word) && isDigit(word[i]); i++ {
			digits++
		}
	}
	if digits == 0 {
		return false
	}
	if i < len(word) && word[i]|0x20 == 'e' {
		if i++; i < len(word) && (word[i] == '-' || word[i] == '+') {
			i++
		}
		if i == len(word) {
			return false
		}
		for i < len(word) && isDigit(word[i]) {
			i++
		}
	}
	return i == len(word)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// string reads a string, whose quote is at s.r.
func (s *scanner) string() (Value, error) {
	n := 1
	escaped := false
	for {
		b := s.buf[s.r+n : s.w]
		i := bytes.IndexByte(b, '"')
		if j := bytes.IndexByte(b[:max(i, 0)], '\\'); i >= 0 && j >= 0 {
			escaped = true
			if j+1 < len(b) {
				n += j + 2
				continue
			}
			i = -1
			n += j
		} else if i < 0 {
			if j := bytes.IndexByte(b, '\\'); j >= 0 {
				escaped = true
				if j+1 < len(b) {
					n += j + 2
					continue
				}
				n += j
			} else {
				n += len(b)
			}
		}
		if i >= 0 {
			n += i
			break
		}
		if !s.fill() {
			s.advance(s.w - s.r)
			return nil, s.failEOF("Unfinished string")
		}
	}
	raw := s.buf[s.r+1 : s.r+n]
	s.m.work(n >> 8)
	s.advance(n + 1)
	for _, c := range raw {
		if c < ' ' {
			return nil, s.fail("Invalid string: control characters from U+0000 through U+001F must be escaped")
		}
	}
	if escaped {
		return s.unescape(raw)
	}
	return valid(string(raw)), nil
}

// advance moves over n bytes of a string, which may have newlines.
func (s *scanner) advance(n int) {
	b := s.buf[s.r : s.r+n]
	s.r += n
	if k := bytes.Count(b, []byte("\n")); k > 0 {
		s.lines += k
		s.column = len(b) - 1 - bytes.LastIndexByte(b, '\n')
		return
	}
	s.column += n
}

// valid returns s with what is not UTF-8 replaced.
func valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// unescape decodes the escapes of a string.
func (s *scanner) unescape(raw []byte) (Value, error) {
	b := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			j := bytes.IndexByte(raw[i:], '\\')
			if j < 0 {
				j = len(raw) - i
			}
			b = append(b, raw[i:i+j]...)
			i += j
			continue
		}
		c := raw[i+1]
		if k := strings.IndexByte(`"\/bfnrt`, c); k >= 0 {
			b = append(b, "\"\\/\b\f\n\r\t"[k])
			i += 2
			continue
		}
		if c != 'u' {
			return nil, s.fail("Invalid escape")
		}
		r, n := unicodeEscape(raw[i:])
		switch high := bytes.IndexByte([]byte("89abAB"), raw[min(i+3, len(raw)-1)]) >= 0 && raw[i+2]|0x20 == 'd'; {
		case n == 0:
			return nil, s.fail(`Invalid \uXXXX escape`)
		case high && n == 6:
			return nil, s.fail(`Invalid \uXXXX\uXXXX surrogate pair escape`)
		}
		b = utf8.AppendRune(b, r)
		i += n
	}
	return valid(string(b)), nil
}

// unicodeEscape decodes the escape \u…, or the two of a surrogate pair, that raw
// begins with, and returns its length; 0 if it is none.
func unicodeEscape(raw []byte) (rune, int) {
	r, ok := hex4(raw)
	if !ok {
		return 0, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if low, ok := hex4(raw[6:]); ok {
		if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
			return pair, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(raw []byte) (r rune, ok bool) {
	if len(raw) < 6 || raw[0] != '\\' || raw[1] != 'u' {
		return 0, false
	}
	for _, c := range raw[2:6] {
		switch {
		case isDigit(c):
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}
