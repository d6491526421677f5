package yq

import (
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A Kind says what a node is.
type Kind uint8

// The kinds of nodes.
const (
	Scalar Kind = iota + 1
	Sequence
	Mapping
	Alias
)

// Tags of YAML, in their short form.
const (
	tagNull  = "!!null"
	tagBool  = "!!bool"
	tagInt   = "!!int"
	tagFloat = "!!float"
	tagStr   = "!!str"
	tagTime  = "!!timestamp"
	tagMerge = "!!merge"
	tagSeq   = "!!seq"
	tagMap   = "!!map"
)

// A Node is a value of a document, with what YAML knows about it besides.
type Node struct {
	Kind    Kind
	Style   Style
	Tag     string
	Value   string // of a scalar; the name of an alias
	Anchor  string
	Target  *Node   // of an alias
	Content []*Node // members; keys and values in turn for a mapping

	Head, Line, Foot string // comments
	Lead             string // of a document: the lines before it

	parent    *Node
	key       *Node // in the parent
	doc, file int
	name      string // of the file
	row, col  int
	together  bool
	isKey     bool
	table     tableForm
}

// A tableForm says how TOML showed a mapping.
type tableForm uint8

const (
	anyTable tableForm = iota
	inlineTable
	sectionTable
)

func scalar(tag, value string) *Node { return &Node{Kind: Scalar, Tag: tag, Value: value} }

// Empty returns the document that expressions work on where there is no input.
func Empty() *Node { return scalar(tagNull, "") }

// Place says which document of which file n is.
func (n *Node) Place(doc, file int, name string, together bool) {
	n.doc, n.file, n.name, n.together = doc, file, name, together
}

func (n *Node) root() *Node {
	for n.parent != nil {
		n = n.parent
	}
	return n
}

// Doc returns the number of the document that n belongs to.
func (n *Node) Doc() int { return n.root().doc }

// File returns the number of the file that n comes from.
func (n *Node) File() int { return n.root().file }

// Separated reports whether a line of dashes begins what was before n.
func (n *Node) Separated() bool { return strings.HasPrefix(n.Lead, separatorMark) }

// pathKey returns n's place in its parent: a string, an int, or nil.
func (n *Node) pathKey() any {
	switch {
	case n.isKey:
		return n.Value
	case n.key == nil:
		return nil
	case n.key.Tag == tagStr:
		return n.key.Value
	}
	if i, err := integer(n.key.Value); err == nil {
		return i
	}
	return n.key.Value
}

// path returns the keys that lead to n.
func (n *Node) path() []any {
	var path []any
	for ; n != nil; n = n.parent {
		if key := n.pathKey(); key != nil {
			path = append(path, key)
		}
	}
	for i, j := 0, len(path)-1; i < j; i, j = i+1, j-1 {
		path[i], path[j] = path[j], path[i]
	}
	return path
}

// where returns the path as messages show it.
func (n *Node) where() string {
	var b strings.Builder
	for i, key := range n.path() {
		text := fmt.Sprint(key)
		_, index := key.(int)
		switch {
		case index || i > 0 && strings.Contains(text, "."):
			b.WriteString("[" + text + "]")
		case i == 0:
			b.WriteString(text)
		default:
			b.WriteString("." + text)
		}
	}
	return b.String()
}

// bare copies n without its content.
func (m *Machine) bare(n *Node) *Node {
	m.poll(1)
	m.grow(nodeSize)
	c := *n
	c.Content = nil
	if n.key != nil {
		key := *n.key
		c.key = &key
	}
	return &c
}

// copy copies n and all below it.
func (m *Machine) copy(n *Node) *Node {
	c := m.bare(n)
	m.addAll(c, n.Content)
	return c
}

// add appends a copy of child to a sequence.
func (m *Machine) add(n, child *Node) {
	m.grow(8)
	c := m.copy(child)
	c.parent, c.isKey = n, false
	c.key = scalar(tagInt, strconv.Itoa(len(n.Content)))
	c.key.parent = n
	n.Content = append(n.Content, c)
}

// put appends copies of a key and a value to a mapping, and returns them.
func (m *Machine) put(n, key, value *Node) (k, v *Node) {
	m.grow(16)
	k = m.copy(key)
	k.parent, k.isKey = n, true
	v = m.copy(value)
	v.parent, v.isKey, v.key = n, false, k
	n.Content = append(n.Content, k, v)
	return k, v
}

// addAll appends copies of the content of another node to n.
func (m *Machine) addAll(n *Node, content []*Node) {
	if n.Kind != Mapping {
		for _, c := range content {
			m.add(n, c)
		}
		return
	}
	for i := 0; i+1 < len(content); i += 2 {
		m.put(n, content[i], content[i+1])
	}
}

// replace returns a copy of r that stands where n does.
func (m *Machine) replace(n, r *Node) *Node {
	c := m.copy(r)
	c.parent, c.key = n.parent, n.key
	if n.isKey {
		c.key = n
	}
	return c
}

// instead returns a new node that stands where n does.
func (m *Machine) instead(n *Node, kind Kind, tag, value string) *Node {
	m.grow(len(value))
	return m.replace(n, &Node{Kind: kind, Tag: tag, Value: value})
}

// str returns a string that stands where n does.
func (m *Machine) str(n *Node, value string) *Node { return m.instead(n, Scalar, tagStr, value) }

// boolean returns true or false in the place of n.
func (m *Machine) boolean(n *Node, b bool) *Node {
	if n == nil {
		n = &Node{}
	}
	c := m.instead(n, Scalar, tagBool, strconv.FormatBool(b))
	c.isKey = false
	return c
}

// assign says how a node takes the value of another.
type assign struct {
	nullOnly bool // only where it is null
	retag    bool // even if its tag is none of YAML's own
}

// update gives n the value of from.
func (m *Machine) update(n, from *Node, a assign) {
	if n == from {
		return
	}
	if n.Kind != Scalar && len(n.Content) == 0 || n.guess() != from.guess() {
		n.Style = from.Style
	}
	n.Content, n.Kind = nil, from.Kind
	m.addAll(n, from.Content)
	n.Value = from.Value
	n.adorn(from, a)
}

// adorn gives n all of from but its value.
func (n *Node) adorn(from *Node, a assign) {
	if n.Kind != from.Kind {
		n.Content, n.Value = nil, ""
	}
	n.Kind = from.Kind
	if a.retag || strings.HasPrefix(n.Tag, "!!") || n.Tag == "" {
		n.Tag = from.Tag
	}
	n.Target, n.Anchor, n.table = from.Target, from.Anchor, from.table
	if n.Style == 0 {
		n.Style = from.Style
	}
	for _, c := range []struct{ to, from *string }{{&n.Foot, &from.Foot}, {&n.Head, &from.Head}, {&n.Line, &from.Line}} {
		if *c.from != "" {
			*c.to = *c.from
		}
	}
}

// guess returns the tag of n; if that is none of YAML's own, the tag that its
// value would have without it.
func (n *Node) guess() string {
	if strings.HasPrefix(n.Tag, "!!") || n.Value == "" {
		return n.Tag
	}
	return tagOf(n.Value)
}

// tagOf returns the tag of a plain scalar.
func tagOf(value string) string {
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: value}).ShortTag()
}

// truthy reports whether n counts as true.
func (n *Node) truthy() bool {
	if n == nil || n.Tag == tagNull {
		return false
	}
	if n.Kind != Scalar || n.Tag != tagBool {
		return true
	}
	switch strings.ToLower(n.Value) {
	case "y", "yes", "on", "true":
		return true
	}
	return false
}

// Matched reports whether n counts as a result for the exit status.
func (n *Node) Matched() bool { return n.Tag != tagNull && (n.Tag != tagBool || n.Value != "false") }

// resolve follows aliases.
func (n *Node) resolve() *Node {
	for steps := 0; n.Kind == Alias && n.Target != nil; steps++ {
		if steps > 100 {
			fail("alias cycle detected")
		}
		n = n.Target
	}
	return n
}

// values returns the members of n.
func (n *Node) values() []*Node {
	if n.Kind != Mapping {
		return n.Content
	}
	var out []*Node
	for i := 1; i < len(n.Content); i += 2 {
		out = append(out, n.Content[i])
	}
	return out
}

// find returns where a key is in a mapping, or -1.
func (m *Machine) find(n, key *Node) int {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if m.equal(n.Content[i], key) {
			return i
		}
	}
	return -1
}

// equal reports whether two nodes have the same value.
func (m *Machine) equal(a, b *Node) bool {
	m.poll(1)
	if a.Kind != b.Kind || a.Kind == Scalar && a.guess() != b.guess() {
		return false
	}
	switch {
	case a.Tag == tagNull:
		return true
	case a.Kind == Scalar:
		return a.Value == b.Value
	case len(a.Content) != len(b.Content):
		return false
	case a.Kind == Sequence:
		for i := range a.Content {
			if !m.equal(a.Content[i], b.Content[i]) {
				return false
			}
		}
		return true
	case a.Kind == Mapping:
		for i := 0; i+1 < len(a.Content); i += 2 {
			j := m.find(b, a.Content[i])
			if j < 0 || !m.equal(a.Content[i+1], b.Content[j+1]) {
				return false
			}
		}
		return true
	}
	return false
}

// drop removes members i to j from n, and numbers those of a sequence anew.
func (n *Node) drop(i, j int) {
	n.Content = append(n.Content[:i:i], n.Content[j:]...)
	if n.Kind == Sequence {
		for k := i; k < len(n.Content); k++ {
			n.Content[k].key.Value = strconv.Itoa(k)
		}
	}
	n.settle()
}

// settle moves the comment of the key of an empty collection to where it can be
// shown.
func (n *Node) settle() {
	if n.Kind != Sequence && n.Kind != Mapping || len(n.Content) != 0 || n.Line != "" {
		return
	}
	if n.key == nil || n.key.Line == "" {
		return
	}
	n.Line, n.key.Line, n.Style = n.key.Line, "", yaml.FlowStyle
}
