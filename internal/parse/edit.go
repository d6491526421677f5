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
}

// edits rewrite a source. They are added in the order of the sites that they
// are for, so that edits within a range come shortly before one of the range.
type edits struct {
	early []edit // in order of their offsets, once late ones come
	late  []edit
}

func (e *edits) replace(start, end int, text string) {
	e.late = append(e.late, edit{start, end, text})
}

// settle makes what was added so far the early edits.
func (e *edits) settle() {
	e.early, e.late = e.late, nil
	sortEdits(e.early)
}

func sortEdits(list []edit) {
	slices.SortStableFunc(list, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
}

// within returns the edits to make in src[start:end], in order. Where edits
// overlap, the wider one counts.
func (e *edits) within(start, end int) []edit {
	var list []edit
	i := sort.Search(len(e.early), func(i int) bool { return e.early[i].start >= start })
	for ; i < len(e.early) && e.early[i].start <= end; i++ {
		list = append(list, e.early[i])
	}
	for i := len(e.late) - 1; i >= 0 && e.late[i].start >= start; i-- {
		list = append(list, e.late[i])
	}
	list = slices.DeleteFunc(list, func(x edit) bool { return x.end > end })
	// Late edits were collected backwards: of those that start together, the
	// widest replaces something, and what inserts keeps its order.
	slices.SortStableFunc(list, func(a, b edit) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(min(a.end-a.start, 1), min(b.end-b.start, 1)), cmp.Compare(b.end, a.end))
	})
	kept := list[:0]
	pos := start
	for _, x := range list {
		if x.start >= pos {
			kept = append(kept, x)
			pos = x.end
		}
	}
	return kept
}

// A rewriting is a range of a source with edits made.
type rewriting struct {
	text   string
	start  int
	pieces []piece
}

// A piece of a rewriting stands for a range of the source.
type piece struct {
	at, size   int // where it is in the text
	start, end int
}

// rewrite makes the edits in src[start:end]. Where encoded is set, bytes that
// the parser does not pass through are encoded.
func (e *edits) rewrite(src string, start, end int, encoded bool) rewriting {
	r := rewriting{start: start}
	list := e.within(start, end)
	if len(list) == 0 && !encoded {
		r.text = src[start:end]
		return r
	}
	var b strings.Builder
	pos := start
	for _, x := range list {
		r.copy(&b, src, pos, x.start, encoded)
		r.pieces = append(r.pieces, piece{b.Len(), len(x.text), x.start, x.end})
		b.WriteString(x.text)
		pos = x.end
	}
	r.copy(&b, src, pos, end, encoded)
	r.text = b.String()
	return r
}

// copy writes a range of the source that has no edits.
func (r *rewriting) copy(b *strings.Builder, src string, start, end int, encoded bool) {
	if !encoded {
		b.WriteString(src[start:end])
		return
	}
	for start < end {
		n := passing(src[start:end])
		b.WriteString(src[start : start+n])
		if start += n; start == end {
			return
		}
		c := string(encodedByte + rune(src[start]))
		r.pieces = append(r.pieces, piece{b.Len(), len(c), start, start + 1})
		b.WriteString(c)
		start++
	}
}

// original maps an offset in the text back to the source.
func (r *rewriting) original(offset int) int {
	i := sort.Search(len(r.pieces), func(i int) bool { return r.pieces[i].at > offset }) - 1
	if i < 0 {
		return r.start + offset
	}
	p := r.pieces[i]
	if offset < p.at+p.size {
		return min(p.start+offset-p.at, p.end)
	}
	return p.end + offset - p.at - p.size
}

// Bytes that the parser does not pass through are shown to it as runes of this
// block, which is for private use.
const encodedByte rune = 0x10FE00

// passing returns the length of the text at the start of src that the parser
// passes through. It drops carriage returns, which are ordinary to bash, and
// refuses what is not UTF-8. Runes that stand for bytes are bytes here.
func passing(src string) int {
	for i := 0; i < len(src); {
		if src[i] < utf8.RuneSelf {
			if src[i] == '\r' {
				return i
			}
			i++
			continue
		}
		c, width := utf8.DecodeRuneInString(src[i:])
		if c == utf8.RuneError && width == 1 || encodedByte <= c && c <= encodedByte+0xff {
			return i
		}
		i += width
	}
	return len(src)
}

// decode restores the bytes in text that were encoded.
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
