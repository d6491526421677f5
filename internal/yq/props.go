package yq

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// PropsOptions say how Java properties are read and written.
type PropsOptions struct {
	Separator string // between key and value; empty means " = "
	Brackets  bool   // indices are written as name[0]
}

// A propsDecoder reads Java properties, whose keys are paths.
type propsDecoder struct {
	m    *Machine
	in   *input
	done bool
}

// Next reads the only document.
func (d *propsDecoder) Next() (n *Node, err error) {
	defer d.m.catch(&err)
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	text, err := d.in.all()
	if err != nil {
		return nil, err
	}
	if len(text) == 0 {
		return nil, io.EOF
	}
	n = &Node{Kind: Mapping, Tag: tagMap}
	var comments []string
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		d.m.poll(1)
		line := strings.TrimLeft(lines[i], " \t\f")
		switch {
		case line == "":
			continue
		case line[0] == '#', line[0] == '!':
			comments = append(comments, strings.TrimSpace(line[1:]))
			continue
		}
		for continued(line) && i+1 < len(lines) {
			i++
			line = line[:len(line)-1] + strings.TrimLeft(lines[i], " \t\f")
		}
		d.set(n, line, comments)
		comments = nil
	}
	return n, nil
}

// continued reports whether a line ends in a backslash that is not escaped.
func continued(line string) bool {
	return (len(line)-len(strings.TrimRight(line, `\`)))%2 == 1
}

// set gives n the property of a line.
func (d *propsDecoder) set(n *Node, line string, comments []string) {
	key, rest := propsToken(line, true)
	rest = strings.TrimLeft(rest, " \t\f")
	if rest != "" && (rest[0] == '=' || rest[0] == ':') {
		rest = strings.TrimLeft(rest[1:], " \t\f")
	}
	text, _ := propsToken(rest, false)
	path := d.path(key)
	value := scalar(tagStr, text)
	if text != "" {
		value.Tag = tagOf(text)
	}
	if len(comments) > 0 {
		last := fmt.Sprint(path[len(path)-1])
		name := scalar(tagOf(last), last)
		name.Head = "# " + strings.Join(comments, "\n")
		for _, k := range d.m.follow(scope{}, n, path, walk{}, true) {
			d.m.update(k, name, assign{})
		}
	}
	for _, target := range d.m.follow(scope{}, n, path, walk{exact: true}, false) {
		d.m.update(target, value, assign{})
	}
}

// propsToken reads a key, which ends at a separator, or a value.
func propsToken(s string, key bool) (text, rest string) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case key && strings.IndexByte(" \t\f=:", c) >= 0:
			return b.String(), s[i:]
		case c != '\\' || i+1 == len(s):
			b.WriteByte(c)
			continue
		}
		i++
		switch s[i] {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case 'f':
			b.WriteByte('\f')
		case 'u':
			code, err := strconv.ParseUint(s[i+1:min(i+5, len(s))], 16, 32)
			if err != nil {
				fail("invalid unicode literal")
			}
			b.WriteRune(rune(code))
			i += 4
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String(), ""
}

// path splits a key into its parts, of which numbers are indices.
func (d *propsDecoder) path(key string) []any {
	var path []any
	add := func(part string) {
		if i, err := strconv.ParseInt(part, 10, 32); err == nil {
			path = append(path, int(i))
		} else {
			path = append(path, part)
		}
	}
	for part := range strings.SplitSeq(key, ".") {
		name, index, ok := strings.Cut(part, "[")
		if !d.m.Props.Brackets || !ok || !strings.HasSuffix(index, "]") {
			add(part)
			continue
		}
		if name != "" {
			add(name)
		}
		for i := range strings.SplitSeq(strings.TrimSuffix(index, "]"), "][") {
			add(i)
		}
	}
	return path
}

// A propsEncoder writes Java properties.
type propsEncoder struct {
	plainText
	m *Machine
	EncodeOptions

	written bool
}

// Lead writes what was before a document, without separators.
func (e *propsEncoder) Lead(w io.Writer, text string) error {
	for line := range strings.Lines(text) {
		if strings.Contains(line, separatorMark) {
			continue
		}
		if !strings.HasSuffix(line, "\n") {
			line += "\n"
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Encode writes one document.
func (e *propsEncoder) Encode(w io.Writer, n *Node) (err error) {
	defer e.m.catch(&err)
	if n.Kind == Scalar {
		_, err := io.WriteString(w, n.Value+"\n")
		return err
	}
	e.written = false
	e.write(w, n, "", nil)
	return nil
}

// comments returns the comments before and beside a node, without marks.
func comments(n *Node) string {
	var parts []string
	for _, c := range []string{n.Head, n.Line} {
		if c = strings.TrimPrefix(c, "#"); c != "" {
			parts = append(parts, strings.TrimPrefix(strings.ReplaceAll(c, "\n#", "\n"), " "))
		}
	}
	return strings.Join(parts, "\n")
}

func (e *propsEncoder) write(w io.Writer, n *Node, path string, key *Node) {
	e.m.poll(1)
	join := func(part string, index bool) string {
		switch {
		case path == "":
			return part
		case index && e.m.Props.Brackets:
			return path + "[" + part + "]"
		}
		return path + "." + part
	}
	switch n.Kind {
	case Sequence:
		for i, c := range n.Content {
			e.write(w, c, join(strconv.Itoa(i), true), nil)
		}
		return
	case Mapping:
		for i := 0; i+1 < len(n.Content); i += 2 {
			e.write(w, n.Content[i+1], join(n.Content[i].Value, false), n.Content[i])
		}
		return
	case Alias:
		e.write(w, n.resolve(), path, nil)
		return
	}
	text := comments(n)
	if key != nil {
		if about := comments(key); about != "" && text != "" {
			text = about + "\n" + text
		} else {
			text = about + text
		}
	}
	value := n.Value
	if !e.Unwrap && strings.Contains(value, " ") {
		value = strconv.Quote(value)
	}
	separator := e.m.Props.Separator
	if separator == "" {
		separator = " = "
	}
	var b strings.Builder
	if text != "" {
		if e.written {
			b.WriteByte('\n')
		}
		for line := range strings.SplitSeq(text, "\n") {
			b.WriteString("# " + strings.TrimLeft(line, " ") + "\n")
		}
	}
	b.WriteString(propsEscape(path, " :=") + separator + propsEscape(value, "") + "\n")
	e.written = true
	_, err := io.WriteString(w, b.String())
	check(err)
}

// propsEscape escapes control characters, backslashes and those in special.
func propsEscape(s, special string) string {
	var b strings.Builder
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		switch {
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\f':
			b.WriteString(`\f`)
		case r == '\\', strings.ContainsRune(special, r):
			b.WriteString(`\` + string(r))
		default:
			b.WriteString(s[:size])
		}
		s = s[size:]
	}
	return b.String()
}
