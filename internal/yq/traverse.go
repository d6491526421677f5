package yq

import (
	"fmt"
	"slices"
	"strconv"
)

// A walk says how a path leads into a node.
type walk struct {
	keepAlias bool // stay at aliases, and do not look into what << merges
	keys      bool // find keys
	noValues  bool // find no values
	onlyOld   bool // make nothing
	exact     bool // keys are no patterns
	optional  bool // wrong indices are no mistake
}

// matches collects nodes in the order of their places; a later one with the same
// place takes the earlier one's.
type matches struct {
	list  []*Node
	index map[string]int
}

// few is how many matches are not looked up by their places.
const few = 1

func (o *matches) set(n *Node) {
	place := n.placeName()
	if o.index == nil {
		o.index = map[string]int{}
	}
	if i, ok := o.index[place]; ok {
		o.list[i] = n
		return
	}
	o.index[place] = len(o.list)
	o.list = append(o.list, n)
}

// placeName names n's place in its parent.
func (n *Node) placeName() string {
	if n.isKey {
		return "key-" + n.Value + "-"
	}
	if n.key != nil {
		return " " + n.key.Value
	}
	return ""
}

func runMember(m *Machine, s scope, e *Expr) []*Node {
	var out []*Node
	for _, n := range s.nodes {
		out = append(out, m.step(s, n, e.word, false, walk{optional: e.opt})...)
	}
	return out
}

// step follows one part of a path. index says that it is a number and not a name.
func (m *Machine) step(s scope, n *Node, key string, index bool, w walk) []*Node {
	n = n.resolve()
	if n.Tag == tagNull && !s.readOnly {
		n.Kind, n.Tag = Mapping, ""
		if index {
			n.Kind = Sequence
		}
	}
	switch n.Kind {
	case Mapping:
		return m.look(s, n, scalar(tagStr, key), w, false)
	case Sequence:
		return m.at(n, []*Node{{Value: key}}, w)
	}
	return nil
}

// runIndex is x[y]: a slice, an iteration, or members.
func runIndex(m *Machine, s scope, e *Expr) []*Node {
	if e.right != nil && e.right.op == slicing {
		return m.slice(s.with(m.eval(s, e.left)...), e.right)
	}
	left := m.eval(s, e.left)
	var keys []*Node
	if e.right != nil {
		keys = m.eval(s.reading(), e.right)
		if len(keys) > 1 && len(s.nodes) > 1 {
			keys = m.eval(s.with(s.nodes[0]).reading(), e.right)
		}
		if len(keys) == 0 {
			return nil
		}
	}
	var out []*Node
	for _, n := range left {
		out = append(out, m.indices(s, n, keys, walk{optional: e.opt})...)
	}
	return out
}

// splat returns the members of n.
func (m *Machine) splat(s scope, n *Node, w walk) []*Node { return m.indices(s, n, nil, w) }

// indices returns the members of n that keys name; all if there are none.
func (m *Machine) indices(s scope, n *Node, keys []*Node, w walk) []*Node {
	n = n.resolve()
	if n.Tag == tagNull {
		n.Tag, n.Kind = "", Sequence
		if len(keys) > 0 && keys[0].Tag != tagInt {
			n.Kind = Mapping
		}
	}
	switch n.Kind {
	case Sequence:
		return m.at(n, keys, w)
	case Mapping:
		if len(keys) == 0 {
			return m.look(s, n, scalar(tagStr, ""), w, true)
		}
		var out []*Node
		for _, key := range keys {
			out = append(out, m.look(s, n, key, w, false)...)
		}
		return out
	}
	return nil
}

// at returns members of a sequence, which it makes longer for an index beyond it.
func (m *Machine) at(n *Node, keys []*Node, w walk) []*Node {
	if len(keys) == 0 {
		return slices.Clone(n.Content)
	}
	var out []*Node
	for _, key := range keys {
		i, err := integer(key.Value)
		if err != nil {
			if w.optional {
				continue
			}
			fail("cannot index array with '%s' (%w)", key.Value, err)
		}
		for len(n.Content) <= i {
			if len(n.Content) == 0 {
				n.Style = 0
			}
			m.add(n, scalar(tagNull, "null"))
		}
		from := i
		if i < 0 {
			from += len(n.Content)
		}
		if from < 0 {
			fail("index [%d] out of range, array size is %d", i, len(n.Content))
		}
		out = append(out, n.Content[from])
	}
	return out
}

// look returns the members of a mapping whose keys match key, or all; it makes
// one where there is none and the scope allows.
func (m *Machine) look(s scope, n *Node, key *Node, w walk, all bool) []*Node {
	var found matches
	m.search(&found, n, key.Value, w, all)
	if len(found.list) > 0 || all || w.onlyOld || s.readOnly {
		return found.list
	}
	if len(n.Content) == 0 {
		n.Style = 0
	}
	k, v := m.put(n, key, scalar(tagNull, "null"))
	if w.keys {
		found.set(k)
	}
	if !w.noValues {
		found.set(v)
	}
	return found.list
}

func (m *Machine) search(found *matches, n *Node, key string, w walk, all bool) {
	m.poll(len(n.Content))
	if !w.keepAlias && m.MergeToSpec {
		for i := len(n.Content) - 2; i >= 0; i -= 2 {
			if n.Content[i].Tag == tagMerge {
				m.searchMerged(found, n.Content[i+1], key, w, all)
			}
		}
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		switch {
		case k.Tag == tagMerge && !w.keepAlias && key != k.Value:
			if !m.MergeToSpec {
				m.searchMerged(found, v, key, w, all)
			}
		case all || k.Value == key || !w.exact && glob(k.Value, key):
			if w.keys {
				found.set(k)
			}
			if !w.noValues {
				found.set(v)
			}
		}
	}
}

// searchMerged searches what << merges into a mapping.
func (m *Machine) searchMerged(found *matches, n *Node, key string, w walk, all bool) {
	n = n.resolve()
	switch n.Kind {
	case Mapping:
		m.search(found, n, key, w, all)
	case Sequence:
		list := slices.Clone(n.Content)
		if m.MergeToSpec {
			slices.Reverse(list)
		}
		for _, c := range list {
			c = c.resolve()
			if c.Kind != Mapping {
				return
			}
			m.search(found, c, key, w, all)
		}
	}
}

// glob reports whether name matches a pattern of * and ?.
func glob(name, pattern string) bool {
	star, mark := -1, 0
	i, j := 0, 0
	for i < len(name) {
		switch {
		case j < len(pattern) && pattern[j] == '*':
			star, mark = j, i
			j++
		case j < len(pattern) && (pattern[j] == '?' || pattern[j] == name[i]):
			i, j = i+1, j+1
		case star >= 0:
			mark++
			i, j = mark, star+1
		default:
			return false
		}
	}
	for j < len(pattern) && pattern[j] == '*' {
		j++
	}
	return j == len(pattern)
}

// follow returns the nodes at a path below n, making what is not there.
func (m *Machine) follow(s scope, n *Node, path []any, w walk, key bool) []*Node {
	nodes := []*Node{n}
	for i, part := range path {
		step := w
		if key && i == len(path)-1 {
			step.keys, step.noValues = true, true
		}
		_, index := part.(int)
		var next []*Node
		for _, n := range nodes {
			next = append(next, m.step(s, n, fmt.Sprint(part), index, step)...)
		}
		nodes = next
	}
	return nodes
}

// slice is x[a:b].
func (m *Machine) slice(s scope, e *Expr) []*Node {
	bound := func(s scope, e *Expr, length int) int {
		if e == nil {
			return length
		}
		r := m.eval(s, e)
		if len(r) != 1 {
			fail("expected to find 1 number, got %d instead", len(r))
		}
		i, err := integer(r[0].Value)
		check(err)
		if i < 0 {
			i += length
		}
		return min(max(i, 0), length)
	}
	return s.each(func(s scope, n *Node) []*Node {
		if n.Kind == Scalar && n.guess() == tagStr {
			runes := []rune(n.Value)
			from, to := bound(s, e.left, len(runes)), bound(s, e.right, len(runes))
			out := m.instead(n, Scalar, n.Tag, string(runes[from:max(from, to)]))
			out.Style = n.Style
			return []*Node{out}
		}
		from, to := bound(s, e.left, len(n.Content)), bound(s, e.right, len(n.Content))
		out := m.instead(n, Sequence, n.Tag, "")
		m.addAll(out, n.Content[from:max(from, to)])
		return []*Node{out}
	})
}

// descending is .. and, with keys, ...
func descending(keys bool) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, _ *Expr) []*Node {
		var out []*Node
		for _, n := range s.nodes {
			out = m.descend(out, s, n, walk{keepAlias: true, keys: keys}, true)
		}
		return out
	}
}

// descend appends n and all below it, but for what is in sequences unless lists
// is set.
func (m *Machine) descend(out []*Node, s scope, n *Node, w walk, lists bool) []*Node {
	m.poll(1)
	out = append(out, n)
	if n.Kind == Alias || len(n.Content) == 0 || n.Kind == Sequence && !lists {
		return out
	}
	for _, c := range m.splat(s, n, w) {
		out = m.descend(out, s, c, w, lists)
	}
	return out
}

func runPath(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		out := m.instead(n, Sequence, tagSeq, "")
		for _, part := range n.path() {
			tag := tagStr
			if _, ok := part.(int); ok {
				tag = tagInt
			}
			m.add(out, scalar(tag, fmt.Sprint(part)))
		}
		return out
	})
}

// pathOf returns the path that a sequence names.
func pathOf(who string, n *Node) []any {
	if n.Kind != Sequence {
		fail("%s: expected path array, but got %s instead", who, n.Tag)
	}
	var path []any
	for _, c := range n.Content {
		switch c.Tag {
		case tagStr:
			path = append(path, c.Value)
		case tagInt:
			i, err := integer(c.Value)
			if err != nil {
				fail("%s: could not parse %s as an int: %w", who, c.Value, err)
			}
			path = append(path, i)
		default:
			fail("%s: expected either a !!str or !!int in the path, found %s instead", who, c.Tag)
		}
	}
	return path
}

func runSetPath(m *Machine, s scope, e *Expr) []*Node {
	if e.right.op != block {
		fail("SETPATH must be given a block (;), got %s instead", e.right.op.name)
	}
	paths := m.eval(s.reading(), e.right.left)
	if len(s.nodes) > 1 && len(paths) == len(s.nodes) {
		paths = paths[:1]
	}
	if len(paths) != 1 {
		fail("SETPATH: expected single path but found %d results instead", len(paths))
	}
	path := pathOf("SETPATH", paths[0])
	for _, n := range s.nodes {
		values := m.eval(s.with(n).reading(), e.right.right)
		if len(values) != 1 {
			fail("SETPATH: expected single value on RHS but found %d", len(values))
		}
		for _, target := range m.follow(s.writing(), n, path, walk{}, false) {
			m.update(target, values[0], assign{})
		}
	}
	return s.nodes
}

func runDelPaths(m *Machine, s scope, e *Expr) []*Node {
	lists := m.eval(s.reading(), e.right)
	if len(lists) != 1 {
		fail("DELPATHS: expected single value but found %d", len(lists))
	}
	if lists[0].Tag != tagSeq {
		fail("DELPATHS: expected a sequence of sequences, but found %s", lists[0].Tag)
	}
	for i, c := range lists[0].Content {
		if c.Tag != tagSeq {
			fail("DELPATHS: expected entry [%d] to be a sequence, but its a %s. Note that delpaths takes an array of path arrays, e.g. [[\"a\", \"b\"]]", i, c.Tag)
		}
		path := pathOf("DELPATHS", c)
		var found []*Node
		for _, n := range s.nodes {
			found = append(found, m.follow(s.reading(), n, path, walk{}, false)...)
		}
		s.nodes = m.remove(s.nodes, found)
	}
	return s.nodes
}

func runDelete(m *Machine, s scope, e *Expr) []*Node {
	return m.remove(s.nodes, m.eval(s.reading(), e.right))
}

// remove takes nodes out of their parents, or from a list. It begins with the
// last, so that the places of others stay right.
func (m *Machine) remove(from, nodes []*Node) []*Node {
	for _, n := range slices.Backward(nodes) {
		if n.parent == nil {
			return slices.DeleteFunc(slices.Clone(from), func(o *Node) bool { return o == n })
		}
		m.removeMember(n.parent, n.pathKey())
	}
	return from
}

// removeMember takes the member key out of n.
func (m *Machine) removeMember(n *Node, key any) {
	m.poll(len(n.Content))
	switch n.Kind {
	case Mapping:
		name, ok := key.(string)
		for i := 0; ok && i+1 < len(n.Content); {
			if n.Content[i].Value == name {
				n.drop(i, i+2)
			} else {
				i += 2
			}
		}
	case Sequence:
		if i, err := strconv.Atoi(fmt.Sprint(key)); err == nil && i < len(n.Content) && i >= 0 {
			n.drop(i, i+1)
		}
	default:
		fail("cannot delete nodes from parent of tag %s", n.Tag)
	}
}
