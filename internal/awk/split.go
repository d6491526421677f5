package awk

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A splitter is a way to find the fields of a text. It is immutable.
type splitter struct {
	kind     splitKind
	sep      byte     // bySeparator
	newlines bool     // newline separates too, as where records are paragraphs
	re       *matcher // byRegexp: the separators; byContent: the fields
	widths   []width  // byWidth
}

type splitKind uint8

const (
	byBlanks splitKind = iota
	bySeparator
	byCharacter
	byRegexp
	byContent // FPAT
	byWidth   // FIELDWIDTHS
)

// A width is a number of characters to skip, and of a field. The field is the
// rest of the text if it is -1.
type width struct{ skip, size int }

// fields finds the fields of r up to n, from where it stopped the last time.
func (sp *splitter) fields(r *record, n int) {
	switch {
	case sp.kind == byBlanks:
		sp.blanks(r, n)
	case sp.kind == bySeparator && !sp.newlines:
		sp.separated(r, n)
	default:
		sp.each(r.m, r.text, func(start, end, _, _ int) { r.spans = append(r.spans, span{start, end}) })
		r.done = true
	}
}

func (sp *splitter) blanks(r *record, n int) {
	text, i := r.text, r.next
	for len(r.spans) < n {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t' || text[i] == '\n') {
			i++
		}
		if i == len(text) {
			r.done = true
			break
		}
		start := i
		for i < len(text) && text[i] != ' ' && text[i] != '\t' && text[i] != '\n' {
			i++
		}
		r.spans = append(r.spans, span{start, i})
	}
	r.m.poll((i - r.next) >> 8)
	r.next = i
}

func (sp *splitter) separated(r *record, n int) {
	text, i := r.text, r.next
	if len(text) == 0 {
		r.done = true
		return
	}
	for len(r.spans) < n {
		start := i
		if k := bytes.IndexByte(text[i:], sp.sep); k >= 0 {
			i += k + 1
			r.spans = append(r.spans, span{start, i - 1})
			continue
		}
		r.spans = append(r.spans, span{start, len(text)})
		r.done = true
		i = len(text)
		break
	}
	r.m.poll((i - r.next) >> 8)
	r.next = i
}

// each calls yield for each field of text, with the bounds of the separator
// after it. Before the first field of a text split at blanks there may be a
// separator too: yield gets its bounds with those of a field from -1.
func (sp *splitter) each(m *machine, text []byte, yield func(start, end, sepStart, sepEnd int)) {
	m.poll(len(text) >> 8)
	if len(text) == 0 {
		return
	}
	switch sp.kind {
	case byBlanks:
		eachWord(text, yield)
	case byCharacter:
		for i := 0; i < len(text); {
			_, n := utf8.DecodeRune(text[i:])
			yield(i, i+n, i+n, i+n)
			i += n
		}
	case bySeparator:
		start := 0
		for i, c := range text {
			if c == sp.sep || c == '\n' && sp.newlines {
				yield(start, i, i, i+1)
				start = i + 1
			}
		}
		yield(start, len(text), len(text), len(text))
	case byRegexp:
		sp.eachSeparated(m, text, yield)
	case byContent:
		sp.eachMatch(m, text, yield)
	case byWidth:
		sp.eachWidth(text, yield)
	}
}

func eachWord(text []byte, yield func(start, end, sepStart, sepEnd int)) {
	blank := func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' }
	i := 0
	for i < len(text) && blank(text[i]) {
		i++
	}
	if i > 0 {
		yield(-1, -1, 0, i)
	}
	for i < len(text) {
		start := i
		for i < len(text) && !blank(text[i]) {
			i++
		}
		end := i
		for i < len(text) && blank(text[i]) {
			i++
		}
		yield(start, end, end, i)
	}
}

func (sp *splitter) eachSeparated(m *machine, text []byte, yield func(start, end, sepStart, sepEnd int)) {
	start := 0
	for from := 0; from <= len(text); {
		s, e, ok := sp.re.find(text, from)
		nl := -1
		if sp.newlines {
			nl = bytes.IndexByte(text[from:], '\n')
		}
		switch {
		case nl >= 0 && (!ok || from+nl < s):
			s, e = from+nl, from+nl+1
		case !ok:
			from = len(text) + 1
			continue
		case s == e: // an empty match separates nothing
			from = e + 1
			continue
		}
		yield(start, s, s, e)
		start, from = e, e
		m.poll(1)
	}
	yield(start, len(text), len(text), len(text))
}

// eachMatch yields what FPAT matches. An empty match counts only where it does
// not touch the match before.
func (sp *splitter) eachMatch(m *machine, text []byte, yield func(start, end, sepStart, sepEnd int)) {
	lastEnd := -1
	start, end := -1, -1
	for from := 0; from <= len(text); {
		s, e, ok := sp.re.find(text, from)
		if !ok {
			break
		}
		if s == e && s == lastEnd {
			from = e + 1
			continue
		}
		if start >= 0 || s > 0 {
			yield(start, end, max(end, 0), s)
		}
		start, end, lastEnd = s, e, e
		if from = e; s == e {
			from++
		}
		m.poll(1)
	}
	if start >= 0 {
		yield(start, end, end, len(text))
	} else {
		yield(-1, -1, 0, len(text))
	}
}

func (sp *splitter) eachWidth(text []byte, yield func(start, end, sepStart, sepEnd int)) {
	i := 0
	for _, w := range sp.widths {
		i += prefixLen(text[i:], w.skip)
		if i == len(text) {
			return
		}
		n := len(text) - i
		if w.size >= 0 {
			n = prefixLen(text[i:], w.size)
		}
		yield(i, i+n, i+n, i+n)
		i += n
	}
}

// prefixLen returns the number of bytes of the first n characters of b.
func prefixLen(b []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(b); n-- {
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return i
}

// separator returns the splitter for a value of FS, or for an argument of split
// that is a string.
func (m *machine) separator(fs string) *splitter {
	switch {
	case fs == " ":
		return &splitter{kind: byBlanks}
	case fs == "":
		return &splitter{kind: byCharacter}
	case len(fs) == 1:
		return &splitter{kind: bySeparator, sep: fs[0]}
	}
	return &splitter{kind: byRegexp, re: m.regexp(fs)}
}

// splitterChanged makes what FS, FPAT or FIELDWIDTHS was set to the way to split
// the records to come.
func (m *machine) splitterChanged(by special) {
	if by != spNone {
		m.splitBy = by
	}
	switch m.splitBy {
	case spFPAT:
		m.splitter = &splitter{kind: byContent, re: m.regexp(m.special(spFPAT))}
	case spFIELDWIDTHS:
		m.splitter = &splitter{kind: byWidth, widths: m.widths(m.special(spFIELDWIDTHS))}
	default:
		sp := m.separator(m.special(spFS))
		sp.newlines = m.rs == ""
		m.splitter = sp
	}
}

// widths parses FIELDWIDTHS.
func (m *machine) widths(s string) (list []width) {
	words := strings.Fields(s)
	for i, word := range words {
		if word == "*" && i == len(words)-1 {
			return append(list, width{0, -1})
		}
		skip, size, found := strings.Cut(word, ":")
		if !found {
			skip, size = "0", skip
		}
		a, err1 := strconv.Atoi(skip)
		b, err2 := strconv.Atoi(size)
		if err1 != nil || err2 != nil || a < 0 || b <= 0 && size != "*" {
			m.fatal("invalid FIELDWIDTHS value, for field %d, near `%s'", i+1, word)
		}
		list = append(list, width{a, b})
	}
	return list
}
