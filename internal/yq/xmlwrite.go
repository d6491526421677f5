package yq

import (
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"strings"
)

// An xmlEncoder writes XML.
type xmlEncoder struct {
	m      *Machine
	indent int
	lead   string
	w      io.Writer
	x      *xml.Encoder
}

func (e *xmlEncoder) Aliases() bool            { return false }
func (e *xmlEncoder) Separate(io.Writer) error { return nil }

// Lead keeps what was before a document, for Encode.
func (e *xmlEncoder) Lead(_ io.Writer, text string) error {
	e.lead = text
	return nil
}

// Encode writes one document.
func (e *xmlEncoder) Encode(w io.Writer, n *Node) (err error) {
	defer e.m.catch(&err)
	e.w, e.x = w, xml.NewEncoder(w)
	e.x.Indent("", strings.Repeat(" ", e.indent))
	declaration := e.m.XML.procInst() + "xml"
	if n.Kind == Mapping {
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == declaration {
				e.token(xml.ProcInst{Target: "xml", Inst: []byte(n.Content[i+1].Value)})
				e.newline()
			}
		}
	}
	if e.lead != "" {
		e.comment(e.lead)
		e.token(xml.CharData("\n"))
	}
	switch n.Kind {
	case Mapping:
		e.top(n, declaration)
	case Scalar:
		e.token(xml.CharData(n.Value))
		return e.x.Flush()
	default:
		return fmt.Errorf("cannot encode %s to XML - only maps can be encoded", n.Tag)
	}
	e.token(xml.CharData("\n"))
	return e.x.Flush()
}

func (e *xmlEncoder) token(t xml.Token) {
	e.m.poll(1)
	check(e.x.EncodeToken(t))
}

// newline writes one that the encoder does not.
func (e *xmlEncoder) newline() {
	check(e.x.Flush())
	_, err := io.WriteString(e.w, "\n")
	check(err)
}

// before returns the comments that precede a node.
func before(n *Node) string { return n.Head + n.Line }

// top writes the members of a document.
func (e *xmlEncoder) top(n *Node, declaration string) {
	e.comment(before(n))
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		e.comment(before(k))
		if before(k) != "" {
			e.token(xml.CharData("\n"))
		}
		switch target, inst := strings.CutPrefix(k.Value, e.m.XML.procInst()); {
		case k.Value == declaration:
		case inst:
			e.token(xml.ProcInst{Target: target, Inst: []byte(v.Value)})
			e.newline()
		case k.Value == e.m.XML.directive():
			e.token(xml.Directive(v.Value))
			e.newline()
		default:
			e.element(v, xml.StartElement{Name: xml.Name{Local: k.Value}})
		}
		e.comment(k.Foot)
	}
	e.comment(n.Foot)
}

func (e *xmlEncoder) element(n *Node, start xml.StartElement) {
	switch n.Kind {
	case Mapping:
		e.mapping(n, start)
	case Sequence:
		e.comment(before(n))
		for _, c := range n.Content {
			e.element(c, start.Copy())
		}
		e.comment(n.Foot)
	case Scalar:
		e.token(start)
		e.comment(n.Head)
		e.token(xml.CharData(n.Value))
		e.comment(n.Line)
		e.token(start.End())
		e.comment(n.Foot)
	default:
		fail("unsupported type %s", n.Tag)
	}
}

func (e *xmlEncoder) mapping(n *Node, start xml.StartElement) {
	o := e.m.XML
	attribute := func(name string) bool {
		return strings.HasPrefix(name, o.attribute()) && name != o.content() && name != o.directive() && !strings.HasPrefix(name, o.procInst())
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if !attribute(k.Value) {
			continue
		}
		if v.Kind != Scalar {
			fail("cannot use %s as attribute, only scalars are supported", v.Tag)
		}
		name := strings.TrimPrefix(k.Value, o.attribute())
		start.Attr = append(start.Attr, xml.Attr{Name: xml.Name{Local: name}, Value: v.Value})
	}
	e.token(start)
	e.comment(n.Head)
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		e.comment(before(k))
		switch target, inst := strings.CutPrefix(k.Value, o.procInst()); {
		case inst:
			e.token(xml.ProcInst{Target: target, Inst: []byte(v.Value)})
		case k.Value == o.directive():
			e.token(xml.Directive(v.Value))
		case k.Value == o.content():
			e.comment(before(v))
			e.token(xml.CharData(v.Value))
			e.comment(v.Foot)
		case !attribute(k.Value):
			e.element(v, xml.StartElement{Name: xml.Name{Local: k.Value}})
		}
		e.comment(k.Foot)
	}
	e.token(start.End())
	e.comment(n.Foot)
}

var (
	commentLines = regexp.MustCompile(`(^|\n) *# ?(.*)`)
	commentOnly  = regexp.MustCompile(`^\s*#(.*)\n?`)
)

// comment writes a comment of YAML as one of XML.
func (e *xmlEncoder) comment(text string) {
	if text == "" {
		return
	}
	if len(text) > 2 && strings.Contains(text[1:len(text)-1], "\n") {
		text = commentLines.ReplaceAllString(strings.TrimSuffix(text, "\n"), "$1$2")
		if text[0] != '\n' && text[0] != ' ' {
			text = " " + text
		}
	} else {
		text = commentOnly.ReplaceAllString(text, "$1")
	}
	if !strings.HasSuffix(text, " ") && !strings.HasSuffix(text, "\n") {
		text += " "
	}
	e.token(xml.Comment(text))
}
