package text

import (
	"bytes"
	"math"

	"github.com/limpet-sh/limpet/builtins"
)

// The costs of fmt, which chooses the line breaks of a paragraph that cost
// least. They are those of GNU fmt, so that it chooses the same.
const (
	fmtLeeway     = 7 // percent by which the goal is below the width
	fmtTab        = 8
	fmtIndent     = 3    // of the second line where it must differ from the first
	maxFmtChars   = 5000 // in a paragraph, before it is split
	maxFmtWords   = 998
	costLine      = 70 * 70
	costNoBreak   = 600 * 600
	bonusSentence = 50 * 50
	bonusParen    = 40 * 40
	bonusPunct    = 40 * 40
	creditLine    = 3 * 3
)

func costShort(n int) int  { return n * 10 * n * 10 }
func costRagged(n int) int { return costShort(n) / 2 }
func costWidow(n int) int  { return 200 * 200 / (n + 2) }
func costOrphan(n int) int { return 150 * 150 / (n + 2) }

// A fmtWord is a word of a paragraph, and the best line that begins with it.
type fmtWord struct {
	text          []byte
	length, space int  // columns of the word, and after it
	paren         bool // begins with an opening parenthesis or quote
	period        bool // ends a sentence, perhaps
	punct         bool // ends with punctuation
	final         bool // ends a sentence
	lineLength    int
	bestCost      int
	nextBreak     int // the first word of the next line
}

// paragraphs reads and prints paragraphs.
type paragraphs struct {
	call                          *builtins.Call
	out                           *output
	width, goal                   int
	crown, tagged, split, uniform bool
	prefix                        string // without blanks around it
	lead, fullLength              int    // blanks before it, length with blanks after it

	bytes                    *byteReader
	next                     int // the byte that begins the next line, after its indentation
	column                   int // where the next byte of the input is
	outColumn                int
	tabs                     bool // the input has tabs, and so may the output
	nextPrefixIndent         int
	prefixIndent             int
	firstIndent, otherIndent int
	lastLineLength           int
	words                    []fmtWord
	chars                    int // in words
}

// skipSpace skips blanks from c on, and returns what follows.
func (p *paragraphs) skipSpace(c int) int {
	for ; ; c = p.bytes.next() {
		switch c {
		case ' ':
			p.column++
		case '\t':
			p.tabs = true
			p.column = (p.column/fmtTab + 1) * fmtTab
		default:
			return c
		}
	}
}

// readPrefix reads the indentation of a line and the prefix, as far as it is
// there, and returns what follows.
func (p *paragraphs) readPrefix() int {
	p.column = 0
	c := p.skipSpace(p.bytes.next())
	if p.prefix == "" {
		p.nextPrefixIndent = min(p.lead, p.column)
		return c
	}
	p.nextPrefixIndent = p.column
	for _, b := range []byte(p.prefix) {
		if c != int(b) {
			return c
		}
		p.column++
		c = p.bytes.next()
	}
	return p.skipSpace(c)
}

// samePara reports whether the line that begins with c belongs to the
// paragraph.
func (p *paragraphs) samePara(c int) bool {
	return p.nextPrefixIndent == p.prefixIndent && p.column >= p.nextPrefixIndent+p.fullLength &&
		c != '\n' && c != endOfInput
}

// paragraph reads a paragraph, after it has copied what is none. It returns
// false at the end.
func (p *paragraphs) paragraph() (more bool, err error) {
	p.lastLineLength = 0
	c := p.next
	for c == '\n' || c == endOfInput || p.nextPrefixIndent < p.lead || p.column < p.nextPrefixIndent+p.fullLength {
		if c = p.copyRest(c); c == endOfInput {
			p.next = c
			return false, p.bytes.err
		}
		p.out.buf = append(p.out.buf, '\n')
		if err := p.out.spill(); err != nil {
			return false, err
		}
		c = p.readPrefix()
	}
	p.prefixIndent = p.nextPrefixIndent
	p.firstIndent = p.column
	p.words, p.chars = p.words[:0], 0
	c = p.readLine(c)
	p.setOtherIndent(p.samePara(c))
	continues := func() bool { return p.samePara(c) && p.column == p.otherIndent }
	switch {
	case p.split:
	case p.crown:
		if p.samePara(c) {
			for c = p.readLine(c); continues(); {
				c = p.readLine(c)
			}
		}
	case p.tagged:
		if p.samePara(c) && p.column != p.firstIndent {
			for c = p.readLine(c); continues(); {
				c = p.readLine(c)
			}
		}
	default:
		for continues() {
			c = p.readLine(c)
		}
	}
	last := &p.words[len(p.words)-1]
	last.period, last.final = true, true
	p.next = c
	return true, p.bytes.err
}

// copyRest copies the rest of a line that is not reformatted, and returns what
// ended it.
func (p *paragraphs) copyRest(c int) int {
	p.outColumn = 0
	if p.column > p.nextPrefixIndent || c != '\n' && c != endOfInput {
		p.printSpace(p.nextPrefixIndent)
		for i := 0; i < len(p.prefix) && p.outColumn != p.column; i++ {
			p.out.buf = append(p.out.buf, p.prefix[i])
			p.outColumn++
		}
		if c != endOfInput && c != '\n' {
			p.printSpace(p.column - p.outColumn)
		}
		if c == endOfInput && p.column >= p.nextPrefixIndent+len(p.prefix) {
			p.out.buf = append(p.out.buf, '\n')
		}
	}
	for ; c != '\n' && c != endOfInput; c = p.bytes.next() {
		p.out.buf = append(p.out.buf, byte(c))
		if len(p.out.buf) >= blockSize && p.out.flush() != nil {
			return endOfInput
		}
	}
	return c
}

// setOtherIndent sets the indentation of all lines but the first. same is
// whether there is a second line.
func (p *paragraphs) setOtherIndent(same bool) {
	switch {
	case p.split:
		p.otherIndent = p.firstIndent
	case p.crown:
		p.otherIndent = p.firstIndent
		if same {
			p.otherIndent = p.column
		}
	case p.tagged:
		if same && p.column != p.firstIndent {
			p.otherIndent = p.column
		} else if p.otherIndent == p.firstIndent {
			p.otherIndent = 0
			if p.firstIndent == 0 {
				p.otherIndent = fmtIndent
			}
		}
	default:
		p.otherIndent = p.firstIndent
	}
}

// readLine reads the words of a line that begins with c, and the indentation of
// the next.
func (p *paragraphs) readLine(c int) int {
	for {
		var w fmtWord
		for {
			if p.chars == maxFmtChars {
				p.setOtherIndent(true)
				p.flushParagraph(&w)
			}
			w.text = append(w.text, byte(c))
			p.chars++
			c = p.bytes.next()
			if c == endOfInput || isSpace(byte(c)) {
				break
			}
		}
		w.length = len(w.text)
		p.column += w.length
		w.checkPunctuation()
		start := p.column
		c = p.skipSpace(c)
		w.space = p.column - start
		w.final = c == endOfInput || w.period && (c == '\n' || w.space > 1)
		if c == '\n' || c == endOfInput || p.uniform {
			w.space = 1
			if w.final {
				w.space = 2
			}
		}
		if len(p.words) == maxFmtWords {
			p.setOtherIndent(true)
			p.flushParagraph(nil)
		}
		p.words = append(p.words, w)
		if c == '\n' || c == endOfInput {
			return p.readPrefix()
		}
	}
}

func (w *fmtWord) checkPunctuation() {
	w.paren = bytes.IndexByte([]byte("([`'\""), w.text[0]) >= 0
	last := w.text[len(w.text)-1]
	w.punct = asciiClass("punct")(last)
	body := w.text[:1]
	if rest := bytes.TrimRight(w.text[1:], ")]'\""); len(rest) > 0 {
		body = rest
	}
	w.period = bytes.IndexByte([]byte(".?!"), body[len(body)-1]) >= 0
}

// flushParagraph prints the beginning of a paragraph that has become too long.
// unfinished is a word that is being read, or nil.
func (p *paragraphs) flushParagraph(unfinished *fmtWord) {
	if len(p.words) == 0 {
		if unfinished != nil {
			p.out.buf = append(p.out.buf, unfinished.text...)
			_ = p.out.spill()
			unfinished.text, p.chars = unfinished.text[:0], 0
		}
		return
	}
	p.choose()
	split, best := len(p.words), math.MaxInt
	for i := p.words[0].nextBreak; i != len(p.words); i = p.words[i].nextBreak {
		cost := p.words[i].bestCost
		if next := p.words[i].nextBreak; next < len(p.words) {
			cost -= p.words[next].bestCost
		}
		if cost < best {
			split, best = i, cost
		}
		if best <= math.MaxInt-creditLine {
			best += creditLine
		}
	}
	p.printLines(split)
	p.words = append(p.words[:0], p.words[split:]...)
	p.chars = 0
	for _, w := range p.words {
		p.chars += len(w.text)
	}
	if unfinished != nil {
		p.chars += len(unfinished.text)
	}
	_ = p.out.spill()
}

// choose finds the line breaks that cost least, from the last word to the
// first.
func (p *paragraphs) choose() {
	end := len(p.words)
	for start := end - 1; start >= 0; start-- {
		s := &p.words[start]
		best := math.MaxInt
		length := p.otherIndent
		if start == 0 {
			length = p.firstIndent
		}
		length += s.length
		for w := start + 1; ; w++ {
			cost := p.lineCost(w, length)
			if w < end {
				cost += p.words[w].bestCost
			}
			if start == 0 && p.lastLineLength > 0 {
				cost += costRagged(length - p.lastLineLength)
			}
			if cost < best {
				best = cost
				s.nextBreak, s.lineLength = w, length
			}
			if w == end {
				break
			}
			length += p.words[w-1].space + p.words[w].length
			if length >= p.width {
				break
			}
		}
		s.bestCost = best + p.baseCost(start)
	}
}

// baseCost is the cost of a line that begins with word i, by what is around it.
func (p *paragraphs) baseCost(i int) int {
	w, cost := &p.words[i], costLine
	if i > 0 {
		switch before := &p.words[i-1]; {
		case before.period && before.final:
			cost -= bonusSentence
		case before.period:
			cost += costNoBreak
		case before.punct:
			cost -= bonusPunct
		case i > 1 && p.words[i-2].final:
			cost += costWidow(before.length)
		}
	}
	if w.paren {
		cost -= bonusParen
	} else if w.final {
		cost += costOrphan(w.length)
	}
	return cost
}

// lineCost is the cost of a line of some length before word i.
func (p *paragraphs) lineCost(i, length int) int {
	if i == len(p.words) {
		return 0
	}
	cost := costShort(p.goal - length)
	if next := &p.words[i]; next.nextBreak != len(p.words) {
		cost += costRagged(length - next.lineLength)
	}
	return cost
}

// printLines prints the lines before word end, which begins one.
func (p *paragraphs) printLines(end int) {
	indent := p.firstIndent
	for i := 0; i < end; i = p.words[i].nextBreak {
		p.outColumn = 0
		p.printSpace(p.prefixIndent)
		p.out.buf = append(p.out.buf, p.prefix...)
		p.outColumn += len(p.prefix)
		p.printSpace(indent - p.outColumn)
		line := p.words[i:p.words[i].nextBreak]
		for j, w := range line {
			p.out.buf = append(p.out.buf, w.text...)
			p.outColumn += w.length
			if j < len(line)-1 {
				p.printSpace(w.space)
			}
		}
		p.lastLineLength = p.outColumn
		p.out.buf = append(p.out.buf, '\n')
		indent = p.otherIndent
	}
}

// printSpace prints n columns of space.
func (p *paragraphs) printSpace(n int) {
	target := p.outColumn + n
	if p.tabs {
		tab := target / fmtTab * fmtTab
		if p.outColumn+1 < tab {
			for p.outColumn < tab {
				p.out.buf = append(p.out.buf, '\t')
				p.outColumn = (p.outColumn/fmtTab + 1) * fmtTab
			}
		}
	}
	for ; p.outColumn < target; p.outColumn++ {
		p.out.buf = append(p.out.buf, ' ')
	}
}
