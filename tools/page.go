package tools

import (
	"bytes"
	"unicode/utf8"
)

// A page keeps some lines of what is written to it: limit lines from the line
// offset on, or the last line where offset is -1; and no more than a little over
// readBytes of them.
type page struct {
	offset, limit int

	kept      []byte
	line      int  // of the next byte
	last      int  // the line that kept begins with, where offset is -1
	fresh     bool // the line that kept holds has ended, where offset is -1
	cut       bool // bytes of wanted lines were left out
	more      bool // there are lines behind the last one that was wanted
	invalid   bool // what was passed over is not UTF-8
	undefined bool // and not cp1252
	partial   []byte
}

// Write takes the next bytes. It fails with errEnough when the rest does not matter.
func (p *page) Write(b []byte) (int, error) {
	n := len(b)
	for len(b) > 0 {
		end := bytes.IndexByte(b, '\n') + 1
		line := b
		if end > 0 {
			line = b[:end]
		}
		b = b[len(line):]
		if err := p.add(line); err != nil {
			return 0, err
		}
		if end > 0 {
			p.line++
			p.fresh = true
		}
	}
	return n, nil
}

// add takes bytes of one line.
func (p *page) add(b []byte) error {
	switch {
	case p.offset < 0:
		if p.fresh || p.line == 0 && p.kept == nil {
			p.check(p.kept)
			p.kept, p.last, p.cut, p.fresh = p.kept[:0], p.line, false, false
		}
		p.keep(b)
		return nil
	case p.line < p.offset:
		p.check(b)
		return nil
	case p.line >= p.offset+p.limit:
		p.more = true
		return errEnough
	}
	p.keep(b)
	if p.cut {
		return errEnough
	}
	return nil
}

func (p *page) keep(b []byte) {
	room := readBytes - len(p.kept)
	if room < len(b) {
		p.cut = true
		b = b[:max(room, 0)]
	}
	p.kept = append(p.kept, b...)
}

// check notes whether bytes that are passed over are UTF-8.
func (p *page) check(b []byte) {
	p.undefined = p.undefined || containsByte(b, undefined)
	if p.invalid {
		return
	}
	if len(p.partial) > 0 {
		b = append(p.partial, b...)
		p.partial = nil
	}
	whole := trimPartial(b, true)
	p.partial = append(p.partial, b[len(whole):]...)
	p.invalid = !utf8.Valid(whole)
}

// text returns what was kept.
func (p *page) text() []byte { return p.kept }
