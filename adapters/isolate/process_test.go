//go:build linux

package isolate_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/stretchr/testify/require"
)

// probes are commands that run in the process of the sandbox and tell what it is.
var probes = []*builtins.Command{
	{Name: "pid", Run: func(_ context.Context, c *builtins.Call) error {
		_, err := fmt.Fprintln(c.Stdout, os.Getpid())
		return err
	}},
	{Name: "bounds", Run: func(_ context.Context, c *builtins.Call) error {
		for _, resource := range []int{syscall.RLIMIT_DATA, syscall.RLIMIT_CORE, syscall.RLIMIT_FSIZE, syscall.RLIMIT_NOFILE} {
			var l syscall.Rlimit
			if err := syscall.Getrlimit(resource, &l); err != nil {
				return err
			}
			fmt.Fprintln(c.Stdout, l.Cur == l.Max, l.Max)
		}
		return nil
	}},
	{Name: "leak", Run: func(_ context.Context, c *builtins.Call) error {
		fmt.Fprintln(c.Stdout, os.WriteFile(c.Args[0], []byte("x"), 0o600) == nil, len(os.Environ()), os.Getenv("CANARY"))
		links, err := os.ReadDir("/proc/self/fd")
		for _, l := range links {
			if to, _ := os.Readlink("/proc/self/fd/" + l.Name()); strings.HasPrefix(to, "/") && to != "/dev/null" && !strings.HasPrefix(to, "/proc/") && !strings.HasPrefix(to, "/sys/fs/cgroup/") { // of the Go runtime
				fmt.Fprintln(c.Stdout, "open:", to)
			}
		}
		return err
	}},
}

// TestBounds looks at the process from within: its limits, which it cannot raise, and
// what of the host has come with it.
func TestBounds(t *testing.T) {
	t.Setenv("CANARY", "of the host")
	held, err := os.Open(os.Args[0]) // which is for this process alone
	require.NoError(t, err)
	defer held.Close()
	s := open(t, isolate.Config{Shell: limpet.Config{Extra: probes}, Memory: processMemory})
	name := t.TempDir() + "/f"
	res, err := s.Exec(t.Context(), limpet.Request{Script: "bounds; leak " + name})
	require.NoError(t, err)
	lines := strings.SplitAfter(string(res.Stdout), "\n")
	require.Equal(t, []string{fmt.Sprintf("true %d\n", processMemory), "true 0\n", "true 0\n"}, lines[:3])
	require.Regexp(t, `^true \d{1,4}\n$`, lines[3])
	require.Equal(t, []string{"false 3 \n", ""}, lines[4:], "%s", res.Stdout)
}

// TestOwnerDies kills the program that has made a sandbox: its process ends too.
func TestOwnerDies(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "ISOLATE_OWNER=1")
	out, err := cmd.Output()
	require.Error(t, err)
	pid, err := strconv.Atoi(strings.TrimSpace(string(out)))
	require.NoError(t, err)
	require.Eventually(t, func() bool { return syscall.Kill(pid, 0) != nil }, 10*time.Second, 10*time.Millisecond)
}

// owner makes a sandbox, prints the number of its process and kills this one.
func owner() error {
	s, err := isolate.New(context.Background(), isolate.Config{Shell: limpet.Config{Extra: probes}})
	if err != nil {
		return err
	}
	res, err := s.Exec(context.Background(), limpet.Request{Script: "pid"})
	if err != nil {
		return err
	}
	os.Stdout.Write(res.Stdout)
	return syscall.Kill(os.Getpid(), syscall.SIGKILL)
}
