//go:build linux

package isolate

import (
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// A wireConfig is a configuration on its way to the process.
type wireConfig struct {
	Shell    wireShell
	Dirs     []Dir
	Memory   int64
	Commands []wireCommand // nil means all of the module
	Extra    []wireCommand

	Events, Approves, ApprovesFiles, LogsNetwork bool // whether these are called back
}

// writesFiles reports whether scripts may write to files of the host.
func (w *wireConfig) writesFiles() bool {
	for _, d := range w.Dirs {
		if d.Mode == ReadWrite {
			return true
		}
	}
	return false
}

// A wireShell is the part of a [limpet.Config] that is data.
type wireShell struct {
	Dir, Start   string
	Env, Secrets map[string]string
	Everything   bool // of the network
	Rules        []netpolicy.Rule
	Loopback     []uint16
	Limits       limits.Limits
	User         builtins.User
	Hostname     string
	Background   bool
	Grace        time.Duration
}

func wireShellOf(c limpet.Config) wireShell {
	return wireShell{
		Dir: c.Dir, Start: c.Start, Env: c.Env, Secrets: c.Secrets,
		Everything: c.Network.Everything, Rules: c.Network.Rules, Loopback: c.Network.Loopback,
		Limits: c.Limits, User: c.User, Hostname: c.Hostname, Background: c.Background, Grace: c.Grace,
	}
}

func (w *wireShell) config() limpet.Config {
	return limpet.Config{
		Dir: w.Dir, Start: w.Start, Env: w.Env, Secrets: w.Secrets,
		Network: netpolicy.Policy{Everything: w.Everything, Rules: w.Rules, Loopback: w.Loopback},
		Limits:  w.Limits, User: w.User, Hostname: w.Hostname, Background: w.Background, Grace: w.Grace,
	}
}

// A wireCommand is what is known of a command where it is not.
type wireCommand struct {
	Name, Synopsis, Summary string
	Aliases                 []string
	Trouble                 builtins.Exit
	Standard                bool // it is one of the module, and is run where the script is
}

// A wireExecution is a request on its way to the process.
type wireExecution struct {
	ID, Session           uint64
	Script, Name, Dir     string
	Args                  []string
	Env                   map[string]string
	Timeout               time.Duration
	Batch, FromStdin      bool
	Posix                 bool
	Stdin, Stdout, Stderr streamRef
}

func (x *wireExecution) request() limpet.Request {
	return limpet.Request{
		Script: x.Script, Name: x.Name, Dir: x.Dir, Args: x.Args, Env: x.Env, Timeout: x.Timeout,
		Batch: x.Batch, FromStdin: x.FromStdin, Posix: x.Posix,
	}
}

func wireExecutionOf(r limpet.Request) wireExecution {
	return wireExecution{
		Script: r.Script, Name: r.Name, Dir: r.Dir, Args: r.Args, Env: r.Env, Timeout: r.Timeout,
		Batch: r.Batch, FromStdin: r.FromStdin, Posix: r.Posix,
	}
}

// A wireResult is a result on its way back.
type wireResult struct {
	Status  int
	Stopped *fault
	Exited  bool
	Usage   limpet.Usage
	Dir     string // of the session
}

type signalCall struct {
	Execution uint64
	Signal    builtins.Signal
}

// A wireEvent is an event. Its Err is in Fault.
type wireEvent struct {
	Execution uint64
	Event     limpet.Event
	Fault     *fault
}

// A wireDecision is a decision about the network. Its Err is in Fault.
type wireDecision struct {
	Event netpolicy.Event
	Fault *fault
}

// An approval asks for one of them.
type approval struct {
	Execution uint64
	Command   *limpet.CommandRun
	File      *limpet.FileOpening
}
