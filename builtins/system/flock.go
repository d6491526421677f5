package system

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var flock = commands.Add(&builtins.Command{
	Name:     "flock",
	Synopsis: "[options] <file>|<directory> <command> [<argument>...]\n       flock [options] <file>|<directory> -c <command>\n       flock [options] <file descriptor number>",
	Summary:  "manage file locks from shell scripts",
	Trouble:  usageStatus,
	Run:      runFlock,
})

// Statuses of flock, from BSD's sysexits.
const (
	flockDataErr     builtins.Exit = 65
	flockNoInput     builtins.Exit = 66
	flockUnavailable builtins.Exit = 69
	flockOSErr       builtins.Exit = 71
)

// A locker is one run of flock.
type locker struct {
	*builtins.Call
	shared, unlock, now bool
	verbose             bool
	timeout             time.Duration // negative where there is none
	conflict            builtins.Exit
}

func runFlock(ctx context.Context, c *builtins.Call) error {
	l := &locker{Call: c, timeout: -1, conflict: 1}
	f := c.Flags()
	f.Ordered = true
	f.Info("h", "V")
	f.Bool(&l.shared, "s,shared", "get a shared lock")
	f.Do("x,e,exclusive", "get an exclusive lock (default)", func() error { l.shared, l.unlock = false, false; return nil })
	f.Bool(&l.unlock, "u,unlock", "remove a lock")
	f.Bool(&l.now, "n,nonblock,nb", "fail rather than wait")
	f.Func("w,timeout,wait", "wait for a limited amount of time: `SECS`", l.setTimeout)
	f.Func("E,conflict-exit-code", "exit code after conflict or timeout: `NUMBER`", l.setConflict)
	f.Do("o,close", "close file descriptor before running command", func() error { return nil })
	f.Do("F,no-fork", "execute command without forking", func() error { return nil })
	f.Bool(&l.verbose, "verbose", "tell what is done")
	args, err := f.Parse()
	switch {
	case err != nil:
		return err
	case len(args) == 0 && len(c.Args) == 0:
		return f.Fail(builtins.Usage("not enough arguments"))
	case len(args) == 0:
		return f.Fail(errors.New("requires file descriptor, file or directory"))
	case len(args) == 1:
		return l.descriptor(ctx, f, args[0])
	}
	command := args[1:]
	if command[0] == "-c" || command[0] == "--command" {
		if len(command) != 2 {
			return f.Fail(errors.New("-c requires exactly one command argument"))
		}
		command = []string{"/bin/bash", "-c", command[1]}
		if shell := c.Getenv("SHELL"); shell != "" {
			command[0] = shell
		}
	}
	return l.run(ctx, args[0], command)
}

func (l *locker) setTimeout(s string) error {
	seconds, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return fmt.Errorf("invalid timeout value: '%s'", s)
	}
	if seconds < 0 {
		fmt.Fprintf(l.Stderr, "%s: cannot set up timer: %v\n", l.Name, vfs.EINVAL)
		return flockOSErr
	}
	l.timeout = time.Duration(min(seconds, 1e9) * float64(time.Second))
	return nil
}

func (l *locker) setConflict(s string) error {
	n, err := strconv.ParseInt(s, 10, 64)
	switch {
	case err != nil:
		return fmt.Errorf("invalid exit code: '%s'", s)
	case n < 0 || n > 255:
		return errors.New("exit code out of range (expected 0 to 255)")
	}
	l.conflict = builtins.Exit(n)
	return nil
}

// descriptor locks what a descriptor of the shell refers to.
func (l *locker) descriptor(ctx context.Context, f *builtins.Flags, text string) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return f.Fail(fmt.Errorf("bad file descriptor: '%s'", text))
	}
	var s vfs.Stream
	if err = vfs.EBADF; l.FS.Descriptor != nil {
		s, err = l.FS.Descriptor(n)
	}
	if err != nil {
		l.Warnf("%d: %w", n, vfs.EBADF)
		return flockDataErr
	}
	defer s.Close()
	return l.lock(ctx, s)
}

// run runs a command with a lock on a file, which it makes where it is not there.
func (l *locker) run(ctx context.Context, name string, command []string) error {
	f, err := l.FS.OpenFile(name, vfs.O_RDONLY|vfs.O_CREATE, 0o666)
	if errors.Is(err, vfs.EISDIR) {
		f, err = l.FS.OpenFile(name, vfs.O_RDONLY, 0)
	}
	if err != nil {
		l.Warnf("cannot open lock file %s: %w", name, vfs.ErrnoOf(err))
		switch vfs.ErrnoOf(err) {
		case vfs.ENOENT, vfs.ENOTDIR, vfs.EACCES, vfs.EPERM, vfs.EROFS:
			return flockNoInput
		}
		return flockDataErr
	}
	defer f.Close()
	if err := l.lock(ctx, f); err != nil {
		return err
	}
	if l.Locks != nil {
		defer l.Locks.Unlock(f)
	}
	if l.verbose {
		fmt.Fprintf(l.Stdout, "%s: executing %s\n", l.Name, command[0])
	}
	if _, err := l.LookPath(command[0]); err != nil {
		l.Warnf("failed to execute %s: %w", command[0], vfs.ErrnoOf(err))
		if errors.Is(err, vfs.ENOENT) {
			return flockUnavailable
		}
		return flockOSErr
	}
	return run(ctx, l.Call, command, "", nil)
}

// lock takes or removes the lock of an open file.
func (l *locker) lock(ctx context.Context, s vfs.Stream) error {
	if l.Locks == nil {
		l.Warnf("No locks available")
		return flockOSErr
	}
	if l.unlock {
		l.Locks.Unlock(s)
		return nil
	}
	start := l.Clock.Now()
	waiting := ctx
	if l.timeout >= 0 && !l.now {
		var cancel context.CancelCauseFunc
		waiting, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		go func() {
			if l.Clock.Sleep(waiting, l.timeout) == nil {
				cancel(errTimeout)
			}
		}()
	}
	err := l.Locks.Lock(waiting, s, l.shared, !l.now && l.timeout != 0)
	switch {
	case err == nil:
		if l.verbose {
			fmt.Fprintf(l.Stdout, "%s: getting lock took %.6f seconds\n", l.Name, l.Clock.Now().Sub(start).Seconds())
		}
		return nil
	case ctx.Err() != nil:
		return err
	case errors.Is(err, vfs.EAGAIN) && l.timeout != 0:
		if l.verbose {
			l.Warnf("failed to get lock")
		}
		return l.conflict
	case errors.Is(err, errTimeout), errors.Is(err, vfs.EAGAIN):
		if l.verbose {
			l.Warnf("timeout while waiting to get lock")
		}
		return l.conflict
	}
	l.Warn(vfs.ErrnoOf(err))
	return flockOSErr
}

// errTimeout is why waiting for a lock ends that has waited long enough.
var errTimeout = errors.New("timeout")
