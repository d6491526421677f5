// Package awk is an interpreter of the AWK language: POSIX awk with what gawk
// 5.2 adds to it, but for networking, two-way pipes, extensions and @include.
//
// [Parse] turns the text of a program into a syntax tree; [Program.Run] compiles
// that to closures and runs it for one call of a command. Where the two differ,
// gawk is followed and not mawk, down to the order in which a for loop visits an
// array and to the words of errors.
package awk

import (
	"cmp"
	"context"
	"fmt"

	"github.com/limpet-sh/limpet/builtins"
)

// A Program is a parsed program. It may be run once.
type Program struct {
	Warnings []string // to be printed after the command's name

	rules     []*rule
	functions map[string]*function
	order     []*function
	globals   map[string]*variable
	slots     []*variable
	sources   []Source
	library   map[string]*builtin
}

// Parse parses the sources, which together are one program. The error is a
// [*SyntaxError].
func Parse(sources []Source) (prog *Program, err error) {
	prog = &Program{functions: map[string]*function{}, globals: map[string]*variable{}, sources: sources, library: library}
	for name := range specials {
		v := prog.global(name)
		v.array = name == "ARGV" || name == "ENVIRON" || name == "PROCINFO"
	}
	defer func() {
		switch e := recover().(type) {
		case nil:
		case *SyntaxError:
			err = e
		default:
			panic(e)
		}
	}()
	p := &parser{prog: prog}
	for i, src := range sources {
		p.index = i
		p.lexer = newLexer(src, library, func(line int, format string, args ...any) {
			prog.Warnings = append(prog.Warnings, src.where(line)+"warning: "+fmt.Sprintf(format, args...))
		})
		p.source()
	}
	p.link()
	return prog, nil
}

// function returns the function called name, defined or not.
func (p *Program) function(name string) *function {
	fn := p.functions[name]
	if fn == nil {
		fn = &function{name: name, index: len(p.order)}
		p.functions[name] = fn
		p.order = append(p.order, fn)
	}
	return fn
}

// global returns the global variable called name.
func (p *Program) global(name string) *variable {
	v := p.globals[name]
	if v == nil {
		v = &variable{name: name, slot: len(p.slots), special: specials[name]}
		p.globals[name] = v
		p.slots = append(p.slots, v)
	}
	return v
}

// IsFunction reports whether the program defines a function called name.
func (p *Program) IsFunction(name string) bool {
	fn := p.functions[name]
	return fn != nil && fn.defined
}

// An Assignment gives a variable a value before the program runs.
type Assignment struct{ Name, Value string }

// A Config says what a program runs with.
type Config struct {
	Call    *builtins.Call
	Assign  []Assignment
	Args    []string // the operands: files and assignments
	InPlace bool     // print to the file that is being read, which that then replaces
	Suffix  string   // of the backup that InPlace keeps; "" for none
	Sandbox bool     // refuse commands, redirections and files that are not among Args
	Script  bool     // Args are files only
}

// Run runs the program. The error is for the command to return: [builtins.Exit],
// or why the call must end.
func (p *Program) Run(ctx context.Context, c Config) (err error) {
	m := newMachine(ctx, p, c)
	defer m.release()
	defer m.closeRegexps()
	err = m.guard(func() { m.compile(); m.setUp(c); m.runRules() })
	closing := m.closeAll()
	if err = cmp.Or(err, closing); err != nil {
		return err
	}
	if m.status != 0 {
		return builtins.Exit(m.status)
	}
	return nil
}

// guard runs f and turns the panics that end a program into what they mean.
func (m *machine) guard(f func()) (err error) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case abort:
			err = e.err
		case *fatalError:
			m.note(e.msg)
			err = builtins.Exit(2)
		case *SyntaxError:
			for _, line := range e.Lines {
				m.note(line)
			}
			err = builtins.Exit(2)
		default:
			panic(e)
		}
	}()
	f()
	return nil
}
