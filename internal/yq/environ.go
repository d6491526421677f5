package yq

import (
	"errors"
	"strings"
)

// runEnv is env(NAME) and, with text, strenv(NAME).
func runEnv(text bool) func(*Machine, scope, *Expr) []*Node {
	return func(m *Machine, s scope, e *Expr) []*Node {
		if m.NoEnv {
			fail("env operations have been disabled")
		}
		value := m.call.Getenv(e.args)
		if text {
			return []*Node{scalar(tagStr, value)}
		}
		if value == "" {
			fail("value for env variable '%s' not provided in env()", e.args)
		}
		d := m.NewDecoder(YAML, strings.NewReader(value), true)
		n, err := d.Next()
		check(err)
		return []*Node{n}
	}
}

func runEnvsubst(m *Machine, s scope, e *Expr) []*Node {
	if m.NoEnv {
		fail("env operations have been disabled")
	}
	x := &substitution{m: m}
	for _, flag := range strings.FieldsFunc(e.args, func(r rune) bool { return r == ',' || r == ' ' }) {
		switch flag {
		case "ne":
			x.noEmpty = true
		case "nu":
			x.noUnset = true
		case "ff":
			x.failFast = true
		}
	}
	return s.one(func(n *Node) *Node {
		if n.Tag != tagStr {
			fail("cannot substitute with %s, can only substitute strings. Hint: Most often you'll want to use '|=' over '=' for this operation", n.Tag)
		}
		x.errs = nil
		text := x.expand(n.Value)
		check(errors.Join(x.errs...))
		return m.str(n, text)
	})
}

// A substitution replaces $NAME and ${NAME} in texts, with the forms of the shell
// that give a default.
type substitution struct {
	m                          *Machine
	noEmpty, noUnset, failFast bool
	depth                      int
	errs                       []error
}

func (x *substitution) wrong(text string) {
	if x.failFast && len(x.errs) > 0 {
		return
	}
	x.errs = append(x.errs, errors.New(text))
}

func (x *substitution) expand(text string) string {
	if x.depth++; x.depth > 100 {
		fail("the substitution is nested too deeply")
	}
	defer func() { x.depth-- }()
	var b strings.Builder
	for text != "" {
		x.m.poll(1)
		before, rest, ok := strings.Cut(text, "$")
		b.WriteString(before)
		if !ok {
			break
		}
		if strings.HasPrefix(rest, "$") {
			b.WriteByte('$')
			text = rest[1:]
			continue
		}
		if !strings.HasPrefix(rest, "{") {
			n := nameLength(rest)
			if n == 0 {
				b.WriteByte('$')
			} else {
				b.WriteString(x.value(rest[:n]))
			}
			text = rest[n:]
			continue
		}
		end := closing(rest)
		if end < 0 {
			x.wrong("closing brace expected")
			return b.String()
		}
		b.WriteString(x.braced(rest[1:end]))
		text = rest[end+1:]
	}
	x.m.grow(b.Len())
	return b.String()
}

// closing returns where the brace is that closes the one text begins with, or -1.
func closing(text string) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func nameLength(s string) int {
	n := 0
	for n < len(s) && (s[n] == '_' || s[n]|0x20 >= 'a' && s[n]|0x20 <= 'z' || n > 0 && s[n] >= '0' && s[n] <= '9') {
		n++
	}
	return n
}

// value returns a variable that must be set, or not empty, if that is asked for.
func (x *substitution) value(name string) string {
	value, ok := x.m.call.Env.Lookup(name)
	if !ok && x.noUnset {
		x.wrong("variable ${" + name + "} not set")
	} else if ok && value == "" && x.noEmpty {
		x.wrong("variable ${" + name + "} set but empty")
	}
	return value
}

// braced is what ${…} stands for.
func (x *substitution) braced(body string) string {
	n := nameLength(body)
	name, rest := body[:n], body[n:]
	if rest == "" {
		return x.value(name)
	}
	value, ok := x.m.call.Env.Lookup(name)
	full := ok && value != ""
	for _, form := range []struct {
		op       string
		set, alt bool
	}{{":-", full, false}, {":=", full, false}, {"-", ok, false}, {"=", ok, false}, {":+", full, true}, {"+", ok, true}} {
		word, is := strings.CutPrefix(rest, form.op)
		switch {
		case !is:
			continue
		case form.alt && form.set, !form.alt && !form.set:
			return x.expand(word)
		case form.alt:
			return ""
		}
		return value
	}
	x.wrong("bad substitution: ${" + body + "}")
	return ""
}
