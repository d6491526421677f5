// Package yq is an interpreter of the expressions of yq, version 4 of
// github.com/mikefarah/yq, with readers and writers of the formats that it knows.
//
// A document is a tree of [Node]. [Parse] turns an expression into an [Expr], and
// [Machine.Eval] applies that to nodes: each operator maps a list of nodes to
// another, and assignments change the trees in place.
package yq

import (
	"fmt"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"go.yaml.in/yaml/v4"
)

// A Machine evaluates expressions for one run of the command, and charges it.
// Close it at the end.
type Machine struct {
	Options

	call  *builtins.Call
	held  int
	depth int
}

// Options say how documents are read and written, and what expressions may do.
type Options struct {
	NoEnv, NoFiles bool // refuse env and load
	MergeToSpec    bool // keys of a map win over those that << merges into it
	NoInterpolate  bool // "\(…)" is text
	CSVSeparator   rune // zero means ','
	NoAutoParse    bool // fields of CSV and TSV are strings
	Props          PropsOptions
	XML            XMLOptions
	ShellSeparator string // between the parts of the names of shell variables
}

// NewMachine returns a machine that charges call.
func NewMachine(call *builtins.Call, o Options) *Machine {
	return &Machine{Options: o, call: call}
}

// Close gives back the memory of all nodes that the machine has made.
func (m *Machine) Close() { m.Reset(0) }

// Held returns how much memory the machine's nodes hold; it is for [Machine.Reset].
func (m *Machine) Held() int { return m.held }

// Reset gives back the memory of all nodes made since [Machine.Held] returned n.
func (m *Machine) Reset(n int) {
	m.call.Free(m.held - n)
	m.held = n
}

// Eval applies e to nodes. A nil e returns them.
func (m *Machine) Eval(e *Expr, nodes []*Node) (out []*Node, err error) {
	if e == nil {
		return nodes, nil
	}
	defer m.catch(&err)
	m.depth = 0
	return m.eval(scope{nodes: nodes}, e), nil
}

// EvalIndexed is Eval with the variable $index set to n.
func (m *Machine) EvalIndexed(e *Expr, node *Node, n int) (out []*Node, err error) {
	defer m.catch(&err)
	m.depth = 0
	index := scalar(tagInt, fmt.Sprint(n))
	return m.eval(scope{nodes: []*Node{node}, vars: &binding{name: "index", nodes: []*Node{index}}}, e), nil
}

// abort is what a panic carries that ends an evaluation.
type abort struct{ err error }

// catch turns the panic of an abort into an error.
func (m *Machine) catch(err *error) {
	switch e := recover().(type) {
	case nil:
	case abort:
		*err = e.err
	default:
		panic(e)
	}
}

// fail ends the evaluation with a message.
func fail(format string, args ...any) {
	panic(abort{fmt.Errorf(format, args...)})
}

// check ends the evaluation if there is an error.
func check(err error) {
	if err != nil {
		panic(abort{err})
	}
}

func (m *Machine) poll(n int) { check(m.call.Poll(n)) }

// nodeSize is about how much memory a node takes, with its key.
const nodeSize = 360

// grow charges n bytes that are held until Reset.
func (m *Machine) grow(n int) {
	check(m.call.Alloc(n))
	m.held += n
}

// A scope is what an operator works on.
type scope struct {
	nodes    []*Node
	vars     *binding
	readOnly bool   // paths that are not there are not made
	layout   string // of dates; empty means RFC 3339
}

// A binding is a variable, and those bound before it.
type binding struct {
	name  string
	nodes []*Node
	next  *binding
}

func (s scope) with(nodes ...*Node) scope {
	s.nodes = nodes
	return s
}

func (s scope) reading() scope {
	s.readOnly = true
	return s
}

func (s scope) writing() scope {
	s.readOnly = false
	return s
}

func (s scope) bind(name string, nodes []*Node) scope {
	s.vars = &binding{name, nodes, s.vars}
	return s
}

func (s scope) lookup(name string) ([]*Node, bool) {
	for b := s.vars; b != nil; b = b.next {
		if b.name == name {
			return b.nodes, true
		}
	}
	return nil, false
}

func (s scope) dates() string {
	if s.layout == "" {
		return time.RFC3339
	}
	return s.layout
}

// together reports whether the nodes are documents to be treated as one input,
// as eval-all does.
func (s scope) together() bool {
	for _, n := range s.nodes {
		if !n.together {
			return false
		}
	}
	return true
}

// each calls f with each node alone, and joins what it returns.
func (s scope) each(f func(s scope, n *Node) []*Node) []*Node {
	var out []*Node
	for _, n := range s.nodes {
		out = append(out, f(s.with(n), n)...)
	}
	return out
}

// one is each for operators that make one node of each.
func (s scope) one(f func(n *Node) *Node) []*Node {
	out := make([]*Node, 0, len(s.nodes))
	for _, n := range s.nodes {
		out = append(out, f(n))
	}
	return out
}

// maxDepth bounds how deep an evaluation recurses.
const maxDepth = 20000

// eval evaluates e in s. A nil e is the identity.
func (m *Machine) eval(s scope, e *Expr) []*Node {
	if e == nil {
		return s.nodes
	}
	m.poll(1 + len(s.nodes))
	if m.depth++; m.depth > maxDepth {
		fail("the expression is nested too deeply")
	}
	out := e.op.run(m, s, e)
	m.depth--
	return out
}

// first evaluates e and returns its first result, or nil.
func (m *Machine) first(s scope, e *Expr) *Node {
	if out := m.eval(s, e); len(out) > 0 {
		return out[0]
	}
	return nil
}

// text evaluates e and returns the value of its first result.
func (m *Machine) text(s scope, e *Expr) string {
	if n := m.first(s.reading(), e); n != nil {
		return n.Value
	}
	return ""
}

// A Style is how YAML shows a node.
type Style = yaml.Style
