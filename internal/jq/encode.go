package jq

import (
	"strconv"
	"unicode/utf8"
)

// A Style is how values are printed. The zero Style is the compact one.
type Style struct {
	Indent   int  // spaces a level; 0 means all on one line
	Tab      bool // indent by a tab a level instead
	SortKeys bool
	ASCII    bool // escape what is not ASCII
	Color    bool
}

// Colors of the parts of a value, as terminals take them.
const (
	colorNull   = "\x1b[1;30m"
	colorPlain  = "\x1b[0;39m"
	colorString = "\x1b[0;32m"
	colorNested = "\x1b[1;39m"
	colorKey    = "\x1b[34;1m"
	colorOff    = "\x1b[0m"
)

// An encoder prints values to a buffer, which flush empties when it has grown.
type encoder struct {
	Style
	b     []byte
	flush func([]byte) ([]byte, error) // nil means never
	err   error
}

const encodeChunk = 32 << 10

// compact returns v in the compact form.
func (m *machine) compact(v Value) string {
	if n := sizeOf(v); n > 1<<12 {
		m.work(n >> 6)
		m.room(n)
	}
	e := encoder{}
	e.value(v, 0)
	return string(e.b)
}

// value prints v, which is level levels deep.
func (e *encoder) value(v Value, level int) {
	if e.err != nil {
		return
	}
	if e.flush != nil && len(e.b) > encodeChunk {
		e.b, e.err = e.flush(e.b)
	}
	switch v := v.(type) {
	case *Array:
		e.array(v, level)
		return
	case *Object:
		e.object(v, level)
		return
	}
	if !e.Color {
		e.scalar(v)
		return
	}
	color := colorPlain
	switch v.(type) {
	case nil:
		color = colorNull
	case string:
		color = colorString
	}
	e.b = append(e.b, color...)
	e.scalar(v)
	e.b = append(e.b, colorOff...)
}

func (e *encoder) scalar(v Value) {
	switch v := v.(type) {
	case nil:
		e.b = append(e.b, "null"...)
	case bool:
		e.b = strconv.AppendBool(e.b, v)
	case float64:
		e.b = appendNumber(e.b, v)
	case Literal:
		e.b = append(e.b, v.text...)
	case string:
		e.b = appendString(e.b, v, e.ASCII)
	}
}

// line begins a line, if there are lines.
func (e *encoder) line(level int) {
	if e.Indent == 0 && !e.Tab {
		return
	}
	e.b = append(e.b, '\n')
	for range level {
		if e.Tab {
			e.b = append(e.b, '\t')
			continue
		}
		for range e.Indent {
			e.b = append(e.b, ' ')
		}
	}
}

// color turns a color on.
func (e *encoder) color(c string) {
	if e.Color {
		e.b = append(e.b, c...)
	}
}

func (e *encoder) array(a *Array, level int) {
	e.color(colorNested)
	e.b = append(e.b, '[')
	for i, v := range a.v {
		if i > 0 {
			e.color(colorNested)
			e.b = append(e.b, ',')
		}
		e.line(level + 1)
		e.value(v, level+1)
	}
	if len(a.v) > 0 {
		e.color(colorNested)
		e.line(level)
		e.color(colorNested)
	}
	e.b = append(e.b, ']')
	e.color(colorOff)
}

func (e *encoder) object(o *Object, level int) {
	e.color(colorNested)
	e.b = append(e.b, '{')
	if e.SortKeys {
		for i, key := range o.keys() {
			v, _ := o.get(key)
			e.member(key, v, i == 0, level+1)
		}
	} else {
		for i := range o.e {
			e.member(o.e[i].key, o.e[i].val, i == 0, level+1)
		}
	}
	if len(o.e) > 0 {
		e.color(colorNested)
		e.line(level)
		e.color(colorNested)
	}
	e.b = append(e.b, '}')
	e.color(colorOff)
}

func (e *encoder) member(key string, v Value, first bool, level int) {
	if !first {
		e.color(colorNested)
		e.b = append(e.b, ',')
	}
	e.line(level)
	e.color(colorOff)
	e.color(colorKey)
	e.b = appendString(e.b, key, e.ASCII)
	e.color(colorOff)
	e.color(colorNested)
	e.b = append(e.b, ':')
	if e.Indent > 0 || e.Tab {
		e.b = append(e.b, ' ')
	}
	e.color(colorOff)
	e.value(v, level)
}

// plain tells the bytes that strings show as they are.
var plain = func() (table [256]bool) {
	for c := range table {
		table[c] = c >= ' ' && c != '"' && c != '\\' && c != 0x7f && c < utf8.RuneSelf
	}
	return table
}()

// appendString appends s as JSON.
func appendString(b []byte, s string, ascii bool) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if plain[c] || c >= utf8.RuneSelf && !ascii {
			i++
			continue
		}
		b = append(b, s[start:i]...)
		n := 1
		switch c {
		case '"', '\\':
			b = append(b, '\\', c)
		case '\n':
			b = append(b, `\n`...)
		case '\t':
			b = append(b, `\t`...)
		case '\r':
			b = append(b, `\r`...)
		case '\b':
			b = append(b, `\b`...)
		case '\f':
			b = append(b, `\f`...)
		default:
			var r rune
			r, n = utf8.DecodeRuneInString(s[i:])
			b = appendEscape(b, r)
		}
		i += n
		start = i
	}
	b = append(b, s[start:]...)
	return append(b, '"')
}

func appendEscape(b []byte, r rune) []byte {
	if r >= 0x10000 {
		r -= 0x10000
		return appendEscape(appendEscape(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}

// A Printer prints values.
type Printer struct {
	Style
	Write func([]byte) error

	b []byte
}

// Print prints v, and then end.
func (p *Printer) Print(v Value, end string) error {
	e := encoder{Style: p.Style, b: p.b[:0], flush: func(b []byte) ([]byte, error) { return b[:0], p.Write(b) }}
	e.value(v, 0)
	if e.err != nil {
		return e.err
	}
	e.b = append(e.b, end...)
	p.b = e.b
	return p.Write(e.b)
}
