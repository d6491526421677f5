package dc

import (
	"fmt"
	"io"
	"math/big"
	"strings"
)

// text writes s and breaks lines that are too long.
func (c *Calculator) text(s string, wrap bool) {
	for i := range len(s) {
		if s[i] == '\n' {
			c.column = 0
		} else if c.column++; wrap && c.width > 0 && c.column == c.width-1 {
			_, _ = c.out.WriteString("\\\n")
			c.column = 1
		}
		_ = c.out.WriteByte(s[i])
	}
}

func (c *Calculator) show(v value) {
	if v.text {
		c.text(v.str, false)
		return
	}
	c.text(v.num.Format(c.obase), true)
}

// print executes p, n, P and f.
func (c *Calculator) print(b byte) error {
	if b == 'f' {
		for i := len(c.stack) - 1; i >= 0; i-- {
			if err := c.budget.Poll(1); err != nil {
				return err
			}
			c.show(c.stack[i])
			c.text("\n", false)
		}
		return c.flush()
	}
	if b == 'p' {
		if len(c.stack) == 0 {
			return errEmpty
		}
		c.show(c.stack[len(c.stack)-1])
		c.text("\n", false)
		return c.flush()
	}
	v, err := c.pop()
	if err != nil {
		return err
	}
	if b == 'P' && !v.text {
		n := new(big.Int).Abs(v.num.Trunc(0).Unscaled())
		_, _ = c.out.Write(n.Bytes())
		return c.flush()
	}
	c.show(v)
	return c.flush()
}

// flush reports a failure to write.
func (c *Calculator) flush() error {
	_, err := c.out.Write(nil)
	return err
}

// registerCommand executes the commands that a register's name follows.
func (c *Calculator) registerCommand(b byte, f *frame) error {
	name, err := f.in.ReadByte()
	if err != nil {
		return mistake("unexpected end of file")
	}
	r := c.registers[name]
	if r == nil {
		r = &register{}
		c.registers[name] = r
	}
	if b != 'l' && b != 'L' && len(r.levels) == 0 {
		r.levels = append(r.levels, level{})
		if b == 'S' {
			r.levels = r.levels[:0]
		}
	}
	switch b {
	case 'l':
		return c.load(r, name)
	case 'L':
		if len(r.levels) == 0 || !r.levels[len(r.levels)-1].set {
			return mistake(fmt.Sprintf("stack register '%c' (%#o) is empty", name, name))
		}
		top := r.levels[len(r.levels)-1]
		r.levels = r.levels[:len(r.levels)-1]
		size := top.value.size()
		for _, v := range top.array {
			size += v.size() + elementCost
		}
		_ = c.hold(0, size)
		return c.push(top.value)
	case ':', ';':
		return c.element(b, &r.levels[len(r.levels)-1])
	}
	v, err := c.pop()
	if err != nil {
		return err
	}
	if b == 'S' {
		if err := c.hold(v.size(), 0); err != nil {
			return err
		}
		r.levels = append(r.levels, level{value: v, set: true})
		return nil
	}
	top := &r.levels[len(r.levels)-1]
	old := 0
	if top.set {
		old = top.value.size()
	}
	if err := c.hold(v.size(), old); err != nil {
		return err
	}
	top.value, top.set = v, true
	return nil
}

func (c *Calculator) load(r *register, name byte) error {
	if len(r.levels) == 0 || !r.levels[len(r.levels)-1].set {
		return mistake(fmt.Sprintf("register '%c' (%#o) is empty", name, name))
	}
	return c.push(r.levels[len(r.levels)-1].value)
}

const elementCost = 96 // about what an element of an array occupies

// element stores into, or loads from, the array of a register.
func (c *Calculator) element(b byte, l *level) error {
	x, err := c.numbers(1)
	if err != nil {
		return err
	}
	i, ok := x[0].Int64()
	if !ok || i < 0 {
		return mistake("array index must be a nonnegative integer")
	}
	if b == ';' {
		return c.push(l.array[i])
	}
	v, err := c.pop()
	if err != nil {
		return err
	}
	old, had := l.array[i]
	cost := 0
	if had {
		cost = old.size() + elementCost
	}
	if err := c.hold(v.size()+elementCost, cost); err != nil {
		return err
	}
	if l.array == nil {
		l.array = map[int64]value{}
	}
	l.array[i] = v
	return nil
}

// compare pops two numbers and runs a register if they compare so.
func (c *Calculator) compare(b byte, negate bool, f *frame) error {
	name, err := f.in.ReadByte()
	if err != nil {
		return mistake("unexpected end of file")
	}
	x, err := c.numbers(2)
	if err != nil {
		return err
	}
	n := x[1].Cmp(x[0])
	holds := b == '<' && n < 0 || b == '>' && n > 0 || b == '=' && n == 0
	if holds == negate {
		return nil
	}
	r := c.registers[name]
	if r == nil || len(r.levels) == 0 || !r.levels[len(r.levels)-1].set {
		return mistake(fmt.Sprintf("register '%c' (%#o) is empty", name, name))
	}
	return c.execute(r.levels[len(r.levels)-1].value)
}

// execute runs a string; a number is pushed.
func (c *Calculator) execute(v value) error {
	if !v.text {
		return c.push(v)
	}
	// A string at the end of another takes its place, so that loops need no
	// memory.
	for len(c.frames) > 1 {
		in, ok := c.frames[len(c.frames)-1].in.(*strings.Reader)
		if !ok || in.Len() > 0 {
			break
		}
		c.leave()
	}
	cost := 128 + len(v.str)
	if err := c.budget.Alloc(cost); err != nil {
		return err
	}
	c.frames = append(c.frames, &frame{strings.NewReader(v.str), cost})
	return nil
}

// control executes x, ?, q and Q.
func (c *Calculator) control(b byte) error {
	switch b {
	case 'x':
		v, err := c.pop()
		if err != nil {
			return err
		}
		return c.execute(v)
	case '?':
		_ = c.out.Flush()
		line, err := c.stdin.ReadString('\n')
		if err != nil && err != io.EOF {
			return err
		}
		return c.execute(value{str: line, text: true})
	}
	n := int64(2)
	if b == 'Q' {
		x, err := c.numbers(1)
		if err != nil {
			return err
		}
		if n, _ = x[0].Int64(); n < 1 {
			return mistake("Q command requires a number >= 1")
		}
	}
	for ; n > 0 && len(c.frames) > 1; n-- {
		c.leave()
	}
	if n > 0 && b == 'q' {
		return errQuit
	}
	return nil
}

// shuffle executes the commands that look at the stack or at a value's size.
func (c *Calculator) shuffle(b byte) error {
	switch b {
	case 'c':
		for len(c.stack) > 0 {
			_, _ = c.pop()
		}
		return nil
	case 'd':
		if len(c.stack) == 0 {
			return errEmpty
		}
		return c.push(c.stack[len(c.stack)-1])
	case 'r':
		n := len(c.stack)
		if n < 2 {
			return errEmpty
		}
		c.stack[n-1], c.stack[n-2] = c.stack[n-2], c.stack[n-1]
		return nil
	case 'R':
		return c.rotate()
	case 'z':
		return c.pushInt(int64(len(c.stack)))
	}
	v, err := c.pop()
	if err != nil {
		return err
	}
	switch {
	case b == 'Z' && v.text:
		return c.pushInt(int64(len(v.str)))
	case b == 'Z':
		return c.pushInt(int64(v.num.Length()))
	case b == 'X':
		return c.pushInt(int64(v.num.Scale()))
	case v.text:
		return c.push(value{str: v.str[:min(len(v.str), 1)], text: true})
	}
	n := v.num.Trunc(0).Unscaled()
	return c.push(value{str: string([]byte{byte(n.Uint64())}), text: true})
}

// rotate turns the topmost values around.
func (c *Calculator) rotate() error {
	x, err := c.numbers(1)
	if err != nil {
		return err
	}
	n, ok := x[0].Int64()
	size := min(max(n, -n), int64(len(c.stack)))
	if !ok || size < 2 {
		return nil
	}
	if err := c.budget.Poll(int(size)); err != nil {
		return err
	}
	part := c.stack[len(c.stack)-int(size):]
	if n > 0 {
		first := part[0]
		copy(part, part[1:])
		part[size-1] = first
		return nil
	}
	last := part[size-1]
	copy(part[1:], part)
	part[0] = last
	return nil
}
