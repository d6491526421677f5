package koyeb_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/internal/killtest"
	"github.com/limpet-sh/limpet/adapters/koyeb"
	"github.com/limpet-sh/limpet/adapters/koyeb/koyebtest"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/sandboxtest"
	"github.com/limpet-sh/limpet/tools/toolstest"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) {
	sandboxtest.Main(m, goleak.IgnoreTopFunction("net/http.(*persistConn).readLoop"), goleak.IgnoreTopFunction("net/http.(*persistConn).writeLoop"))
}

// serve starts a stand-in, with a cache of the test's own.
func serve(t *testing.T, s *koyebtest.Server) *koyebtest.Server {
	t.Helper()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	s.Start()
	t.Cleanup(s.Close)
	return s
}

func config(t *testing.T, s *koyebtest.Server) koyeb.Config {
	return koyeb.Config{
		Token: koyebtest.Token, API: s.URL, Network: netpolicy.All(), Workspace: filepath.Join(t.TempDir(), "work"), Pause: 10 * time.Millisecond,
		Slack: time.Minute, // on a machine that is busy
	}
}

func TestSandbox(t *testing.T) {
	s := serve(t, &koyebtest.Server{Polls: 1})
	sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox {
		box, err := koyeb.New(t.Context(), config(t, s))
		require.NoError(t, err)
		return box
	})
	require.Empty(t, s.Apps())
}

func TestLifecycle(t *testing.T) {
	s := serve(t, &koyebtest.Server{})
	sandboxtest.Lifecycle(t, func(t *testing.T, cycle limpet.Lifecycle) (limpet.Sandbox, error) {
		cfg := config(t, s)
		cfg.Lifecycle, cfg.Env = cycle, map[string]string{"HOME": t.TempDir()}
		return koyeb.New(t.Context(), cfg)
	}, s.Apps)
}

// Agents see the same results here as elsewhere.
func TestAgents(t *testing.T) {
	s := serve(t, &koyebtest.Server{})
	toolstest.Run(t, func(t *testing.T) limpet.Sandbox {
		box, err := koyeb.New(t.Context(), config(t, s))
		require.NoError(t, err)
		return box
	})
}

func TestRefusals(t *testing.T) {
	for _, name := range koyeb.Tokens {
		t.Setenv(name, "")
	}
	_, err := koyeb.New(t.Context(), koyeb.Config{Network: netpolicy.All()})
	require.ErrorIs(t, err, koyeb.ErrNoToken)
	s := serve(t, &koyebtest.Server{})
	cfg := config(t, s)
	cfg.Network = netpolicy.None()
	_, err = koyeb.New(t.Context(), cfg)
	require.ErrorIs(t, err, errors.ErrUnsupported)
	require.ErrorContains(t, err, "enforces the policy all and no other")
	cfg = config(t, s)
	cfg.Token = "wrong"
	_, err = koyeb.New(t.Context(), cfg)
	require.ErrorContains(t, err, "unauthorized (401)")
}

// However creation fails, nothing is left.
func TestCreationThatFails(t *testing.T) {
	for name, s := range map[string]*koyebtest.Server{
		"no capacity":                 {RefuseService: 503},
		"ended with the status ERROR": {Fate: "ERROR"},
		"was not ready after":         {Fate: "PENDING"},
		"setup script failed":         {},
		"cannot make":                 {RefuseDelete: 2},
	} {
		t.Run(name, func(t *testing.T) {
			serve(t, s)
			cfg := config(t, s)
			cfg.Ready = time.Second
			cfg.Lifecycle.Setup.Script = "exit 3"
			if name == "cannot make" {
				cfg.Workspace = "/dev/null/x"
			}
			_, err := koyeb.New(t.Context(), cfg)
			require.ErrorContains(t, err, name)
			require.Empty(t, s.Apps())
			left, err := filepath.Glob(os.Getenv("XDG_CACHE_HOME") + "/limpet/koyeb/*")
			require.NoError(t, err)
			require.Empty(t, left)
		})
	}
}

// What goes wrong on the way is made up for, and no script runs twice.
func TestFaults(t *testing.T) {
	for _, fault := range []string{"drop", "lose", "garbage"} {
		t.Run(fault, func(t *testing.T) {
			var calls atomic.Int64
			s := serve(t, &koyebtest.Server{Unhealthy: 2, Unready: 2, Fault: func(string) string {
				if calls.Add(1)%3 == 0 {
					return fault
				}
				return ""
			}})
			box, err := koyeb.New(t.Context(), config(t, s))
			require.NoError(t, err)
			for range 5 {
				res, err := box.Exec(t.Context(), limpet.Request{Script: "cat >> log; head -c 300000 /dev/zero >&2", Stdin: strings.NewReader("once\n")})
				require.NoError(t, err)
				require.Len(t, res.Stderr, 300000)
			}
			data, err := box.ReadFile(t.Context(), "log")
			require.NoError(t, err)
			require.Equal(t, strings.Repeat("once\n", 5), string(data))
			require.NoError(t, box.Close())
		})
	}
}

// An executor that never answers holds nobody up.
func TestHang(t *testing.T) {
	var hang atomic.Bool
	s := serve(t, &koyebtest.Server{Fault: func(string) string {
		if hang.Load() {
			return "hang"
		}
		return ""
	}})
	cfg := config(t, s)
	cfg.Slack = time.Second
	box, err := koyeb.New(t.Context(), cfg)
	require.NoError(t, err)
	hang.Store(true)
	start := time.Now()
	_, err = box.Exec(t.Context(), limpet.Request{Script: "echo x", Timeout: time.Second})
	require.ErrorContains(t, err, "what the script has done is not known")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = box.ReadFile(ctx, "x")
	require.ErrorIs(t, err, context.DeadlineExceeded)
	err = box.WriteFile(ctx, "x", nil, 0o644)
	require.ErrorContains(t, err, "is not known")
	require.Less(t, time.Since(start), 15*time.Second)
	require.NoError(t, box.Close())
}

// A machine that has slept has lost what was on it but its disk: scripts run again,
// processes are orphans, and whoever was in a conversation begins anew.
func TestSleep(t *testing.T) {
	s := serve(t, &koyebtest.Server{})
	cfg := config(t, s)
	cfg.IdleTimeout = time.Minute
	box, err := koyeb.New(t.Context(), cfg)
	require.NoError(t, err)
	c, err := box.OpenSession(t.Context(), limpet.SessionOptions{})
	require.NoError(t, err)
	_, err = c.Exec(t.Context(), limpet.Request{Script: "x=1; echo first >> log"})
	require.NoError(t, err)
	p, err := box.Processes()
	require.NoError(t, err)
	info, err := p.Start(t.Context(), limpet.ProcessRequest{Command: "sleep 1000"})
	require.NoError(t, err)

	require.NoError(t, s.Sleep())
	res, err := box.Exec(t.Context(), limpet.Request{Script: "echo second >> log; cat log"})
	require.NoError(t, err)
	require.Equal(t, "first\nsecond\n", string(res.Stdout))
	res, err = c.Exec(t.Context(), limpet.Request{Script: `echo "[$x]"; x=2`})
	require.NoError(t, err)
	require.Equal(t, "[]\n", string(res.Stdout))
	res, err = c.Exec(t.Context(), limpet.Request{Script: `echo "[$x]"`})
	require.NoError(t, err)
	require.Equal(t, "[2]\n", string(res.Stdout))
	list, err := p.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, limpet.ProcessOrphaned, list[0].Status)
	_, err = p.Output(t.Context(), info.ID, limpet.OutputRequest{})
	require.True(t, limpet.IsProcessError(err, limpet.CodeOutputUnavailable), "%v", err)
	_, _, err = p.Write(t.Context(), info.ID, []byte("x"))
	require.True(t, limpet.IsProcessError(err, limpet.CodeNotRunning), "%v", err)
	stopped, err := p.Stop(t.Context(), info.ID)
	require.NoError(t, err)
	require.Equal(t, limpet.ProcessOrphaned, stopped.Status)

	require.NoError(t, s.Sleep())
	require.NoError(t, box.WriteFile(t.Context(), "f", []byte("written"), 0o644))
	require.NoError(t, s.Sleep())
	_, err = p.Start(t.Context(), limpet.ProcessRequest{Command: "sleep 1000"})
	require.NoError(t, err)
	require.NoError(t, box.Close())
}

// A script that was running when the machine was lost is not run again.
func TestLostScript(t *testing.T) {
	s := serve(t, &koyebtest.Server{})
	box, err := koyeb.New(t.Context(), config(t, s))
	require.NoError(t, err)
	failed := make(chan error, 1)
	started := make(chan struct{})
	go func() {
		_, err := box.Exec(t.Context(), limpet.Request{Script: "echo once | tee -a log; sleep 1000", Stdout: signal(started)})
		failed <- err
	}()
	<-started
	require.NoError(t, s.Sleep())
	require.ErrorContains(t, <-failed, "what the script has done is not known")
	data, err := box.ReadFile(t.Context(), "log")
	require.NoError(t, err)
	require.Equal(t, "once\n", string(data))
	require.NoError(t, box.Close())
}

// signal is closed by the first byte that is written.
type signal chan struct{}

func (s signal) Write(b []byte) (int, error) {
	close(s)
	return len(b), nil
}

func TestLimitsAndPorts(t *testing.T) {
	s := serve(t, &koyebtest.Server{})
	cfg := config(t, s)
	cfg.Image = "example.com/mine"
	cfg.Lifetime = time.Hour
	box, err := koyeb.New(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, "map[delete_after_create:3600 delete_after_sleep:0]", fmt.Sprint(s.LifeCycles()[0]))
	_, err = box.Processes()
	require.ErrorContains(t, err, "SupportsBackgroundProcesses")
	for range 2 {
		url, err := limpet.Expose(t.Context(), box, 8080)
		require.NoError(t, err)
		require.Contains(t, url, "/r/key-")
	}
	res, err := box.Exec(t.Context(), limpet.Request{Script: "echo ${SANDBOX_SECRET-none}"})
	require.NoError(t, err)
	require.Equal(t, "none\n", string(res.Stdout))
	require.NoError(t, box.Close())
	require.Empty(t, s.Apps())
}

// An owner that is killed, whatever it is doing, leaves no app that is not deleted.
func TestKilledOwners(t *testing.T) {
	if killtest.Owner() {
		for {
			box, err := koyeb.New(t.Context(), koyeb.Config{Token: koyebtest.Token, API: os.Getenv("KOYEBTEST_URL"), Network: netpolicy.All(), Workspace: t.TempDir(), Pause: 10 * time.Millisecond})
			require.NoError(t, err)
			_, err = box.Exec(t.Context(), limpet.Request{Script: "setsid sleep 1000 & sleep 0.2"})
			require.NoError(t, err)
			require.NoError(t, box.Close())
		}
	}
	s := serve(t, &koyebtest.Server{Polls: 2})
	killtest.Run(t, 50, 700*time.Millisecond, "KOYEBTEST_URL="+s.URL)
	_, err := koyeb.Reap(t.Context(), config(t, s))
	require.NoError(t, err)
	require.Empty(t, s.Apps())
	left, err := filepath.Glob(os.Getenv("XDG_CACHE_HOME") + "/limpet/koyeb/*")
	require.NoError(t, err)
	require.Empty(t, left)
}

// The app of an owner that cannot delete it is deleted by whoever comes later.
func TestReap(t *testing.T) {
	s := serve(t, &koyebtest.Server{RefuseDelete: 100})
	cfg := config(t, s)
	box, err := koyeb.New(t.Context(), cfg)
	require.NoError(t, err)
	require.ErrorContains(t, box.Close(), "was not deleted")
	require.Len(t, s.Apps(), 1)
	s.RefuseDelete = 0
	n, err := koyeb.Reap(t.Context(), cfg)
	require.NoError(t, err)
	require.Equal(t, 1, n)
	require.Empty(t, s.Apps())
}
