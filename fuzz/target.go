package fuzz

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/vfs"
)

// A Target is a shell under test.
type Target interface {
	// Run runs a script in an empty working directory that no other script
	// uses, and returns what it did. A script that does not end is stopped,
	// and that is an outcome. An error means that nothing can be said of the
	// script. Run must be safe for concurrent use.
	Run(ctx context.Context, script string) (*Outcome, error)
}

// An Outcome is what can be seen of a script that has run. The directory in which
// it ran has the name [WorkDir] there, whatever its real one is.
type Outcome struct {
	Stdout string
	Stderr string
	Status int

	// Files are those that the script left below its working directory, by
	// name: their contents, "-> " and the target of a symbolic link, or
	// nothing for a directory, whose name ends in a slash. Nil means that the
	// target cannot tell.
	Files map[string]string

	// Stopped says why the script did not end by itself; nil where it did.
	Stopped error

	// Took is how long it ran, and Memory how many bytes it held at the most by
	// the account of the target; zero where that keeps none.
	Took   time.Duration
	Memory int64

	// After says what was wrong with the shell when the script had ended; nil
	// where nothing was, or where the shell has ended too.
	After error
}

const (
	// WorkDir is the working directory of scripts, as outcomes show it.
	WorkDir = "/workspace"

	// ScriptName is $0.
	ScriptName = "../script"
)

// environment is what scripts find in theirs. HOME is not the working directory, which has
// names of several lengths.
var environment = map[string]string{
	"PATH": "/usr/bin:/bin", "HOME": "/tmp", "LC_ALL": "C.UTF-8", "TZ": "UTC",
	"USER": "user", "LOGNAME": "user", "SHELL": "/bin/bash", "TERM": "dumb", "LANG": "C.UTF-8",
}

// Sandbox is a [Target] that runs each script in a sandbox of its own, from this
// process.
type Sandbox struct {
	// Config is that of the limpet.Shell that a script runs in. Its Files are
	// shared by all scripts if they are not nil.
	Config limpet.Config

	// Open makes the sandbox that a script runs in, and that is closed after it.
	// Nil means a limpet.Shell of Config.
	Open func(ctx context.Context) (limpet.Sandbox, error)

	// Files are what scripts find in their working directory, by name.
	Files map[string]string
}

// open makes a sandbox.
func (s *Sandbox) open(ctx context.Context) (limpet.Sandbox, error) {
	if s.Open != nil {
		return s.Open(ctx)
	}
	return limpet.New(s.Config)
}

// Run runs a script.
func (s *Sandbox) Run(ctx context.Context, script string) (out *Outcome, err error) {
	box, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() {
		if closing := box.Close(); closing != nil && err == nil {
			out.After = fmt.Errorf("it cannot be closed: %w", closing)
		}
	}()
	for name, text := range s.Files {
		if err := box.WriteFile(ctx, name, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	started := time.Now()
	res, err := box.Exec(ctx, limpet.Request{Script: script, Name: ScriptName, Batch: true, Env: environment})
	if err != nil {
		return nil, err
	}
	out = &Outcome{
		Stdout: string(res.Stdout), Stderr: string(res.Stderr), Status: res.Status, Stopped: res.Stopped,
		Took: time.Since(started), Memory: res.Usage.Memory,
	}
	out.After = usable(ctx, box)
	if files, unsupported := limpet.FilesOf(box); unsupported == nil {
		out.Files = map[string]string{}
		collect(ctx, files, box.Workspace(), "", out.Files)
	}
	return out, nil
}

// usable returns what is wrong with a sandbox in which a script has run: the next
// runs too, and finds nothing of the variables of the first.
func usable(ctx context.Context, box limpet.Sandbox) error {
	res, err := box.Exec(ctx, limpet.Request{Script: `echo "alive $` + markVariable + `"`})
	if err != nil || ctx.Err() != nil {
		return err
	}
	if string(res.Stdout) != "alive \n" {
		return fmt.Errorf("the next script printed %q and %q", res.Stdout, res.Stderr)
	}
	return nil
}

// collect notes what is below a directory of a sandbox, by names that begin with
// prefix. What the user of the scripts cannot read is noted by the reason.
func collect(ctx context.Context, files vfs.FS, dir, prefix string, found map[string]string) {
	entries, err := vfs.ReadDir(files, dir)
	if err != nil {
		found[prefix] = vfs.ErrnoOf(err).Error()
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return
		}
		full, name := path.Join(dir, e.Name()), prefix+e.Name()
		switch {
		case e.IsDir():
			found[name+"/"] = ""
			collect(ctx, files, full, name+"/", found)
		case e.Type().IsRegular():
			data, err := vfs.ReadFile(files, full)
			if err != nil {
				data = []byte(vfs.ErrnoOf(err).Error())
			}
			found[name] = string(data)
		case e.Type()&fs.ModeSymlink != 0:
			target, _ := files.ReadlinkIfPossible(full)
			found[name] = "-> " + target
		default:
			found[name] = e.Type().String()
		}
	}
}
