// Package parse reads Bash. The grammar is that of mvdan.cc/sh/v3/syntax, whose
// trees it returns; what bash does and that package does not is added here:
// commands that stand before a syntax error are delivered, errors have bash's
// words, aliases are expanded while reading, nesting is bounded, and source
// that only bash accepts is repaired.
package parse

import (
	"errors"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// A Mode holds the settings of a shell that change how it reads.
// The zero Mode is that of a shell which runs a script.
type Mode struct {
	ExtGlob bool // shopt -s extglob: @(a|b) is a pattern outside [[ ]] too
	Posix   bool // set -o posix
}

// A Program is source that has been read.
type Program struct {
	// Source is the text to which the offsets of all positions in the tree
	// refer. It is what was read, without NUL bytes, which bash drops; where a
	// repair was needed for the tree's sake, Source does not show it.
	Source string

	// Stmts are the commands, in order.
	Stmts []*syntax.Stmt

	// Warnings are what bash says while it reads.
	Warnings []Warning
}

// A Warning is something that bash reports about a source, and runs it.
type Warning struct {
	Line int    // where reading stood when bash noticed
	Text string // without the word "warning: "
}

// Lines returns the statements grouped as bash reads them: each group is
// what one or several whole lines hold, is parsed before any of it runs, and
// is given up as a whole when an expansion fails.
func (p *Program) Lines() [][]*syntax.Stmt {
	var lines [][]*syntax.Stmt
	start := 0
	for i := 1; i < len(p.Stmts); i++ {
		semi := p.Stmts[i-1].Semicolon
		if semi.IsValid() {
			between := p.Source[semi.Offset():p.Stmts[i].Pos().Offset()]
			if !strings.Contains(between, "\n") {
				continue
			}
		}
		lines = append(lines, p.Stmts[start:i])
		start = i
	}
	if start < len(p.Stmts) {
		lines = append(lines, p.Stmts[start:])
	}
	return lines
}

// Text returns the source between two positions.
func (p *Program) Text(from, to syntax.Pos) string {
	return p.Source[from.Offset():to.Offset()]
}

// File reads a whole script. The program that it returns is never nil: when
// there is an error, it holds the commands that bash runs before it reports
// that error. The error is a [*SyntaxError], [ErrTooDeep] or a [*BugError].
func File(src string, mode Mode) (*Program, error) {
	if plain(src) {
		if prog, err := direct(src); err == nil || errors.Is(err, ErrTooDeep) {
			return prog, err
		}
	}
	return From(src, 0, mode)
}

// direct reads a script that needs nothing from this package.
func direct(src string) (*Program, error) {
	src = strings.ReplaceAll(src, "\x00", "")
	prog := &Program{Source: src}
	err := guard(src, func(r *bounded) error {
		file, err := syntax.NewParser().Parse(r, "")
		if err == nil {
			prog.Stmts = file.Stmts
		}
		return err
	})
	return prog, err
}

// Document reads text as the body of a here-document is read: expansions are
// recognised, quotes are not. Offsets of the word refer to text. The word is
// nil when text is empty.
func Document(text string, mode Mode) (*syntax.Word, error) {
	var word *syntax.Word
	err := guard(text, func(r *bounded) (err error) {
		word, err = syntax.NewParser().Document(r)
		return err
	})
	return word, err
}
