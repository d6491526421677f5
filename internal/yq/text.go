package yq

import (
	"strconv"
	"strings"

	"github.com/limpet-sh/limpet/internal/regex"
	"go.yaml.in/yaml/v4"
)

func runInterpolated(m *Machine, s scope, e *Expr) []*Node {
	if m.NoInterpolate {
		return []*Node{scalar(tagStr, e.word)}
	}
	build := func(s scope, _ *Node) []*Node {
		var b strings.Builder
		for part := e.right; part != nil; part = part.right {
			for i, n := range m.eval(s, part.left) {
				if i > 0 {
					break
				}
				text := n.Value
				if n.Kind != Scalar {
					text = strings.TrimSuffix(m.encoded(n, YAML, 2), "\n")
				}
				m.grow(len(text))
				b.WriteString(text)
			}
		}
		return []*Node{scalar(tagStr, b.String())}
	}
	if len(s.nodes) == 0 {
		return build(s, nil)
	}
	return s.each(build)
}

// changing is an operator that makes one string of another.
func changing(what string, f func(string) string) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, _ *Expr) []*Node {
		return s.one(func(n *Node) *Node {
			if n.guess() != tagStr {
				fail("cannot %s %s, can only operate on strings. ", what, n.Tag)
			}
			out := m.instead(n, Scalar, n.Tag, f(n.Value))
			out.Style = n.Style
			return out
		})
	}
}

func runToString(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		text := n.Value
		if n.Kind != Scalar {
			text = m.encoded(n, YAML, 2)
		}
		out := m.str(n, text)
		if n.Tag != tagStr {
			out.Style = yaml.DoubleQuotedStyle
		}
		return out
	})
}

func runToNumber(m *Machine, s scope, _ *Expr) []*Node {
	return s.one(func(n *Node) *Node {
		switch {
		case n.Kind != Scalar:
			fail("cannot convert node at path %s of tag %s to number", n.where(), n.Tag)
		case numeric(n.Tag):
			return n
		}
		if _, _, err := integerForm(n.Value); err == nil {
			return m.instead(n, Scalar, tagInt, n.Value)
		}
		if _, err := strconv.ParseFloat(n.Value, 64); err != nil {
			fail("cannot convert node value [%s] at path %s of tag %s to number", n.Value, n.where(), n.Tag)
		}
		return m.instead(n, Scalar, tagFloat, n.Value)
	})
}

func runJoin(m *Machine, s scope, e *Expr) []*Node {
	separator := m.text(s, e.right)
	s.sequences("cannot join with %s, can only join arrays of scalars")
	return s.one(func(n *Node) *Node {
		var parts []string
		size := 0
		for _, c := range n.Content {
			text := c.Value
			if c.Tag == tagNull {
				text = ""
			}
			parts = append(parts, text)
			size += len(text) + len(separator)
		}
		m.grow(size)
		return m.str(n, strings.Join(parts, separator))
	})
}

func runSplit(m *Machine, s scope, e *Expr) []*Node {
	separator := m.text(s, e.right)
	return s.each(func(_ scope, n *Node) []*Node {
		if n.Tag == tagNull {
			return nil
		}
		if n.guess() != tagStr {
			fail("cannot split %s, can only split strings", n.Tag)
		}
		out := m.instead(n, Sequence, tagSeq, "")
		m.splitInto(out, n.Value, separator)
		return []*Node{out}
	})
}

// splitInto makes out the parts of text.
func (m *Machine) splitInto(out *Node, text, separator string) {
	if text == "" {
		return
	}
	for part := range strings.SplitSeq(text, separator) {
		m.add(out, scalar(tagStr, part))
	}
}

// A search is a regular expression in use.
type search struct {
	*regex.Matcher
	global bool
}

// compile returns the expression that an operand names: a string, or a string, a
// semicolon and flags.
func (m *Machine) compile(s scope, e *Expr) *search {
	out := &search{}
	pattern := e
	if e.op == block {
		pattern = e.left
		flags := m.text(s, e.right)
		out.global = strings.Contains(flags, "g")
		flags = strings.ReplaceAll(flags, "g", "")
		if strings.Contains(flags, "i") {
			fail("'i' is not a valid option for match. To ignore case, use an expression like match(\"(?i)cat\")")
		}
		if flags != "" {
			fail("unrecognised match params '%s', please see docs at https://mikefarah.gitbook.io/yq/operators/string-operators", flags)
		}
	}
	re, err := regex.Compile(m.text(s, pattern), regex.Perl, 0)
	check(err)
	out.Matcher = re.Matcher(m.call)
	return out
}

// find calls f with the bounds of each match of x in text, until it returns false.
func (x *search) find(text string, f func(loc []int) bool) {
	b := []byte(text)
	for from := 0; from <= len(b); {
		loc := x.Submatches(b, from)
		check(x.Err())
		if loc == nil || !f(loc) || !x.global {
			return
		}
		from = loc[1]
		if loc[0] == loc[1] {
			from++
		}
	}
}

// searching calls f with each node of s, which must be strings, and the
// expression that e names.
func (m *Machine) searching(s scope, e *Expr, f func(n *Node, x *search) []*Node) []*Node {
	x := m.compile(s, e.right)
	defer x.Close()
	return s.each(func(_ scope, n *Node) []*Node {
		if n.guess() != tagStr {
			fail("cannot match with %s, can only match strings. Hint: Most often you'll want to use '|=' over '=' for this operation", n.Tag)
		}
		return f(n, x)
	})
}

func runTest(m *Machine, s scope, e *Expr) []*Node {
	return m.searching(s, e, func(n *Node, x *search) []*Node {
		found := false
		x.find(n.Value, func([]int) bool { found = true; return false })
		return []*Node{m.boolean(n, found)}
	})
}

// submatch returns what a pair of bounds encloses, or null.
func submatch(text string, from, to int) *Node {
	if from < 0 {
		return scalar(tagNull, "null")
	}
	return scalar(tagStr, text[from:to])
}

func runMatch(m *Machine, s scope, e *Expr) []*Node {
	return m.searching(s, e, func(n *Node, x *search) (out []*Node) {
		names := x.Regexp().Names()
		part := func(o *Node, from, to int) {
			m.put(o, scalar(tagStr, "string"), submatch(n.Value, from, to))
			m.put(o, scalar(tagStr, "offset"), scalar(tagInt, strconv.Itoa(from)))
			m.put(o, scalar(tagStr, "length"), scalar(tagInt, strconv.Itoa(to-from)))
		}
		x.find(n.Value, func(loc []int) bool {
			captures := &Node{Kind: Sequence}
			for i := 2; i+1 < len(loc); i += 2 {
				c := &Node{Kind: Mapping}
				part(c, loc[i], loc[i+1])
				if i/2 < len(names) && names[i/2] != "" {
					m.put(c, scalar(tagStr, "name"), scalar(tagStr, names[i/2]))
				}
				m.add(captures, c)
			}
			o := m.instead(n, Mapping, tagMap, "")
			part(o, loc[0], loc[1])
			m.put(o, scalar(tagStr, "captures"), captures)
			out = append(out, o)
			return true
		})
		return out
	})
}

func runCapture(m *Machine, s scope, e *Expr) []*Node {
	return m.searching(s, e, func(n *Node, x *search) (out []*Node) {
		names := x.Regexp().Names()
		x.find(n.Value, func(loc []int) bool {
			o := m.instead(n, Mapping, tagMap, "")
			for i := 2; i+1 < len(loc); i += 2 {
				name := ""
				if i/2 < len(names) {
					name = names[i/2]
				}
				m.put(o, scalar(tagStr, name), submatch(n.Value, loc[i], loc[i+1]))
			}
			out = append(out, o)
			return true
		})
		return out
	})
}

func runSub(m *Machine, s scope, e *Expr) []*Node {
	pattern, replacement := "", ""
	if e.right.left != nil {
		pattern, replacement = m.text(s, e.right.left), ""
		if n := m.first(s, e.right.right); n != nil {
			replacement = n.Value
		}
	}
	re, err := regex.Compile(pattern, regex.Perl, 0)
	check(err)
	x := &search{re.Matcher(m.call), true}
	defer x.Close()
	return s.one(func(n *Node) *Node {
		if n.guess() != tagStr {
			fail("cannot substitute with %s, can only substitute strings. Hint: Most often you'll want to use '|=' over '=' for this operation", n.Tag)
		}
		var b strings.Builder
		last := 0
		x.find(n.Value, func(loc []int) bool {
			if loc[0] == loc[1] && loc[0] == last && last > 0 {
				return true // not beside the last match
			}
			m.grow(len(replacement) + loc[0] - last)
			b.WriteString(n.Value[last:loc[0]])
			expand(&b, replacement, n.Value, loc, re.Names())
			last = loc[1]
			return true
		})
		b.WriteString(n.Value[last:])
		return m.str(n, b.String())
	})
}

// expand writes a replacement, in which $1, ${1} and ${name} stand for groups.
func expand(b *strings.Builder, template, text string, loc []int, names []string) {
	for template != "" {
		before, rest, ok := strings.Cut(template, "$")
		b.WriteString(before)
		if !ok {
			return
		}
		name := ""
		switch end := strings.IndexByte(rest, '}'); {
		case strings.HasPrefix(rest, "$"):
			b.WriteByte('$')
			template = rest[1:]
			continue
		case strings.HasPrefix(rest, "{") && end > 0:
			name, template = rest[1:end], rest[end+1:]
		default:
			n := 0
			for n < len(rest) && (rest[n] == '_' || rest[n] >= '0' && rest[n] <= '9' || rest[n]|0x20 >= 'a' && rest[n]|0x20 <= 'z') {
				n++
			}
			if n == 0 {
				b.WriteByte('$')
				template = rest
				continue
			}
			name, template = rest[:n], rest[n:]
		}
		i, err := strconv.Atoi(name)
		for j, n := range names {
			if err != nil && n == name {
				i, err = j, nil
			}
		}
		if err == nil && i >= 0 && 2*i+1 < len(loc) && loc[2*i] >= 0 {
			b.WriteString(text[loc[2*i]:loc[2*i+1]])
		}
	}
}
