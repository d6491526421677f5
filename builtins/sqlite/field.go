package sqlite

import (
	"bytes"
	"fmt"
	"io"
)

// next reads one field. It is nil at the end of the input.
func (m *importer) next() ([]byte, error) {
	m.field = m.field[:0]
	if !m.quoted {
		return m.nextPlain()
	}
	c, err := m.read()
	switch {
	case err != nil:
		return nil, err
	case c < 0:
		m.term = c
		return nil, nil
	case c == '"':
		return m.nextQuoted()
	}
	if c == 0xef && len(m.field) == 0 && m.lines == 1 {
		if mark, _ := m.in.Peek(2); string(mark) == "\xbb\xbf" {
			_, _ = m.in.Discard(2)
			return m.next()
		}
	}
	for c >= 0 && c != int(m.column) && c != int(m.row) {
		if err := m.add(byte(c)); err != nil {
			return nil, err
		}
		if c, err = m.read(); err != nil {
			return nil, err
		}
	}
	if c == int(m.row) {
		m.lines++
		m.field = bytes.TrimSuffix(m.field, []byte("\r"))
	}
	m.term = c
	return m.some(), nil
}

// some returns the field, which is not nil where it is empty.
func (m *importer) some() []byte {
	if m.field == nil {
		return []byte{}
	}
	return m.field
}

// nextPlain reads a field that has no quotes.
func (m *importer) nextPlain() ([]byte, error) {
	c, err := m.read()
	if err != nil || c < 0 {
		m.term = -1
		return nil, err
	}
	for c >= 0 && c != int(m.column) && c != int(m.row) {
		if err := m.add(byte(c)); err != nil {
			return nil, err
		}
		if c, err = m.read(); err != nil {
			return nil, err
		}
	}
	if c == int(m.row) {
		m.lines++
	}
	m.term = c
	return m.some(), nil
}

// nextQuoted reads the rest of a field behind its quote. Two quotes stand for
// one.
func (m *importer) nextQuoted() ([]byte, error) {
	start := m.lines
	prior, before := 0, 0 // the last byte, and the one before it
	for {
		c, err := m.read()
		if err != nil {
			return nil, err
		}
		if c == int(m.row) {
			m.lines++
		}
		if c == '"' && prior == '"' {
			prior = 0
			continue
		}
		ends := c == int(m.column) || c == int(m.row) || c < 0
		if ends && prior == '"' || c == int(m.row) && prior == '\r' && before == '"' {
			for m.field[len(m.field)-1] != '"' {
				m.field = m.field[:len(m.field)-1]
			}
			m.field = m.field[:len(m.field)-1]
			m.term = c
			return m.some(), nil
		}
		if prior == '"' && c != '\r' {
			fmt.Fprintf(m.Stderr, "%s:%d: unescaped %c character\n", m.file, m.lines, '"')
		}
		if c < 0 {
			fmt.Fprintf(m.Stderr, "%s:%d: unterminated %c-quoted field\n", m.file, start, '"')
			m.term = c
			return m.some(), nil
		}
		if err := m.add(byte(c)); err != nil {
			return nil, err
		}
		before, prior = prior, c
	}
}

// read returns the next byte, or -1 at the end.
func (m *importer) read() (int, error) {
	if m.steps++; m.steps&0xff == 0 {
		if err := m.Poll(1); err != nil {
			return 0, err
		}
	}
	c, err := m.in.ReadByte()
	switch {
	case err == io.EOF:
		return -1, nil
	case err != nil:
		return 0, err
	}
	return int(c), nil
}

// add appends a byte to the field.
func (m *importer) add(c byte) error {
	if len(m.field) == cap(m.field) {
		grown := max(2*cap(m.field), 64)
		if err := m.Alloc(grown - cap(m.field)); err != nil {
			return err
		}
		m.field = append(make([]byte, 0, grown), m.field...)
	}
	m.field = append(m.field, c)
	return nil
}
