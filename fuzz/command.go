package fuzz

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Command is a [Target] that runs each script in a new process of a program of
// the host, in a new temporary directory, with a clean environment and no input.
type Command struct {
	// Args is the program and its arguments, behind which the name of the
	// script comes.
	Args []string

	// Time is how long a script may run, in wall time. Zero means 10 s.
	Time time.Duration
}

// Bash returns the bash of the host as a target.
func Bash() *Command { return &Command{Args: []string{"bash"}} }

// launcher is what sh runs before the program: no script may fill the disk or
// keep a processor busy, also when a minimiser has taken the end out of its loop.
const launcher = `ulimit -t 10; ulimit -f 20000; exec "$@"`

// maxOutput is how much a script may print before it is stopped, in bytes.
const maxOutput = 16 << 20

// ErrStopped is the cause of an outcome whose script took too long, or printed too
// much.
var ErrStopped = errors.New("stopped: it took too long or printed too much")

// Run runs a script.
func (c *Command) Run(ctx context.Context, script string) (*Outcome, error) {
	root, err := os.MkdirTemp("", "limpet-fuzz-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(root)
	dir := filepath.Join(root, WorkDir)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, ScriptName), []byte(script), 0o644); err != nil {
		return nil, err
	}
	out, err := c.start(ctx, dir)
	if err != nil {
		return nil, err
	}
	out.Files = map[string]string{}
	err = readTree(dir, out.Files)
	for name, text := range out.Files {
		out.Files[name] = strings.ReplaceAll(text, root, "")
	}
	out.Stdout, out.Stderr = strings.ReplaceAll(out.Stdout, root, ""), strings.ReplaceAll(out.Stderr, root, "")
	return out, err
}

// start runs the program in a directory and waits for it.
func (c *Command) start(ctx context.Context, dir string) (*Outcome, error) {
	limit := c.Time
	if limit == 0 {
		limit = 10 * time.Second
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, ErrStopped)
	defer cancel()
	var stdout, stderr limitedBuffer
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", launcher, "sh"}, append(c.Args, ScriptName)...)...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
	for name, value := range environment {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.WaitDelay = 100 * time.Millisecond
	killGroup(cmd)
	started := time.Now()
	err := cmd.Run()
	if cmd.ProcessState == nil {
		return nil, fmt.Errorf("fuzz: cannot run %s: %w", c.Args[0], err)
	}
	out := &Outcome{Stdout: stdout.String(), Stderr: stderr.String(), Status: exitStatus(cmd.ProcessState), Took: time.Since(started)}
	if err != nil && !errors.As(err, new(*exec.ExitError)) || ctx.Err() != nil {
		out.Stopped = ErrStopped
	}
	return out, nil
}

// readTree notes what is below a directory of the host.
func readTree(dir string, files map[string]string) error {
	return filepath.WalkDir(dir, func(full string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, full)
		switch {
		case err != nil:
			return err
		case name == ".":
		case d.IsDir():
			files[filepath.ToSlash(name)+"/"] = ""
		case d.Type().IsRegular():
			data, err := os.ReadFile(full)
			files[filepath.ToSlash(name)] = string(data)
			return err
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(full)
			files[filepath.ToSlash(name)] = "-> " + target
			return err
		default:
			files[filepath.ToSlash(name)] = d.Type().String()
		}
		return nil
	})
}

// A limitedBuffer keeps what is written to it until that is too much.
type limitedBuffer struct{ bytes.Buffer }

// Write fails where the buffer would hold more than maxOutput.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxOutput {
		return 0, ErrStopped
	}
	return b.Buffer.Write(p)
}
