package fuzz

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/interp"
)

// Analysis is an [Oracle] that says that limpet.Analyze tells what a script does: every
// command that it runs, with its arguments, and every file that a redirection opens for
// writing, every variable and every function that it sets, is named where nothing is opaque.
type Analysis struct{}

// Check analyses a script, runs it, and compares.
func (Analysis) Check(ctx context.Context, script string) error {
	said, err := limpet.Analyze(script)
	if err != nil {
		return nil // it cannot be read, which is no promise
	}
	finding := func(promise string, err error) error {
		return &Finding{Promise: promise, Script: script, Err: err}
	}
	if err := invented(said, script); err != nil {
		return finding("an analysis names what is there", err)
	}
	if len(said.Opaque) > 0 {
		return nil
	}
	did, err := watched(ctx, script)
	if err != nil || ctx.Err() != nil {
		return err
	}
	if err := did.unnamed(said); err != nil {
		return finding("a script does what its analysis says", err)
	}
	return nil
}

// invented returns an error where an analysis names a command at a place where its
// name is not.
func invented(said *limpet.Analysis, script string) error {
	lines := strings.SplitAfter(script, "\n")
	for _, c := range said.Commands {
		if c.Name == "" || c.Via != "" || c.Position.Line == 0 || int(c.Position.Line) > len(lines) {
			continue
		}
		rest := strings.Join(lines[c.Position.Line-1:min(int(c.Position.Line)+8, len(lines))], "")
		if !strings.Contains(rest, "$'") && !strings.Contains(unquoted(rest), unquoted(c.Name)) {
			return fmt.Errorf("%v: there is no %q", c.Position, c.Name)
		}
	}
	return nil
}

// unquoted returns a text without what may stand between the letters of a word.
func unquoted(text string) string {
	return strings.NewReplacer(`\`, "", `'`, "", `"`, "", "\n", "", "\x00", "", "\r", "", "`", "").Replace(text)
}

// A deed is what a script was seen to do.
type deed struct {
	mu        sync.Mutex
	commands  []*limpet.CommandRun
	files     []string
	programs  bool
	variables []string
	functions []string
}

// watched runs a script and returns what it did.
func watched(ctx context.Context, script string) (*deed, error) {
	d := &deed{}
	var watching bool
	cfg := Fixed(1)
	cfg.Limits = Limits
	cfg.Limits.Steps = 20_000
	cfg.Watch.Event = func(_ context.Context, e *limpet.Event) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if watching {
			d.note(e)
		}
	}
	sh, err := limpet.New(cfg)
	if err != nil {
		return nil, err
	}
	defer sh.Close()
	s, err := sh.NewSession(ctx, limpet.SessionOptions{})
	if err != nil {
		return nil, err
	}
	names := func(kind string) ([]string, error) {
		res, err := s.Exec(ctx, limpet.Request{Script: "builtin compgen -A " + kind})
		if err != nil || res.Stopped != nil {
			return nil, cmp.Or(err, ErrUnstable)
		}
		return strings.Fields(string(res.Stdout)), nil
	}
	before, err := names("variable")
	if err != nil {
		return nil, err
	}
	watching = true
	res, err := s.Exec(ctx, limpet.Request{Script: script, Name: "fuzz", Batch: true})
	d.mu.Lock()
	watching = false
	d.mu.Unlock()
	if err != nil || res.Stopped != nil {
		return d, err
	}
	if d.functions, err = names("function"); err != nil {
		return nil, err
	}
	after, err := names("variable")
	for _, name := range after {
		if !slices.Contains(before, name) {
			d.variables = append(d.variables, name)
		}
	}
	return d, err
}

// note notes an event.
func (d *deed) note(e *limpet.Event) {
	switch e.Kind {
	case limpet.CommandStarted:
		d.commands = append(d.commands, e.Command)
		d.programs = d.programs || e.Command.Kind == interp.KindProgram
	case limpet.FileOpened:
		d.files = append(d.files, e.File.Name)
	}
}

// own are the variables that a shell sets by itself.
var own = []string{
	"BASH_REMATCH", "REPLY", "MAPFILE", "OPTARG", "OPTIND", "COPROC", "COPROC_PID", "PIPESTATUS", "_", "BASH_ARGV0", "OLDPWD", "PWD",
	"DIRSTACK", "FUNCNAME", "LINENO", "RANDOM", "SECONDS", "BASH_ALIASES", "BASH_CMDS", "SHELLOPTS", "BASHOPTS", "COLUMNS", "LINES", "POSIXLY_CORRECT",
	"SRANDOM", "EPOCHSECONDS", "BASH_COMMAND", "IFS", "TIMEFORMAT", "HISTCMD", "READLINE_LINE", "READLINE_POINT", "COMP_WORDBREAKS", "BASH_ARGC", "BASH_ARGV",
}

// unnamed returns an error for what an analysis does not name.
func (d *deed) unnamed(said *limpet.Analysis) error {
	for _, run := range d.commands {
		if !slices.ContainsFunc(said.Commands, func(c limpet.AnalyzedCommand) bool { return names(c, run.Args) }) {
			return fmt.Errorf("it runs %q", run.Args)
		}
	}
	for _, file := range d.files {
		if !d.programs && !slices.ContainsFunc(said.Redirections, func(r limpet.AnalyzedRedirection) bool {
			return r.Mode != "read" && (!r.Target.Known || path.Base(r.Target.Text) == path.Base(file))
		}) {
			return fmt.Errorf("it opens %q", file)
		}
	}
	named := func(list []limpet.AnalyzedName, name string) bool {
		return slices.ContainsFunc(list, func(n limpet.AnalyzedName) bool { return n.Name == name })
	}
	for _, name := range d.functions {
		if !named(said.Functions, name) {
			return fmt.Errorf("it defines the function %q", name)
		}
	}
	for _, name := range d.variables {
		if !named(said.Variables, name) && !slices.Contains(own, name) {
			return fmt.Errorf("it sets the variable %q", name)
		}
	}
	return nil
}

// names reports whether an analysed command may be a run of these words.
func names(c limpet.AnalyzedCommand, args []string) bool {
	if c.Name != args[0] {
		return false
	}
	return c.More || matches(c.Args, args[1:])
}

// matches reports whether words may be what arguments stand for: one whose value is not known
// stands for any number of words.
func matches(words []limpet.AnalyzedWord, args []string) bool {
	for i, w := range words {
		switch {
		case !w.Known:
			for skip := 0; skip <= len(args); skip++ {
				if matches(words[i+1:], args[skip:]) {
					return true
				}
			}
			return false
		case len(args) == 0 || args[0] != w.Text:
			return false
		}
		args = args[1:]
	}
	return len(args) == 0
}
