// Package calltest runs commands without a shell, for their tests.
package calltest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// Dir is where commands run, and where their files are.
const Dir = "/workspace"

// A Machine is where commands run. Its fields may be changed between runs.
type Machine struct {
	Commands []*builtins.Command // what Exec finds
	FS       *vfs.Mem
	Env      map[string]string
	Limits   limits.Limits
	Now      time.Time // the clock, which sleeping advances
	Network  *netpolicy.Guard
}

// A Result is what a command did.
type Result struct {
	Stdout, Stderr string
	Status         int
	Err            error // of the sandbox, such as an exhausted limit
}

// New returns a machine with the commands and, in Dir, the files, whose names
// may have directories. /dev has null, zero, full and urandom; /tmp is there.
func New(t testing.TB, commands []*builtins.Command, files map[string]string) *Machine {
	t.Helper()
	m := &Machine{
		Commands: commands,
		FS:       vfs.NewMem(vfs.MemOptions{}),
		Env:      map[string]string{"LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": Dir},
		Now:      time.Date(2024, 2, 29, 12, 30, 45, 0, time.UTC),
	}
	for _, dir := range []string{Dir, "/tmp", "/dev"} {
		require.NoError(t, m.FS.MkdirAll(dir, 0o755))
	}
	for name, minor := range map[string]uint32{"null": 3, "zero": 5, "full": 7, "urandom": 9} {
		require.NoError(t, m.FS.Mknod("/dev/"+name, fs.ModeDevice|fs.ModeCharDevice|0o666, vfs.Dev(1, minor)))
	}
	for name, text := range files {
		m.WriteFile(t, name, text)
	}
	return m
}

// WriteFile makes text the content of a file; its directory too if need be.
func (m *Machine) WriteFile(t testing.TB, name, text string) {
	t.Helper()
	abs := path.Join(Dir, name)
	require.NoError(t, m.FS.MkdirAll(path.Dir(abs), 0o755))
	require.NoError(t, vfs.WriteFile(m.FS, abs, []byte(text), 0o644))
}

// ReadFile returns the content of a file.
func (m *Machine) ReadFile(t testing.TB, name string) string {
	t.Helper()
	data, err := vfs.ReadFile(m.FS, path.Join(Dir, name))
	require.NoError(t, err)
	return string(data)
}

// Run runs a command with stdin as its input, until it ends or the test does.
func (m *Machine) Run(t testing.TB, stdin string, args ...string) Result {
	t.Helper()
	return m.RunContext(t.Context(), strings.NewReader(stdin), args...)
}

// RunContext runs a command until it ends or ctx does. What is not found has
// the status 127.
func (m *Machine) RunContext(ctx context.Context, stdin io.Reader, args ...string) Result {
	var stdout, stderr bytes.Buffer
	random := rand.NewChaCha8([32]byte{})
	meter := limits.NewMeter(m.Limits, nil)
	c := &builtins.Call{
		Env:       environ(m.Env),
		Stdin:     stdin,
		Stdout:    &stdout,
		Stderr:    &stderr,
		FS:        &vfs.View{FS: m.FS, Dir: Dir, Umask: 0o022, Context: ctx},
		Net:       m.Network.For(meter),
		Meter:     meter,
		Clock:     (*clock)(&m.Now),
		Rand:      random,
		User:      builtins.User{Name: "root", Group: "root", Home: "/root"},
		Host:      "sandbox",
		PID:       42,
		PPID:      1,
		Processes: processes{},
	}
	defer c.Net.Close()
	status, err := m.exec(ctx, c, args)
	return Result{Stdout: stdout.String(), Stderr: stderr.String(), Status: int(status), Err: err}
}

// exec runs a command that differs from c in its name and arguments.
func (m *Machine) exec(ctx context.Context, c *builtins.Call, args []string) (builtins.Exit, error) {
	command := m.find(args[0])
	if command == nil {
		return builtins.NotFound, nil
	}
	child := *c
	child.Command, child.Name, child.Args = command, path.Base(args[0]), args[1:]
	child.Exec = func(ctx context.Context, args []string, set func(*builtins.Call)) (builtins.Exit, error) {
		grandchild := *c
		if set != nil {
			set(&grandchild)
		}
		return m.exec(ctx, &grandchild, args)
	}
	child.LookPath = func(name string) (string, error) {
		if m.find(name) == nil {
			return "", vfs.ENOENT
		}
		return "/usr/bin/" + path.Base(name), nil
	}
	return builtins.Invoke(ctx, &child)
}

func (m *Machine) find(name string) *builtins.Command {
	for _, c := range m.Commands {
		if c.Name == path.Base(name) {
			return c
		}
		for _, alias := range c.Aliases {
			if alias == path.Base(name) {
				return c
			}
		}
	}
	return nil
}

// An environ is the variables of a machine.
type environ map[string]string

func (e environ) Lookup(name string) (string, bool) {
	value, ok := e[name]
	return value, ok
}

func (e environ) All() iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for _, name := range slices.Sorted(maps.Keys(e)) {
			if !yield(name, e[name]) {
				return
			}
		}
	}
}

// A clock is a time that sleeping advances at once.
type clock time.Time

func (c *clock) Now() time.Time { return time.Time(*c) }

func (c *clock) Sleep(ctx context.Context, d time.Duration) error {
	*c = clock(time.Time(*c).Add(d))
	return context.Cause(ctx)
}

// processes is a table with no process.
type processes struct{}

func (processes) List() []builtins.Process          { return nil }
func (processes) Signal(int, builtins.Signal) error { return vfs.ESRCH }

// Exceeded reports whether the command ran into a limit.
func (r Result) Exceeded() bool { return errors.Is(r.Err, limits.ErrExceeded) }
