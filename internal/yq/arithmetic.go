package yq

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// numbers returns the tags that decide what an operator does.
func numeric(tag string) bool { return tag == tagInt || tag == tagFloat }

// floats returns the values of two numbers.
func floats(a, b *Node) (x, y float64) {
	x, err := strconv.ParseFloat(a.Value, 64)
	check(err)
	y, err = strconv.ParseFloat(b.Value, 64)
	check(err)
	return x, y
}

// setFloat gives target the result of an operation on numbers of which the first
// has the tag a, and counts as guessed.
func setFloat(target, a *Node, f float64) {
	target.Kind, target.Style, target.Value = Scalar, a.Style, number(f)
	if strings.HasPrefix(a.Tag, "!!") {
		target.Tag = tagFloat
	}
}

// setInt gives target the result of an operation on integers.
func (m *Machine) setInt(target, a, b *Node, sign byte) {
	format, x, err := integerForm(a.Value)
	check(err)
	_, y, err := integerForm(b.Value)
	check(err)
	r, left, right := new(big.Int), big.NewInt(x), big.NewInt(y)
	switch sign {
	case '+':
		r.Add(left, right)
	case '-':
		r.Sub(left, right)
	case '*':
		r.Mul(left, right)
	default:
		r.Rem(left, right)
	}
	if !r.IsInt64() {
		fail("integer overflow: %d %c %d", x, sign, y)
	}
	target.Kind, target.Style, target.Tag, target.Value = Scalar, a.Style, a.Tag, format
	target.Value = formatInt(format, r.Int64())
}

func formatInt(format string, n int64) string {
	digits, sign := strconv.FormatInt(n, 10), ""
	if n < 0 {
		sign = "-"
	}
	switch format {
	case "0x%X":
		return sign + "0x" + strings.ToUpper(strings.TrimPrefix(strconv.FormatInt(n, 16), "-"))
	case "0o%o":
		return sign + "0o" + strings.TrimPrefix(strconv.FormatInt(n, 8), "-")
	}
	return digits
}

// arithmetic is an operator on two scalars that are not null.
func arithmetic(f func(m *Machine, a, b *Node) *Node) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		return m.pairs(s.reading(), e, pairing{pair: func(a, b *Node) *Node { return f(m, a, b) }})
	}
}

func divide(m *Machine, a, b *Node) *Node {
	if a.Kind != Scalar || b.Kind != Scalar || a.Tag == tagNull {
		fail("%s (%s) cannot be divided by %s (%s)", a.Tag, a.where(), b.Tag, b.where())
	}
	out := m.bare(a)
	left, right := a.guess(), b.guess()
	switch {
	case left == tagStr && right == tagStr:
		out.Kind, out.Tag = Sequence, tagSeq
		m.splitInto(out, a.Value, b.Value)
	case numeric(left) && numeric(right):
		x, y := floats(a, b)
		setFloat(out, a, x/y)
	default:
		fail("%s cannot be divided by %s", left, right)
	}
	return out
}

func modulo(m *Machine, a, b *Node) *Node {
	if a.Kind != Scalar || b.Kind != Scalar || a.Tag == tagNull {
		fail("%s (%s) cannot modulo by %s (%s)", a.Tag, a.where(), b.Tag, b.where())
	}
	out := m.bare(a)
	left, right := a.guess(), b.guess()
	switch {
	case left == tagInt && right == tagInt:
		if n, err := integer(b.Value); err == nil && n == 0 {
			fail("cannot modulo by 0")
		}
		m.setInt(out, a, b, '%')
	case numeric(left) && numeric(right):
		x, y := floats(a, b)
		setFloat(out, a, math.Mod(x, y))
	default:
		fail("%s cannot modulo by %s", left, right)
	}
	return out
}

func runAdd(m *Machine, s scope, e *Expr) []*Node {
	return m.pairs(s.reading(), e, pairing{whenEmpty: len(s.nodes) > 0, pair: func(a, b *Node) *Node { return m.plus(s, a, b) }})
}

// plus is a + b; either may be missing.
func (m *Machine) plus(s scope, a, b *Node) *Node {
	switch {
	case a == nil && b == nil:
		return nil
	case a == nil:
		return m.copy(b)
	case b == nil:
		return m.copy(a)
	case a.Tag == tagNull:
		return m.replace(a, b)
	}
	out := m.bare(a)
	if a.Kind == Sequence {
		m.appendTo(out, a, b)
		return out
	}
	if a.Kind != b.Kind && (a.Kind == Mapping || a.Kind == Scalar) {
		fail("%s (%s) cannot be added to a %s (%s)", b.Tag, b.where(), a.Tag, a.where())
	}
	switch a.Kind {
	case Mapping:
		m.joinMaps(out, a, b)
	case Scalar:
		out.Style = a.Style
		m.plusScalar(s, out, a, b)
	}
	return out
}

// appendTo makes out the members of a, and then those of b or b itself.
func (m *Machine) appendTo(out, a, b *Node) {
	if len(a.Content) == 0 {
		out.Style = 0
	}
	m.addAll(out, a.Content)
	switch {
	case b.Tag == tagNull:
	case b.Kind == Sequence:
		m.addAll(out, b.Content)
	default:
		c := m.copy(b)
		if len(a.Content) > 0 {
			c.Style = a.Content[0].Style
		}
		m.add(out, c)
	}
}

// joinMaps makes out the members of a and those of b, which win.
func (m *Machine) joinMaps(out, a, b *Node) {
	if len(a.Content) == 0 {
		out.Style = 0
	}
	m.addAll(out, a.Content)
	for i := 0; i+1 < len(b.Content); i += 2 {
		if j := m.find(out, b.Content[i]); j >= 0 {
			out.Content[j+1] = m.replace(out.Content[j+1], b.Content[i+1])
		} else {
			m.put(out, b.Content[i], b.Content[i+1])
		}
	}
}

func (m *Machine) plusScalar(s scope, out, a, b *Node) {
	left, right := a.guess(), b.guess()
	switch {
	case m.dated(s, a, left):
		m.shift(s, out, a, b, "")
	case left == tagStr && right == tagNull:
	case left == tagStr, right == tagStr:
		m.grow(len(a.Value) + len(b.Value))
		out.Value = a.Value + b.Value
		if left != tagStr {
			out.Tag = b.Tag
		}
	case left == tagInt && right == tagInt:
		m.setInt(out, a, b, '+')
	case numeric(left) && numeric(right):
		x, y := floats(a, b)
		setFloat(out, a, x+y)
	default:
		fail("%s cannot be added to %s", left, right)
	}
}

// dated reports whether a counts as a date for addition.
func (m *Machine) dated(s scope, a *Node, tag string) bool {
	if tag == tagStr && s.dates() != time.RFC3339 {
		_, err := parseTime(s.dates(), a.Value)
		return err == nil
	}
	return a.Tag == tagTime
}

// shift gives out the date a, moved by the duration b with a sign before it.
func (m *Machine) shift(s scope, out, a, b *Node, sign string) {
	text := sign + b.Value
	if strings.HasPrefix(text, "--") {
		text = text[2:]
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		fail("unable to parse duration [%s]: %w", b.Value, err)
	}
	t, err := parseTime(s.dates(), a.Value)
	check(err)
	out.Value = t.Add(d).Format(s.dates())
}

func runSubtract(m *Machine, s scope, e *Expr) []*Node {
	return m.pairs(s.reading(), e, pairing{pair: func(a, b *Node) *Node { return m.minus(s, a, b) }})
}

func (m *Machine) minus(s scope, a, b *Node) *Node {
	if a.Tag == tagNull {
		return m.replace(a, b)
	}
	out := m.bare(a)
	if a.Kind == Mapping {
		fail("maps not yet supported for subtraction")
	}
	if a.Kind != b.Kind {
		fail("%s (%s) cannot be subtracted from %s", b.Tag, b.where(), a.Tag)
	}
	if a.Kind == Sequence {
		for _, c := range a.Content {
			if !m.includes(b.Content, c) {
				out.Content = append(out.Content, c)
			}
		}
		return out
	}
	left, right := a.guess(), b.guess()
	switch {
	case m.dated(s, a, left):
		m.shift(s, out, a, b, "-")
	case left == tagStr:
		fail("strings cannot be subtracted")
	case left == tagInt && right == tagInt:
		m.setInt(out, a, b, '-')
	case numeric(left) && numeric(right):
		x, y := floats(a, b)
		setFloat(out, a, x-y)
	default:
		fail("%s cannot be added to %s", a.Tag, b.Tag)
	}
	return out
}

// includes reports whether one of list equals n.
func (m *Machine) includes(list []*Node, n *Node) bool {
	for _, c := range list {
		if m.equal(c, n) {
			return true
		}
	}
	return false
}
