package text

import (
	"fmt"
	"slices"

	"github.com/limpet-sh/limpet/builtins"
)

// white reports whether a byte is a space.
func white(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// skipWhite, skipBlack and backWhite move a position over spaces, over others, and
// back over spaces.
func skipWhite(b []byte, i, limit int) int {
	for i < limit && white(b[i]) {
		i++
	}
	return i
}

func skipBlack(b []byte, i, limit int) int {
	for i < limit && !white(b[i]) {
		i++
	}
	return i
}

func backWhite(b []byte, i, start int) int {
	for i > start && white(b[i-1]) {
		i--
	}
	return i
}

// index finds the words of a text.
func (x *indexer) index(in *ptxInput) error {
	text := in.text
	ref := &ptxReference{text: text, scan: skipBlack(text, 0, len(text)), line: 1}
	for start := 0; start < len(text); {
		next := len(text)
		if x.sentence != nil {
			loc := x.sentence.Bounds(text[start:], 0)
			if err := x.sentence.Err(); err != nil {
				return err
			}
			if loc != nil {
				if loc[0] == 0 || loc[1] == 0 {
					return fmt.Errorf("error: regular expression has a match of length zero: %s", builtins.QuoteLocale(x.ending))
				}
				next = start + loc[1]
			}
		}
		if err := x.context(in, ref, start, backWhite(text, next, start)); err != nil {
			return err
		}
		start = next
	}
	return nil
}

// A ptxReference is where the line begins that a word stands in.
type ptxReference struct {
	text        []byte
	start, scan int // the beginning of the line, and how far has been looked
	line        int
}

// upto moves to the line of position i.
func (r *ptxReference) upto(i int) {
	for r.scan < i {
		r.scan++
		if r.text[r.scan-1] == '\n' {
			r.line++
			r.start = r.scan
			r.scan = skipBlack(r.text, r.scan, len(r.text))
		}
	}
}

// nextWord returns the next word from i on.
func (x *indexer) nextWord(text []byte, i, end int) (from, to int, ok bool, err error) {
	if x.word != nil {
		loc := x.word.Bounds(text[i:end], 0)
		if loc == nil {
			return 0, 0, false, x.word.Err()
		}
		return i + loc[0], i + loc[1], true, nil
	}
	for i < end && !x.letters[text[i]] {
		i++
	}
	to = i
	for to < end && x.letters[text[to]] {
		to++
	}
	return i, to, i < end, nil
}

// context finds the words of one context.
func (x *indexer) context(in *ptxInput, ref *ptxReference, start, end int) error {
	left := start
	for at := start; at < end; {
		if err := x.Poll(1); err != nil {
			return err
		}
		from, to, ok, err := x.nextWord(in.text, at, end)
		if err != nil || !ok {
			return err
		}
		if from == to {
			at = from + 1
			continue
		}
		at = to
		x.longest = max(x.longest, to-from)
		if x.refs || x.auto {
			ref.upto(from)
		}
		if x.refs && ref.scan > from {
			continue // the word belongs to the reference
		}
		if x.listed(x.ignore, in.text[from:to]) || x.only != nil && !x.listed(x.only, in.text[from:to]) {
			continue
		}
		if x.refs {
			x.refMax = max(x.refMax, skipBlack(in.text, ref.start, len(in.text))-ref.start)
			if ref.start == start && left == start {
				left = skipWhite(in.text, skipBlack(in.text, left, end), end)
			}
		}
		if err := x.Alloc(128); err != nil {
			return err
		}
		x.found = append(x.found, occurrence{in, from, to, left, end, ref.start, ref.line})
	}
	return nil
}

func (x *indexer) listed(list [][]byte, word []byte) bool {
	_, found := slices.BinarySearchFunc(list, word, x.compareWords)
	return found
}
