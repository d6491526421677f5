package yq

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"unicode"
)

// XMLOptions say what stands for the parts of XML that maps do not have. Empty
// names mean yq's.
type XMLOptions struct {
	Attribute, Content, Directive, ProcInst string

	SkipDirectives, SkipProcInst bool
	NoNamespace, Strict, Cooked  bool
}

func (o XMLOptions) attribute() string { return or(o.Attribute, "+@") }
func (o XMLOptions) content() string   { return or(o.Content, "+content") }
func (o XMLOptions) directive() string { return or(o.Directive, "+directive") }
func (o XMLOptions) procInst() string  { return or(o.ProcInst, "+p_") }

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// An xmlDecoder reads XML.
type xmlDecoder struct {
	m    *Machine
	in   io.Reader
	done bool
}

// An element is one of XML, before it is known whether it has brothers.
type element struct {
	name             string
	parent           *element
	members          []*xmlMember
	index            map[string]*xmlMember
	head, line, foot string
	data             []string
	state            xmlState
}

// An xmlMember is all elements of one name in another.
type xmlMember struct {
	name string
	list []*element
	foot string
}

// An xmlState says what came last in an element, which decides what a comment is
// about.
type xmlState uint8

const (
	xmlEmpty xmlState = iota
	xmlChild
	xmlText
)

func (e *element) add(name string, c *element) {
	if m := e.index[name]; m != nil {
		m.list = append(m.list, c)
		return
	}
	if e.index == nil {
		e.index = map[string]*xmlMember{}
	}
	m := &xmlMember{name: name, list: []*element{c}}
	e.index[name] = m
	e.members = append(e.members, m)
}

// Next reads the only document.
func (d *xmlDecoder) Next() (n *Node, err error) {
	defer d.m.catch(&err)
	if d.done {
		return nil, io.EOF
	}
	d.done = true
	x := xml.NewDecoder(d.in)
	x.Strict = d.m.XML.Strict
	x.CharsetReader = charsetReader
	root := &element{}
	for e, depth, started := root, 0, false; ; started = true {
		d.m.poll(1)
		d.m.grow(nodeSize / 2)
		var t xml.Token
		if d.m.XML.Cooked {
			t, err = x.Token()
		} else {
			t, err = x.RawToken()
		}
		if errors.Is(err, io.EOF) {
			break
		}
		check(err)
		switch t := t.(type) {
		case xml.StartElement:
			if depth++; depth > maxNodes {
				fail("xml: exceeded max depth of %d", maxNodes)
			}
			e.state = xmlChild
			e = d.start(e, t)
		case xml.EndElement:
			if e.parent != nil {
				e.state = xmlEmpty
				e.parent.add(e.name, e)
				e, depth = e.parent, depth-1
			}
		default:
			d.token(e, t, started)
		}
	}
	return d.node(root), nil
}

func (d *xmlDecoder) name(n xml.Name) string {
	if n.Space != "" && !d.m.XML.NoNamespace {
		return n.Space + ":" + n.Local
	}
	return n.Local
}

func (d *xmlDecoder) start(parent *element, t xml.StartElement) *element {
	e := &element{name: d.name(t.Name), parent: parent}
	for _, a := range t.Attr {
		e.add(d.m.XML.attribute()+d.name(a.Name), &element{data: []string{a.Value}})
	}
	return e
}

// token reads what is no element.
func (d *xmlDecoder) token(e *element, t xml.Token, started bool) {
	switch t := t.(type) {
	case xml.CharData:
		text := strings.TrimFunc(string(t), func(r rune) bool { return !unicode.IsGraphic(r) || unicode.IsSpace(r) })
		if text == "" {
			return
		}
		if !started {
			fail("invalid XML: Encountered chardata [%s] outside of XML node", text)
		}
		d.m.grow(len(text))
		e.data = append(e.data, text)
		e.state = xmlText
	case xml.Comment:
		text := string(t)
		switch e.state {
		case xmlChild:
			e.footComment(text)
		case xmlText:
			e.line = spaced(e.line, text)
		default:
			e.head = spaced(e.head, text)
		}
	case xml.ProcInst:
		if !d.m.XML.SkipProcInst {
			e.add(d.m.XML.procInst()+t.Target, &element{data: []string{string(t.Inst)}})
		}
	case xml.Directive:
		if !d.m.XML.SkipDirectives {
			e.add(d.m.XML.directive(), &element{data: []string{string(t)}})
		}
	}
}

// footComment puts a comment after the last child.
func (e *element) footComment(text string) {
	if len(e.members) == 0 {
		e.foot = spaced(e.foot, text)
		return
	}
	last := e.members[len(e.members)-1]
	if len(last.list[0].members) > 0 {
		last.foot = spaced(e.foot, text)
		return
	}
	c := last.list[len(last.list)-1]
	c.foot = spaced(c.foot, text)
}

func spaced(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " " + b
}

var letterStart = regexp.MustCompile(`(^|\n)([[:alpha:]])`)

// yamlComment marks the lines of a comment.
func yamlComment(text string) string {
	if text == "" {
		return ""
	}
	text = letterStart.ReplaceAllString(text, "$1 $2")
	return "#" + strings.ReplaceAll(strings.TrimRight(text, " "), "\n", "\n#")
}

// node makes a node of an element.
func (d *xmlDecoder) node(e *element) *Node {
	d.m.poll(1)
	d.m.grow(nodeSize)
	if len(e.members) > 0 {
		return d.mapping(e)
	}
	n := xmlData(e.data)
	n.Head, n.Line, n.Foot = yamlComment(e.head), yamlComment(e.line), yamlComment(e.foot)
	if n.Kind == Sequence {
		n.Content[0].Head, n.Line = n.Line, ""
	}
	return n
}

func xmlData(data []string) *Node {
	switch len(data) {
	case 0:
		return scalar(tagNull, "")
	case 1:
		return scalar(tagStr, data[0])
	}
	n := &Node{Kind: Sequence, Tag: tagSeq}
	for _, text := range data {
		n.append(nil, scalar(tagStr, text))
	}
	return n
}

func (d *xmlDecoder) mapping(e *element) *Node {
	n := &Node{Kind: Mapping, Tag: tagMap}
	if len(e.data) > 0 {
		key := scalar(tagStr, d.m.XML.content())
		key.Head, key.Line, key.Foot = yamlComment(e.head), yamlComment(e.line), yamlComment(e.foot)
		n.append(key, xmlData(e.data))
	}
	for i, m := range e.members {
		d.m.grow(nodeSize)
		key := scalar(tagStr, m.name)
		if i == 0 {
			key.Head = yamlComment(e.head)
		}
		key.Foot = yamlComment(m.foot)
		if len(m.list) > 1 {
			list := &Node{Kind: Sequence, Tag: tagSeq}
			for _, c := range m.list {
				list.append(nil, d.node(c))
			}
			n.append(key, list)
			continue
		}
		c := m.list[0]
		if len(c.members) == 0 && c.head != "" {
			if len(c.data) > 0 {
				text := strings.TrimSpace(c.head)
				if key.Head != "" {
					text = key.Head + "\n" + text
				}
				key.Head = text
			} else {
				c.line = c.head
			}
			c.head = ""
		}
		n.append(key, d.node(c))
	}
	return n
}
