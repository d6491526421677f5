package awk

import (
	"cmp"
	"context"
	"errors"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

// An output is where print and printf write: standard output, a file or a
// command. It buffers.
type output struct {
	m     *machine
	name  string
	w     io.Writer
	close func() (status int, err error) // nil for standard output and error
	buf   []byte
	order int  // of opening, among outputs and inputs
	eager bool // flush after every statement: a terminal, or standard error
}

const outputSize = 64 << 10

func newOutput(m *machine, name string, w io.Writer) *output {
	return &output{m: m, name: name, w: w, buf: make([]byte, 0, 4<<10), eager: builtins.Interactive(w)}
}

// write adds b to the buffer.
func (o *output) write(b []byte) {
	if len(o.buf)+len(b) > outputSize {
		o.flush()
		if len(b) > outputSize {
			o.send(b)
			return
		}
	}
	o.buf = append(o.buf, b...)
}

// print adds v to the buffer as print does.
func (o *output) print(m *machine, v *value) {
	if v.k == number {
		o.buf = m.appendNumber(o.buf, v.n, m.ofmt)
		return
	}
	o.write(view(m.str(v)))
}

// printed ends a print statement.
func (o *output) printed(m *machine) {
	if len(o.buf) > outputSize/2 || o.eager {
		o.flush()
	}
	m.poll(1)
}

// flush writes out what is buffered.
func (o *output) flush() {
	if len(o.buf) > 0 {
		o.send(o.buf)
		o.buf = o.buf[:0]
	}
}

// send writes b, and ends the program if that fails.
func (o *output) send(b []byte) {
	o.m.poll(1 + len(b)>>10)
	_, err := o.w.Write(b)
	if err == nil {
		return
	}
	o.buf = o.buf[:0]
	if o.m.ctx.Err() != nil {
		panic(abort{context.Cause(o.m.ctx)})
	}
	if o == o.m.out && errors.Is(err, vfs.EPIPE) {
		panic(abort{err})
	}
	o.m.fatal("print to \"%s\" failed: %v", o.name, vfs.ErrnoOf(err))
}

// confined ends the program where it may not redirect anything.
func (m *machine) confined() {
	if m.sandbox != nil {
		m.fatal("redirection not allowed in sandbox mode")
	}
}

// output returns the output that a redirection names, which it opens if this is
// the first time.
func (m *machine) output(kind token, name string) *output {
	m.confined()
	if name == "" {
		m.fatal("expression for `%s' redirection has null string value", map[token]string{tGreater: ">", tAppend: ">>", tPipe: "|"}[kind])
	}
	if o := m.outputs[name]; o != nil {
		return o
	}
	o := m.openOutput(kind, name)
	m.opened++
	o.order = m.opened
	m.outputs[name] = o
	return o
}

func (m *machine) openOutput(kind token, name string) *output {
	if kind == tPipe {
		return m.pipeTo(name)
	}
	switch name {
	case "/dev/stdout", "-":
		m.out.flush()
		o := newOutput(m, name, m.call.Stdout)
		if m.out.w == m.call.Stdout {
			o = m.out
		}
		return o
	case "/dev/stderr":
		o := newOutput(m, name, m.call.Stderr)
		o.eager = true
		return o
	}
	m.refuseNetwork(name)
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	if kind == tAppend {
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_APPEND
	}
	f, err := m.call.FS.OpenFile(name, flag, 0o666)
	if err != nil {
		m.fatal("cannot redirect to `%s': %v", name, vfs.ErrnoOf(err))
	}
	o := newOutput(m, name, f)
	o.close = func() (int, error) { return 0, f.Close() }
	return o
}

// refuseNetwork ends the program if name is one of gawk's network files.
func (m *machine) refuseNetwork(name string) {
	for _, prefix := range []string{"/inet/", "/inet4/", "/inet6/"} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			m.fatal("cannot open `%s': network files are not supported", name)
		}
	}
}

// pipeTo starts a command that reads what is printed to it.
func (m *machine) pipeTo(command string) *output {
	m.flushAll()
	r, w := io.Pipe()
	done := m.start(command, func(c *builtins.Call) { c.Stdin = r }, func() { _ = r.CloseWithError(vfs.EPIPE) })
	o := newOutput(m, command, w)
	o.close = func() (int, error) {
		_ = w.Close()
		return done()
	}
	return o
}

// start runs a command at the same time as the program. When it ends, it calls
// ended; the function that start returns waits for that.
func (m *machine) start(command string, set func(*builtins.Call), ended func()) (wait func() (int, error)) {
	type outcome struct {
		exit builtins.Exit
		err  error
	}
	done := make(chan outcome, 1)
	go func() {
		exit, err := m.call.Exec(m.ctx, []string{"sh", "-c", command}, set)
		ended()
		done <- outcome{exit, err}
	}()
	return func() (int, error) {
		o := <-done
		return int(o.exit), o.err
	}
}

// system runs a command and waits for it.
func (m *machine) system(command string) int {
	if m.sandbox != nil {
		m.fatal("'system' function not allowed in sandbox mode")
	}
	m.flushAll()
	exit, err := m.call.Exec(m.ctx, []string{"sh", "-c", command}, nil)
	if err != nil {
		panic(abort{err})
	}
	return int(exit)
}

// flushAll flushes all outputs.
func (m *machine) flushAll() {
	m.out.flush()
	for _, name := range sorted(m.outputs) {
		m.outputs[name].flush()
	}
}

// finish flushes and closes o. It returns the status of its command.
func (o *output) finish() int {
	if o.close == nil {
		o.flush()
		return 0
	}
	// A command need not read all that it is sent.
	_, err := o.w.Write(o.buf)
	status, closing := o.close()
	if err == nil || errors.Is(err, vfs.EPIPE) {
		err = closing
	}
	if err != nil && (o.m.ctx.Err() != nil || o.m.call.Meter.Err() != nil) {
		panic(abort{err})
	}
	if err != nil {
		o.m.fatal("close of \"%s\" failed: %v", o.name, vfs.ErrnoOf(err))
	}
	return status
}

// closeAll closes all inputs and outputs, when the program has ended. Nothing
// keeps it from closing all of them.
func (m *machine) closeAll() (err error) {
	try := func(f func()) { err = cmp.Or(err, m.guard(f)) }
	for _, name := range sorted(m.outputs) {
		if o := m.outputs[name]; o != m.out {
			try(func() { o.finish() })
		}
	}
	for _, name := range sorted(m.inputs) {
		try(func() { m.inputs[name].finish() })
	}
	try(m.endInPlace)
	if m.mainFile != nil {
		_ = m.mainFile.Close()
	}
	try(m.out.flush)
	try(m.leaveAll)
	return err
}

// closeNamed closes what the program calls name, as close does; the last that it
// opened if there are two. It returns -1 if there is nothing of that name.
func (m *machine) closeNamed(name string) int {
	o, in := m.outputs[name], m.inputs[name]
	switch {
	case in != nil && (o == nil || in.order > o.order):
		delete(m.inputs, name)
		return in.finish()
	case o == nil:
		return -1
	}
	delete(m.outputs, name)
	if o == m.out {
		o.flush()
		return 0
	}
	return o.finish()
}
