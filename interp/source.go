package interp

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/limpet-sh/limpet/internal/parse"
	"github.com/limpet-sh/limpet/limits"
)

// A unit is a compiled source: its commands, grouped as bash reads and gives
// them up, and the error that comes after them.
type unit struct {
	groups []group
	prog   *parse.Program
	err    error
	line   int // before the first of the source
	names  int // how many names there were when it was compiled

	partial bool // the source is not read to its end
}

// A group is what bash reads before it runs any of it.
type group struct {
	run  node
	line int // on which it ends
}

// compileSource compiles a script, or finds it compiled.
func (sh *Shell) compileSource(src, file string, line int) (*unit, error) {
	if limit := sh.x.meter.Limit(limits.Script); limit >= 0 && int64(len(src)) > limit {
		return nil, sh.x.meter.Exceed(limits.Script)
	}
	key := unitKey{src, file, line, sh.parseMode()}
	if u := sh.names.cache.unit(key); u != nil {
		sh.needNames(u.names)
		return u, nil
	}
	prog, err := parse.FileContext(sh.proc.ctx, src, 0, key.mode)
	if errors.Is(err, parse.ErrTooDeep) {
		return nil, err
	}
	u := sh.compileProgram(prog, err, file, line)
	sh.names.cache.keepUnit(key, u)
	return u, nil
}

// compileProgram compiles what has been read, err being what stopped the
// reading.
func (sh *Shell) compileProgram(prog *parse.Program, err error, file string, line int) *unit {
	c := &compiler{names: sh.names, src: prog.Source, file: file, line: line}
	u := &unit{prog: prog, err: err, line: line}
	lines := prog.Lines()
	ends := prog.LineEnds()
	for i, list := range lines {
		last := list[len(list)-1]
		line := c.endLine(last)
		if behind := prog.Source[last.End().Offset():ends[i]]; strings.Count(behind, "\n") > 1 { // here-documents
			line += strings.Count(behind, "\n") - 1
		}
		u.groups = append(u.groups, group{c.block(list), line})
	}
	u.names = sh.names.len()
	sh.grow()
	return u
}

// needNames makes sure that the first n names have places in the tables.
func (sh *Shell) needNames(n int) {
	if len(sh.vars) < n {
		sh.grow()
	}
}

// parseMode returns the settings that change how source is read.
func (sh *Shell) parseMode() parse.Mode {
	return parse.Mode{ExtGlob: sh.shopt(shoptExtglob), Posix: sh.is(optPosix)}
}

// runSource runs a whole script.
func (sh *Shell) runSource(src, file string) ctl {
	sh.file = file
	if sh.dumping {
		sh.dumpStrings(src, sh.name, sh.catalogue)
		return ctlNone
	}
	if !sh.fromCommand() && strings.HasSuffix(src, "\\") {
		src += "\n" // Bash: in a file, a backslash at the end continues a line
	}
	if sh.interactive() || sh.expandsAliases(src) {
		return sh.runIncrementally(src, 0, !sh.fromCommand())
	}
	u, err := sh.compileSource(src, file, 0)
	if err != nil {
		return sh.tooDeep(err)
	}
	return sh.runUnit(u, !sh.fromCommand())
}

// expandsAliases reports whether a source has to be read command by command,
// because what one does may change how the next is read.
func (sh *Shell) expandsAliases(src string) bool {
	return parse.NeedsReader(src) || len(sh.aliases) > 0 && sh.shopt(shoptExpandAliases)
}

// runIncrementally runs a source as it is read.
func (sh *Shell) runIncrementally(src string, line int, goOn bool) ctl {
	r := sh.commandReader(src)
	for {
		sh.updateReader(r)
		word := ""
		if goOn && sh.misread {
			var rest string
			rest, word = sh.misreadAs(r.Rest())
			r.SetRest(rest)
		}
		prog, err := r.Next()
		err = unquoted(err, word)
		if err == io.EOF {
			return ctlNone
		}
		if errors.Is(err, parse.ErrTooDeep) || errors.Is(err, parse.ErrTooLong) {
			return sh.tooDeep(err)
		}
		sh.record(prog)
		u := sh.compileProgram(prog, err, sh.file, line)
		u.partial = true
		if k := sh.runUnit(u, goOn); k != ctlNone {
			return k
		}
		line += sh.drift
		sh.drift = 0
		if syn := (*parse.SyntaxError)(nil); errors.As(err, &syn) && syn.Resume == 0 {
			return ctlNone
		}
	}
}

// tooDeep ends the execution of a source that is too large to be read.
func (sh *Shell) tooDeep(err error) ctl {
	if errors.Is(err, parse.ErrTooDeep) {
		sh.errorf("%v", err)
		sh.status = 2
		return ctlExit
	}
	return sh.stop(err)
}

// runUnit runs the commands of a unit. What an expansion that failed discards is
// one group of them; a subshell it ends. Where goOn is true the unit is a script,
// and not a string: bash reads on after a mistake.
func (sh *Shell) runUnit(u *unit, goOn bool) ctl {
	for _, w := range u.prog.Warnings {
		sh.line = w.Line + u.line
		sh.warnf("%s", w.Message(u.line))
	}
	loops := sh.loops
	sh.misread = false
	for i := range u.groups {
		if sh.opts&optVerbose != 0 {
			u.echo(sh, i)
		}
		if sh.hooks&hookNoexec != 0 {
			break
		}
		if i > 0 && goOn && sh.opts&optOnecmd != 0 {
			return ctlExit
		}
		sh.line = u.groups[i].line
		if goOn {
			sh.commands++
			sh.lostLine = 0
		}
		switch k := u.groups[i].run(sh); {
		case k == ctlNone:
		case k == ctlDiscard && sh.subshells == 0 && (goOn || !sh.abandoned):
			sh.abandoned, sh.loops, sh.lostLine = false, loops, sh.line
			if sh.status == 0 {
				sh.status = 1
			}
			sh.piped, sh.lastStatus = false, sh.status
		case k == ctlExit && sh.hooks&hookNoexec != 0:
		default:
			return k
		}
		if goOn && sh.misread && !u.partial {
			if prog, err, ok := sh.readMisread(u, i); ok {
				return sh.runUnit(sh.compileProgram(prog, err, sh.file, u.line), true)
			}
		}
		if goOn && sh.lostLine != 0 && sh.lostLine != u.groups[i].line {
			sh.drift += sh.lostLine - u.groups[i].line
			if !u.partial {
				return sh.runDrifted(u, i)
			}
		}
	}
	if sh.opts&optVerbose != 0 && !u.partial {
		u.echo(sh, len(u.groups))
	}
	if u.err == nil {
		return ctlNone
	}
	status := sh.status
	if syn := (*parse.SyntaxError)(nil); errors.As(u.err, &syn) {
		sh.misread = syn.Unmatched && sh.evalName == "eval"
	}
	if k := sh.syntaxError(u.err, u.line); k != ctlNone {
		return k
	}
	if !goOn && len(u.groups) == 0 && sh.evals > 0 && sh.strict() && !sh.mild {
		return ctlExit
	}
	var syn *parse.SyntaxError
	if errors.As(u.err, &syn) && goOn && syn.Unmatched && syn.Status == 2 && status != 0 && sh.opts&optErrexit == 0 {
		sh.status = status
	}
	if errors.As(u.err, &syn) && syn.Resume > 0 && syn.Resume < len(u.prog.Source) && goOn && !u.partial {
		prog, err := parse.FileContext(sh.proc.ctx, u.prog.Source, syn.Resume, sh.parseMode())
		return sh.runUnit(sh.compileProgram(prog, err, sh.file, 0), goOn)
	}
	return ctlNone
}

// runDrifted runs what follows the group i of a unit. Bash: the command that runs and the
// reader count lines in one place, which an expansion that fails, and a subshell in a
// pipeline, leave at their own line. What is read then has numbers that are too small.
func (sh *Shell) runDrifted(u *unit, i int) ctl {
	line := u.line + sh.drift
	sh.drift = 0
	end := u.prog.LineEnds()[i]
	if end >= len(u.prog.Source) {
		return ctlNone
	}
	prog, err := parse.FileContext(sh.proc.ctx, u.prog.Source, end, sh.parseMode())
	return sh.runUnit(sh.compileProgram(prog, err, sh.file, line), true)
}

// echo prints the lines that are read before group i runs, or those after the
// last group, for set -v.
func (u *unit) echo(sh *Shell, i int) {
	ends := u.prog.LineEnds()
	start, end := u.prog.Start, len(u.prog.Source)
	if i > 0 {
		start = ends[i-1]
	}
	if i < len(ends) {
		end = ends[i]
	}
	if start < end {
		_ = sh.write(2, []byte(strings.TrimSuffix(u.prog.Source[start:end], "\n")+"\n"))
	}
}

// syntaxError reports a mistake in a source.
func (sh *Shell) syntaxError(err error, line int) ctl {
	before := sh.status
	sh.status = 2
	var bug *parse.BugError
	if errors.As(err, &bug) {
		return sh.stop(&PanicError{Value: bug.Error()})
	}
	var syn *parse.SyntaxError
	if errors.As(err, &syn) {
		if sh.printSyntaxError(syn, line); syn.Status == parse.Unchanged && sh.evals == 0 {
			sh.status = before
		}
		return ctlNone
	}
	sh.errorf("%v", err)
	return ctlNone
}

// printSyntaxError prints a mistake in bash's words.
func (sh *Shell) printSyntaxError(e *parse.SyntaxError, line int) {
	name := sh.scriptName()
	switch {
	case sh.evalName != "":
		name += ": " + sh.evalName
	case sh.fromCommand() && sh.file == "":
		name += ": -c"
	}
	var b strings.Builder
	for _, m := range e.Messages {
		if sh.interactive() {
			fmt.Fprintf(&b, "%s: %s\n", name, m.Text)
			break // Bash: the line is on the terminal
		}
		fmt.Fprintf(&b, "%s: line %d: %s\n", name, m.Line+line, m.Text)
		if sh.opts&optErrexit != 0 {
			break // Bash: the first ends the shell
		}
	}
	_ = sh.write(2, []byte(b.String()))
	if sh.opts&optErrexit != 0 {
		return
	}
	if e.Status != parse.Unchanged {
		sh.status = e.Status
	}
}

// evalString runs a string in the shell itself, as eval does. name is what the
// messages of a syntax error call it, after the shell's name.
func (sh *Shell) evalString(src, name string) ctl {
	if src == "" {
		return ctlNone
	}
	old, line, command, through := sh.evalName, sh.line, sh.command, sh.through
	sh.evalName, sh.through = name, nil
	k := sh.evaluate(src, max(line-1, 0))
	sh.evalName, sh.line, sh.command, sh.through = old, line, command, through
	return k
}

func (sh *Shell) evaluate(src string, line int) ctl {
	if sh.expandsAliases(src) {
		return sh.runIncrementally(src, line, false)
	}
	u, err := sh.compileSource(src, sh.file, line)
	if err != nil {
		return sh.tooDeep(err)
	}
	if len(u.groups) == 0 && u.err == nil {
		sh.status = 0
	}
	return sh.runUnit(u, false)
}
