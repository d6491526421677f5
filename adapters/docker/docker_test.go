package docker_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/docker"
	"github.com/limpet-sh/limpet/adapters/internal/killtest"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/sandboxtest"
	"github.com/limpet-sh/limpet/tools/toolstest"
	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// TestMain fails when a test has left a goroutine behind.
func TestMain(m *testing.M) { sandboxtest.Main(m) }

func TestNoEngine(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	host := "unix://" + t.TempDir() + "/docker.sock"
	_, err := docker.New(t.Context(), docker.Config{Host: host})
	require.ErrorIs(t, err, docker.ErrNoEngine)
	_, err = docker.Ping(t.Context(), host)
	require.ErrorIs(t, err, docker.ErrNoEngine)
	left, err := filepath.Glob(os.Getenv("XDG_CACHE_HOME") + "/limpet/docker/*")
	require.NoError(t, err)
	require.Len(t, left, 1, "what might be there is left to whoever cleans up")
}

// The context of the docker command is where the engine is.
func TestContext(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("DOCKER_CONFIG", dir)
	t.Setenv("DOCKER_HOST", "")
	t.Setenv("DOCKER_CONTEXT", "")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.json"), []byte(`{"currentContext":"mine"}`), 0o600))
	_, err := docker.Ping(t.Context(), "")
	require.ErrorContains(t, err, `docker context "mine"`)
	sum := sha256.Sum256([]byte("mine"))
	meta := filepath.Join(dir, "contexts", "meta", hex.EncodeToString(sum[:]))
	require.NoError(t, os.MkdirAll(meta, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(meta, "meta.json"), []byte(`{"Name":"mine","Endpoints":{"docker":{"Host":"unix://`+dir+`/nobody.sock"}}}`), 0o600))
	_, err = docker.Ping(t.Context(), "")
	require.ErrorIs(t, err, docker.ErrNoEngine)
	require.ErrorContains(t, err, "nobody.sock")
}

// TestEngine are the tests that need an engine, which has the image that LIMPET_DOCKER
// names: see testdata/image.sh.
func TestEngine(t *testing.T) {
	image := os.Getenv("LIMPET_DOCKER")
	if image == "" {
		return
	}
	if !killtest.Owner() {
		t.Setenv("XDG_CACHE_HOME", t.TempDir())
	}
	e := engine{image}
	t.Run("owner", e.owner)
	t.Run("sandbox", e.sandbox)
	t.Run("agents", e.agents)
	t.Run("isolation", e.isolation)
	t.Run("lifecycle", e.lifecycle)
	t.Run("without background", e.withoutBackground)
	t.Run("killed container", e.killedContainer)
	t.Run("no space", e.noSpace)
	t.Run("remote", e.remote)
	t.Run("certificates", e.certificates)
	t.Run("restart", e.restart)
	t.Run("gate", e.gate)
	t.Run("remote gate", e.remoteGate)
}

// An engine is the tests that need one.
type engine struct{ image string }

func (e engine) open(t *testing.T, cfg docker.Config) *docker.Sandbox {
	t.Helper()
	cfg.Image, cfg.SupportsBackgroundProcesses = e.image, true
	s, err := docker.New(t.Context(), cfg)
	require.NoError(t, err)
	return s
}

// sh runs a script and returns what it prints.
func sh(t *testing.T, s limpet.Sandbox, script string) string {
	t.Helper()
	res, err := s.Exec(t.Context(), limpet.Request{Script: script})
	require.NoError(t, err)
	return string(res.Stdout)
}

func (e engine) sandbox(t *testing.T) {
	sandboxtest.Run(t, func(t *testing.T) limpet.Sandbox { return e.open(t, docker.Config{}) })
}

// Agents see the same results here as elsewhere.
func (e engine) agents(t *testing.T) {
	toolstest.Run(t, func(t *testing.T) limpet.Sandbox { return e.open(t, docker.Config{}) })
}

func (e engine) isolation(t *testing.T) {
	s := e.open(t, docker.Config{Memory: 64 << 20, Processes: 40, Env: map[string]string{"V": "w"}})
	defer func() { require.NoError(t, s.Close()) }()
	require.Equal(t, "1000 w\n", sh(t, s, `echo "$(id -u) $V"`))
	require.Equal(t, "0000000000000000\n1\n", sh(t, s, `grep -E 'CapEff|NoNewPrivs' /proc/self/status | cut -f 2`))
	require.Equal(t, "read-only\n", sh(t, s, `touch /usr/x 2> /dev/null || touch /etc/x 2> /dev/null || echo read-only`))
	require.Equal(t, "lo\n", sh(t, s, `ls /sys/class/net`))
	all := e.open(t, docker.Config{Network: netpolicy.All()})
	require.Equal(t, "eth0\nlo\n", sh(t, all, `ls /sys/class/net`))
	require.NoError(t, all.Close())
	require.Equal(t, "137\n", sh(t, s, `bash -c 'x=$(head -c 200000000 /dev/zero | tr "\0" a)'; echo $?`), "memory")
	require.Equal(t, "1\n", sh(t, s, `sh -c 'i=0; while [ $i -lt 100 ]; do sleep 5 & i=$((i+1)); done' 2>&1 | grep -c 'Cannot fork'`), "processes")

	require.Empty(t, sh(t, s, `ln -s /etc/machine-id link; ln -s /etc d`))
	secret, err := os.ReadFile("/etc/machine-id")
	require.NoError(t, err)
	for _, name := range []string{"link", "d/machine-id", "../etc/machine-id"} {
		data, err := s.ReadFile(t.Context(), name)
		require.True(t, err != nil || string(data) != string(secret), "%s is the host's", name)
		require.Error(t, s.WriteFile(t.Context(), name, []byte("x"), 0o644))
	}
	require.NoError(t, s.WriteFile(t.Context(), "/tmp/a/b", []byte("outside of the workspace"), 0o640))
	require.Equal(t, "outside of the workspace 640", sh(t, s, `echo "$(cat /tmp/a/b) $(stat -c %a /tmp/a/b)" | tr -d '\n'`))
}

func (e engine) lifecycle(t *testing.T) {
	sandboxtest.Lifecycle(t, func(t *testing.T, cycle limpet.Lifecycle) (limpet.Sandbox, error) {
		return docker.New(t.Context(), docker.Config{Image: e.image, Lifecycle: cycle})
	}, func() []string { return containers(t) })
	var lines []string
	s := e.open(t, docker.Config{Lifecycle: limpet.Lifecycle{
		Setup: limpet.SetupScript{Script: "echo ready > setup"},
		Hooks: []limpet.Hooks{{OnDestroy: func(ctx context.Context, s limpet.Sandbox) error {
			data, err := s.ReadFile(ctx, "setup")
			lines = append(lines, string(data))
			return err
		}}},
	}})
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	require.Equal(t, []string{"ready\n"}, lines)
	_, err := docker.New(t.Context(), docker.Config{Image: e.image, Lifecycle: limpet.Lifecycle{Setup: limpet.SetupScript{Script: "echo why; exit 3"}}})
	require.ErrorContains(t, err, "setup script failed with status 3\nwhy")
	e.nothingLeft(t)
}

func (e engine) withoutBackground(t *testing.T) {
	s, err := docker.New(t.Context(), docker.Config{Image: e.image})
	require.NoError(t, err)
	_, err = s.Processes()
	require.ErrorContains(t, err, "SupportsBackgroundProcesses")
	require.NoError(t, s.Close())
}

// A container that somebody else removes is an error, and no hang.
func (e engine) killedContainer(t *testing.T) {
	s := e.open(t, docker.Config{})
	list := containers(t)
	require.Len(t, list, 1)
	time.AfterFunc(300*time.Millisecond, func() { _ = exec.Command("docker", "rm", "-f", list[0]).Run() })
	start := time.Now()
	_, err := s.Exec(t.Context(), limpet.Request{Script: "sleep 1000"})
	require.ErrorContains(t, err, "what the script has done is not known")
	require.Less(t, time.Since(start), 30*time.Second)
	require.NoError(t, s.Close())
	e.nothingLeft(t)
}

// containers returns the ids of all containers of these sandboxes.
func containers(t *testing.T) []string {
	out, err := exec.Command("docker", "ps", "-aq", "--filter", "label=sh.limpet.session").Output()
	require.NoError(t, err)
	return strings.Fields(string(out))
}

// nothingLeft fails where a container, network or directory is left.
func (e engine) nothingLeft(t *testing.T) {
	t.Helper()
	require.Empty(t, containers(t))
	networks, err := exec.Command("docker", "network", "ls", "-q", "--filter", "label=sh.limpet.session").Output()
	require.NoError(t, err)
	require.Empty(t, string(networks))
	left, err := filepath.Glob(os.Getenv("XDG_CACHE_HOME") + "/limpet/docker/*")
	require.NoError(t, err)
	require.Empty(t, left)
}

// An owner that is killed, whatever it is doing, leaves nothing that is not cleaned up.
func (e engine) owner(t *testing.T) {
	if killtest.Owner() {
		s, err := docker.New(context.Background(), docker.Config{Image: e.image, SupportsBackgroundProcesses: true})
		require.NoError(t, err)
		p, err := s.Processes()
		require.NoError(t, err)
		for {
			require.NoError(t, s.WriteFile(context.Background(), "f", make([]byte, 1<<20), 0o644))
			_, err = p.Start(context.Background(), limpet.ProcessRequest{Command: "setsid sleep 1000 & sleep 1000"})
			require.NoError(t, err)
			_, err = s.Exec(context.Background(), limpet.Request{Script: "setsid sleep 1000 & sleep 1"})
			require.NoError(t, err)
		}
	}
	killtest.Run(t, 50, 3*time.Second)
	time.Sleep(2 * time.Second) // what the engine was still making
	_, err := docker.Reap(t.Context(), "")
	require.NoError(t, err)
	_, err = docker.Strays(t.Context(), "")
	require.NoError(t, err)
	e.nothingLeft(t)
}

// Output that there is no space for is not lost in silence, and the sandbox goes on.
func (e engine) noSpace(t *testing.T) {
	s := e.open(t, docker.Config{Scratch: 2 << 20})
	res, err := s.Exec(t.Context(), limpet.Request{Script: "head -c 5000000 /dev/zero; exit 0"})
	require.NoError(t, err)
	require.ErrorIs(t, res.Stopped, vfs.ENOSPC)
	require.Equal(t, "alive\n", sh(t, s, "echo alive"))
	require.NoError(t, s.Close())
}

// A forwarder passes connections on to the engine of this machine, and can cut them.
type forwarder struct {
	net.Listener
	mu    sync.Mutex
	conns []net.Conn
}

// newForwarder starts one, and returns what ends it.
func newForwarder(t *testing.T, wrap ...func(net.Listener) net.Listener) (*forwarder, func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	f := &forwarder{Listener: l}
	for _, w := range wrap {
		f.Listener = w(f.Listener)
	}
	var served sync.WaitGroup
	served.Go(f.serve)
	return f, func() {
		require.NoError(t, l.Close())
		served.Wait()
		f.cut()
	}
}

// serve passes connections on until the listener is closed.
func (f *forwarder) serve() {
	for {
		in, err := f.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("unix", "/var/run/docker.sock")
		if err != nil {
			_ = in.Close()
			continue
		}
		f.mu.Lock()
		f.conns = append(f.conns, in, out)
		f.mu.Unlock()
		go f.pass(in, out)
		go f.pass(out, in)
	}
}

func (f *forwarder) pass(to, from net.Conn) {
	if _, err := io.Copy(to, from); err != nil {
		_, _ = to.Close(), from.Close() // as an engine would
		return
	}
	if c, ok := to.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

// cut closes all connections that there are.
func (f *forwarder) cut() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.conns {
		_ = c.Close()
	}
	f.conns = nil
}

// On an engine elsewhere nothing is shared but the connection, and one that is cut
// changes nothing.
func (e engine) remote(t *testing.T) {
	f, closeForwarder := newForwarder(t)
	defer closeForwarder()
	s := e.open(t, docker.Config{Host: "tcp://" + f.Addr().String()})
	data := bytes.Repeat([]byte("\x00\xff line\n"), 100_000)
	require.NoError(t, s.WriteFile(t.Context(), "d/f", data, 0o600))
	got, err := s.ReadFile(t.Context(), "d/f")
	require.NoError(t, err)
	require.True(t, bytes.Equal(data, got))
	for range 3 {
		cut := time.AfterFunc(500*time.Millisecond, f.cut)
		res, err := s.Exec(t.Context(), limpet.Request{Script: "cat >> log; sleep 1; echo done", Stdin: strings.NewReader("once\n")})
		cut.Stop()
		require.NoError(t, err)
		require.Equal(t, "done\n", string(res.Stdout))
	}
	require.Equal(t, "once\nonce\nonce\n", sh(t, s, "cat log"))
	require.NoError(t, s.Close())
	e.nothingLeft(t)
}
