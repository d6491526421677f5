package limpet

import (
	"context"
	"time"
)

// A Backgrounder is a sandbox in which commands can run in the background, from
// one script to the next. Processes fails with an error that matches
// [errors.ErrUnsupported] where that is switched off.
type Backgrounder interface {
	Processes() (Processes, error)
}

// ProcessesOf returns the background processes of s.
func ProcessesOf(s Sandbox) (Processes, error) {
	if b, ok := s.(Backgrounder); ok {
		return b.Processes()
	}
	return nil, unsupported(s, "background processes are not available in this sandbox")
}

// Processes are commands that run in the background of a sandbox: started by one
// call, seen by later ones. They end when the sandbox is closed.
type Processes interface {
	// Start runs a command and returns at once.
	Start(ctx context.Context, req ProcessRequest) (ProcessInfo, error)

	// Output returns what a process has printed, both streams in one, from an offset
	// on, as much of it as there is and as is asked for. It waits for something new
	// where it is told to.
	Output(ctx context.Context, id string, req OutputRequest) (ProcessOutput, error)

	// Write sends bytes to the standard input of a process. It returns how many were
	// taken, which are not all where the process does not read.
	Write(ctx context.Context, id string, data []byte) (ProcessInfo, int, error)

	// List returns all processes in the order of their creation, the ended ones too.
	List(ctx context.Context) ([]ProcessInfo, error)

	// Stop ends a process and what it has started: first kindly, then by force. For one
	// that has ended it does nothing and succeeds.
	Stop(ctx context.Context, id string) (ProcessInfo, error)
}

// A ProcessRequest says what to run in the background.
type ProcessRequest struct {
	// ID is what the process is to be called by. Empty means that the sandbox makes one.
	// Where there is a process with the ID, Start returns that if it has the same
	// command, so that a call can be repeated, and else fails with
	// CodeIdentityConflict.
	ID string

	Command string
	Dir     string // empty means the workspace
	Env     map[string]string
}

// A ProcessInfo is the state of a process.
type ProcessInfo struct {
	ID       string
	Command  string
	Status   ProcessStatus
	ExitCode int // where Status is ProcessCompleted
	Started  time.Time
}

// A ProcessStatus is how far a process has come.
type ProcessStatus string

// The states of a process.
const (
	ProcessRunning   ProcessStatus = "running"
	ProcessCompleted ProcessStatus = "completed" // ended by itself, with whatever status
	ProcessFailed    ProcessStatus = "failed"    // ended by a fault that is not its own
	ProcessStopped   ProcessStatus = "stopped"   // by Stop
	ProcessOrphaned  ProcessStatus = "orphaned"  // lost with a host that has ended
)

// What is kept of the output of a process: so many segments of so many bytes. Older
// output is dropped, a segment at a time.
const (
	SegmentSize = 8 << 20
	Segments    = 8
)

// How long [Processes.Stop] waits after the kind signal, and again after the other;
// and how long [Processes.Write] waits for a process to read.
const (
	StopGrace  = 2 * time.Second
	WriteGrace = time.Second
)

// Size of the terminal of processes that have one.
const (
	TerminalColumns = 120
	TerminalLines   = 40
)

// An OutputRequest says which part of the output of a process is wanted.
type OutputRequest struct {
	Cursor  int64         // offset in bytes from the start of the output
	FromEnd bool          // the newest bytes instead; Cursor is not looked at
	Max     int           // bytes; zero means 16,000
	Wait    time.Duration // for something to be there, or the end of the process
}

// A ProcessOutput is part of the output of a process.
type ProcessOutput struct {
	ProcessInfo
	Data      []byte
	Start     int64 // the offset of Data
	Next      int64 // the offset behind it, to go on from
	Oldest    int64 // the offset of what is still kept
	Available int64 // how many bytes there have been
}
