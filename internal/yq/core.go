package yq

func runConstant(m *Machine, s scope, e *Expr) []*Node {
	if len(s.nodes) == 0 {
		return []*Node{m.copy(e.node)}
	}
	return s.one(func(*Node) *Node { return m.copy(e.node) })
}

func runVariable(_ *Machine, s scope, e *Expr) []*Node {
	nodes, _ := s.lookup(e.word)
	return nodes
}

func runUnbound(*Machine, scope, *Expr) []*Node {
	fail("must use variable with a pipe, e.g. `exp as $x | ...`")
	return nil
}

// runPipe gives the results of its left side to its right one. If that is a
// binding, it runs the right side for each value.
func runPipe(m *Machine, s scope, e *Expr) []*Node {
	if e.left.op != bindingOp && e.left.op != refOp {
		return m.eval(s.with(m.eval(s, e.left)...), e.right)
	}
	if s.together() {
		return m.bound(s, e)
	}
	return s.each(func(s scope, _ *Node) []*Node { return m.bound(s, e) })
}

func (m *Machine) bound(s scope, e *Expr) []*Node {
	as := e.left
	values := m.eval(s.reading(), as.left)
	if as.right.op != variable {
		fail("RHS of 'as' operator must be a variable name e.g. $foo")
	}
	if len(values) == 0 {
		return m.eval(s, e.right)
	}
	var out []*Node
	for _, v := range values {
		if as.op == bindingOp {
			v = m.copy(v)
		}
		out = append(out, m.eval(s.bind(as.right.word, []*Node{v}), e.right)...)
	}
	return out
}

// runReduce is: exp as $x ireduce (init; update).
func runReduce(m *Machine, s scope, e *Expr) []*Node {
	switch {
	case e.left.op != bindingOp && e.left.op != refOp:
		fail("reduce must be given a variables assignment, got %s instead", e.left.op.name)
	case e.right.op != block:
		fail("reduce must be given a block, got %s instead", e.right.op.name)
	}
	reduce := func(s scope, _ *Node) []*Node {
		values := m.eval(s, e.left.left)
		name := e.left.right.word
		s.nodes = m.eval(s, e.right.left)
		for _, v := range values {
			s.nodes = m.eval(s.bind(name, []*Node{v}), e.right.right)
		}
		return s.nodes
	}
	if s.together() {
		return reduce(s, nil)
	}
	return s.each(reduce)
}

// same reports whether two lists are one: what several assignments to the same
// input return.
func same(a, b []*Node) bool { return len(a) == len(b) && len(a) > 0 && &a[0] == &b[0] }

func runUnion(m *Machine, s scope, e *Expr) []*Node {
	left := m.eval(s, e.left)
	right := m.eval(s, e.right)
	if same(left, right) {
		return left
	}
	return append(left[:len(left):len(left)], right...)
}

func runIf(m *Machine, s scope, e *Expr) []*Node {
	return s.each(func(s scope, n *Node) []*Node {
		results := m.eval(s.reading(), e.left)
		if len(results) == 0 {
			results = []*Node{nil}
		}
		var out []*Node
		for _, r := range results {
			branch := e.right.right
			if r.truthy() {
				branch = e.right.left
			}
			out = append(out, m.eval(s, branch)...)
		}
		return out
	})
}

// A pairing combines results of the two sides of an operator.
type pairing struct {
	whenEmpty bool                   // a side without results counts as nil
	short     func(left *Node) *Node // the result if the right side does not matter
	pair      func(a, b *Node) *Node // nil means no result
}

// pairs applies p to the results of both sides of e, for each node of s.
func (m *Machine) pairs(s scope, e *Expr, p pairing) []*Node {
	if s.together() {
		return m.cross(s, e, p)
	}
	return s.each(func(s scope, _ *Node) []*Node { return m.cross(s, e, p) })
}

func (m *Machine) cross(s scope, e *Expr, p pairing) []*Node {
	left := m.eval(s, e.left)
	if p.whenEmpty && len(s.nodes) > 0 && len(left) == 0 {
		left = []*Node{nil}
	}
	var out []*Node
	add := func(n *Node) {
		if n != nil {
			out = append(out, n)
		}
	}
	for _, a := range left {
		if p.short != nil {
			if n := p.short(a); n != nil {
				add(n)
				continue
			}
		}
		right := m.eval(s, e.right)
		if p.whenEmpty && len(right) == 0 {
			right = []*Node{nil}
		}
		for _, b := range right {
			m.poll(1)
			add(p.pair(a, b))
		}
	}
	return out
}

func runAlternative(m *Machine, s scope, e *Expr) []*Node {
	return m.pairs(s, e, pairing{
		whenEmpty: true,
		short: func(a *Node) *Node {
			if a.truthy() {
				return a
			}
			return nil
		},
		pair: func(a, b *Node) *Node {
			if b == nil || a.truthy() {
				return a
			}
			return b
		},
	})
}

// logical is or, if want is true, and otherwise and.
func logical(want bool) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		return m.pairs(s.reading(), e, pairing{
			whenEmpty: true,
			short: func(a *Node) *Node {
				if a.truthy() == want {
					return m.boolean(a, want)
				}
				return nil
			},
			pair: func(a, b *Node) *Node {
				owner := a
				if owner == nil {
					owner = b
				}
				return m.boolean(owner, b.truthy())
			},
		})
	}
}

func runNot(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node { return m.boolean(n, !n.truthy()) })
}

func runSelect(m *Machine, s scope, e *Expr) []*Node {
	return s.each(func(s scope, n *Node) []*Node {
		for _, r := range m.eval(s.reading(), e.right) {
			if r.truthy() {
				return s.nodes
			}
		}
		return nil
	})
}

func runWith(m *Machine, s scope, e *Expr) []*Node {
	if e.right.op != block {
		fail("with must be given a block (;), got %s instead", e.right.op.name)
	}
	for _, n := range m.eval(s, e.right.left) {
		m.eval(s.with(n), e.right.right)
	}
	return s.nodes
}

func runEval(m *Machine, s scope, e *Expr) []*Node {
	var list []*Expr
	for _, n := range m.eval(s.reading(), e.right) {
		list = append(list, m.parse(n.Value))
	}
	var out []*Node
	for range s.nodes {
		for _, e := range list {
			out = append(out, m.eval(s, e)...)
		}
	}
	return out
}

func runError(m *Machine, s scope, e *Expr) []*Node {
	text := "aborted"
	if n := m.first(s.reading(), e.right); n != nil {
		text = n.Value
	}
	fail("%s", text)
	return nil
}

// list makes a sequence of the results of e for the nodes of s, each alone.
func (m *Machine) list(s scope, e *Expr) *Node {
	out := &Node{Kind: Sequence, Tag: tagSeq}
	for _, n := range s.nodes {
		for _, r := range m.eval(s.with(n).reading(), e) {
			m.add(out, r)
		}
	}
	return out
}

func runCollect(m *Machine, s scope, e *Expr) []*Node {
	switch {
	case len(s.nodes) == 0:
		return []*Node{{Kind: Sequence, Tag: tagSeq}}
	case s.together():
		return []*Node{m.list(s, e.right)}
	}
	return s.each(func(s scope, n *Node) []*Node {
		out := m.instead(n, Sequence, tagSeq, "")
		for _, r := range m.eval(s, e.right) {
			m.add(out, r)
		}
		return []*Node{out}
	})
}

// runPairs makes a list of lists of maps with one member each: for each node,
// the key of the left side with the value of the right one.
func runPairs(m *Machine, s scope, e *Expr) []*Node {
	all := &Node{Kind: Sequence, Tag: tagSeq}
	make := func(s scope, n *Node) []*Node {
		row := &Node{Kind: Sequence, Tag: tagSeq}
		maps := m.pairs(s, e, pairing{pair: func(key, value *Node) *Node {
			pair := &Node{Kind: Mapping, Tag: tagMap}
			m.put(pair, key, value)
			if n != nil {
				pair.Place(n.Doc(), n.File(), n.root().name, false)
			}
			return pair
		}})
		for _, p := range maps {
			m.add(row, p)
		}
		if n != nil {
			row.Place(n.Doc(), n.File(), n.root().name, false)
		}
		m.add(all, row)
		return nil
	}
	if len(s.nodes) == 0 {
		make(s, nil)
	} else {
		s.each(make)
	}
	return []*Node{all}
}

// runCollectMap merges the maps of what runPairs made, in every combination.
func runCollectMap(m *Machine, s scope, _ *Expr) []*Node {
	if len(s.nodes) == 0 {
		return []*Node{{Kind: Mapping, Tag: tagMap}}
	}
	var out []*Node
	for i := range s.nodes[0].Content {
		var made []*Node
		for _, n := range s.nodes {
			if i >= len(n.Content) {
				fail("CollectObject: mismatching node sizes; are you creating a map with mismatching key value pairs?")
			}
			choices := n.Content[i].values()
			if made == nil {
				made = choices
				continue
			}
			var next []*Node
			for _, a := range made {
				for _, b := range choices {
					next = append(next, m.multiply(s.writing(), m.copy(a), b, mergeFlags{}))
				}
			}
			made = next
		}
		for _, n := range made {
			c := m.copy(n)
			c.parent, c.key = nil, nil
			out = append(out, c)
		}
	}
	return out
}
