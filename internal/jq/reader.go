package jq

import (
	"io"
	"math"
)

var nan = math.NaN()

// A reader reads the values of a JSON text, one after the other.
type reader struct {
	*scanner
	stack []level
	held  int // bytes of the value that is being read
}

// A level is a container that is being read.
type level struct {
	elems []Value
	obj   *Object // nil for an array
	key   string
	keyed bool // there is a key without its value
}

func newReader(m *machine, in io.Reader) *reader { return &reader{scanner: newScanner(m, in)} }

// read returns the next value, or io.EOF. The memory of the value is charged
// until release.
func (r *reader) read() (Value, error) {
	r.stack = r.stack[:0]
	var next Value
	have := false
	for {
		if have && len(r.stack) == 0 {
			return next, nil
		}
		tok, v, err := r.next()
		if err != nil {
			return nil, err
		}
		if tok == tokenEOF {
			if len(r.stack) == 0 {
				return nil, io.EOF
			}
			return nil, r.failEOF("Unfinished JSON term")
		}
		if tok == tokenValue || tok == '[' || tok == '{' {
			if have {
				return nil, r.unseparated(tok, v)
			}
		}
		switch tok {
		case tokenValue:
			next, have = v, true
			r.charge(slotSize + sizeOf(v))
		case '[', '{':
			if len(r.stack) >= maxDepth {
				return nil, r.fail("Exceeds depth limit for parsing")
			}
			l := level{}
			if tok == '{' {
				l.obj = newObject(0)
			}
			r.charge(entrySize)
			r.stack = append(r.stack, l)
		default:
			if next, have, err = r.structure(tok, next, have); err != nil {
				return nil, err
			}
		}
	}
}

// unseparated reports a value that has no separator in front. jq notices words
// when it reads what ends them.
func (r *reader) unseparated(tok tokenKind, v Value) error {
	if _, quoted := v.(string); tok == tokenValue && !quoted && r.scanner.r < r.w {
		r.column++
	}
	return r.fail("Expected separator between values")
}

func (r *reader) charge(n int) {
	r.held += n
	r.m.hold(n)
}

// release gives back the memory of the values that have been read.
func (r *reader) release() {
	r.m.hold(-r.held)
	r.held = 0
}

// structure deals with the tokens , : ] and }, of which next, if there is one,
// stands in front. It returns the value that there is then.
func (r *reader) structure(tok tokenKind, next Value, have bool) (Value, bool, error) {
	var top *level
	if len(r.stack) > 0 {
		top = &r.stack[len(r.stack)-1]
	}
	switch tok {
	case ':':
		return nil, false, r.colon(top, next, have)
	case ',':
		return nil, false, r.comma(top, next, have)
	}
	if err := r.endOf(tok, top, next, have); err != nil {
		return nil, false, err
	}
	r.stack = r.stack[:len(r.stack)-1]
	if top.obj != nil {
		top.obj.born = r.m.birth()
		return top.obj, true, nil
	}
	a := newArray(top.elems)
	a.born = r.m.birth()
	return a, true, nil
}

func (r *reader) colon(top *level, next Value, have bool) error {
	switch {
	case !have:
		return r.fail("Expected string key before ':'")
	case top.obj == nil || top.keyed:
		return r.fail("':' not as part of an object")
	}
	key, ok := next.(string)
	if !ok {
		return r.fail("Object keys must be strings")
	}
	top.key, top.keyed = key, true
	r.charge(entrySize)
	return nil
}

func (r *reader) comma(top *level, next Value, have bool) error {
	switch {
	case !have:
		return r.fail("Expected value before ','")
	case top == nil:
		return r.fail("',' not as part of an object or array")
	case top.obj == nil:
		top.elems = append(top.elems, next)
		return nil
	case !top.keyed:
		return r.fail("Objects must consist of key:value pairs")
	}
	top.obj.put(top.key, next)
	top.keyed = false
	return nil
}

// endOf puts the last value into the container that tok ends.
func (r *reader) endOf(tok tokenKind, top *level, next Value, have bool) error {
	if tok == ']' {
		switch {
		case top == nil || top.obj != nil:
			return r.fail("Unmatched ']'")
		case have:
			top.elems = append(top.elems, next)
		case len(top.elems) > 0:
			return r.fail("Expected another array element")
		}
		return nil
	}
	switch {
	case top == nil:
		return r.fail("Unmatched '}'")
	case have && !top.keyed:
		return r.fail("Objects must consist of key:value pairs")
	case have:
		top.obj.put(top.key, next)
	case top.obj == nil || top.keyed:
		return r.fail("Unmatched '}'")
	case len(top.obj.e) > 0:
		return r.fail("Expected another key-value pair")
	}
	return nil
}

// close gives back all memory of the reader.
func (r *reader) close() {
	r.release()
	r.m.hold(-len(r.buf))
	r.buf = nil
}
