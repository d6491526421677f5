package interp

import (
	"context"
	"io"
	"slices"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// Hooks let the host follow an execution, and refuse what it wants to do. Each
// may be nil, and is called from the goroutines of the script, several at a time.
type Hooks struct {
	// Before is called before a command runs: its words have been expanded, and
	// its redirections not yet made. An error keeps it from running: its text is
	// told to the script, in which the status is 126. Before may wait, and
	// should return once ctx is done.
	Before func(ctx context.Context, c *CommandRun) error

	// After is called when a command has ended that Before has not refused,
	// unless it panicked.
	After func(c *CommandRun, status int)

	// Opening is called before a file is opened for writing, or changed otherwise. An
	// error keeps it from that: the script is told that the permission is denied.
	Opening func(ctx context.Context, c *FileOpening) error

	// Opened is called when a file has been opened for writing.
	Opened func(c *FileOpening)

	// Requested is called when a request to the network has been answered,
	// or has failed, or was refused, which err says.
	Requested func(method, url string, err error)
}

// A CommandRun is one run of a command. Programs that other programs start, such
// as xargs, are runs of their own, as is what the builtins command, builtin and
// exec run. Assignments, [[ ]] and (( )) are no commands.
type CommandRun struct {
	Args []string // its name and arguments
	Kind CommandKind
	Dir  string // the working directory
	PID  int    // of the shell that runs it

	Start time.Time // by the clock of the sandbox
}

// A FileOpening is the opening of a file for writing, or another change of one.
type FileOpening struct {
	Name string // absolute; links and ".." are not resolved
	Flag int    // as for vfs.FS.OpenFile
	PID  int    // of the shell that opens it, or whose command does

	// Action is empty where the file is opened. To remove a directory with all that is in
	// it is one action.
	Action vfs.Action
	To     string // the new name, what is linked to, or the target of a symbolic link
}

// A CommandKind is what a command is to the shell.
type CommandKind uint8

// The kinds of commands.
const (
	KindProgram CommandKind = iota // found through PATH, or not at all
	KindBuiltin
	KindFunction
)

// String returns the name of the kind.
func (k CommandKind) String() string {
	return [...]string{"program", "builtin", "function"}[k]
}

// kind returns what a name means as a command.
func (sh *Shell) kind(name string) CommandKind {
	b := sh.names.builtin(name)
	f := sh.function(name)
	switch {
	case f != nil && !(b != nil && b.special && sh.opts&optPosix != 0):
		return KindFunction
	case b != nil && !sh.disabled[name]:
		return KindBuiltin
	}
	return KindProgram
}

// watched runs a command of which hooks are told.
func (sh *Shell) watched(kind CommandKind, argv []string, run func() ctl) ctl {
	h := sh.x.hooks
	c := sh.commandRun(kind, argv, sh.dir)
	if h.Before != nil {
		err := h.Before(sh.proc.ctx, c)
		if sh.x.ctx.Err() != nil {
			return sh.stop(context.Cause(sh.x.ctx))
		}
		if err != nil {
			sh.errorf("%s: refused: %v", argv[0], err)
			sh.status = int(builtins.NotExecutable)
			return ctlNone
		}
	}
	k := run()
	if h.After != nil {
		h.After(c, sh.status)
	}
	return k
}

func (sh *Shell) commandRun(kind CommandKind, argv []string, dir string) *CommandRun {
	return &CommandRun{Args: slices.Clone(argv), Kind: kind, Dir: dir, PID: sh.proc.pid, Start: sh.cfg.Clock.Now()}
}

// inner runs the command that a builtin such as command was given.
func (sh *Shell) inner(kind CommandKind, argv []string, run func() ctl) ctl {
	if sh.x.hooks == nil {
		return run()
	}
	return sh.watched(kind, argv, run)
}

// watchedProgram is watched for a program that another one runs.
func (sh *Shell) watchedProgram(ctx context.Context, argv []string, dir string, stderr io.Writer, run func() (int, error)) (status int, err error) {
	h := sh.x.hooks
	c := sh.commandRun(KindProgram, argv, dir)
	if h.Before != nil {
		if err := h.Before(ctx, c); err != nil {
			_, _ = io.WriteString(stderr, argv[0]+": refused: "+err.Error()+"\n")
			return int(builtins.NotExecutable), nil
		}
	}
	status, err = run()
	if h.After != nil {
		h.After(c, status)
	}
	return status, err
}

// opening asks the hooks about a file that is to be opened for writing.
func (sh *Shell) opening(name string, flag int) error {
	return sh.x.hooks.Opening(sh.proc.ctx, &FileOpening{Name: name, Flag: flag, PID: sh.proc.pid})
}

// changing asks the hooks about a file that is to be changed without being opened.
func (sh *Shell) changing(action vfs.Action, name, to string) error {
	return sh.x.hooks.Opening(sh.proc.ctx, &FileOpening{Name: name, PID: sh.proc.pid, Action: action, To: to})
}

// opened tells the hooks of a file that was opened for writing.
func (sh *Shell) opened(name string, flag int) {
	sh.x.hooks.Opened(&FileOpening{Name: name, Flag: flag, PID: sh.proc.pid})
}
