// Package jq is an interpreter of the language jq: that of jq 1.6, with what
// 1.7 adds.
//
// [Parse] turns a program into closures, and [Program.Run] runs these for one
// value of the input. Objects keep the order of their members.
package jq

import (
	"context"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
)

// A Program is a compiled program, with the inputs that it runs on.
type Program struct {
	m     *machine
	code  code
	vars  int
	binds []Value
}

// A Config says what a program is compiled and run with.
type Config struct {
	Call  *builtins.Call
	Names []string // of variables
	Vals  []Value  // of those
	Input *Input

	Origin string   // the file of the program; "" where it was an argument
	Search []string // where modules are
}

// A CompileError is why a program cannot be run, in jq's words: to be printed
// after "jq: error: ", and followed by a count of errors.
type CompileError struct{ msg string }

// Error returns the message.
func (e *CompileError) Error() string { return e.msg }

// newMachine returns a machine that charges call.
func newMachine(ctx context.Context, call *builtins.Call) *machine {
	env := newObject(0)
	for name, val := range call.Env.All() {
		env.put(name, val)
	}
	m := &machine{ctx: ctx, call: call, env: env, regexps: map[string]*regex.Matcher{}}
	m.message = func(s string) error {
		_, err := call.Stderr.Write([]byte(s))
		return err
	}
	return m
}

// Parse compiles the program src. The error is a [*CompileError].
func Parse(src string, c Config) (prog *Program, err error) {
	m := c.Input.m
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *syntaxError:
			err = &CompileError{e.msg}
		case abort:
			err = e.err
		default:
			panic(e)
		}
	}()
	root := &function{name: "main"}
	comp := &compiler{m: m, src: src, fn: root, root: root, lib: map[string]*function{}, specials: newSpecials()}
	comp.modules = &modules{input: c.Input, search: c.Search, loaded: map[string]*module{}}
	comp = comp.home()
	comp.origin = c.Origin
	for _, name := range c.Names {
		comp, _ = comp.declare(name)
	}
	tree := parse(src)
	root.height = tree.height() + 8
	code := comp.compile(tree)
	m.input = func() (Value, error) {
		v, err := c.Input.Next()
		if err == io.EOF {
			return nil, fail(noMoreInputs)
		}
		return v, err
	}
	m.name = c.Input.Name
	m.line = c.Input.Line
	return &Program{m: m, code: code, vars: root.vars, binds: c.Vals}, nil
}

// A Halt is how a program ends that calls halt or halt_error.
type Halt struct {
	Status int
	Print  bool  // Value is to be printed on standard error
	Value  Value // a string as it is, others as JSON with a newline
}

func (*Halt) Error() string { return "halt" }

// Run runs the program for one input, and calls out with each value. The error
// is an [*Error], a [*Halt], one of out or of the input, or why the call must
// end.
func (p *Program) Run(in Value, out func(Value) error) (err error) {
	m := p.m
	defer func() {
		if e := recover(); e != nil {
			a, ok := e.(abort)
			if !ok {
				panic(e)
			}
			err = a.err
		}
	}()
	fr := &frame{m: m, vars: make([]Value, p.vars)}
	copy(fr.vars, p.binds)
	m.height, m.calls = 0, 0
	err = passed(p.code.gen(fr, in, func(v Value) error { return pass(out(v)) }))
	if h, ok := errors.AsType[*halt](err); ok {
		return &Halt{h.status, h.print, h.value}
	}
	if _, ok := errors.AsType[*jump](err); ok {
		return fail("break")
	}
	return err
}

// Value returns what was raised.
func (e *Error) Value() Value { return e.value }

// Arguments returns the value of $ARGS.
func Arguments(names []string, vals, positional []Value) Value {
	named := newObject(len(names))
	for i, name := range names {
		named.put(name, vals[i])
	}
	o := newObject(2)
	o.put("positional", newArray(positional))
	o.put("named", named)
	return o
}

// Compact returns v as JSON on one line.
func Compact(v Value) string { return compactScalar(v) }
