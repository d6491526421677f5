package yq

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
)

// A csvDecoder reads rows, and makes each a map of the first row to it.
type csvDecoder struct {
	m     *Machine
	in    io.Reader
	comma rune
	done  bool
}

// Next reads the only document.
func (d *csvDecoder) Next() (n *Node, err error) {
	defer d.m.catch(&err)
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	in := bufio.NewReader(d.in)
	if mark, _ := in.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = in.Discard(3)
	}
	r := csv.NewReader(in)
	r.Comma = d.comma
	header, err := r.Read()
	if err != nil {
		return nil, err
	}
	n = &Node{Kind: Sequence, Tag: tagSeq}
	for {
		row, err := r.Read()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return nil, err
		}
		o := &Node{Kind: Mapping, Tag: tagMap}
		for i, name := range header {
			d.m.grow(2*nodeSize + len(row[i]))
			o.append(scalar(tagStr, name), d.field(row[i]))
		}
		n.append(nil, o)
	}
}

// field makes a node of a field.
func (d *csvDecoder) field(text string) *Node {
	n, err := d.m.parseSnippet(text)
	if err != nil || d.m.NoAutoParse && (n.Kind != Scalar || n.Value != text) {
		return scalar(tagStr, text)
	}
	return n
}

// A csvEncoder writes lists of scalars, of lists or of maps.
type csvEncoder struct {
	plainText
	m     *Machine
	comma rune
}

// Encode writes one document.
func (e *csvEncoder) Encode(w io.Writer, n *Node) (err error) {
	defer e.m.catch(&err)
	if n.Kind == Scalar {
		_, err := io.WriteString(w, n.Value+"\n")
		return err
	}
	if n.Kind != Sequence {
		return fmt.Errorf("csv encoding only works for arrays, got: %s", n.Tag)
	}
	if len(n.Content) == 0 {
		return nil
	}
	out := csv.NewWriter(w)
	out.Comma = e.comma
	defer func() {
		if out.Flush(); err == nil {
			err = out.Error()
		}
	}()
	switch n.Content[0].Kind {
	case Scalar:
		return e.row(out, n.Content)
	case Mapping:
		return e.maps(out, n.Content)
	}
	for i, c := range n.Content {
		if c.Kind != Sequence {
			return fmt.Errorf("csv encoding only works for arrays of scalars (string/numbers/booleans), child[%d] is a %s", i, c.Tag)
		}
		if err := e.row(out, c.Content); err != nil {
			return err
		}
	}
	return nil
}

func (e *csvEncoder) row(out *csv.Writer, list []*Node) error {
	var row []string
	for i, c := range list {
		if c.Kind != Scalar {
			return fmt.Errorf("csv encoding only works for arrays of scalars (string/numbers/booleans), child[%d] is a %s", i, c.Tag)
		}
		row = append(row, c.Value)
	}
	return out.Write(row)
}

// maps writes a header, the keys of the first map, and the values of all.
func (e *csvEncoder) maps(out *csv.Writer, list []*Node) error {
	var header []*Node
	for i := 0; i < len(list[0].Content); i += 2 {
		header = append(header, list[0].Content[i])
	}
	if err := e.row(out, header); err != nil {
		return err
	}
	for i, c := range list {
		if c.Kind != Mapping {
			return fmt.Errorf("csv object encoding only works for arrays of flat objects (string key => string/numbers/boolean value), child[%d] is a %s", i, c.Tag)
		}
		var row []*Node
		for _, key := range header {
			value := scalar(tagNull, "")
			if j := e.m.find(c, key); j >= 0 {
				value = c.Content[j+1]
			}
			row = append(row, value)
		}
		if err := e.row(out, row); err != nil {
			return err
		}
	}
	return nil
}
