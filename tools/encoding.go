package tools

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// sniffed is how much of a file is looked at to tell whether it is text.
const sniffed = 4096

// A charset is how the text of a file is written as bytes.
type charset struct {
	name string
	mark string            // the mark at its beginning
	enc  encoding.Encoding // nil where it is UTF-8
	unit int               // bytes of the smallest character
}

// marked are those that begin with a mark, longer ones first.
var marked = []*charset{
	{"utf-32", "\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM), 4},
	{"utf-32", "\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM), 4},
	{"utf-8-sig", "\xef\xbb\xbf", nil, 1},
	{"utf-16", "\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), 2},
	{"utf-16", "\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), 2},
}

var (
	charsetUTF8   = &charset{"utf-8", "", nil, 1}
	charsetCP1252 = &charset{"cp1252", "", charmap.Windows1252, 1}
	charsetLatin1 = &charset{"latin-1", "", charmap.ISO8859_1, 1}
)

// undefined are the bytes that cp1252 has no character for.
const undefined = "\x81\x8d\x8f\x90\x9d"

// markOf returns the charset that the beginning of a file is marked with, or nil.
func markOf(head []byte) *charset {
	for _, c := range marked {
		if bytes.HasPrefix(head, []byte(c.mark)) {
			return c
		}
	}
	return nil
}

// isBinary reports whether the beginning of a file without a mark is not text.
func isBinary(head []byte) bool {
	return bytes.IndexByte(head[:min(len(head), sniffed)], 0) >= 0
}

// charsetOf returns how the text of a file without a mark is written.
func charsetOf(data []byte) *charset {
	switch {
	case utf8.Valid(data):
		return charsetUTF8
	case containsByte(data, undefined):
		return charsetLatin1
	}
	return charsetCP1252
}

func containsByte(data []byte, list string) bool {
	for i := range len(list) {
		if bytes.IndexByte(data, list[i]) >= 0 {
			return true
		}
	}
	return false
}

// validText makes text of bytes: each piece that is not UTF-8 is shown as U+FFFD.
func validText(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var b strings.Builder
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && n == 1 {
			for i+n < len(data) && !utf8.FullRune(data[i:i+n+1]) {
				n++ // the beginning of one character
			}
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// decode returns the text of bytes behind the mark.
func (c *charset) decode(data []byte) string {
	if c.enc == nil {
		return validText(data)
	}
	text, err := c.enc.NewDecoder().Bytes(data)
	if err != nil {
		return validText(data)
	}
	return string(text)
}

// encode returns the bytes of text, and fails where it has characters that the
// charset does not.
func (c *charset) encode(text string) ([]byte, error) {
	if c.enc == nil {
		return []byte(text), nil
	}
	data, err := c.enc.NewEncoder().Bytes([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("the text has characters that %s does not have", c.name)
	}
	return data, nil
}

// cutText returns the longest beginning of text that has at most n bytes and does
// not end within a character.
func cutText(text string, n int) string {
	if n >= len(text) {
		return text
	}
	n = max(n, 0)
	for back := 0; back < utf8.UTFMax && n > 0 && !utf8.RuneStart(text[n]); back++ {
		n--
	}
	return text[:n]
}

// tailText returns the longest end of text that has at most n bytes and does not
// begin within a character.
func tailText(text string, n int) string {
	if n >= len(text) {
		return text
	}
	at := len(text) - max(n, 0)
	for back := 0; back < utf8.UTFMax && at < len(text) && !utf8.RuneStart(text[at]); back++ {
		at++
	}
	return text[at:]
}
