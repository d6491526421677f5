package yq

// Explode replaces the aliases in nodes by what they stand for, and << by what it
// merges.
func (m *Machine) Explode(nodes []*Node) (err error) {
	defer m.catch(&err)
	for _, n := range nodes {
		m.explode(n)
	}
	return nil
}

func runExplode(m *Machine, s scope, e *Expr) []*Node {
	for _, n := range s.nodes {
		for _, r := range m.eval(s.with(n), e.right) {
			m.explode(r)
		}
	}
	return s.nodes
}

func (m *Machine) explode(n *Node) {
	m.poll(1)
	n.Anchor = ""
	switch n.Kind {
	case Alias:
		if t := n.Target; t != nil {
			n.Kind, n.Style, n.Tag, n.Value, n.Target = t.Kind, t.Style, t.Tag, t.Value, nil
			m.addAll(n, t.Content)
		}
	case Sequence:
		for _, c := range n.Content {
			m.explode(c)
		}
	case Mapping:
		for i := 0; i+1 < len(n.Content); i += 2 {
			if n.Content[i].Value == "<<" {
				m.merge(n)
				return
			}
		}
		for _, c := range n.Content {
			m.explode(c)
		}
	}
}

// merge replaces << in a mapping by what it merges.
func (m *Machine) merge(n *Node) {
	if m.MergeToSpec {
		m.mergeToSpec(n)
		return
	}
	old := n.Content
	var made []*Node
	put := func(k, v *Node, after int) {
		m.poll(len(made) + len(old))
		m.explode(v)
		for i := 0; i+1 < len(made); i += 2 {
			if made[i].Value == k.Value && made[i].Target == nil && k.Target == nil {
				made[i+1] = v
				return
			}
		}
		for i := after + 2; i < len(old); i += 2 {
			if old[i].Value == k.Value && old[i].Target == nil {
				return
			}
		}
		m.explode(k)
		made = append(made, k, v)
	}
	apply := func(t *Node, at int) {
		if t == nil {
			return
		}
		if t.Kind != Mapping {
			fail("can only use merge anchors with maps (!!map) or sequences (!!seq) of maps, but got sequence containing %s", t.Tag)
		}
		for i := 0; i+1 < len(t.Content); i += 2 {
			put(t.Content[i], t.Content[i+1], at)
		}
	}
	for i := 0; i+1 < len(old); i += 2 {
		k, v := old[i], old[i+1]
		switch {
		case k.Value != "<<":
			put(k, v, i)
		case v.Kind == Sequence:
			for j := len(v.Content) - 1; j >= 0; j-- {
				apply(v.Content[j].Target, j)
			}
		default:
			apply(v.Target, i)
		}
	}
	n.Content = nil
	m.addAll(n, made)
}

// mergeToSpec is merge where the keys of a mapping win over merged ones, and
// earlier merged ones over later.
func (m *Machine) mergeToSpec(n *Node) {
	var made []*Node
	has := func(list []*Node, key string) bool {
		m.poll(len(list))
		for i := 0; i+1 < len(list); i += 2 {
			if list[i].Value == key && list[i].Tag != tagMerge {
				return true
			}
		}
		return false
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if k.Tag != tagMerge {
			m.explode(k)
			m.explode(v)
			made = append(made, k, v)
			continue
		}
		list := []*Node{v}
		if t := v.resolve(); t.Kind == Sequence {
			list = t.Content
		}
		for _, t := range list {
			t = m.copy(t.resolve())
			m.explode(t)
			if t.Kind != Mapping {
				fail("can only use merge anchors with maps (!!map) or sequences (!!seq) of maps, but got sequence containing %s", t.Tag)
			}
			for j := 0; j+1 < len(t.Content); j += 2 {
				if key := t.Content[j].Value; !has(n.Content, key) && !has(made, key) {
					made = append(made, t.Content[j], t.Content[j+1])
				}
			}
		}
	}
	n.Content = nil
	m.addAll(n, made)
}
