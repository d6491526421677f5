// Package parse reads Bash. The trees are those of mvdan.cc/sh/v3/syntax, and
// made by it; what bash does and that package does not is added here: commands
// that stand before a syntax error are delivered, errors have bash's words,
// aliases are expanded while reading, nesting is bounded, and source that only
// bash accepts is repaired.
//
// Source is first read by package scan, which is strict about what bash accepts
// and knows where the parser needs help. There the parser gets an edited text,
// and what was edited away is put into the tree afterwards, so that trees and
// positions are those of the source. Trees differ from those of package syntax
// in this:
//
//   - An expression or subscript that is wrong, or no expression, is a word of
//     one literal with its raw text: bash reports it when it runs it.
//   - [BadSubstitution], [Unparsed] and [Appends] tell of nodes that bash reads
//     and that package syntax has no form for; [ToggleFirst] and [ToggleAll] are
//     further operators.
//   - An [syntax.Assign] can have both an index and an array, which bash refuses
//     when it runs it. In front of a command, a=(b) is a word that begins with a
//     parenthesis, and a[0]=b an assignment to that name.
//   - let is an ordinary command; so is declare when arguments follow a
//     redirection. Names of functions and loop variables can be any text.
//   - A [syntax.Stmt] with neither a command nor redirections is a lone !.
//   - Words keep carriage returns and bytes that are not UTF-8.
//   - Functions, coprocesses and conditions in [[ ]] have bash's precedence.
package parse

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/limpet-sh/limpet/internal/parse/scan"
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
	// refer. It is what was read, without NUL bytes, which bash drops, and with
	// a newline at the end, which it adds. Repairs do not show in it.
	Source string

	// Start is the offset at which the reading of these commands began.
	Start int

	// Stmts are the commands, in order.
	Stmts []*syntax.Stmt

	// Warnings are what bash says while it reads.
	Warnings []Warning
}

// A Warning is something that bash reports about a source, and runs it.
type Warning struct {
	Line int    // where reading stood when bash noticed
	Text string // without the word "warning: "
	At   int    // a line that follows Text, and is followed by Rest; 0 for none
	Rest string
}

// Message returns the text of w where the lines of the source begin behind line.
func (w Warning) Message(line int) string {
	if w.At == 0 {
		return w.Text
	}
	return w.Text + strconv.Itoa(w.At+line) + w.Rest
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

// LineEnds returns where reading stands when the commands of each element of
// Lines run: what is in front of that offset has been read.
func (p *Program) LineEnds() []int {
	lines := p.Lines()
	ends := make([]int, 0, len(lines))
	for i, line := range lines {
		if i+1 < len(lines) {
			next := int(lines[i+1][0].Pos().Offset())
			end := strings.LastIndexByte(p.Source[:next], '\n') + 1
			ends = append(ends, p.beforeComments(end))
			continue
		}
		end := int(line[len(line)-1].End().Offset())
		if n := strings.IndexByte(p.Source[end:], '\n'); n >= 0 {
			end += n + 1
		}
		ends = append(ends, end)
	}
	return ends
}

// beforeComments returns where the blank lines and comments begin that end at
// an offset.
func (p *Program) beforeComments(end int) int {
	for end > 0 {
		start := strings.LastIndexByte(p.Source[:end-1], '\n') + 1
		line := strings.TrimLeft(p.Source[start:end], " \t")
		if line[0] != '\n' && line[0] != '#' {
			break
		}
		end = start
	}
	return end
}

// Text returns the source between two positions.
func (p *Program) Text(from, to syntax.Pos) string {
	return p.Source[from.Offset():to.Offset()]
}

// Subscript returns what stands between the brackets around index. The node's
// own positions leave out blanks, which are part of a key.
func (p *Program) Subscript(index syntax.ArithmExpr) string {
	open := strings.LastIndexByte(p.Source[:index.Pos().Offset()], '[')
	end := scan.SubscriptEnd(p.Source, open)
	if open < 0 || end < 0 {
		return p.Text(index.Pos(), index.End())
	}
	return p.Source[open+1 : end]
}

// File reads a whole script. The program that it returns is never nil: when
// there is an error, it holds the commands that bash runs before it reports
// that error. The error is a [*SyntaxError], [ErrTooDeep] or a [*BugError].
func File(src string, mode Mode) (*Program, error) {
	return FileContext(context.Background(), src, 0, mode)
}

// FileContext reads a script from an offset on, and gives up with the error of
// ctx when that is done.
func FileContext(ctx context.Context, src string, offset int, mode Mode) (*Program, error) {
	src = whole(src)
	prog := &Program{Source: src, Start: offset}
	all := scan.Command{Start: offset, End: offset, Line: 1 + strings.Count(src[:offset], "\n")}
	s := scan.New(src, offset, all.Line)
	s.ExtGlob, s.Posix, s.Poll = mode.ExtGlob, mode.Posix, ctx.Err
	var starts []int
	var stop error
	for {
		cmd, ok, err := s.Next()
		prog.warn(cmd.Warnings)
		if err != nil {
			stop = err
			break
		}
		if !ok {
			break
		}
		all.End = cmd.End
		starts = append(starts, cmd.Start)
		all.Sites = append(all.Sites, cmd.Sites...)
	}
	p := newParser(ctx)
	stmts, err := p.repaired(src, all, starts)
	var syn *SyntaxError
	if errors.As(err, &syn) {
		return eachCommand(ctx, src, offset, mode)
	}
	if err != nil {
		return prog, err
	}
	p.release()
	prog.Stmts = stmts
	return prog, stop
}

// whole returns src without NUL bytes and with a newline at its end, as bash
// reads it.
func whole(src string) string {
	src = strings.ReplaceAll(src, "\x00", "")
	if src != "" && !strings.HasSuffix(src, "\n") && !strings.HasSuffix(src, "\\") {
		src += "\n"
	}
	return src
}

// eachCommand reads a script of which something could not be parsed, so that
// what stands before it can run.
func eachCommand(ctx context.Context, src string, offset int, mode Mode) (*Program, error) {
	r := NewReader(ctx, src, mode)
	r.line += strings.Count(src[:offset], "\n")
	r.offset = offset
	all := &Program{Source: src, Start: offset}
	for {
		prog, err := r.Next()
		all.Stmts = append(all.Stmts, prog.Stmts...)
		all.Warnings = append(all.Warnings, prog.Warnings...)
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
	}
}

func (p *Program) warn(warnings []scan.Warning) {
	for _, w := range warnings {
		p.Warnings = append(p.Warnings, Warning(w))
	}
}

// Document reads text as the body of a here-document is read: expansions are
// recognised, quotes are not. Offsets of the word refer to text, which holds no
// NUL bytes. The word is nil when text is empty.
func Document(text string, mode Mode) (*syntax.Word, error) {
	return DocumentContext(context.Background(), text, mode)
}

// DocumentContext is [Document], and gives up when ctx is done.
func DocumentContext(ctx context.Context, text string, mode Mode) (*syntax.Word, error) {
	sites, err := scan.Expansions(text, mode.ExtGlob, ctx.Err)
	if err != nil {
		return nil, err
	}
	p := newParser(ctx)
	word, err := p.document(text, sites)
	if err == nil {
		p.release()
	}
	return word, err
}

// Words reads text as words between blanks, with no repair of what only bash reads. It gives up
// when ctx is done.
func Words(ctx context.Context, text string) (words []*syntax.Word, err error) {
	p := syntax.NewParser(syntax.Variant(syntax.LangBash))
	err = guard(ctx, text, func(b *bounded) error {
		return p.Words(b, func(w *syntax.Word) bool {
			words = append(words, w)
			return true
		})
	})
	return words, err
}

// SubstitutionEnd returns where the command substitution ends of which text is what follows
// $(, behind the parenthesis.
func SubstitutionEnd(text string, mode Mode) (int, error) {
	end, err := scan.SubstitutionEnd(text, mode.ExtGlob, nil)
	if err != nil {
		return 0, err
	}
	return end, nil
}

// ExpansionEnd returns where the backquotes or the ${ end that begin at offset i of the body
// of a here-document, or -1.
func ExpansionEnd(body string, i int) int { return scan.ExpansionEnd(body, i) }
