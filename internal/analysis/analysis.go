// Package analysis reads a script and says what it would do, as far as that can
// be known without running it.
//
// It is made for decisions about permissions: what it does not name, it says that
// it does not know. Where a script could do something that the lists do not have,
// there is an [Opaque] for it.
package analysis

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"mvdan.cc/sh/v3/syntax"
)

// An Analysis is what a script statically names.
type Analysis struct {
	Commands     []Command     `json:"commands"`
	Redirections []Redirection `json:"redirections"`
	Functions    []Name        `json:"functions"`
	Variables    []Name        `json:"variables"` // that are set
	Network      []Network     `json:"network"`
	Opaque       []Opaque      `json:"opaque"`
}

// A Position is a place in the script. What stands in a script within the
// script, such as that of bash -c, has the position of the command that runs it.
type Position struct {
	Line   uint `json:"line"`
	Column uint `json:"column"`
}

// String is the line and the column.
func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Column) }

// A Word is an argument or the target of a redirection.
type Word struct {
	Text  string `json:"text"`  // its value, or the source where that is not known
	Known bool   `json:"known"` // it is one word with this value
}

// A Command is a command that the script may run.
type Command struct {
	Position Position `json:"position"`
	Name     string   `json:"name"` // empty where it is not known
	Args     []Word   `json:"args"`
	Via      string   `json:"via,omitempty"`      // the command that runs it, such as xargs or bash
	Function bool     `json:"function,omitempty"` // the script defines a function of that name
	More     bool     `json:"more,omitempty"`     // it gets further arguments, which are not known
}

// A Redirection is a file that the script may open for a command.
type Redirection struct {
	Position Position `json:"position"`
	Mode     string   `json:"mode"` // read, write, append or read-write
	Target   Word     `json:"target"`
}

// A Name is that of a function or a variable.
type Name struct {
	Position Position `json:"position"`
	Name     string   `json:"name"`
}

// A Network is a use of the network.
type Network struct {
	Position Position `json:"position"`
	Command  string   `json:"command"`          // or "redirection"
	Target   string   `json:"target,omitempty"` // a URL or host:port, where one can be seen
}

// An Opaque is something of which the analysis does not know what it does.
type Opaque struct {
	Position Position `json:"position"`
	Reason   string   `json:"reason"`
}

const (
	maxSource = 1 << 20 // bytes
	maxNested = 40      // scripts within scripts, and commands that run commands
)

// ErrTooLarge says that a script is too large to be analysed.
var ErrTooLarge = errors.New("script of more than 1 MiB")

// Of analyses a script. An error says that it cannot be read: it is too large, or
// nested too deeply.
func Of(script string) (*Analysis, error) {
	if len(script) > maxSource {
		return nil, ErrTooLarge
	}
	z := &analyzer{
		out:       &Analysis{Commands: []Command{}, Redirections: []Redirection{}, Functions: []Name{}, Variables: []Name{}, Network: []Network{}, Opaque: []Opaque{}},
		computed:  map[string]bool{},
		evaluated: map[string]Position{},
	}
	if err := z.script(script); err != nil {
		return nil, err
	}
	z.finish()
	return z.out, nil
}

// An analyzer walks the scripts of one analysis.
type analyzer struct {
	out  *Analysis
	src  string
	fix  *Position // of everything, in a script within the script
	deep int
	via  string

	computed  map[string]bool     // variables with values that are not constants
	evaluated map[string]Position // variables that expressions evaluate
	armed     []Position          // constants that would run a command if an expression evaluated them
}

// script analyses a source. As bash does, it goes on behind a mistake where
// reading can go on.
func (z *analyzer) script(src string) error {
	outer := z.src
	defer func() { z.src = outer }()
	for offset := 0; ; {
		prog, err := parse.FileContext(noContext, src, offset, parse.Mode{ExtGlob: strings.Contains(src, "extglob")})
		z.src = prog.Source
		for _, s := range prog.Stmts {
			z.node(s)
		}
		var mistake *parse.SyntaxError
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &mistake):
			return err
		}
		reason := "syntax error"
		at := Position{Line: 1, Column: 1}
		if len(mistake.Messages) > 0 {
			reason += ": " + mistake.Messages[0].Text
			at.Line = uint(mistake.Messages[0].Line)
		}
		if z.fix != nil {
			at = *z.fix
		}
		z.out.Opaque = append(z.out.Opaque, Opaque{at, reason})
		if mistake.Resume <= offset || mistake.Resume >= len(src) {
			return nil
		}
		offset = mistake.Resume
	}
}

// inner analyses a script that a command at a position runs.
func (z *analyzer) inner(src, via string, at Position) {
	if z.deep >= maxNested {
		z.opaque(at, "nested too deeply")
		return
	}
	fix, outerVia := z.fix, z.via
	z.fix, z.via = &at, via
	z.deep++
	if err := z.script(src); err != nil {
		z.opaque(at, err.Error())
	}
	z.deep--
	z.fix, z.via = fix, outerVia
}

// finish adds what only the whole script tells.
func (z *analyzer) finish() {
	for i := range z.out.Commands {
		c := &z.out.Commands[i]
		c.Function = slices.ContainsFunc(z.out.Functions, func(f Name) bool { return f.Name == c.Name })
	}
	for name, at := range z.evaluated {
		if z.computed[name] {
			z.opaque(at, "the value of "+name+" is not known, and is evaluated as an expression")
		}
	}
	if len(z.evaluated) > 0 {
		for _, at := range z.armed {
			z.opaque(at, "text that runs a command if it is evaluated as an expression")
		}
	}
	slices.SortStableFunc(z.out.Opaque, func(a, b Opaque) int {
		if a.Position.Line != b.Position.Line {
			return int(a.Position.Line) - int(b.Position.Line)
		}
		return int(a.Position.Column) - int(b.Position.Column)
	})
	z.out.Opaque = slices.Compact(z.out.Opaque)
}

func (z *analyzer) opaque(at Position, reason string) {
	z.out.Opaque = append(z.out.Opaque, Opaque{at, reason})
}

func (z *analyzer) at(p syntax.Pos) Position {
	if z.fix != nil {
		return *z.fix
	}
	return Position{Line: p.Line(), Column: p.Col()}
}
