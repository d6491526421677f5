package yq

import (
	"fmt"
	"io"
	"strings"
)

// An iniDecoder reads INI files: a map of keys, and of sections.
type iniDecoder struct {
	m    *Machine
	in   *input
	done bool
}

// Next reads the only document.
func (d *iniDecoder) Next() (n *Node, err error) {
	defer d.m.catch(&err)
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	text, err := d.in.all()
	if err != nil {
		return nil, err
	}
	n = &Node{Kind: Mapping, Tag: tagMap}
	section := n
	for line := range strings.Lines(string(text)) {
		d.m.poll(1)
		line = strings.TrimSpace(line)
		switch {
		case line == "", line[0] == '#', line[0] == ';':
			continue
		case line[0] == '[':
			name, _, ok := strings.Cut(line[1:], "]")
			if !ok {
				return nil, fmt.Errorf("failed to parse INI content: unclosed section: %s", line)
			}
			section = d.member(n, name, &Node{Kind: Mapping, Tag: tagMap})
			continue
		}
		i := strings.IndexAny(line, "=:")
		if i < 0 {
			return nil, fmt.Errorf("failed to parse INI content: key-value delimiter not found: %s", line)
		}
		value := strings.TrimSpace(line[i+1:])
		if len(value) > 1 && (value[0] == '"' || value[0] == '\'') && value[len(value)-1] == value[0] {
			value = value[1 : len(value)-1]
		}
		d.m.grow(2*nodeSize + len(line))
		d.member(section, strings.TrimSpace(line[:i]), scalar(tagStr, value))
	}
	return n, nil
}

// member sets a member of n, or returns the one it has where both are maps.
func (d *iniDecoder) member(n *Node, name string, value *Node) *Node {
	key := scalar(tagStr, name)
	i := d.m.find(n, key)
	if i < 0 {
		n.append(key, value)
		return value
	}
	if old := n.Content[i+1]; old.Kind == Mapping && value.Kind == Mapping {
		return old
	}
	n.Content[i+1].Kind, n.Content[i+1].Content, n.Content[i+1].Value = value.Kind, nil, value.Value
	n.Content[i+1].Tag = value.Tag
	return n.Content[i+1]
}

// An iniEncoder writes a map of scalars, and of maps of these.
type iniEncoder struct {
	plainText
	m *Machine
}

// Encode writes one document.
func (e *iniEncoder) Encode(w io.Writer, n *Node) error {
	if n.Kind == Scalar {
		_, err := io.WriteString(w, n.Value+"\n")
		return err
	}
	if n.Kind != Mapping {
		return fmt.Errorf("INI encoder supports only maps at the root level, got %s", n.Tag)
	}
	var b strings.Builder
	e.scalars(&b, n)
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1].Kind != Mapping {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString("[" + n.Content[i].Value + "]\n")
		e.scalars(&b, n.Content[i+1])
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// scalars writes the members that are scalars, in columns.
func (e *iniEncoder) scalars(b *strings.Builder, n *Node) {
	width := 0
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1].Kind == Scalar {
			width = max(width, len(n.Content[i].Value))
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i+1].Kind == Scalar {
			fmt.Fprintf(b, "%-*s = %s\n", width, n.Content[i].Value, n.Content[i+1].Value)
		}
	}
}
