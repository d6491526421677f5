package yq

import (
	"cmp"
	"strings"
	"time"
)

// comparing is == and, with flip, !=.
func comparing(flip bool) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		if flip {
			s = s.reading()
		}
		return m.pairs(s, e, pairing{whenEmpty: true, pair: func(a, b *Node) *Node {
			owner, same := a, false
			switch {
			case a == nil && b == nil:
				same = true
			case a == nil:
				owner, same = b, b.Tag == tagNull
			case b == nil:
				same = a.Tag == tagNull
			case a.Tag == tagNull:
				same = b.Tag == tagNull
			case a.Kind == Scalar && b.Kind == Scalar:
				same = glob(a.Value, b.Value)
			}
			return m.boolean(owner, same != flip)
		}})
	}
}

// ordering is < and its like.
func ordering(greater, orEqual bool) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		return m.pairs(s, e, pairing{whenEmpty: true, pair: func(a, b *Node) *Node {
			switch {
			case a == nil && b == nil:
				return m.boolean(nil, orEqual)
			case a == nil:
				return m.boolean(b, false)
			case b == nil:
				return m.boolean(a, false)
			}
			return m.boolean(m.bare(a), ordered(s, a, b, greater, orEqual))
		}})
	}
}

// ordered compares two scalars.
func ordered(s scope, a, b *Node, greater, orEqual bool) bool {
	switch {
	case a.Kind == Mapping:
		fail("maps not yet supported for comparison")
	case a.Kind == Sequence:
		fail("arrays not yet supported for comparison")
	case b.Kind != Scalar:
		fail("%s (%s) cannot be subtracted from %s", b.Tag, b.where(), a.Tag)
	}
	left, right := a.guess(), b.guess()
	dated := a.Tag == tagTime
	if left == tagStr {
		_, err := parseTime(s.dates(), a.Value)
		dated = err == nil
	}
	var order int
	switch {
	case dated:
		x, err := parseTime(s.dates(), a.Value)
		check(err)
		y, err := parseTime(s.dates(), b.Value)
		check(err)
		order = x.Compare(y)
	case left == tagInt && right == tagInt:
		_, x, err := integerForm(a.Value)
		check(err)
		_, y, err := integerForm(b.Value)
		check(err)
		order = cmp.Compare(x, y)
	case numeric(left) && numeric(right):
		order = cmp.Compare(floats(a, b))
	case left == tagStr && right == tagStr:
		order = strings.Compare(a.Value, b.Value)
	case left == tagNull && right == tagNull:
		return orEqual
	case left == tagNull, right == tagNull:
		return false
	default:
		fail("%s not yet supported for comparison", a.Tag)
	}
	switch {
	case order == 0:
		return orEqual
	case greater:
		return order > 0
	}
	return order < 0
}

// extreme is max and, without greatest, min.
func extreme(greatest bool) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, _ *Expr) []*Node {
		return s.each(func(s scope, n *Node) []*Node {
			list := m.splat(s, n, walk{})
			if len(list) == 0 {
				return nil
			}
			best := list[0]
			for _, c := range list[1:] {
				m.poll(1)
				if ordered(s, c, best, greatest, false) {
					best = c
				}
			}
			return []*Node{best}
		})
	}
}

// compareNodes orders scalars for sorting: null, booleans, and then the others.
func compareNodes(s scope, a, b *Node) int {
	left, right := a.guess(), b.guess()
	for _, tag := range []string{tagNull, tagBool} {
		switch {
		case left == tag && right != tag:
			return -1
		case left != tag && right == tag:
			return 1
		}
	}
	if left == tagBool {
		return cmp.Compare(digit(a.truthy()), digit(b.truthy()))
	}
	dated := left == tagTime && right == tagTime
	if dated || left == tagStr && s.dates() != time.RFC3339 {
		x, err := parseTime(s.dates(), a.Value)
		y, other := parseTime(s.dates(), b.Value)
		if err == nil && other == nil {
			return x.Compare(y)
		}
	}
	switch {
	case left == tagInt && right == tagInt:
		_, x, err := integerForm(a.Value)
		check(err)
		_, y, err := integerForm(b.Value)
		check(err)
		return cmp.Compare(x, y)
	case numeric(left) && numeric(right):
		return cmp.Compare(floats(a, b))
	}
	return strings.Compare(a.Value, b.Value)
}

func digit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func runContains(m *Machine, s scope, e *Expr) []*Node {
	return m.pairs(s.reading(), &Expr{op: e.op, left: &Expr{op: identity}, right: e.right}, pairing{pair: func(a, b *Node) *Node {
		if a.Kind != b.Kind {
			fail("%s cannot check contained in %s", b.Tag, a.Tag)
		}
		return m.boolean(a, m.contains(a, b))
	}})
}

func (m *Machine) contains(a, b *Node) bool {
	m.poll(1)
	switch a.Kind {
	case Mapping:
		if b.Kind != Mapping {
			return false
		}
		for i := 0; i+1 < len(b.Content); i += 2 {
			j := m.find(a, b.Content[i])
			if j < 0 || !m.contains(a.Content[j+1], b.Content[i+1]) {
				return false
			}
		}
		return true
	case Sequence:
		wanted := []*Node{b}
		if b.Kind == Sequence {
			wanted = b.Content
		}
		for _, w := range wanted {
			found := false
			for _, c := range a.Content {
				found = found || m.contains(c, w)
			}
			if !found {
				return false
			}
		}
		return true
	case Scalar:
		switch {
		case b.Kind != Scalar || a.Tag != b.Tag:
			return false
		case a.Tag == tagNull:
			return true
		case a.Tag == tagStr:
			return strings.Contains(a.Value, b.Value)
		}
		return a.Value == b.Value
	}
	fail("%s not yet supported for contains", a.Tag)
	return false
}
