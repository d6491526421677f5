// Package bc runs programs of bc, as GNU bc does.
package bc

import (
	"bufio"
	"errors"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/internal/decimal"
)

// A Budget is asked before memory is used and work done. Its errors end the
// program.
type Budget interface {
	Poll(steps int) error
	Alloc(bytes int) error
	Free(bytes int)
}

// An Interpreter runs programs, one after the other.
type Interpreter struct {
	m      *machine
	stderr io.Writer
	stdin  *bufio.Reader
}

// Options are how an [Interpreter] behaves.
type Options struct {
	Library bool // bc -l
	Width   int  // of output lines; 0 does not break them
}

// New returns an interpreter. read() takes numbers from stdin, where programs
// may come from too.
func New(o Options, b Budget, stdin *bufio.Reader, stdout *bufio.Writer, stderr io.Writer) *Interpreter {
	i := &Interpreter{m: newMachine(b), stderr: stderr, stdin: stdin}
	i.m.out = &output{w: stdout, width: o.Width}
	i.m.report = i.report
	i.m.readNumber = i.read
	if o.Library {
		i.m.addLibrary()
	}
	return i
}

// report prints a message, after the output that precedes it.
func (i *Interpreter) report(text string) {
	_ = i.m.out.w.Flush()
	_, _ = io.WriteString(i.stderr, text)
}

// A Source returns the next part of a program, and what messages call it; no reader
// after the last.
type Source func() (name string, in *bufio.Reader, err error)

// Run runs the program that the parts make up. One that does not end its last line goes
// on in the next.
func (i *Interpreter) Run(source Source) error {
	empty := bufio.NewReader(strings.NewReader(""))
	p := &parser{lexer: &lexer{in: empty, source: source, budget: i.m.budget, line: 1, report: i.report}, m: i.m}
	for {
		more, err := p.parseLine()
		switch {
		case p.err != nil:
			return p.err
		case errors.Is(err, errQuit):
			return nil
		case errors.Is(err, errSyntax):
			p.recover()
			continue
		case err != nil:
			return err
		case !more:
			return nil
		}
		if err := i.m.run(p.code); err != nil {
			if errors.Is(err, errHalt) {
				return nil
			}
			return err
		}
		if i.m.out.err != nil {
			return i.m.out.err
		}
	}
}

// Close gives back the memory of the variables.
func (i *Interpreter) Close() { i.m.budget.Free(i.m.held) }

// read reads a number for read().
func (i *Interpreter) read() (decimal.Num, error) {
	_ = i.m.out.w.Flush()
	var text strings.Builder
	negative := false
	for {
		if err := i.m.budget.Poll(1); err != nil {
			return decimal.Num{}, err
		}
		c, err := i.stdin.ReadByte()
		if err != nil && err != io.EOF {
			return decimal.Num{}, err
		}
		switch {
		case err == nil && text.Len() == 0 && c == '-':
			negative = true
		case err == nil && (isDigit(c) || c == '.') && text.Len() < maxToken:
			text.WriteByte(c)
		case err == nil && text.Len() == 0 && (c == ' ' || c == '\n' || c == '\t'):
		default:
			n, parseErr := decimal.ParseBase("0"+text.String(), int(i.m.ibase))
			if negative {
				n = n.Neg()
			}
			return n, parseErr
		}
	}
}

// An output breaks lines that are too long.
type output struct {
	w      *bufio.Writer
	width  int
	column int
	err    error
}

func (o *output) text(s string) {
	for j := range len(s) {
		if s[j] == '\n' {
			o.column = 0
		} else if o.column++; o.width > 0 && o.column == o.width-1 {
			_, _ = o.w.WriteString("\\\n")
			o.column = 1
		}
		o.err = o.w.WriteByte(s[j])
	}
}

func (o *output) number(n decimal.Num, base int64) { o.text(n.Format(base)) }
