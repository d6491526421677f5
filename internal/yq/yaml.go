package yq

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// separatorMark stands for a line of three dashes in what precedes a document.
const separatorMark = "$yqDocSeparator$"

var (
	commentLine   = regexp.MustCompile(`^\s*#`)
	directiveLine = regexp.MustCompile(`^\s*%YAML`)
	separatorLine = regexp.MustCompile(`^\s*---\s*$`)
	separatorText = regexp.MustCompile(`^\s*---\s+`)
)

// A yamlDecoder reads YAML.
type yamlDecoder struct {
	m      *Machine
	loader *yaml.Loader
	lead   string
	some   bool // there was a document
	anchor map[string]*Node
	raw    *bytes.Buffer // what has been read, where comments may be all there is
	err    error
}

// newYAMLDecoder returns a decoder; header says that the lines before the first
// document are kept apart.
func newYAMLDecoder(m *Machine, in io.Reader, header bool) *yamlDecoder {
	d := &yamlDecoder{m: m, anchor: map[string]*Node{}}
	r := in
	if header {
		if r, d.err = d.header(bufio.NewReader(in)); d.err != nil {
			return d
		}
	} else {
		d.raw = &bytes.Buffer{}
		r = io.TeeReader(in, limited{d.raw})
	}
	d.loader, d.err = yaml.NewLoader(&sized{m: m, r: r})
	return d
}

// limited keeps the first bytes that are written to it.
type limited struct{ b *bytes.Buffer }

func (l limited) Write(p []byte) (int, error) {
	if room := 64<<10 - l.b.Len(); room > 0 {
		l.b.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// A sized reader charges the memory that a parser makes of what it reads.
type sized struct {
	m *Machine
	r io.Reader
}

// yamlSize is how much memory a byte of YAML takes once it is parsed.
const yamlSize = 48

func (s *sized) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if e := s.m.call.Alloc(n * yamlSize); e != nil {
		return 0, e
	}
	s.m.held += n * yamlSize
	return n, err
}

// header takes the lines before the first document from r, and returns a reader
// of the rest. Empty lines stand for them, so that positions stay right.
func (d *yamlDecoder) header(r *bufio.Reader) (io.Reader, error) {
	var lead strings.Builder
	lines := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil && err != io.EOF {
			return nil, err
		}
		ended := err == io.EOF
		text := strings.TrimSuffix(line, "\n")
		crlf := strings.HasSuffix(text, "\r") && len(line) > len(text)
		text = strings.TrimSuffix(text, "\r")
		newline := line[len(text):]
		if !crlf && strings.HasPrefix(newline, "\r") {
			text, newline = text+"\r", newline[1:]
		}
		if e := d.m.call.Alloc(len(line)); e != nil {
			return nil, e
		}
		d.m.held += len(line)
		rest := ""
		switch {
		case line == "":
			d.lead = lead.String()
			return io.MultiReader(strings.NewReader(strings.Repeat("\n", lines)), r), nil
		case separatorLine.MatchString(text):
			lines++
			lead.WriteString(separatorMark + newline)
		case separatorText.MatchString(text):
			if newline == "" {
				newline = "\n"
			}
			lead.WriteString(separatorMark + newline)
			rest = text[len(separatorText.FindString(text)):] + line[len(text):]
		case commentLine.MatchString(text), directiveLine.MatchString(text), strings.TrimSpace(text) == "":
			lines++
			lead.WriteString(line)
		default:
			rest = line
		}
		if rest != "" || ended {
			d.lead = lead.String()
			return io.MultiReader(strings.NewReader(strings.Repeat("\n", lines)), strings.NewReader(rest), r), nil
		}
	}
}

// Next reads a document.
func (d *yamlDecoder) Next() (*Node, error) {
	if d.err != nil {
		return nil, d.err
	}
	var doc yaml.Node
	err := d.loader.Load(&doc)
	if errors.Is(err, io.EOF) && !d.some {
		d.some = true
		if d.raw != nil {
			d.lead = d.raw.String()
		}
		if d.lead == "" {
			return nil, io.EOF
		}
		return d.blank(), nil
	}
	if err != nil {
		if e := d.m.call.Meter.Err(); e != nil {
			return nil, e
		}
		return nil, err
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("yaml node has no content")
	}
	n, err := d.document(&doc)
	if err != nil {
		return nil, err
	}
	n.Head = doc.HeadComment + n.Head
	n.Foot = doc.FootComment + n.Foot
	n.Lead, d.lead = d.lead, ""
	d.some, d.raw = true, nil
	return n, nil
}

func (d *yamlDecoder) blank() *Node {
	n := scalar(tagNull, "")
	n.Lead, d.lead = d.lead, ""
	return n
}

func (d *yamlDecoder) document(doc *yaml.Node) (n *Node, err error) {
	defer d.m.catch(&err)
	return d.node(doc.Content[0], nil), nil
}

// node makes a node of one of the parser's.
func (d *yamlDecoder) node(from *yaml.Node, parent *Node) *Node {
	d.m.poll(1)
	n := &Node{
		Kind: Scalar, Style: from.Style, Tag: from.Tag, Value: from.Value, Anchor: from.Anchor,
		Head: from.HeadComment, Line: from.LineComment, Foot: from.FootComment,
		row: from.Line, col: from.Column, parent: parent,
	}
	if n.Anchor != "" {
		d.anchor[n.Anchor] = n
	}
	if from.Alias != nil && from.Alias.Anchor != "" {
		n.Target = d.anchor[from.Alias.Anchor]
	}
	switch from.Kind {
	case yaml.AliasNode:
		n.Kind = Alias
	case yaml.MappingNode:
		n.Kind, n.Content = Mapping, make([]*Node, len(from.Content))
		for i := 0; i+1 < len(from.Content); i += 2 {
			n.Content[i] = d.node(from.Content[i], n)
			n.Content[i].isKey = true
			n.Content[i+1] = d.node(from.Content[i+1], n)
			n.Content[i+1].key = n.Content[i]
		}
	case yaml.SequenceNode:
		n.Kind, n.Content = Sequence, make([]*Node, len(from.Content))
		for i, c := range from.Content {
			n.Content[i] = d.node(c, n)
			n.Content[i].key = &Node{Kind: Scalar, Tag: tagInt, Value: strconv.Itoa(i), parent: n, isKey: true}
		}
	}
	return n
}

// snippet returns the node that a text is as YAML, or a string where it is none.
func (m *Machine) snippet(text string) *Node {
	n, err := m.parseSnippet(text)
	if err != nil {
		return scalar(tagStr, text)
	}
	return n
}

// parseSnippet parses a short text as YAML.
func (m *Machine) parseSnippet(text string) (*Node, error) {
	if text == "" {
		return scalar(tagNull, ""), nil
	}
	d := newYAMLDecoder(m, strings.NewReader(text), false)
	n, err := d.Next()
	switch {
	case err != nil:
		return nil, err
	case n.Kind == Scalar:
		n.Line = ""
	}
	n.row, n.col = 0, 0
	return n, nil
}

// A yamlEncoder writes YAML.
type yamlEncoder struct {
	m *Machine
	EncodeOptions
}

func (e *yamlEncoder) Aliases() bool { return true }

func (e *yamlEncoder) Separate(w io.Writer) error {
	if e.NoSeparator {
		return nil
	}
	_, err := io.WriteString(w, "---\n")
	return err
}

func (e *yamlEncoder) Lead(w io.Writer, text string) error {
	return writeLead(w, text, !e.NoSeparator)
}

// writeLead writes what was before a document.
func writeLead(w io.Writer, text string, separators bool) error {
	for line := range strings.Lines(text) {
		body := strings.TrimRight(line, "\r\n")
		switch {
		case strings.Contains(line, separatorMark):
			line = "---" + line[len(body):]
			if !separators {
				continue
			}
		case body != "" && line[0] != '%' && !commentLine.MatchString(line):
			line = "# " + line
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
func (e *yamlEncoder) Encode(w io.Writer, n *Node) error {
	if n.Kind == Scalar && e.Unwrap {
		end := "\n"
		if strings.Contains(n.Lead, "\r\n") {
			end = "\r\n"
		}
		text := n.Value
		if n.Lead == "" || text != "" {
			text += end
		}
		_, err := io.WriteString(w, text)
		return err
	}
	d, err := yaml.NewDumper(w, yaml.WithV3Defaults(), yaml.WithIndent(min(max(e.Indent, 2), 9)),
		yaml.WithCompactSeqIndent(e.CompactList), yaml.WithLineWidth(-1))
	if err != nil {
		return err
	}
	target, err := e.target(n)
	if err != nil {
		return err
	}
	after := target.FootComment
	target.FootComment = ""
	err = d.Dump(target)
	if end := d.Close(); err == nil {
		err = end
	}
	if err != nil {
		return err
	}
	return e.Lead(w, after)
}

func (e *yamlEncoder) target(n *Node) (out *yaml.Node, err error) {
	defer e.m.catch(&err)
	return e.m.toYAML(n), nil
}

// toYAML makes a node for the writer of YAML.
func (m *Machine) toYAML(n *Node) *yaml.Node {
	m.poll(1)
	out := &yaml.Node{
		Style: n.Style, Tag: n.Tag, Value: n.Value, Anchor: n.Anchor,
		HeadComment: n.Head, LineComment: n.Line, FootComment: n.Foot, Line: n.row, Column: n.col,
	}
	switch n.Kind {
	case Alias:
		out.Kind = yaml.AliasNode
	case Scalar:
		out.Kind = yaml.ScalarNode
	case Mapping:
		out.Kind = yaml.MappingNode
	case Sequence:
		out.Kind = yaml.SequenceNode
	}
	for _, c := range n.Content {
		out.Content = append(out.Content, m.toYAML(c))
	}
	return out
}
