//go:build linux

package isolate_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/isolate"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
	"github.com/limpet-sh/limpet/vfs/vfstest"
	"github.com/stretchr/testify/require"
)

// TestCallbacks runs commands of this process in scripts of the other, with all that a
// command may touch. A Shell is the oracle.
func TestCallbacks(t *testing.T) {
	here := os.Getpid()
	commands := []*builtins.Command{
		{Name: "where", Run: func(_ context.Context, c *builtins.Call) error {
			_, err := fmt.Fprintln(c.Stdout, os.Getpid() == here, c.Name, c.Args, c.User.Name, c.Host, c.FS.Dir, c.Getenv("X"))
			return err
		}},
		{Name: "upper", Aliases: []string{"up"}, Trouble: 2, Run: func(_ context.Context, c *builtins.Call) error {
			return c.EachInput(c.Args, func(_ string, r io.Reader) error {
				data, err := io.ReadAll(r)
				if err == nil {
					_, err = c.Stdout.Write(bytes.ToUpper(data))
				}
				return err
			})
		}},
		{Name: "twice", Run: func(ctx context.Context, c *builtins.Call) error {
			for i := range 2 {
				var out bytes.Buffer
				exit, err := c.Exec(ctx, c.Args, func(n *builtins.Call) {
					n.Stdout, n.Stdin, n.Env = &out, strings.NewReader("given\n"), builtins.WithVariables(c.Env, map[string]string{"I": fmt.Sprint(i)})
				})
				if err != nil {
					return err
				}
				fmt.Fprintf(c.Stdout, "%d %q\n", exit, out.String())
			}
			_, err := c.LookPath("nosuch")
			fmt.Fprintln(c.Stdout, errors.Is(err, vfs.ENOENT), len(c.Processes.List()) > 0, c.Processes.Signal(99999, 0))
			return nil
		}},
		{Name: "spin", Run: func(_ context.Context, c *builtins.Call) error {
			for {
				if err := c.Poll(1); err != nil {
					return err
				}
			}
		}},
		{Name: "files", Run: func(_ context.Context, c *builtins.Call) error {
			f, err := c.FS.OpenFile("made", vfs.O_RDWR|vfs.O_CREATE, 0o666)
			if err != nil {
				return err
			}
			defer f.Close()
			fmt.Fprint(f, strings.Repeat("0123456789", 20_000))
			_, _ = f.WriteAt([]byte("AB"), 3)
			end, _ := f.Seek(-4, io.SeekEnd)
			tail, _ := io.ReadAll(f)
			info, err := f.Stat()
			part := make([]byte, 4)
			n, eof := f.ReadAt(part, 199_998)
			fmt.Fprintln(c.Stdout, end, string(tail), info.Size(), info.Mode(), err, n, eof)
			err = errors.Join(f.Truncate(5), c.FS.Symlink("made", "l"), c.FS.Link("made", "h"), c.FS.Mkdir("d", 0o777), c.FS.Rename("h", "d/h"), c.FS.Chmod("d/h", 0o600))
			list, _ := c.FS.ReadDir("d")
			to, _ := c.FS.Readlink("l")
			_, missing := c.FS.Stat("none")
			fmt.Fprintln(c.Stdout, err, len(list), to, missing, c.FS.Remove("d"))
			return nil
		}},
	}
	cfg := limpet.Config{Extra: commands, Limits: limits.Limits{Steps: 2_000_000, Jobs: 50}, Env: map[string]string{"X": "y"}}
	shell, err := limpet.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, shell.Close()) })
	isolated := open(t, isolate.Config{Shell: cfg})
	for _, script := range []string{
		"where a 'b c'; cd /tmp; X=z where; type -t where; help where > /dev/null; echo $?",
		"echo abc | upper; printf x > f; up f nosuch; echo $?; upper < f | cat; seq 100000 | upper | tail -1; upper <<< here",
		"yes | head -1000 | upper | head -1; echo ${PIPESTATUS[@]}",
		"twice sh -c 'cat; echo $I; exit 3'; twice nosuch; twice up",
		"files; stat -c '%n %s %a %h' made d/h; readlink l; (umask 077; rm made; files > /dev/null; stat -c %a made)",
		"upper > /dev/full <<< x; echo $?; upper >&- <<< x; echo $?",
		"spin",
		"xargs -n 1 where <<< '1 2'; find /etc/hostname -exec upper {} +",
	} {
		want, err := shell.Exec(t.Context(), limpet.Request{Script: script})
		require.NoError(t, err)
		got, err := isolated.Exec(t.Context(), limpet.Request{Script: script})
		require.NoError(t, err)
		require.Equal(t, string(want.Stdout), string(got.Stdout), script)
		require.Equal(t, string(want.Stderr), string(got.Stderr), script)
		require.Equal(t, want.Status, got.Status, script)
		require.Equal(t, want.Stopped, got.Stopped, script)
	}
}

// TestFilesystem runs the suite of file systems on what a command of this process sees of
// the files of the other.
func TestFilesystem(t *testing.T) {
	s := open(t, isolate.Config{Shell: limpet.Config{User: builtins.User{Name: "root", Home: "/root"}, Extra: []*builtins.Command{
		{Name: "suite", Run: func(_ context.Context, c *builtins.Call) error {
			vfstest.Script(t, c.FS, `
				mkdir /s
				write /s/f REPEAT(100000,ab)
				append /s/f c
				stat /s/f size -> 300001
				ln /s/f /s/g
				stat /s/g links -> 2
				symlink f /s/l
				readlink /s/l -> f
				lstat /s/l size -> 1
				mv /s/g /s/f/x -> ENOTDIR
				mkfifo /s/p
				chmod 600 /s/f
				chown 5 6 /s/f
				stat /s/f owner -> 5:6
				utime 10 20 /s/f
				rm /s -> ENOTEMPTY
				rmall /s
				stat /s size -> ENOENT
			`)
			return nil
		}},
	}}})
	res, err := s.Exec(t.Context(), limpet.Request{Script: "suite"})
	require.NoError(t, err)
	require.Zero(t, res.Status, "%s", res.Stderr)
}

// TestWatch follows scripts, refuses what they do, and holds them longer than they may take.
func TestWatch(t *testing.T) {
	type key struct{}
	var mu sync.Mutex
	var kinds []limpet.EventKind
	var decisions []netpolicy.Event
	policy, err := netpolicy.Allow("example.com")
	require.NoError(t, err)
	policy.Log = func(e netpolicy.Event) {
		mu.Lock()
		defer mu.Unlock()
		decisions = append(decisions, e)
	}
	s := open(t, isolate.Config{Shell: limpet.Config{Network: policy, Watch: limpet.Watch{
		Event: func(ctx context.Context, e *limpet.Event) {
			mu.Lock()
			defer mu.Unlock()
			if ctx.Value(key{}) == "value" {
				kinds = append(kinds, e.Kind)
			}
		},
		Approve: func(_ context.Context, run *limpet.CommandRun) error {
			switch run.Args[0] {
			case "rm":
				return errors.New("not today")
			case "hold":
				time.Sleep(1500 * time.Millisecond)
			}
			return nil
		},
		ApproveFile: func(_ context.Context, f *limpet.FileOpening) error {
			if f.Name == "/workspace/secret" {
				return errors.New("no")
			}
			return nil
		},
	}}, Patience: 500 * time.Millisecond})
	ctx := context.WithValue(t.Context(), key{}, "value")
	res, err := s.Exec(ctx, limpet.Request{
		Script: "hold() { :; }; hold; rm x; echo $?; : > secret; : > open; curl -s https://denied.example; echo $?", Timeout: time.Second,
	})
	require.NoError(t, err)
	require.NoError(t, res.Stopped)
	require.Equal(t, "126\n7\n", string(res.Stdout))
	require.Contains(t, string(res.Stderr), "not today")
	require.Contains(t, string(res.Stderr), "secret: Permission denied")
	for _, kind := range []limpet.EventKind{limpet.ExecutionStarted, limpet.CommandRefused, limpet.FileRefused, limpet.FileOpened, limpet.NetworkRequested, limpet.ExecutionEnded} {
		require.Contains(t, kinds, kind)
	}
	require.Len(t, decisions, 1)
	require.ErrorIs(t, decisions[0].Err, netpolicy.ErrDenied)
}

// TestDirs shows directories of the host in each mode.
func TestDirs(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "f"), []byte("host\n"), 0o644))
	s := open(t, isolate.Config{Dirs: []isolate.Dir{
		{Host: dir, Path: "/ro"}, {Host: dir, Path: "/cow", Mode: isolate.CopyOnWrite}, {Host: dir, Path: "/rw", Mode: isolate.ReadWrite},
	}})
	res, err := s.Exec(t.Context(), limpet.Request{Script: "cat /ro/f; echo a > /ro/g; echo b > /cow/f; cat /cow/f; echo c > /rw/h; cat /ro/h"})
	require.NoError(t, err)
	require.Equal(t, "host\nb\nc\n", string(res.Stdout))
	require.Equal(t, "bash: line 1: /ro/g: Read-only file system\n", string(res.Stderr))
	data, err := os.ReadFile(filepath.Join(dir, "h"))
	require.NoError(t, err)
	require.Equal(t, "c\n", string(data))
	data, err = os.ReadFile(filepath.Join(dir, "f"))
	require.NoError(t, err)
	require.Equal(t, "host\n", string(data))
}

// TestRefusals gives a sandbox what cannot be handed to another process. Each field of the
// configuration of a shell is handed over, stays here, or is refused.
func TestRefusals(t *testing.T) {
	mem := vfs.NewMem(vfs.MemOptions{})
	refused := map[string]limpet.Config{
		"Files": {Files: mem}, "Quota": {Quota: vfs.NewQuota(vfs.QuotaOptions{})}, "Mounts": {Mounts: []limpet.Mount{{Path: "/m", FS: mem}}},
		"Clock": {Clock: limpet.NewVirtualClock(time.Time{})}, "Random": {Random: strings.NewReader("")}, "Guard": {Guard: limpet.NewGuard(1)},
		"Network.Bindings": {Network: netpolicy.Policy{Bindings: []netpolicy.Binding{nil}}},
	}
	for field, cfg := range refused {
		_, err := isolate.New(t.Context(), isolate.Config{Shell: cfg})
		option, ok := errors.AsType[*limpet.OptionError](err)
		require.True(t, ok, "%s: %v", field, err)
		require.Equal(t, "Shell."+field, option.Option)
		require.ErrorIs(t, err, errors.ErrUnsupported)
	}
	crosses := []string{"Dir", "Start", "Env", "Secrets", "Network", "Limits", "Commands", "Extra", "User", "Hostname", "Lifecycle", "Access", "Background", "Grace", "Watch"}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[limpet.Config]()) {
		_, no := refused[f.Name]
		require.True(t, no != slices.Contains(crosses, f.Name), "Config.%s is neither handed over nor refused", f.Name)
	}
	_, err := isolate.New(t.Context(), isolate.Config{Memory: 1 << 20})
	require.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = isolate.New(t.Context(), isolate.Config{Shell: limpet.Config{Extra: []*builtins.Command{{Name: "x"}}}})
	require.ErrorContains(t, err, "without a name or a Run function")
	_, err = isolate.New(t.Context(), isolate.Config{Dirs: []isolate.Dir{{Host: "/nonexistent", Path: "/m"}}})
	require.Error(t, err)
	home := t.TempDir()
	t.Setenv("HOME", home)
	require.NoError(t, os.Mkdir(filepath.Join(home, ".ssh"), 0o700))
	_, err = isolate.New(t.Context(), isolate.Config{Dirs: []isolate.Dir{{Host: home + "/.ssh", Path: "/m"}}})
	_, ok := errors.AsType[*hostdir.SensitiveError](err)
	require.True(t, ok, "%v", err)
	open(t, isolate.Config{Dirs: []isolate.Dir{{Host: home + "/.ssh", Path: "/m", Sensitive: []string{home + "/.ssh"}}}})
}
