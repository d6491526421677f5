package yq

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pelletier/go-toml/v2/unstable"
)

// A tomlDecoder reads TOML.
type tomlDecoder struct {
	m    *Machine
	in   *input
	done bool

	parser  unstable.Parser
	root    *Node
	table   *Node // that keys belong to
	pending []string
	some    bool // there was more than comments
}

// Next reads the only document.
func (d *tomlDecoder) Next() (n *Node, err error) {
	defer d.m.catch(&err)
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	text, err := d.in.all()
	if err != nil {
		return nil, err
	}
	d.root = &Node{Kind: Mapping, Tag: tagMap}
	d.table = d.root
	d.parser.KeepComments = true
	d.parser.Reset(text)
	for d.parser.NextExpression() {
		d.m.poll(1)
		d.expression(d.parser.Expression())
	}
	if err := d.parser.Error(); err != nil {
		if e, ok := errors.AsType[*unstable.ParserError](err); ok && len(e.Highlight) > 0 {
			at := d.parser.Shape(d.parser.Range(e.Highlight)).Start
			return nil, fmt.Errorf("toml: line %d, column %d: %s", at.Line, at.Column, e.Message)
		}
		return nil, err
	}
	if !d.some && d.root.Head == "" {
		return nil, io.EOF
	}
	if len(d.pending) > 0 {
		d.table.Head = joined(d.table.Head, d.pending)
	}
	return d.root, nil
}

// joined adds lines to a text.
func joined(text string, lines []string) string {
	if text != "" {
		lines = append([]string{text}, lines...)
	}
	return strings.Join(lines, "\n")
}

// take returns the comments that wait for what they are about.
func (d *tomlDecoder) take() string {
	text := strings.Join(d.pending, "\n")
	d.pending = nil
	return text
}

func (d *tomlDecoder) expression(e *unstable.Node) {
	switch e.Kind {
	case unstable.Comment:
		text := string(e.Data)
		if d.some {
			d.pending = append(d.pending, text)
		} else {
			d.root.Head = joined(d.root.Head, []string{text})
		}
		return
	case unstable.KeyValue:
		d.keyValue(d.table, e)
	case unstable.Table:
		d.table = d.descend(d.root, keyParts(e.Key()), Mapping)
		d.table.table = sectionTable
		d.table.Head = joined(d.table.Head, nonEmpty(d.take()))
	case unstable.ArrayTable:
		list := d.descend(d.root, keyParts(e.Key()), Sequence)
		d.table = &Node{Kind: Mapping, Tag: tagMap, Head: d.take(), table: sectionTable}
		list.append(nil, d.table)
	}
	d.some = true
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

func keyParts(it unstable.Iterator) []string {
	var parts []string
	for it.Next() {
		parts = append(parts, string(it.Node().Data))
	}
	return parts
}

// descend returns the node at a path, making it, of some kind, where it is not
// there. Of a list of tables, the path goes on in the last.
func (d *tomlDecoder) descend(n *Node, path []string, kind Kind) *Node {
	for i, name := range path {
		if n.Kind == Sequence && len(n.Content) > 0 {
			n = n.Content[len(n.Content)-1]
		}
		if n.Kind != Mapping {
			fail("toml: %s is not a table", strings.Join(path[:i], "."))
		}
		key := scalar(tagStr, name)
		j := d.m.find(n, key)
		if j < 0 {
			c := &Node{Kind: Mapping, Tag: tagMap}
			if i == len(path)-1 && kind == Sequence {
				c.Kind, c.Tag = Sequence, tagSeq
			}
			d.m.grow(2 * nodeSize)
			n.append(key, c)
			j = len(n.Content) - 2
		}
		n = n.Content[j+1]
	}
	if n.Kind == Sequence && kind == Mapping && len(n.Content) > 0 {
		n = n.Content[len(n.Content)-1]
	}
	if n.Kind != kind {
		fail("toml: %s is defined twice", strings.Join(path, "."))
	}
	return n
}

// keyValue sets a member of table.
func (d *tomlDecoder) keyValue(table *Node, e *unstable.Node) {
	head := d.take()
	path := keyParts(e.Key())
	value := d.value(e.Value())
	if head != "" {
		value.Head = head
	}
	if next := e.Next(); next != nil && next.Kind == unstable.Comment {
		value.Line = string(next.Data)
	}
	last := scalar(tagStr, path[len(path)-1])
	n := table
	if len(path) > 1 {
		n = d.descend(table, path[:len(path)-1], Mapping)
	}
	if d.m.find(n, last) >= 0 {
		fail("toml: key %s is already defined", strings.Join(path, "."))
	}
	d.m.grow(2 * nodeSize)
	n.append(last, value)
}

func (d *tomlDecoder) value(e *unstable.Node) *Node {
	d.m.poll(1)
	d.m.grow(nodeSize)
	text := string(e.Data)
	switch e.Kind {
	case unstable.String:
		return scalar(tagStr, text)
	case unstable.Bool:
		return scalar(tagBool, text)
	case unstable.Integer:
		return scalar(tagInt, text)
	case unstable.Float:
		return scalar(tagFloat, strings.NewReplacer("inf", ".inf", "nan", ".nan").Replace(text))
	case unstable.Array:
		n := &Node{Kind: Sequence, Tag: tagSeq}
		var head []string
		for it := e.Children(); it.Next(); {
			c := it.Node()
			if c.Kind == unstable.Comment {
				head = append(head, string(c.Data))
				continue
			}
			v := d.value(c)
			v.Head = strings.Join(head, "\n")
			head = nil
			n.append(nil, v)
		}
		return n
	case unstable.InlineTable:
		n := &Node{Kind: Mapping, Tag: tagMap, table: inlineTable}
		for it := e.Children(); it.Next(); {
			switch c := it.Node(); c.Kind {
			case unstable.Comment:
				d.pending = append(d.pending, string(c.Data))
			case unstable.KeyValue:
				d.keyValue(n, c)
			}
		}
		return n
	}
	return scalar(tagTime, text)
}

// A tomlEncoder writes TOML.
type tomlEncoder struct {
	plainText
	m       *Machine
	w       io.Writer
	written bool
}

// Encode writes one document.
func (e *tomlEncoder) Encode(w io.Writer, n *Node) (err error) {
	defer e.m.catch(&err)
	e.w, e.written = w, false
	if n.Kind == Scalar {
		e.print(n.Value + "\n")
		return nil
	}
	if n.Kind != Mapping {
		return errors.New("TOML encoder expects a mapping at the root level")
	}
	e.comment(n.Head)
	e.body(n, nil)
	return nil
}

func (e *tomlEncoder) print(text string) {
	e.written = true
	_, err := io.WriteString(e.w, text)
	check(err)
}

// comment prints the lines of a comment.
func (e *tomlEncoder) comment(text string) {
	if text == "" {
		return
	}
	for line := range strings.SplitSeq(text, "\n") {
		if !strings.HasPrefix(line, "#") {
			line = "# " + line
		}
		e.print(line + "\n")
	}
}

// isTables reports whether a list is shown as tables of its own.
func isTables(n *Node) bool {
	if n.Kind != Sequence || len(n.Content) == 0 {
		return false
	}
	for _, c := range n.Content {
		if c.Kind != Mapping || c.table == inlineTable {
			return false
		}
	}
	return true
}

// body prints the members of a table: those that need no header, and then tables.
func (e *tomlEncoder) body(n *Node, path []string) {
	e.m.poll(1)
	var tables []*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case v.Kind == Mapping && v.table != inlineTable, isTables(v):
			tables = append(tables, k, v)
		case v.Tag == tagNull:
		default:
			e.comment(v.Head)
			line := tomlKey(k.Value) + " = " + e.inline(v)
			if v.Line != "" {
				line += "  " + v.Line
			}
			e.print(line + "\n")
		}
	}
	for i := 0; i < len(tables); i += 2 {
		name := append(path[:len(path):len(path)], tomlKey(tables[i].Value))
		if v := tables[i+1]; v.Kind == Sequence {
			e.tables(v, name)
		} else {
			e.section(v, name)
		}
	}
}

// section prints a table with its header, which it lacks where all it has are
// tables.
func (e *tomlEncoder) section(n *Node, path []string) {
	own := len(n.Content) == 0
	for i := 1; i < len(n.Content); i += 2 {
		v := n.Content[i]
		own = own || (v.Kind != Mapping || v.table == inlineTable) && !isTables(v)
	}
	if own || n.Head != "" {
		if e.written {
			e.print("\n")
		}
		e.comment(n.Head)
		e.print("[" + strings.Join(path, ".") + "]\n")
	}
	e.body(n, path)
}

// tables prints a list of tables.
func (e *tomlEncoder) tables(n *Node, path []string) {
	for i, c := range n.Content {
		if i == 0 && e.written {
			e.print("\n")
		}
		e.comment(c.Head)
		e.print("[[" + strings.Join(path, ".") + "]]\n")
		e.body(c, path)
	}
}

// tomlKey quotes a key that is not plain.
func tomlKey(key string) string {
	plain := key != "" && !strings.ContainsFunc(key, func(r rune) bool { return r != '_' && r != '-' && !alphanumeric(r) })
	if plain {
		return key
	}
	return tomlString(key)
}

// tomlString quotes a string.
func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"', r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// inline returns a value on one line.
func (e *tomlEncoder) inline(n *Node) string {
	e.m.poll(1)
	switch n.Kind {
	case Mapping:
		var parts []string
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i+1].Tag != tagNull {
				parts = append(parts, tomlKey(n.Content[i].Value)+" = "+e.inline(n.Content[i+1]))
			}
		}
		if len(parts) == 0 {
			return "{}"
		}
		return "{ " + strings.Join(parts, ", ") + " }"
	case Sequence:
		var parts []string
		for _, c := range n.Content {
			if c.Tag == tagNull {
				fail("TOML does not support null values in arrays")
			}
			parts = append(parts, e.inline(c))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Alias:
		return e.inline(n.resolve())
	}
	switch n.guess() {
	case tagInt, tagTime:
		return n.Value
	case tagFloat:
		return strings.NewReplacer(".inf", "inf", ".nan", "nan").Replace(strings.ToLower(n.Value))
	case tagBool:
		return fmt.Sprint(n.truthy())
	}
	return tomlString(n.Value)
}
