package jq

import "io"

// An eventReader reads a JSON text as the events of --stream: the path of each
// scalar or empty container with its value, and the path at which a container
// ends.
type eventReader struct {
	*scanner
	path    []Value // of the value being read: a key or an index a level
	arrays  []bool  // the levels that are arrays
	count   []int   // of what the levels have
	state   eventState
	pending Value // an event to be returned next, or nil
}

type eventState uint8

const (
	wantValue eventState = iota // or the end of an empty container
	wantKey                     // likewise
	wantColon
	wantComma // or the end of the container
)

// read returns the next event, or io.EOF.
func (r *eventReader) read() (Value, error) {
	for {
		tok, v, err := r.next()
		if err != nil {
			return nil, err
		}
		switch {
		case tok == tokenEOF && len(r.path) == 0:
			return nil, io.EOF
		case tok == tokenEOF:
			return nil, r.failEOF("Unfinished JSON term")
		case tok == '[' || tok == '{':
			err = r.open(tok)
		case tok == ']' || tok == '}':
			return r.end(tok)
		case tok == ',':
			err = r.comma()
		case tok == ':':
			if r.state != wantColon {
				return nil, r.fail("':' not as part of an object")
			}
			r.state = wantValue
		case r.state == wantKey:
			err = r.key(v)
		case r.state != wantValue:
			return nil, r.fail("Expected separator between values")
		default:
			return r.leaf(v), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

func (r *eventReader) open(tok tokenKind) error {
	switch {
	case r.state == wantKey:
		return r.fail("Object keys must be strings")
	case r.state != wantValue:
		return r.fail("Expected separator between values")
	case len(r.path) >= maxDepth:
		return r.fail("Exceeds depth limit for parsing")
	}
	if n := len(r.count); n > 0 {
		r.count[n-1]++
	}
	r.arrays = append(r.arrays, tok == '[')
	r.count = append(r.count, 0)
	if tok == '[' {
		r.path = append(r.path, 0.0)
	} else {
		r.path = append(r.path, nil)
		r.state = wantKey
	}
	return nil
}

func (r *eventReader) key(v Value) error {
	if _, ok := v.(string); !ok {
		return r.fail("Object keys must be strings")
	}
	r.path[len(r.path)-1] = v
	r.state = wantColon
	return nil
}

func (r *eventReader) comma() error {
	n := len(r.path)
	if n == 0 || r.state != wantComma {
		return r.fail("Expected value before ','")
	}
	if r.arrays[n-1] {
		r.path[n-1] = r.path[n-1].(float64) + 1
		r.state = wantValue
	} else {
		r.state = wantKey
	}
	return nil
}

// leaf returns the event of the scalar v.
func (r *eventReader) leaf(v Value) Value {
	if n := len(r.count); n > 0 {
		r.count[n-1]++
		r.state = wantComma
	}
	return array(r.where(), v)
}

func (r *eventReader) where() *Array { return newArray(append([]Value(nil), r.path...)) }

// end returns the event of the end of a container.
func (r *eventReader) end(tok tokenKind) (Value, error) {
	n := len(r.path)
	if n == 0 || r.arrays[n-1] != (tok == ']') {
		return nil, r.fail("Unmatched '%c'", tok)
	}
	empty := r.count[n-1] == 0
	switch {
	case r.state == wantComma:
	case r.state == wantColon:
		return nil, r.fail("Objects must consist of key:value pairs")
	case tok == '}' && r.state == wantValue:
		return nil, r.fail("Missing value in key:value pair")
	case !empty && tok == ']':
		return nil, r.fail("Expected another array element")
	case !empty:
		return nil, r.fail("Expected another key:value pair")
	}
	where := r.where()
	r.path, r.arrays, r.count = r.path[:n-1], r.arrays[:n-1], r.count[:n-1]
	r.state = wantComma
	if n == 1 {
		r.state = wantValue
	}
	if !empty {
		return array(where), nil
	}
	none := Value(newObject(0))
	if tok == ']' {
		none = newArray(nil)
	}
	return array(newArray(append([]Value(nil), r.path...)), none), nil
}
