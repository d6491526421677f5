package yq

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func runHas(m *Machine, s scope, e *Expr) []*Node {
	wanted := m.first(s.reading(), e.right)
	if wanted == nil {
		wanted = scalar(tagNull, "null")
	}
	return s.one(func(n *Node) *Node {
		has := false
		switch n.Kind {
		case Mapping:
			for i := 0; i+1 < len(n.Content); i += 2 {
				has = has || n.Content[i].Value == wanted.Value
			}
		case Sequence:
			if wanted.Tag == tagInt {
				i, err := strconv.ParseInt(wanted.Value, 10, 64)
				check(err)
				has = i >= 0 && i < int64(len(n.Content))
			}
		}
		return m.boolean(n, has)
	})
}

func runKeys(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		out := &Node{Kind: Sequence, Tag: tagSeq}
		switch n.Kind {
		case Mapping:
			for i := 0; i < len(n.Content); i += 2 {
				m.add(out, n.Content[i])
			}
		case Sequence:
			for i := range n.Content {
				m.add(out, scalar(tagInt, strconv.Itoa(i)))
			}
		default:
			fail("cannot get keys of %s, keys only works for maps and arrays", n.Tag)
		}
		return out
	})
}

func runSortKeys(m *Machine, s scope, e *Expr) []*Node {
	for _, n := range s.nodes {
		for _, r := range m.eval(s.with(n).reading(), e.right) {
			if r.Kind == Mapping {
				m.sortKeys(r)
			}
		}
	}
	return s.nodes
}

func (m *Machine) sortKeys(n *Node) {
	m.poll(len(n.Content))
	var pairs [][2]*Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		pairs = append(pairs, [2]*Node{n.Content[i], n.Content[i+1]})
	}
	slices.SortStableFunc(pairs, func(a, b [2]*Node) int { return strings.Compare(a[0].Value, b[0].Value) })
	n.Content = n.Content[:0]
	for _, p := range pairs {
		n.Content = append(n.Content, p[0], p[1])
	}
}

func runMapValues(m *Machine, s scope, e *Expr) []*Node {
	for _, n := range s.nodes {
		list := m.splat(s, n, walk{})
		results := make([]*Node, len(list))
		for i, c := range list {
			results[i] = m.first(s.with(c), e.right)
		}
		for i, c := range slices.Backward(list) {
			if results[i] != nil {
				m.update(c, results[i], assign{})
				continue
			}
			if at := slices.Index(n.Content, c); at >= 0 {
				from := at
				if n.Kind == Mapping {
					from--
				}
				n.drop(from, at+1)
			}
		}
	}
	return s.nodes
}

// entry returns a map with the members key and value.
func (m *Machine) entry(key, value *Node) *Node {
	out := &Node{Kind: Mapping, Tag: tagMap}
	m.put(out, scalar(tagStr, "key"), key)
	m.put(out, scalar(tagStr, "value"), value)
	return out
}

// entries returns the members of n as a sequence of maps, or nil for null.
func (m *Machine) entries(n *Node) *Node {
	out := m.likeSequence(n, 0)
	switch n.Kind {
	case Mapping:
		for i := 0; i+1 < len(n.Content); i += 2 {
			m.add(out, m.entry(n.Content[i], n.Content[i+1]))
		}
	case Sequence:
		for i, c := range n.Content {
			m.add(out, m.entry(scalar(tagInt, strconv.Itoa(i)), c))
		}
	default:
		if n.Tag != tagNull {
			fail("%s has no keys", n.Tag)
		}
		return nil
	}
	return out
}

func runToEntries(m *Machine, s scope, _ *Expr) []*Node {
	return s.each(func(_ scope, n *Node) []*Node {
		if out := m.entries(n); out != nil {
			return []*Node{out}
		}
		return nil
	})
}

func runFromEntries(m *Machine, s scope, _ *Expr) []*Node {
	s.sequences("from entries only runs against arrays")
	return s.one(func(n *Node) *Node { return m.fromEntries(n) })
}

func (m *Machine) fromEntries(n *Node) *Node {
	out := m.bare(n)
	out.Kind, out.Tag = Mapping, tagMap
	for i, c := range n.Content {
		part := func(name string) *Node {
			var found matches
			m.search(&found, c, name, walk{}, false)
			if len(found.list) != 1 {
				fail("expected to find one '%s' entry but found %d in position %d", name, len(found.list), i)
			}
			return found.list[0]
		}
		m.put(out, part("key"), part("value"))
	}
	return out
}

func runWithEntries(m *Machine, s scope, e *Expr) []*Node {
	return s.each(func(s scope, n *Node) []*Node {
		entries := m.entries(n)
		if entries == nil {
			return nil
		}
		var made []*Node
		for _, c := range entries.Content {
			made = append(made, m.eval(s.with(c), e.right)...)
		}
		list := m.gather(made, 0)
		list.Lead, list.Head, list.Foot = entries.Lead, entries.Head, entries.Foot
		return []*Node{m.fromEntries(list)}
	})
}

func runArrayToMap(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		out := &Node{Kind: Mapping, Tag: tagMap}
		for i, c := range n.Content {
			if c.Tag != tagNull {
				m.put(out, scalar(tagInt, strconv.Itoa(i)), c)
			}
		}
		return out
	})
}

// picking returns the nodes of s, each with those members that a list names; keep
// says whether these are kept or left out.
func (m *Machine) picking(s scope, e *Expr, keep func(n *Node, names []*Node) []*Node) []*Node {
	var names []*Node
	if list := m.first(s, e.right); list != nil {
		names = list.Content
	}
	return s.one(func(n *Node) *Node {
		out := m.bare(n)
		m.addAll(out, keep(n, names))
		return out
	})
}

func runPick(m *Machine, s scope, e *Expr) []*Node {
	return m.picking(s, e, func(n *Node, names []*Node) (kept []*Node) {
		for _, name := range names {
			switch n.Kind {
			case Mapping:
				if i := m.find(n, name); i >= 0 {
					kept = append(kept, n.Content[i], n.Content[i+1])
				}
			case Sequence:
				i, err := integer(name.Value)
				if err != nil {
					fail("cannot index array with %s", name.Value)
				}
				if i >= 0 && i < len(n.Content) {
					kept = append(kept, n.Content[i])
				}
			default:
				fail("cannot pick indices from type %s (%s)", n.Tag, n.where())
			}
		}
		return kept
	})
}

func runOmit(m *Machine, s scope, e *Expr) []*Node {
	return m.picking(s, e, func(n *Node, names []*Node) (kept []*Node) {
		step := 1
		if n.Kind == Mapping {
			step = 2
		}
		for i := 0; i+step <= len(n.Content); i += step {
			name := n.Content[i]
			if step == 1 {
				name = scalar(tagInt, strconv.Itoa(i))
			}
			if !m.includes(names, name) {
				kept = append(kept, n.Content[i:i+step]...)
			}
		}
		return kept
	})
}

func position(of func(*Node) int) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, _ *Expr) []*Node {
		return s.one(func(n *Node) *Node { return m.instead(n, Scalar, tagInt, strconv.Itoa(of(n))) })
	}
}

// placeOf returns an operator that tells where the root of a node comes from.
func placeOf(tag string, of func(*Node) any) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, _ *Expr) []*Node {
		return s.one(func(n *Node) *Node { return m.instead(n, Scalar, tag, fmt.Sprint(of(n.root()))) })
	}
}

func runKind(m *Machine, s scope, _ *Expr) []*Node {
	names := map[Kind]string{Scalar: "scalar", Sequence: "seq", Mapping: "map", Alias: "alias"}
	return s.one(func(n *Node) *Node { return m.str(n, names[n.Kind]) })
}

func runKey(_ *Machine, s scope, _ *Expr) []*Node {
	return s.each(func(_ scope, n *Node) []*Node {
		if n.key == nil {
			return nil
		}
		return []*Node{n.key}
	})
}

func runIsKey(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node { return m.boolean(n, n.isKey) })
}

func runParents(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		out := &Node{Kind: Sequence, Tag: tagSeq}
		for p := n.parent; p != nil; p = p.parent {
			m.add(out, p)
		}
		return out
	})
}

func runParent(_ *Machine, s scope, e *Expr) []*Node {
	level := 1
	if e.args != "" {
		level, _ = strconv.Atoi(e.args)
	}
	return s.each(func(_ scope, n *Node) []*Node {
		up := level
		if up < 0 {
			for p := n.parent; p != nil; p = p.parent {
				up++
			}
			up = max(up+1, 0)
		}
		for ; up > 0 && n != nil; up-- {
			n = n.parent
		}
		if n == nil {
			return nil
		}
		return []*Node{n}
	})
}

func runRoot(_ *Machine, s scope, _ *Expr) []*Node {
	return s.each(func(_ scope, n *Node) []*Node { return []*Node{n.root()} })
}

func runSplitDoc(_ *Machine, s scope, _ *Expr) []*Node {
	for i, n := range s.nodes {
		n.doc, n.parent = i, nil
	}
	return s.nodes
}
