package jq

import (
	"context"
	"fmt"
	"unicode/utf8"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/regex"
	"github.com/limpet-sh/limpet/limits"
)

// A machine runs a program.
type machine struct {
	ctx     context.Context
	call    *builtins.Call
	steps   int // not yet counted
	pending int // bytes held, or given up, and not yet charged
	charged int
	births  int // containers made so far
	height  int // levels of closures that the calls in progress may have put on the stack
	deepest int // the most there have been
	calls   int
	entered int // the most calls there have been

	input   func() (Value, error) // reads the next input; io.EOF at the end
	name    func() Value          // of the file that is read
	line    func() int            // lines read from it
	env     *Object
	message func(string) error // writes to standard error
	regexps map[string]*regex.Matcher
	labels  int
	growing growing
}

// An Error is an error that a program raises and may catch.
type Error struct{ value Value }

// Error returns the message, if the error has one.
func (e *Error) Error() string {
	if s, ok := e.value.(string); ok {
		return s
	}
	return compactScalar(e.value)
}

// A halt ends the program.
type halt struct {
	value  Value
	status int
	print  bool
}

func (*halt) Error() string { return "halt" }

// A jump leaves a label.
type jump struct{ label int }

func (*jump) Error() string { return "break" }

// An abort ends the program for a reason that the command's caller deals with.
type abort struct{ err error }

// fail returns an error that the program may catch.
func fail(format string, args ...any) error { return &Error{fmt.Sprintf(format, args...)} }

// work counts n steps.
func (m *machine) work(n int) {
	if m.steps += n; m.steps >= 128 {
		n, m.steps = m.steps, 0
		if err := m.call.Poll(n); err != nil {
			panic(abort{err})
		}
	}
}

// hold charges n more bytes, or gives back -n.
func (m *machine) hold(n int) {
	const slack = 16 << 10
	if m.pending += n; m.pending < slack && m.pending > -slack {
		return
	}
	n, m.pending = m.pending, 0
	if n < 0 {
		m.call.Free(-n)
	} else if err := m.call.Alloc(n); err != nil {
		panic(abort{err})
	}
	m.charged += n
}

// room makes sure that n bytes can be had.
func (m *machine) room(n int) {
	if err := m.call.Alloc(n); err != nil {
		panic(abort{err})
	}
	m.call.Free(n)
}

// release gives everything back.
func (m *machine) release() {
	for _, re := range m.regexps {
		re.Close()
	}
	m.call.Free(m.charged)
	m.call.Meter.Release(limits.Depth, int64(m.entered))
	m.charged, m.pending, m.entered = 0, 0, 0
}

// birth returns the number of a container that is made now.
func (m *machine) birth() int {
	m.births++
	return m.births
}

// made notes that v is new.
func (m *machine) made(v Value) Value {
	switch v := v.(type) {
	case *Array:
		v.born = m.birth()
	case *Object:
		v.born = m.birth()
	}
	return v
}

// ownSize returns what v takes besides what it contains.
func ownSize(v Value) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case *Array:
		return slotSize * len(v.v)
	case *Object:
		return entrySize * len(v.e)
	}
	return 0
}

// carry gives v, which is new, to out, and charges for it until out returns.
func (m *machine) carry(v Value, out yield) error {
	n := ownSize(v)
	if n < 1<<10 {
		return out(v)
	}
	m.hold(n)
	err := out(v)
	m.hold(-n)
	return err
}

// enter counts a call of a function, and leave its end.
func (m *machine) enter(fn *function) error {
	const (
		maxStack  = 1 << 20 // levels
		levelSize = 128     // bytes that one is charged
	)
	m.work(1)
	if m.height += fn.height; m.height > m.deepest {
		if m.height > maxStack {
			m.height -= fn.height
			return fail("recursion is too deep")
		}
		m.hold((m.height - m.deepest) * levelSize)
		m.deepest = m.height
	}
	if fn.library {
		return nil
	}
	if m.calls++; m.calls > m.entered {
		if err := m.call.Meter.Charge(limits.Depth, 1); err != nil {
			panic(abort{err})
		}
		m.entered++
	}
	return nil
}

func (m *machine) leave(fn *function) {
	m.height -= fn.height
	if !fn.library {
		m.calls--
	}
}

// shown returns v as messages about values of the wrong type show it: the type,
// and the beginning of the value.
func (m *machine) shown(v Value) string {
	return kindOf(v) + " (" + m.brief(v, 11) + ")"
}

// brief returns the compact form of v, or its beginning if it is longer than n
// bytes and a few.
func (m *machine) brief(v Value, n int) string {
	e := encoder{flush: func(b []byte) ([]byte, error) { return b, errEnough }}
	e.value(v, 0)
	if len(e.b) <= n+3 {
		return string(e.b)
	}
	b := e.b[:n]
	for len(b) > 0 && !utf8.Valid(b) {
		b = b[:len(b)-1]
	}
	return string(b) + "..."
}

var errEnough = fmt.Errorf("enough")
