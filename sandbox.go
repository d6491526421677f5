package limpet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/limpet-sh/limpet/vfs"
)

// A Sandbox is where scripts run and files are: in this process ([Shell]), in a
// container, on this host, on a machine elsewhere, or nowhere ([None]). Package
// sandboxtest has the suite that every one of them passes.
//
// Scripts are those of bash. Names of files are absolute, or relative to
// Workspace. Errors about files are *[fs.PathError] that match the sentinels of
// package fs. Methods may be called at the same time; after Close they fail with
// [ErrClosed].
//
// What only some sandboxes can do is an interface of one method, such as
// [Backgrounder], and a function, such as [ProcessesOf], that fails with an error
// that matches [errors.ErrUnsupported] where the sandbox lacks it.
type Sandbox interface {
	// Exec runs a script and waits for it, as [Shell.Exec] does: a status that is
	// not zero is a Result, and so is a script that its time limit or ctx has ended,
	// with what it had printed until then. It has ended when Exec returns. A child
	// that the script leaves in the background does not hold Exec up, and is ended
	// with the script. An error means that nobody knows what the script has done, or
	// that it was not run.
	Exec(ctx context.Context, req Request) (*Result, error)

	// ReadFile returns the content of a file.
	ReadFile(ctx context.Context, name string) ([]byte, error)

	// WriteFile makes data the content of a file, and makes the file, with the mode
	// perm, and the directories that it is in where they do not exist.
	WriteFile(ctx context.Context, name string, data []byte, perm fs.FileMode) error

	// OpenSession starts a shell with a memory.
	OpenSession(ctx context.Context, opts SessionOptions) (Conversation, error)

	// Workspace is the directory that scripts start in; "" where there is none.
	Workspace() string

	// Close ends what is running, and removes what the sandbox consists of. A second
	// Close does nothing.
	Close() error
}

// A Conversation is a shell with a memory, as [Session] is one: the directory,
// variables and functions of a script are there for the next, whatever the
// status of the first. Its scripts run one at a time. Two of the same sandbox share
// its files.
type Conversation interface {
	Exec(ctx context.Context, req Request) (*Result, error)

	// Dir is the directory that the next script starts in.
	Dir() string

	// Close ends the conversation.
	Close() error
}

// OpenSession is [Shell.NewSession], for [Sandbox].
func (sh *Shell) OpenSession(ctx context.Context, opts SessionOptions) (Conversation, error) {
	return sh.NewSession(ctx, opts)
}

// Workspace returns the directory that scripts start in.
func (sh *Shell) Workspace() string { return sh.cfg.Start }

// A Filer is a sandbox whose files this process can reach as a file system.
type Filer interface{ Files() vfs.FS }

// FilesOf returns the files of s as a file system, which acts as the user of the
// scripts.
func FilesOf(s Sandbox) (vfs.FS, error) {
	if f, ok := s.(Filer); ok {
		if files := f.Files(); files != nil {
			return files, nil
		}
	}
	return nil, unsupported(s, "no file system that this process can reach")
}

// A Streamer is a sandbox that says whether a request's Stdout and Stderr get what
// a script writes when it writes it. They get it at the end in one that is none.
type Streamer interface{ Streams() bool }

// Streams reports whether output of s can be seen while a script runs.
func Streams(s Sandbox) bool {
	f, ok := s.(Streamer)
	return ok && f.Streams()
}

// Streams reports true.
func (sh *Shell) Streams() bool { return true }

// An Exposer is a sandbox of which the world can reach a port.
type Exposer interface {
	Expose(ctx context.Context, port int) (url string, err error)
}

// Expose makes a port on which something in s listens reachable, and returns where.
func Expose(ctx context.Context, s Sandbox, port int) (url string, err error) {
	if e, ok := s.(Exposer); ok {
		return e.Expose(ctx, port)
	}
	return "", unsupported(s, "no ports that can be reached from outside")
}

// A Describer is a sandbox that knows what it is.
type Describer interface{ Describe() Description }

// A Description is what can be said of a sandbox to whoever writes scripts for it.
// Empty fields are not known.
type Description struct {
	Kind     string     // such as "docker"
	Where    string     // a phrase: where scripts run
	Commands []string   // the names of all programs; nil where there is an operating system
	Network  string     // a phrase: what can be reached
	Limits   []NamedCap // what bounds one execution
}

// A NamedCap is a limit and its value, as they are written.
type NamedCap struct{ Name, Value string }

// Describe returns what s says of itself.
func Describe(s Sandbox) Description {
	if d, ok := s.(Describer); ok {
		return d.Describe()
	}
	return Description{Kind: fmt.Sprintf("%T", s)}
}

// An UnsupportedError says what a sandbox lacks. It matches
// [errors.ErrUnsupported].
type UnsupportedError struct {
	Sandbox string // its kind
	Reason  string // a sentence without a period
}

// Error returns the reason.
func (e *UnsupportedError) Error() string { return e.Sandbox + ": " + e.Reason }

// Is reports whether e matches target.
func (e *UnsupportedError) Is(target error) bool { return target == errors.ErrUnsupported }

func unsupported(s Sandbox, reason string) error {
	return &UnsupportedError{Sandbox: Describe(s).Kind, Reason: reason}
}

// An OptionError says that a sandbox was not made because it could not enforce an
// option that it was given. It matches [errors.ErrUnsupported].
type OptionError struct {
	Option string // its field
	Text   string // why, and what to do
}

// Error returns the text.
func (e *OptionError) Error() string { return e.Text }

// Is reports whether e matches target.
func (e *OptionError) Is(target error) bool { return target == errors.ErrUnsupported }
