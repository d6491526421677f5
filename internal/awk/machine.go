package awk

import (
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
)

// A machine runs a program.
type machine struct {
	memory
	prog  *Program
	code  *compiled
	ctx   context.Context
	call  *builtins.Call
	ticks int

	globals []value
	stack   []value // parameters of the functions that are being called
	base    int     // of the parameters of the current one
	height  int     // levels of closures that the calls may have put on the stack
	deepest int     // the greatest height so far
	calls   int     // of functions, that have not ended
	charged int     // the greatest number of calls, since all have ended
	result  value   // of the function that returns
	line    place   // of the statement that runs
	status  int     // of exit

	rec      record
	splitter *splitter
	splitBy  special
	main     *reader // of the main input
	mainFile closer
	mainName string
	argIndex int  // of the file or assignment to look at next
	started  bool // the main input has been looked for
	ended    bool // there is no more main input
	inFile   bool // records have been counted in the current file
	nr, fnr  float64
	rt       []byte

	specials             [spFUNCTAB + 1]int // their slots
	ofs, ors, rs, subsep string
	convfmt, ofmt        string
	ignorecase           bool
	regexps              map[regexpKey]*matcher
	constants            []*matcher // regexps of the program's text
	out                  *output
	outputs              map[string]*output
	inputs               map[string]*inputFile
	opened               int // outputs and inputs so far
	random               *random
	seed                 float64
	num                  [32]byte // scratch
	loc                  [2]int   // scratch
	scratch              []byte   // a stack of strings being put together
	growing              growing
	inPlace              *inPlace // or nil
	sandbox              []string // what ARGV may hold; nil where all is allowed
	script               bool     // no operand is an assignment
}

type closer interface{ Close() error }

// An abort ends the program for a reason that the command's caller deals with:
// a limit, a cancelled context, a broken pipe.
type abort struct{ err error }

// A fatalError ends the program with a message.
type fatalError struct{ msg string }

func (e *fatalError) Error() string { return e.msg }

// An unwind is control that leaves a function and the expression that called it.
type unwind struct{ to control }

// poll counts n steps of work.
func (m *machine) poll(n int) {
	if m.ticks += n; m.ticks >= 128 {
		n, m.ticks = m.ticks, 0
		if err := m.call.Poll(n); err != nil {
			panic(abort{err})
		}
	}
}

// string returns b as a string.
func (m *machine) string(b []byte) string {
	if len(b) >= counted {
		m.room(len(b))
		m.poll(len(b) >> 8)
	}
	return string(b)
}

// where returns the place in the program and in the input, as messages begin
// with it.
func (m *machine) where() string {
	s := ""
	if m.line != 0 {
		s = m.prog.sources[m.line.source()].where(m.line.line())
	}
	if m.fnr > 0 {
		name := m.special(spFILENAME)
		if name == "" {
			name = "-"
		}
		s += fmt.Sprintf("(FILENAME=%s FNR=%s) ", name, m.format(m.fnr, "%d"))
	}
	return s
}

// fatal ends the program.
func (m *machine) fatal(format string, args ...any) {
	panic(&fatalError{m.where() + "fatal: " + fmt.Sprintf(format, args...)})
}

// warn prints a warning.
func (m *machine) warn(format string, args ...any) {
	m.note(m.where() + "warning: " + fmt.Sprintf(format, args...))
}

// note prints a message after the command's name.
func (m *machine) note(text string) {
	_, _ = fmt.Fprintf(m.call.Stderr, "%s: %s\n", m.call.Name, text)
}

// A place is a line of a source.
type place int

func placeOf(source, line int) place { return place(source<<32 | line) }

func (p place) source() int { return int(p >> 32) }
func (p place) line() int   { return int(p & (1<<32 - 1)) }

// enter counts a call of fn, and leave its end. The depth that is charged is the
// greatest there has been.
func (m *machine) enter(fn *function) {
	if m.height += fn.height; m.height > m.deepest {
		m.deepen(fn)
	}
	if m.calls++; m.calls > m.charged {
		if err := m.call.Meter.Charge(limits.Depth, 1); err != nil {
			panic(abort{err})
		}
		m.charged++
	}
	m.poll(1)
}

func (m *machine) leave(fn *function) {
	m.height -= fn.height
	m.calls--
}

// deepen charges for the levels of closures that a call adds to the most there
// have been.
func (m *machine) deepen(fn *function) {
	const (
		maxStack  = 1 << 20 // levels
		levelSize = 128     // bytes that one is charged
	)
	if m.height > maxStack {
		m.fatal("function `%s': recursion is too deep", fn.name)
	}
	m.hold((m.height - m.deepest) * levelSize)
	m.deepest = m.height
}

// leaveAll ends all calls, after a panic has ended them.
func (m *machine) leaveAll() {
	m.call.Meter.Release(limits.Depth, int64(m.charged))
	m.charged = 0
	m.calls, m.height, m.base = 0, 0, 0
	m.scratch = m.scratch[:0]
	for i := range m.stack {
		m.resize(len(m.stack[i].s), 0)
	}
	clear(m.stack)
	m.stack = m.stack[:0]
}

// A growing is a variable that the program appends to: s = s x. It keeps room
// behind the string, so that appending need not copy what is there.
type growing struct {
	strings.Builder
	text string // what the variable was when it was appended to last
}

// appendTo returns s with tail after it, in time that does not depend on the
// length of s if s is what the last call returned.
func (g *growing) appendTo(m *machine, s string, tail []byte) string {
	n := len(s) + len(tail)
	if n < 64 {
		return s + string(tail)
	}
	m.poll(len(tail) >> 8)
	if len(g.text) != len(s) || g.text != s {
		m.room(n)
		m.poll(n >> 8)
		g.Builder.Reset()
		g.Grow(n + 16)
		g.WriteString(s)
	} else if n > g.Cap() {
		m.room(2 * n)
		m.poll(n >> 8)
		g.Grow(n)
	}
	g.Write(tail)
	g.text = g.String()
	return g.text
}

// drop forgets the string.
func (g *growing) drop() {
	g.Builder.Reset()
	g.text = ""
}
