package text

import (
	"bytes"
	"io"
	"unicode"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/wchar"
	"github.com/limpet-sh/limpet/internal/width"
)

// count counts what r has, as far as it is wanted.
func (p *wcPrinter) count(c *builtins.Call, r io.Reader) (counts wcCounts, err error) {
	w := &p.want
	switch {
	case w[wcWords] || w[wcWidth]:
		t := wordCounter{counts: &counts, width: w[wcWidth]}
		err = eachBlock(c, r, t.block)
		t.finish()
	case w[wcChars]:
		var left []byte
		err = eachBlock(c, r, func(b []byte) error {
			counts[wcBytes] += int64(len(b))
			counts[wcLines] += int64(bytes.Count(b, newline))
			counts[wcChars] += countChars(b, &left)
			return nil
		})
	case w[wcLines]:
		err = eachBlock(c, r, func(b []byte) error {
			counts[wcBytes] += int64(len(b))
			counts[wcLines] += int64(bytes.Count(b, newline))
			return nil
		})
	default:
		if s, info, at := regular(r); s != nil {
			if _, err := s.Seek(0, io.SeekEnd); err == nil {
				counts[wcBytes] = max(info.Size()-at, 0)
				return counts, nil
			}
		}
		err = eachBlock(c, r, func(b []byte) error { counts[wcBytes] += int64(len(b)); return nil })
	}
	return counts, err
}

var newline = []byte{'\n'}

// countChars returns the number of valid characters that end in b. left is the
// beginning of one from before b, and becomes the unfinished one at the end.
func countChars(b []byte, left *[]byte) (n int64) {
	if len(*left) > 0 {
		b = append(*left, b...)
		*left = nil
	}
	for len(b) > 0 {
		ascii := 0
		for ascii < len(b) && b[ascii] < utf8.RuneSelf {
			ascii++
		}
		n += int64(ascii)
		b = b[ascii:]
		if len(b) == 0 {
			break
		}
		if !utf8.FullRune(b) {
			*left = append([]byte(nil), b...)
			break
		}
		r, size := utf8.DecodeRune(b)
		if r != utf8.RuneError || size > 1 {
			n++
		}
		b = b[size:]
	}
	return n
}

// A wordCounter counts everything.
type wordCounter struct {
	counts *wcCounts
	width  bool // count the width of lines too
	inWord bool
	column int64
	left   []byte // the beginning of a character
}

// The classes of a byte for counting words.
const (
	wcOther = iota // neither begins nor ends a word
	wcGraph
	wcSpace
	wcMulti // part of a longer character
)

// wcClass has the class of each byte.
var wcClass = func() (t [256]uint8) {
	for b := range t {
		switch {
		case b == ' ' || b >= '\t' && b <= '\r':
			t[b] = wcSpace
		case b > ' ' && b < 127:
			t[b] = wcGraph
		case b >= 128:
			t[b] = wcMulti
		}
	}
	return t
}()

func (t *wordCounter) block(b []byte) error {
	t.counts[wcBytes] += int64(len(b))
	t.counts[wcLines] += int64(bytes.Count(b, newline))
	if len(t.left) > 0 {
		b = append(t.left, b...)
		t.left = nil
	}
	words, chars, inWord := int64(0), int64(0), t.inWord
	for i := 0; i < len(b); i++ {
		class := wcClass[b[i]]
		if class == wcMulti {
			if !utf8.FullRune(b[i:]) {
				t.left = append([]byte(nil), b[i:]...)
				break
			}
			r, size := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && size == 1 {
				continue // no character at all
			}
			i += size - 1
			class = t.multi(r)
		} else if t.width {
			t.advance(b[i])
		}
		chars++
		switch class {
		case wcSpace:
			if inWord {
				words++
			}
			inWord = false
		case wcGraph:
			inWord = true
		}
	}
	t.inWord = inWord
	t.counts[wcWords] += words
	t.counts[wcChars] += chars
	return nil
}

// multi returns the class of a character beyond ASCII, and counts its width.
func (t *wordCounter) multi(r rune) uint8 {
	if !wchar.IsPrint(r) {
		return wcOther
	}
	t.column += int64(max(width.Rune(r), 0))
	if unicode.IsSpace(r) || r == 0x2060 {
		return wcSpace
	}
	return wcGraph
}

// advance moves the column past an ASCII byte.
func (t *wordCounter) advance(b byte) {
	switch {
	case b == '\n' || b == '\r' || b == '\f':
		t.counts[wcWidth] = max(t.counts[wcWidth], t.column)
		t.column = 0
	case b == '\t':
		t.column += 8 - t.column%8
	case b >= ' ' && b < 127:
		t.column++
	}
}

// finish counts what the end of the input ends.
func (t *wordCounter) finish() {
	if t.inWord {
		t.counts[wcWords]++
	}
	t.counts[wcWidth] = max(t.counts[wcWidth], t.column)
}
