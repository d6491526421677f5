package bc

import (
	"maps"

	"github.com/limpet-sh/limpet/internal/decimal"
)

// voidResult marks what a function without a result leaves on the stack.
var voidResult = &array{}

// call calls a function, whose arguments are on the stack.
func (m *machine) call(o *op) error {
	f := m.functions[o.arg]
	if f == nil {
		return mistake("Function " + m.names[o.arg] + " not defined.")
	}
	args := m.stack[len(m.stack)-len(o.text):]
	if f.library != nil {
		return m.library(o, f, args)
	}
	if err := m.match(o, f); err != nil {
		return err
	}
	if err := m.budget.Alloc(frameCost); err != nil {
		return err
	}
	next := frame{function: f, code: f.code}
	for i, p := range f.params {
		s, err := m.hide(p)
		if err != nil {
			return err
		}
		next.saved = append(next.saved, s)
		switch {
		case !p.array:
			err = m.keep(&m.vars[p.slot], args[i].num)
		case p.reference:
			m.arrays[p.slot] = args[i].array
		default:
			err = m.copyArray(p.slot, args[i].array)
		}
		if err != nil {
			return err
		}
	}
	for _, p := range f.autos {
		s, err := m.hide(p)
		if err != nil {
			return err
		}
		next.saved = append(next.saved, s)
	}
	m.drop(len(m.stack) - len(args))
	m.frames = append(m.frames, next)
	return nil
}

// match checks the number and kinds of the arguments.
func (m *machine) match(o *op, f *function) error {
	for i, kind := range o.text {
		if i >= len(f.params) {
			return runtimeError{"Parameter number mismatch", i + 1}
		}
		if p := f.params[i]; p.array != (kind == '1') {
			text := "Parameter type mismatch parameter " + p.name + "."
			if kind == '1' {
				text = "Parameter type mismatch, parameter (null)."
			}
			m.report("Runtime error " + m.where(o, i+1) + ": " + text + "\n")
			return runtimeError{"Parameter number mismatch", i + 2}
		}
	}
	if len(o.text) < len(f.params) {
		return runtimeError{"Parameter number mismatch", len(o.text) + 1}
	}
	return nil
}

// hide gives a variable a new value for the time of a call.
func (m *machine) hide(p param) (saved, error) {
	s := saved{param: p}
	if p.array {
		s.array = m.arrays[p.slot]
		m.arrays[p.slot] = &array{}
		return s, nil
	}
	s.num = m.vars[p.slot]
	if err := m.budget.Alloc(decimal.Num{}.Size()); err != nil {
		return s, err
	}
	m.held += decimal.Num{}.Size()
	m.vars[p.slot] = decimal.Num{}
	return s, nil
}

// copyArray makes an array a copy of another.
func (m *machine) copyArray(slot int, from *array) error {
	cost := 0
	for _, n := range *from {
		cost += elementCost + n.Size()
	}
	if err := m.budget.Poll(len(*from)); err != nil {
		return err
	}
	if err := m.budget.Alloc(cost); err != nil {
		return err
	}
	m.held += cost
	to := maps.Clone(*from)
	m.arrays[slot] = &to
	return nil
}

// leave ends the innermost call and restores what it hid.
func (m *machine) leave() {
	f := m.frames[len(m.frames)-1]
	m.frames = m.frames[:len(m.frames)-1]
	if f.function == nil {
		return
	}
	m.budget.Free(frameCost)
	for i := len(f.saved) - 1; i >= 0; i-- {
		s := f.saved[i]
		if s.param.array {
			if !s.param.reference {
				m.release(*m.arrays[s.param.slot])
			}
			m.arrays[s.param.slot] = s.array
			continue
		}
		size := m.vars[s.param.slot].Size()
		m.budget.Free(size)
		m.held -= size
		m.vars[s.param.slot] = s.num
	}
}

// release gives back the memory of an array.
func (m *machine) release(a array) {
	for _, n := range a {
		m.held -= elementCost + n.Size()
		m.budget.Free(elementCost + n.Size())
	}
}

// giveBack returns from a function with the number on top.
func (m *machine) giveBack() error {
	void := m.frames[len(m.frames)-1].function.void
	n := m.pop()
	m.leave()
	if err := m.push(n); err != nil {
		return err
	}
	if void {
		m.stack[len(m.stack)-1].array = voidResult
	}
	return nil
}

// library calls a function of the mathematical library.
func (m *machine) library(o *op, f *function, args []value) error {
	if err := m.match(o, f); err != nil {
		return err
	}
	var list []decimal.Num
	for _, a := range args {
		list = append(list, a.num)
	}
	n, err := f.library(m, list)
	if err != nil {
		return err
	}
	m.drop(len(m.stack) - len(args))
	return m.push(n)
}

// addLibrary defines the functions that bc -l has.
func (m *machine) addLibrary() {
	m.scale = 20
	type unary func(decimal.Num, int, decimal.Budget) (decimal.Num, error)
	for name, of := range map[string]unary{"s": decimal.Sin, "c": decimal.Cos, "a": decimal.Atan, "e": decimal.Exp, "l": logarithm} {
		m.define(&function{name: name, params: []param{{name: "x"}}, library: func(m *machine, args []decimal.Num) (decimal.Num, error) {
			n, err := of(args[0], m.scale, m.budget)
			if name == "s" || name == "a" {
				if n.Sign() == 0 {
					n = decimal.Num{}
				}
			}
			return n, err
		}})
	}
	m.define(&function{name: "j", params: []param{{name: "n"}, {name: "x"}}, library: func(m *machine, args []decimal.Num) (decimal.Num, error) {
		order, _ := args[0].Int64()
		return decimal.Bessel(order, args[1], m.scale, m.budget)
	}})
}

// logarithm is the natural logarithm; where there is none, it is the largest
// negative number of its scale, as GNU bc has it.
func logarithm(x decimal.Num, scale int, b decimal.Budget) (decimal.Num, error) {
	if x.Sign() > 0 {
		return decimal.Log(x, scale, b)
	}
	p, err := decimal.Pow(decimal.Int(10), decimal.Int(int64(scale)), 0)
	if err != nil {
		return p, err
	}
	return decimal.Div(decimal.Sub(decimal.Int(1), p), decimal.Int(1), scale)
}
