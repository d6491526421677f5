package find

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"
	"sync"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/quote"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/vfs"
)

// The statuses with which xargs reports what its commands did.
const (
	someFailed builtins.Exit = 123
	aborted    builtins.Exit = 124
	killed     builtins.Exit = 125
)

// substitute runs the command with item in the place of what -I names.
func (x *xargs) substitute(item string) error {
	if int64(len(item)) >= x.maxChars {
		return errors.New("argument line too long")
	}
	args, size := make([]string, len(x.command)), int64(0)
	for i, arg := range x.command {
		args[i] = arg
		if i > 0 {
			args[i] = strings.ReplaceAll(arg, x.replace, item)
		}
		if size += int64(len(args[i])) + 1; size > x.maxChars && i == 0 {
			return errFit
		} else if size > x.maxChars {
			return errors.New("argument list too long")
		}
	}
	return x.start(args)
}

// execute runs the command with more arguments.
func (x *xargs) execute(more []string) error {
	return x.start(append(x.command[:len(x.command):len(x.command)], more...))
}

// start runs a command line. It returns an error when no more should be run.
func (x *xargs) start(args []string) error {
	x.ran = true
	if x.trace || x.confirm {
		words := make([]string, len(args))
		for i, arg := range args {
			words[i] = quote.Name(arg)
		}
		line := strings.Join(words, " ")
		if x.confirm {
			if ok, err := x.ask(line); !ok || err != nil {
				return err
			}
		} else {
			fmt.Fprintln(x.c.Stderr, line)
		}
	}
	if _, err := x.c.LookPath(args[0]); err != nil {
		fmt.Fprintf(x.c.Stderr, "%s: %s: %v\n", x.c.Name, args[0], vfs.ErrnoOf(err))
		if errors.Is(err, vfs.ENOENT) {
			return builtins.NotFound
		}
		return builtins.NotExecutable
	}
	return x.pool.run(args)
}

// ask shows a command line and reports whether the answer, from the terminal,
// is yes.
func (x *xargs) ask(line string) (bool, error) {
	fmt.Fprint(x.c.Stderr, line)
	tty, err := x.c.FS.Open("/dev/tty")
	if err != nil {
		return false, fmt.Errorf("failed to open /dev/tty for reading: %w", vfs.ErrnoOf(err))
	}
	defer tty.Close()
	fmt.Fprint(x.c.Stderr, "?...")
	first, b := byte(0), make([]byte, 1)
	for n := 0; ; n++ {
		if err := x.c.Poll(1); err != nil {
			return false, err
		}
		got, err := tty.Read(b)
		if got == 0 && err != nil || got > 0 && b[0] == '\n' {
			return first == 'y' || first == 'Y', nil
		}
		if n == 0 && got > 0 {
			first = b[0]
		}
	}
}

// A pool runs command lines, several at a time.
type pool struct {
	x     *xargs
	ctx   context.Context
	end   context.CancelFunc
	slots chan int // the numbers of those that are free
	group sync.WaitGroup
	out   io.Writer
	errs  io.Writer

	mu       sync.Mutex // guards what follows
	status   builtins.Exit
	stop     error // why no more should be run
	panicked any   // on a goroutine of the pool
}

// maxSlots is how many commands run at a time where any number may.
const maxSlots = 64

func newPool(x *xargs) *pool {
	n := x.maxProcs
	if n == 0 {
		n = maxSlots
	}
	if limit := x.c.Meter.Limit(limits.Jobs); limit >= 0 {
		n = min(n, max(1, limit/2))
	}
	n = min(n, 1<<16)
	p := &pool{x: x, slots: make(chan int, n), out: x.c.Stdout, errs: x.c.Stderr}
	p.ctx, p.end = context.WithCancel(x.ctx)
	for i := range n {
		p.slots <- int(i)
	}
	if n > 1 {
		p.out, p.errs = shared(x.c.Stdout), shared(x.c.Stderr)
	}
	return p
}

// run runs a command line, after waiting for one to end if too many are
// running. With one slot it waits for the command itself.
func (p *pool) run(args []string) error {
	slot := <-p.slots
	if err := p.stopped(); err != nil {
		p.slots <- slot
		return err
	}
	if cap(p.slots) == 1 {
		p.execute(args, slot)
		p.slots <- slot
		return p.stopped()
	}
	p.group.Go(func() {
		defer p.recover(slot)
		p.execute(args, slot)
	})
	return nil
}

// recover frees a slot, and keeps what a panic was about for finish.
func (p *pool) recover(slot int) {
	if v := recover(); v != nil {
		p.mu.Lock()
		p.panicked = v
		p.mu.Unlock()
	}
	p.slots <- slot
}

func (p *pool) stopped() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stop
}

// execute runs a command line to its end and judges it.
func (p *pool) execute(args []string, slot int) {
	x := p.x
	status, err := x.c.Exec(p.ctx, args, func(call *builtins.Call) {
		if x.file == "" {
			call.Stdin = bytes.NewReader(nil)
		}
		call.Stdout, call.Stderr = p.out, p.errs
		if x.slot != "" {
			call.Env = slotEnviron{call.Env, x.slot, strconv.Itoa(slot)}
		}
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case err != nil:
		p.fail(err)
	case status == 255:
		fmt.Fprintf(p.errs, "%s: %s: exited with status 255; aborting\n", x.c.Name, args[0])
		p.fail(aborted)
	case status > builtins.Signaled && builtins.Signal(status-builtins.Signaled).Name() != "":
		fmt.Fprintf(p.errs, "%s: %s: terminated by signal %d\n", x.c.Name, args[0], status-builtins.Signaled)
		p.fail(killed)
	case status != 0:
		p.status = someFailed
	}
}

// fail makes the run end with err. The pool is locked.
func (p *pool) fail(err error) {
	if p.stop == nil {
		p.stop = err
	}
}

// finish waits for the commands that are running, and returns how the run
// ends, after err.
func (p *pool) finish(err error) error {
	p.group.Wait()
	p.end()
	if p.panicked != nil {
		panic(p.panicked)
	}
	if p.stop != nil {
		return p.stop
	}
	if err != nil {
		return err
	}
	if p.status != 0 {
		return p.status
	}
	return nil
}

// shared returns w for several commands at once. What belongs to the sandbox
// is safe for that already.
func shared(w io.Writer) io.Writer {
	if _, ok := w.(vfs.Stream); ok {
		return w
	}
	return &lockedWriter{w: w}
}

// A lockedWriter lets one write at a time through.
type lockedWriter struct {
	mu sync.Mutex
	w  io.Writer
}

func (l *lockedWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// A slotEnviron is an environment with one more variable.
type slotEnviron struct {
	builtins.Environ
	name, value string
}

func (e slotEnviron) Lookup(name string) (string, bool) {
	if name == e.name {
		return e.value, true
	}
	return e.Environ.Lookup(name)
}

func (e slotEnviron) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for name, value := range e.Environ.All() {
			if name != e.name && !yield(name, value) {
				return
			}
		}
		yield(e.name, e.value)
	}
}
