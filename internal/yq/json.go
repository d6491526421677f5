package yq

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// maxNodes bounds how deep documents are nested.
const maxNodes = 10000

// A jsonDecoder reads JSON values, one after the other.
type jsonDecoder struct {
	m *Machine
	d *json.Decoder
}

func newJSONDecoder(m *Machine, r io.Reader) *jsonDecoder {
	d := json.NewDecoder(r)
	d.UseNumber()
	return &jsonDecoder{m, d}
}

// Next reads a value.
func (d *jsonDecoder) Next() (n *Node, err error) {
	defer d.m.catch(&err)
	t, err := d.d.Token()
	if err == io.EOF {
		return nil, io.EOF
	}
	check(jsonError(err))
	return d.value(t, 1), nil
}

// jsonError puts an error of the parser into yq's words.
func jsonError(err error) error {
	if err == nil {
		return nil
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("json: %s", syntax.Error())
	}
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// token reads the next token of a value.
func (d *jsonDecoder) token() json.Token {
	t, err := d.d.Token()
	check(jsonError(err))
	return t
}

// value makes a node of the value that t begins.
func (d *jsonDecoder) value(t json.Token, depth int) *Node {
	d.m.poll(1)
	d.m.grow(nodeSize)
	if depth > maxNodes {
		fail("json: exceeded max depth of %d", maxNodes)
	}
	switch t := t.(type) {
	case nil:
		return scalar(tagNull, "null")
	case bool:
		return scalar(tagBool, strconv.FormatBool(t))
	case string:
		d.m.grow(len(t))
		return scalar(tagStr, t)
	case json.Number:
		return jsonNumber(string(t))
	}
	n := &Node{}
	if t == json.Delim('{') {
		n.Kind, n.Tag = Mapping, tagMap
		for t := d.token(); t != json.Delim('}'); t = d.token() {
			key, _ := t.(string)
			n.append(scalar(tagStr, key), d.value(d.token(), depth+1))
		}
		return n
	}
	n.Kind, n.Tag = Sequence, tagSeq
	for t := d.token(); t != json.Delim(']'); t = d.token() {
		n.append(nil, d.value(t, depth+1))
	}
	return n
}

// append adds new members, which belong to nothing else, to a collection.
func (n *Node) append(key, value *Node) {
	value.parent = n
	if n.Kind == Sequence {
		value.key = &Node{Kind: Scalar, Tag: tagInt, Value: strconv.Itoa(len(n.Content)), parent: n}
		n.Content = append(n.Content, value)
		return
	}
	key.parent, key.isKey, value.key = n, true, key
	n.Content = append(n.Content, key, value)
}

// jsonNumber returns a number: an integer where it is one.
func jsonNumber(text string) *Node {
	if _, err := strconv.ParseInt(text, 10, 64); err == nil {
		return scalar(tagInt, text)
	}
	f, err := strconv.ParseFloat(text, 64)
	if err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<63 {
		return scalar(tagInt, strconv.FormatInt(int64(f), 10))
	}
	return scalar(tagFloat, number(f))
}

// A jsonEncoder writes JSON.
type jsonEncoder struct {
	plainText
	m *Machine
	EncodeOptions
}

// Encode writes one value and a newline.
func (e *jsonEncoder) Encode(w io.Writer, n *Node) (err error) {
	defer e.m.catch(&err)
	if n.Kind == Scalar && e.Unwrap {
		_, err := io.WriteString(w, n.Value+"\n")
		return err
	}
	var b bytes.Buffer
	e.write(&b, n, 0)
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}

func (e *jsonEncoder) newline(b *bytes.Buffer, depth int) {
	if e.Indent > 0 {
		b.WriteByte('\n')
		b.WriteString(strings.Repeat(" ", e.Indent*depth))
	}
}

// write appends n to b.
func (e *jsonEncoder) write(b *bytes.Buffer, n *Node, depth int) {
	e.m.poll(1)
	before := b.Len()
	switch n.Kind {
	case Mapping:
		e.members(b, n, depth, '{', '}')
		return
	case Sequence:
		e.members(b, n, depth, '[', ']')
		return
	case Alias:
		if n.Target != nil {
			e.write(b, n.Target, depth)
			return
		}
	}
	b.Write(jsonScalar(n))
	e.m.grow(b.Len() - before)
}

func (e *jsonEncoder) members(b *bytes.Buffer, n *Node, depth int, open, end byte) {
	b.WriteByte(open)
	step := 1
	if n.Kind == Mapping {
		step = 2
	}
	for i := 0; i+step <= len(n.Content); i += step {
		if i > 0 {
			b.WriteByte(',')
		}
		e.newline(b, depth+1)
		if step == 2 {
			b.Write(jsonString(n.Content[i].Value))
			b.WriteByte(':')
			if e.Indent > 0 {
				b.WriteByte(' ')
			}
		}
		e.write(b, n.Content[i+step-1], depth+1)
	}
	if len(n.Content) > 0 {
		e.newline(b, depth)
	}
	b.WriteByte(end)
}

// jsonString returns s with quotes.
func jsonString(s string) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(s)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// jsonScalar returns a scalar as JSON.
func jsonScalar(n *Node) []byte {
	switch n.guess() {
	case tagInt:
		_, i, err := integerForm(n.Value)
		check(err)
		return strconv.AppendInt(nil, i, 10)
	case tagFloat:
		if json.Valid([]byte(n.Value)) {
			return []byte(n.Value)
		}
		f, err := strconv.ParseFloat(n.Value, 64)
		check(err)
		text, err := json.Marshal(f)
		if err != nil {
			fail("json: unsupported value: %v", number(f))
		}
		return text
	case tagBool:
		return strconv.AppendBool(nil, n.truthy())
	case tagNull:
		return []byte("null")
	}
	return jsonString(n.Value)
}
