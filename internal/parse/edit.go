package parse

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"mvdan.cc/sh/v3/syntax"
)

// An edit replaces a piece of the source by text that the parser accepts.
type edit struct {
	start, end int
	text       string
	at         int // where the text is in the result, once applied
}

// edits rewrite a range of a source.
type edits []edit

// replace adds an edit. Edits within the replaced range are dropped.
func (e *edits) replace(start, end int, text string) {
	*e = slices.DeleteFunc(*e, func(old edit) bool {
		return start <= old.start && old.end <= end && old.start < end
	})
	*e = append(*e, edit{start: start, end: end, text: text})
}

// apply returns src[start:end] with the edits made.
func (e edits) apply(src string, start, end int) string {
	slices.SortStableFunc(e, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var b strings.Builder
	pos := start
	for i := range e {
		if e[i].start < pos || e[i].end > end {
			continue
		}
		b.WriteString(src[pos:e[i].start])
		e[i].at = b.Len()
		b.WriteString(e[i].text)
		pos = e[i].end
	}
	b.WriteString(src[pos:end])
	return b.String()
}

// original maps an offset in the result of apply back to the source.
func (e edits) original(start, offset int) int {
	i := sort.Search(len(e), func(i int) bool { return e[i].at > offset }) - 1
	switch {
	case i < 0:
		return start + offset
	case offset < e[i].at+len(e[i].text):
		return min(e[i].start+offset-e[i].at, e[i].end)
	}
	return e[i].end + offset - e[i].at - len(e[i].text)
}

// Bytes that the parser does not pass through are shown to it as runes of this
// block, which is for private use.
const encodedByte rune = 0x10FE00

// encode adds edits for bytes that the parser would drop or refuse: carriage
// returns, which are ordinary to bash, and what is not UTF-8.
func (e *edits) encode(src string, start, end int) (encoded bool) {
	for i := start; i < end; {
		c, width := utf8.DecodeRuneInString(src[i:end])
		if c == '\r' || c == utf8.RuneError && width == 1 || encodedByte <= c && c <= encodedByte+0xff {
			for j := i; j < i+width; j++ {
				*e = append(*e, edit{start: j, end: j + 1, text: string(encodedByte + rune(src[j]))})
			}
			encoded = true
		}
		i += width
	}
	return encoded
}

// decode restores the bytes in text that encode replaced.
func decode(text string) string {
	if !strings.Contains(text, "\xf4\x8f\xb8") && !strings.Contains(text, "\xf4\x8f\xb9") &&
		!strings.Contains(text, "\xf4\x8f\xba") && !strings.Contains(text, "\xf4\x8f\xbb") {
		return text
	}
	var b strings.Builder
	for i, c := range text {
		if encodedByte <= c && c <= encodedByte+0xff {
			b.WriteByte(byte(c - encodedByte))
		} else {
			b.WriteString(text[i : i+utf8.RuneLen(c)])
		}
	}
	return b.String()
}

// lines maps offsets of a range of a source to positions.
type lines struct {
	first  int   // number of the first line
	starts []int // offsets at which lines start; the first is the range's
}

func newLines(src string, start, end, first int) lines {
	l := lines{first: first, starts: []int{start}}
	for i := start; ; {
		n := strings.IndexByte(src[i:end], '\n')
		if n < 0 {
			return l
		}
		i += n + 1
		l.starts = append(l.starts, i)
	}
}

func (l lines) pos(offset int) syntax.Pos {
	i := max(sort.SearchInts(l.starts, offset+1)-1, 0)
	return syntax.NewPos(uint(offset), uint(l.first+i), uint(offset-l.starts[i]+1))
}
