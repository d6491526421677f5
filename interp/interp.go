// Package interp executes Bash scripts: it compiles syntax trees to closures
// and runs them in this process, over a virtual file system and under the
// limits of a meter.
//
// A [Shell] is one shell environment. Subshells, pipelines and jobs are copies
// of it that share variables until one of them writes; each runs on a goroutine
// of its own where bash would fork, and on its parent's where the parent would
// only wait. Everything that one call of [Shell.Run] starts is one execution:
// it shares a meter, a context and a table of processes, and ends with the call.
package interp

import (
	"context"
	"io"
	"io/fs"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
)

// A Config is the world of a shell: what it and its commands can reach. Every
// field without a stated default is required. It must not change or be copied
// once a shell has it.
type Config struct {
	FS      vfs.FS
	Clock   builtins.Clock
	Rand    io.Reader // read under a lock
	User    builtins.User
	Host    string           // host name
	Network *netpolicy.Guard // nil means no network

	// Command returns the command that a program file of the sandbox stands
	// for, or nil; see [Stub].
	Command func(name string) *builtins.Command

	// Unavailable returns what to say of a well-known program that a sandbox
	// cannot have, or "". A nil func means that there is nothing to say.
	Unavailable func(name string) string
}

// A Startup says how a shell begins: what its invocation and its environment
// would say to bash.
type Startup struct {
	Name        string            // $0
	Shell       string            // what messages of startup call the shell; "" means bash
	Dir         string            // the working directory
	Env         map[string]string // exported variables
	Umask       fs.FileMode
	Interactive bool // -i
	Stdin       bool // -s: the script comes from standard input
	Command     bool // -c
	Posix       bool // sh
}

// A Program is a script to run and what it starts with.
type Program struct {
	Source    string
	File      string   // what error messages call it; "" means the shell's name
	FromStdin bool     // the source is what Stdin has, read as it is run
	Args      []string // $1, $2, ...

	Stdin          vfs.Stream
	Stdout, Stderr vfs.Stream

	// Signals are sent to all processes of the program as they come, as a terminal
	// does. Nil means none.
	Signals <-chan builtins.Signal

	Meter *limits.Meter // nil means no limits
	Hooks *Hooks        // nil means that nobody is told

	// Grace is how long background jobs may go on after the script has
	// ended. Zero ends them at once.
	Grace time.Duration
}

// Run runs a program to its end, with that of everything that it has started.
// The status is the script's. An error says what ended the execution early: a
// limit, the context's cause, or a [*PanicError].
//
// Files, variables, functions, options and the directory stay for the next Run;
// traps, jobs and descriptors do not. In an interactive shell, traps and $? stay too,
// and programs are remembered in the history. A Shell runs one program at a time.
func (sh *Shell) Run(ctx context.Context, p Program) (status int, err error) {
	x := newExecution(ctx, sh.cfg, p)
	defer x.cancel(nil)
	return sh.run(x, p)
}

// Exited reports whether a command has ended the program that ran last, as exit does,
// and not its end.
func (sh *Shell) Exited() bool { return sh.exited }

func (sh *Shell) run(x *execution, p Program) (status int, err error) {
	sh.begin(x, p)
	if p.Signals != nil {
		defer x.deliver(sh.proc, p.Signals)()
	}
	func() {
		defer x.guard()
		k := ctlNone
		if p.FromStdin {
			k = sh.runReader(sh.fd(0))
		} else {
			k = sh.runSource(p.Source, p.File)
		}
		switch {
		case sh.interactive() && sh.killedBy == builtins.SIGINT:
			sh.status = 128 + int(sh.killedBy) // and the user goes on
		case sh.interactive() && k != ctlExit:
		default:
			sh.exited = k == ctlExit
			sh.exits()
		}
	}()
	if err := context.Cause(x.ctx); err != nil { // what the script did last may have failed because of it
		x.stop(err)
	}
	x.finish(p.Grace)
	sh.end()
	if err := x.error(); err != nil {
		return sh.status, err
	}
	return sh.status, nil
}
