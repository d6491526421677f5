package limpet_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

var _ limpet.Sandbox = (*limpet.Shell)(nil)

// The setup script is first, hooks follow in their order, and end in the other; a
// hook may use the sandbox at both ends.
func TestLifecycle(t *testing.T) {
	var order []string
	hook := func(name string) limpet.Hooks {
		return limpet.Hooks{
			OnCreate: func(ctx context.Context, s limpet.Sandbox) error {
				setup, err := s.ReadFile(ctx, "setup")
				order = append(order, "create "+name+" "+string(setup))
				return err
			},
			OnDestroy: func(ctx context.Context, s limpet.Sandbox) error {
				res, err := s.Exec(ctx, limpet.Request{Script: "cat work"})
				order = append(order, "destroy "+name+" "+string(res.Stdout))
				return errors.Join(err, errors.New(name+" says so"))
			},
		}
	}
	sh, err := limpet.New(limpet.Config{Lifecycle: limpet.Lifecycle{
		Setup: limpet.SetupScript{Script: "printf ready > setup"},
		Hooks: []limpet.Hooks{hook("a"), {}, hook("b")},
	}})
	require.NoError(t, err)
	require.Equal(t, []string{"create a ready", "create b ready"}, order)
	execute(t, sh, "printf done > work")
	fork, err := sh.Fork()
	require.NoError(t, err)
	require.NoError(t, fork.Close())
	err = sh.Close()
	require.ErrorContains(t, err, "on destroy: a says so")
	require.ErrorContains(t, err, "on destroy: b says so")
	require.Equal(t, []string{"destroy b done", "destroy a done"}, order[2:])
	require.NoError(t, sh.Close())
	require.Len(t, order, 4, "once")
}

func TestLifecycleThatFails(t *testing.T) {
	destroyed := 0
	good := limpet.Hooks{OnDestroy: func(context.Context, limpet.Sandbox) error { destroyed++; return nil }}
	kept := make(chan limpet.Sandbox, 1)
	for name, c := range map[string]struct {
		cycle     limpet.Lifecycle
		text      string
		is        error
		destroyed int
	}{
		"setup": {cycle: limpet.Lifecycle{
			Setup: limpet.SetupScript{Script: "echo some output; echo why >&2; exit 3"}, Hooks: []limpet.Hooks{good},
		}, text: "limpet: setup script failed with status 3\nsome output\nwhy"},
		"setup takes too long": {cycle: limpet.Lifecycle{
			Setup: limpet.SetupScript{Script: "echo begun; sleep 1000", Timeout: 50 * time.Millisecond},
		}, text: "setup script was stopped: timed out after 50ms\nbegun", is: context.DeadlineExceeded},
		"long output": {cycle: limpet.Lifecycle{
			Setup: limpet.SetupScript{Script: "seq 10000; exit 1"},
		}, text: "bytes left out]"},
		"hook": {cycle: limpet.Lifecycle{Hooks: []limpet.Hooks{good, {
			OnCreate:  func(context.Context, limpet.Sandbox) error { return fs.ErrPermission },
			OnDestroy: func(context.Context, limpet.Sandbox) error { destroyed += 100; return nil },
		}, good}}, text: "on create: permission denied", is: fs.ErrPermission, destroyed: 1},
		"hook that panics": {cycle: limpet.Lifecycle{Hooks: []limpet.Hooks{good, {
			OnCreate: func(context.Context, limpet.Sandbox) error { panic("no") },
		}}}, text: "hook panicked: no", destroyed: 1},
		"hook that takes too long": {cycle: limpet.Lifecycle{Hooks: []limpet.Hooks{good, {
			Timeout: 20 * time.Millisecond, OnCreate: func(ctx context.Context, s limpet.Sandbox) error {
				kept <- s
				<-ctx.Done()
				return nil
			},
		}}}, text: "hook: timed out after 20ms", is: context.DeadlineExceeded, destroyed: 1},
		"identity without git": {cycle: limpet.Lifecycle{Hooks: []limpet.Hooks{limpet.GitIdentity("A", "a@b")}}, text: "git: command not found"},
	} {
		t.Run(name, func(t *testing.T) {
			destroyed = 0
			sh, err := limpet.New(limpet.Config{Lifecycle: c.cycle})
			require.Nil(t, sh)
			require.ErrorContains(t, err, c.text)
			if c.is != nil {
				require.ErrorIs(t, err, c.is)
			}
			require.Equal(t, c.destroyed, destroyed)
		})
	}
	_, err := (<-kept).Exec(t.Context(), limpet.Request{Script: "true"})
	require.ErrorIs(t, err, limpet.ErrClosed, "the sandbox was destroyed")
}

func TestGitIdentity(t *testing.T) {
	sh := newShell(t, limpet.Config{Extra: git.Commands(), Lifecycle: limpet.Lifecycle{
		Hooks: []limpet.Hooks{limpet.GitIdentity("Ada $(x) O'Neil", "ada@example.org")},
	}})
	res := execute(t, sh, "git init -q r; cd r; touch f; git add f; git commit -qm x; git log --format='%an <%ae>'")
	require.Equal(t, "Ada $(x) O'Neil <ada@example.org>\n", string(res.Stdout), "%s", res.Stderr)
}

func TestAccess(t *testing.T) {
	require.Equal(t, limpet.AccessFull, limpet.AccessOf(newShell(t, limpet.Config{})))
	require.Equal(t, limpet.AccessFiles, limpet.AccessOf(newShell(t, limpet.Config{Access: limpet.AccessFiles})))
	require.Equal(t, limpet.AccessNone, limpet.AccessOf(limpet.None{}))
	for _, a := range []limpet.Access{limpet.AccessFull, limpet.AccessFiles, limpet.AccessNone} {
		b, err := limpet.ParseAccess(a.String())
		require.NoError(t, err)
		require.Equal(t, a, b)
	}
	_, err := limpet.ParseAccess("all")
	require.ErrorContains(t, err, "want full, files or none")
	_, err = limpet.None{}.Exec(t.Context(), limpet.Request{})
	require.ErrorContains(t, err, "give it a sandbox, such as limpet.New")
}

func TestDescribe(t *testing.T) {
	d := limpet.Describe(newShell(t, limpet.Config{Limits: limits.Limits{Steps: 7}}))
	require.Contains(t, d.Commands, "grep")
	require.Contains(t, d.Limits, limpet.NamedCap{Name: "steps", Value: "7"})
	require.Contains(t, d.Limits, limpet.NamedCap{Name: "memory", Value: "268435456 bytes"})
	require.True(t, strings.HasPrefix(d.Where, "in a Bash interpreter"))
	require.Equal(t, "nothing", d.Network)
	policy := netpolicy.Policy{Rules: []netpolicy.Rule{{Host: "example.com", Path: "/api"}, {Scheme: "tcp", Host: "db.example.com", Port: 5432}}, Loopback: []uint16{8080}}
	require.Equal(t, "https://example.com/api, tcp://db.example.com:5432, localhost:8080", limpet.Describe(newShell(t, limpet.Config{Network: policy})).Network)
	require.Equal(t, "every public address", limpet.Describe(newShell(t, limpet.Config{Network: netpolicy.Policy{Everything: true}})).Network)
}
