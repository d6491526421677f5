// Package sandboxtest is the suite that every [limpet.Sandbox] passes: what an
// application may rely on whichever of them it is given.
package sandboxtest

import (
	"context"
	"errors"
	"flag"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// patience is how long something may take that takes no time: a guard against hangs.
const patience = 30 * time.Second

// Run tests a kind of sandbox. Open returns a new one for each test, which closes it;
// the tests run at the same time.
//
// What only some sandboxes can do is tested where they can, and elsewhere that they
// say that they cannot. One whose access level is none, such as [limpet.None], is
// tested to refuse everything.
func Run(t *testing.T, open func(t *testing.T) limpet.Sandbox) {
	t.Helper()
	first := open(t)
	none := limpet.AccessOf(first) == limpet.AccessNone
	require.NoError(t, first.Close())
	require.NoError(t, first.Close(), "a second time")
	if none {
		refusesAll(t, open(t))
		return
	}
	t.Run("suite", func(t *testing.T) { // which has ended when all of its tests have
		for _, group := range [][]test{execution, files, sessions, processes, endings} {
			for _, c := range group {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					s := open(t)
					defer func() { require.NoError(t, s.Close()) }()
					ctx, cancel := context.WithTimeout(context.Background(), 10*patience)
					defer cancel()
					c.run(&T{T: t, Sandbox: s, ctx: ctx})
				})
			}
		}
	})
}

// Main runs the tests of a package as many at a time as wait for processes and timers
// rather than for this one, and fails where they have left goroutines behind. It is for
// the TestMain of those who call Run.
func Main(m *testing.M, ignored ...goleak.Option) {
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) { // nobody has said otherwise
		if err := flag.Set("test.parallel", "4"); err != nil {
			panic(err)
		}
	}
	goleak.VerifyTestMain(m, ignored...)
}

// A test is one property of a sandbox.
type test struct {
	name string
	run  func(t *T)
}

// A T is what a test gets.
type T struct {
	*testing.T
	limpet.Sandbox
	ctx context.Context
}

// exec runs a request that there must be a result of.
func (t *T) exec(req limpet.Request) *limpet.Result {
	t.Helper()
	res, err := t.Exec(t.ctx, req)
	require.NoError(t, err)
	return res
}

// sh runs a script that must succeed and returns what it prints.
func (t *T) sh(script string, args ...string) string {
	t.Helper()
	res := t.exec(limpet.Request{Script: script, Args: args})
	require.NoError(t, res.Stopped)
	require.Zero(t, res.Status, "%s\n%s", script, res.Stderr)
	return string(res.Stdout)
}

// write makes a file.
func (t *T) write(name, content string) {
	t.Helper()
	require.NoError(t, t.WriteFile(t.ctx, name, []byte(content), 0o644))
}

// read returns what a file holds.
func (t *T) read(name string) string {
	t.Helper()
	data, err := t.ReadFile(t.ctx, name)
	require.NoError(t, err)
	return string(data)
}

// refusesAll tests a sandbox that is none.
func refusesAll(t *testing.T, s limpet.Sandbox) {
	ctx := context.Background()
	_, execErr := s.Exec(ctx, limpet.Request{Script: "true"})
	_, readErr := s.ReadFile(ctx, "x")
	_, sessionErr := s.OpenSession(ctx, limpet.SessionOptions{})
	_, processErr := limpet.ProcessesOf(s)
	_, filesErr := limpet.FilesOf(s)
	for name, err := range map[string]error{
		"exec": execErr, "read": readErr, "write": s.WriteFile(ctx, "x", nil, 0o644), "session": sessionErr,
		"processes": processErr, "files": filesErr,
	} {
		require.ErrorIs(t, err, errors.ErrUnsupported, name)
	}
	require.Empty(t, s.Workspace())
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
}

// join writes text and numbers, as failures of tests show them.
func join(text string, numbers ...int64) string {
	for _, n := range numbers {
		text += "|" + strconv.FormatInt(n, 10)
	}
	return text
}
