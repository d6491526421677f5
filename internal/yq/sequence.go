package yq

import (
	"cmp"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
)

func runLength(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		length := 0
		switch {
		case n.Kind == Scalar && n.Tag != tagNull:
			length = len(n.Value)
		case n.Kind == Mapping:
			length = len(n.Content) / 2
		case n.Kind == Sequence:
			length = len(n.Content)
		}
		return m.instead(n, Scalar, tagInt, strconv.Itoa(length))
	})
}

// sequences fails unless all nodes of s are sequences.
func (s scope) sequences(message string) {
	for _, n := range s.nodes {
		if n.Kind != Sequence {
			fail("%s", strings.ReplaceAll(message, "%s", n.Tag))
		}
	}
}

func runMap(m *Machine, s scope, e *Expr) []*Node {
	return s.each(func(s scope, n *Node) []*Node {
		list := m.splat(s, n, walk{})
		if len(list) == 0 {
			return []*Node{m.copy(n)}
		}
		return []*Node{m.gather(m.eval(s.with(list...), e.right), n.Style)}
	})
}

// gather makes a sequence of nodes.
func (m *Machine) gather(nodes []*Node, style Style) *Node {
	out := &Node{Kind: Sequence, Tag: tagSeq, Style: style}
	m.addAll(out, nodes)
	return out
}

func runFilter(m *Machine, s scope, e *Expr) []*Node {
	return s.each(func(s scope, n *Node) []*Node {
		return []*Node{m.gather(runSelect(m, s.with(m.splat(s, n, walk{})...), e), n.Style)}
	})
}

func runFlatten(m *Machine, s scope, e *Expr) []*Node {
	s.sequences("only arrays are supported for flatten")
	depth := -1
	if e.args != "" {
		depth, _ = strconv.Atoi(e.args)
	}
	for _, n := range s.nodes {
		list := flat(nil, n.Content, depth)
		n.Content = nil
		m.addAll(n, list)
	}
	return s.nodes
}

// flat appends a list whose sequences it opens, to some depth.
func flat(out, list []*Node, depth int) []*Node {
	for _, c := range list {
		if c.Kind == Sequence && depth != 0 {
			out = flat(out, c.Content, depth-1)
		} else {
			out = append(out, c)
		}
	}
	return out
}

// quantified is any, if want is true, and otherwise all.
func quantified(want bool) func(*Machine, scope, *Expr) []*Node {
	name := "all"
	if want {
		name = "any"
	}
	return func(m *Machine, s scope, e *Expr) []*Node {
		s.sequences(name + " only supports arrays, was %s")
		return s.one(func(n *Node) *Node {
			for _, c := range n.Content {
				if e.right != nil {
					if c = m.first(s.with(c).reading(), e.right); c == nil {
						continue
					}
				}
				if c.truthy() == want {
					return m.boolean(n, want)
				}
			}
			return m.boolean(n, !want)
		})
	}
}

// A sortItem is a node with what it is sorted by.
type sortItem struct {
	node *Node
	keys []*Node
}

func runSort(m *Machine, s scope, e *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		if n.Kind != Sequence && n.Kind != Mapping {
			fail("node at path [%s] is not an array or map (it's a %s)", n.where(), n.Tag)
		}
		var items []sortItem
		for _, c := range n.values() {
			items = append(items, sortItem{c, m.eval(s.with(c).reading(), e.right)})
		}
		slices.SortStableFunc(items, func(a, b sortItem) int {
			m.poll(1)
			for i := range min(len(a.keys), len(b.keys)) {
				if order := compareNodes(s, a.keys[i], b.keys[i]); order != 0 {
					return order
				}
			}
			return cmp.Compare(len(a.keys), len(b.keys))
		})
		out := m.bare(n)
		for _, it := range items {
			if n.Kind == Mapping {
				m.put(out, it.node.key, it.node)
			} else {
				m.add(out, it.node)
			}
		}
		return out
	})
}

func runReverse(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		if n.Kind != Sequence {
			fail("node at path [%s] is not an array (it's a %s)", n.where(), n.Tag)
		}
		out := m.bare(n)
		for _, c := range slices.Backward(n.Content) {
			m.add(out, c)
		}
		return out
	})
}

func runShuffle(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		if n.Kind != Sequence {
			fail("node at path [%s] is not an array (it's a %s)", n.where(), n.Tag)
		}
		out := m.copy(n)
		for i := len(out.Content) - 1; i > 0; i-- {
			var random [8]byte
			_, err := io.ReadFull(m.call.Rand, random[:])
			check(err)
			j := int(binary.LittleEndian.Uint64(random[:]) % uint64(i+1))
			out.Content[i], out.Content[j] = out.Content[j], out.Content[i]
		}
		for i, c := range out.Content {
			c.key.Value = strconv.Itoa(i)
		}
		return out
	})
}

func runFirst(m *Machine, s scope, e *Expr) []*Node {
	return s.each(func(s scope, n *Node) []*Node {
		if e.right == nil {
			return n.Content[:min(1, len(n.Content))]
		}
		for _, c := range m.splat(s, n, walk{}) {
			for _, r := range m.eval(s.with(c), e.right) {
				if r.truthy() {
					return []*Node{c}
				}
			}
		}
		return nil
	})
}

// keyText returns what nodes are grouped by: the value of the first result.
func (m *Machine) keyText(s scope, n *Node, e *Expr, whole bool) string {
	key := m.first(s.with(n).reading(), e)
	switch {
	case key == nil:
		return tagNull[2:]
	case key.Kind != Scalar && whole:
		return m.encoded(key, YAML, 0)
	}
	return key.Value
}

func runUnique(m *Machine, s scope, e *Expr) []*Node {
	s.sequences("only arrays are supported for unique")
	return s.one(func(n *Node) *Node {
		out := m.likeSequence(n, n.Style)
		seen := map[string]bool{}
		for _, c := range n.Content {
			if key := m.keyText(s, c, e.right, true); !seen[key] {
				m.grow(len(key) + 64)
				seen[key] = true
				m.add(out, c)
			}
		}
		return out
	})
}

// likeSequence returns an empty sequence with the comments of n.
func (m *Machine) likeSequence(n *Node, style Style) *Node {
	out := m.instead(n, Sequence, tagSeq, "")
	out.Lead, out.Head, out.Line, out.Foot, out.Style = n.Lead, n.Head, n.Line, n.Foot, style
	return out
}

func runGroup(m *Machine, s scope, e *Expr) []*Node {
	s.sequences("only arrays are supported for group by")
	return s.one(func(n *Node) *Node {
		out := m.instead(n, Sequence, tagSeq, "")
		groups := map[string]int{}
		var lists [][]*Node
		for _, c := range n.Content {
			key := m.keyText(s, c, e.right, false)
			i, ok := groups[key]
			if !ok {
				m.grow(len(key) + 64)
				i, lists = len(lists), append(lists, nil)
				groups[key] = i
			}
			lists[i] = append(lists[i], c)
		}
		for _, list := range lists {
			m.add(out, m.gather(list, 0))
		}
		return out
	})
}

func runPivot(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		if n.Tag != tagSeq {
			fail("cannot pivot node of type %s", n.Tag)
		}
		tag := ""
		for i, c := range n.Content {
			if i > 0 && c.Tag != tag {
				fail("sequence contains elements of %s and %s types", tag, c.Tag)
			}
			tag = c.Tag
		}
		switch tag {
		case tagSeq:
			return m.pivotLists(n)
		case tagMap:
			return m.pivotMaps(n)
		}
		fail("can only pivot elements of !!seq or !!map types, received %s", tag)
		return nil
	})
}

// pivotLists turns rows into columns.
func (m *Machine) pivotLists(n *Node) *Node {
	out := &Node{Kind: Sequence}
	width := 0
	for _, row := range n.Content {
		width = max(width, len(row.Content))
	}
	for i := range width {
		column := &Node{Kind: Sequence}
		for _, row := range n.Content {
			if i < len(row.Content) {
				m.add(column, row.Content[i])
			} else {
				m.add(column, scalar(tagNull, ""))
			}
		}
		m.add(out, column)
	}
	return out
}

// pivotMaps turns maps into a map of lists.
func (m *Machine) pivotMaps(n *Node) *Node {
	var names []string
	columns := map[string]*Node{}
	for i, row := range n.Content {
		for j := 0; j+1 < len(row.Content); j += 2 {
			name := row.Content[j].Value
			column := columns[name]
			if column == nil {
				column = &Node{Kind: Sequence}
				columns[name], names = column, append(names, name)
			}
			for len(column.Content) < i {
				m.add(column, scalar(tagNull, ""))
			}
			m.add(column, row.Content[j+1])
		}
	}
	out := &Node{Kind: Mapping}
	for _, name := range names {
		for len(columns[name].Content) < len(n.Content) {
			m.add(columns[name], scalar(tagNull, ""))
		}
		m.put(out, scalar(tagStr, name), columns[name])
	}
	return out
}
