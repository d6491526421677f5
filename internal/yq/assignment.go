package yq

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// assigning is = and, with each, |=.
func assigning(each bool, a assign) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		targets := m.eval(s.writing(), e.left)
		if !each {
			m.pairs(s.reading(), e, pairing{pair: func(target, value *Node) *Node {
				m.take(target, value, a)
				return target
			}})
			return s.nodes
		}
		for _, target := range slices.Backward(targets) {
			if r := m.first(s.with(target), e.right); r != nil {
				m.update(target, r, a)
			}
		}
		return s.nodes
	}
}

// take gives target a value, if a lets it.
func (m *Machine) take(target, value *Node, a assign) {
	if !a.nullOnly || target.Tag == tagNull {
		m.update(target, value, a)
	}
}

// compound is += and its like: it gives each target the result of an operator on
// its own value and the right side.
func compound(run func(*Machine, scope, *Expr) []*Node, a assign) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		for _, target := range m.eval(s.writing(), e.left) {
			old := m.copy(target)
			itself := &operator{name: "ref", run: func(*Machine, scope, *Expr) []*Node { return []*Node{old} }}
			for _, r := range run(m, s.reading(), &Expr{op: e.op, left: &Expr{op: itself}, right: e.right}) {
				m.take(target, r, a)
			}
		}
		return s.nodes
	}
}

// attribute is an assignment to what is not the value of a node: its style, its
// tag and so on.
func attribute(set func(*Machine, *Node, string)) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		each := e.opt
		text := ""
		if !each {
			text = m.text(s, e.right)
		}
		for _, target := range m.eval(s.writing(), e.left) {
			if each {
				if n := m.first(s.with(target).reading(), e.right); n != nil {
					text = n.Value
				}
			}
			set(m, target, text)
		}
		return s.nodes
	}
}

func setLine(_ *Machine, n *Node, text string) { n.Line = text }
func setFoot(_ *Machine, n *Node, text string) { n.Foot = text }

func setHead(_ *Machine, n *Node, text string) {
	n.Head = text
	var kept strings.Builder
	for line := range strings.Lines(n.Lead) {
		if strings.TrimSpace(line) == separatorMark || directiveLine.MatchString(line) {
			kept.WriteString(line)
		}
	}
	n.Lead = kept.String()
}

func commentAll(m *Machine, n *Node, text string) {
	setLine(m, n, text)
	setHead(m, n, text)
	setFoot(m, n, text)
}

var (
	firstHash = regexp.MustCompile(`^# `)
	otherHash = regexp.MustCompile(`\n# `)
)

// plainComment returns a comment without its marks.
func plainComment(text string) string {
	return otherHash.ReplaceAllString(firstHash.ReplaceAllString(text, ""), "\n")
}

func commentOf(field func(*Node) *string) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, _ *Expr) []*Node {
		return s.one(func(n *Node) *Node { return m.about(n, plainComment(*field(n))) })
	}
}

func runHeadComment(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		text := n.Head
		if n.Lead != "" {
			var b strings.Builder
			_ = writeLead(&b, n.Lead, false)
			text = strings.TrimSuffix(b.String(), "\n")
		}
		return m.about(n, plainComment(text))
	})
}

// about returns a string that tells something of n, in its place.
func (m *Machine) about(n *Node, text string) *Node {
	out := m.str(n, text)
	out.isKey = false
	return out
}

// styles has the names of styles.
var styles = []struct {
	name  string
	style Style
}{
	{"tagged", yaml.TaggedStyle}, {"double", yaml.DoubleQuotedStyle}, {"single", yaml.SingleQuotedStyle},
	{"literal", yaml.LiteralStyle}, {"folded", yaml.FoldedStyle}, {"flow", yaml.FlowStyle}, {"", 0},
}

func runStyle(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		for _, st := range styles {
			if st.style == n.Style {
				return m.str(n, st.name)
			}
		}
		return m.str(n, "<unknown>")
	})
}

func setStyle(_ *Machine, n *Node, text string) {
	for _, st := range styles {
		if st.name == text {
			n.Style = st.style
			return
		}
	}
	fail("unknown style %s", text)
}

func runTag(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node { return m.str(n, n.Tag) })
}

func setTag(_ *Machine, n *Node, text string) { n.Tag = text }

func runAnchor(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node { return m.str(n, n.Anchor) })
}

func setAnchor(_ *Machine, n *Node, text string) { n.Anchor = text }

func runAliasName(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node { return m.str(n, n.Value) })
}

func setAlias(_ *Machine, n *Node, text string) {
	if text != "" {
		n.Kind, n.Value = Alias, text
	}
}
