package limpet_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// A threat is a script of THREAT_MODEL.md, by its id, and what has to come of it:
//
//	stopped: memory depth   one of these limits has stopped it
//	stdout: text            what it prints; "stdout~" where that only is a part
//	stderr: text            a part of what it prints on standard error
//	never: text             what it must not print
//	status: 3               how it ends, by itself; fails: not with 0
//	then: script            what runs after it in the same Shell, and "after:" or
//	                        "after never:" of what that prints; elsewhere: in another
//	twice                   it prints the same in another sandbox
//
// Alternatives stand in lines of their own. CANARY in a script is a file of the host,
// PORT a port of the host that nothing may speak to. A comment in the first line
// asks for a world: #steps has a limit of those, #small little memory, #fixed a clock and randomness of its
// own, #silent an input that never comes, #network a policy that allows something.
type threat struct {
	id     string
	script string
	want   []string
}

// canaryValue is in the canary file and in the environment of this process.
const canaryValue = "CANARYVALUE"

// threatLimits are small, so that threats reach them soon.
var threatLimits = limits.Limits{
	Time: time.Minute, Memory: 32 << 20, Depth: 300, Output: 1 << 20, Storage: 16 << 20, Files: 3000,
	FileSize: 12 << 20, OpenFiles: 64, Jobs: 40, Script: 1 << 20,
}

// A host is what threats are after.
type threatHost struct {
	canary string
	port   int
	calls  chan string
	policy netpolicy.Policy // of #network
}

func newThreatHost(t *testing.T) *threatHost {
	h := &threatHost{canary: filepath.Join(t.TempDir(), "canary"), calls: make(chan string, 1)}
	require.NoError(t, os.WriteFile(h.canary, []byte(canaryValue), 0o644))
	t.Setenv("LIMPET_CANARY", canaryValue)
	h.policy = newThreatNetwork(t)
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	h.port = tcp.Addr().(*net.TCPAddr).Port
	udp, err := net.ListenPacket("udp", tcp.Addr().String())
	require.NoError(t, err)
	called := func(what string) {
		select {
		case h.calls <- what:
		default:
		}
	}
	go func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			called("a connection")
			_ = c.Close()
		}
	}()
	go func() {
		if _, _, err := udp.ReadFrom(make([]byte, 1)); err == nil {
			called("a packet")
		}
	}()
	t.Cleanup(func() { _ = tcp.Close(); _ = udp.Close() })
	return h
}

// intact fails where a threat has had what it was after.
func (h *threatHost) intact(t *testing.T) {
	data, err := os.ReadFile(h.canary)
	require.NoError(t, err)
	require.Equal(t, canaryValue, string(data), "a file of the host was written")
	entries, err := os.ReadDir(filepath.Dir(h.canary))
	require.NoError(t, err)
	require.Len(t, entries, 1, "a file of the host was made")
	select {
	case what := <-h.calls:
		t.Fatalf("the network was reached: %s", what)
	default:
	}
}

// TestThreats runs the scripts of the threat model.
func TestThreats(t *testing.T) {
	host := newThreatHost(t)
	for _, th := range slices.Concat(languageThreats, resourceThreats, hostThreats, networkThreats) {
		t.Run(th.id, func(t *testing.T) {
			leaks := goleak.IgnoreCurrent()
			runThreat(t, host, th)
			host.intact(t)
			goleak.VerifyNone(t, leaks)
		})
	}
}

func runThreat(t *testing.T, host *threatHost, th threat) {
	script := strings.NewReplacer("CANARYDIR", filepath.Dir(host.canary), "CANARY", host.canary, "PORT", strconv.Itoa(host.port),
		"HOSTPID", strconv.Itoa(os.Getpid())).Replace(th.script)
	cfg := th.config(host)
	sh, err := limpet.New(cfg)
	require.NoError(t, err)
	res := threatened(t, sh, script, cfg)
	for _, want := range th.want {
		kind, text, _ := strings.Cut(want, ": ")
		switch kind {
		case "then":
			res = threatened(t, sh, text, cfg)
		case "elsewhere":
			require.NoError(t, sh.Close())
			sh, err = limpet.New(th.config(host))
			require.NoError(t, err)
			res = threatened(t, sh, text, cfg)
		case "twice":
			other, err := limpet.New(th.config(host))
			require.NoError(t, err)
			again := threatened(t, other, script, cfg)
			require.NoError(t, other.Close())
			require.Equal(t, string(res.Stdout), string(again.Stdout))
			require.NotEmpty(t, res.Stdout)
		default:
			require.True(t, meets(res, kind, text), "%s: %q\nstopped: %v\nstatus: %d\nstdout: %.300q\nstderr: %.300q", kind, text, res.Stopped, res.Status, res.Stdout, res.Stderr)
		}
	}
	require.NotContains(t, string(res.Stdout)+string(res.Stderr), canaryValue)
	require.Equal(t, "again\n", string(threatened(t, sh, "echo again", cfg).Stdout), "the shell stays usable")
	require.NoError(t, sh.Close())
}

// config returns the world of a threat.
func (th *threat) config(host *threatHost) limpet.Config {
	cfg := limpet.Config{Limits: threatLimits}
	if slices.ContainsFunc(th.want, func(w string) bool { return strings.HasPrefix(w, "stopped: time") }) {
		cfg.Limits.Time = 100 * time.Millisecond
	}
	world, _, _ := strings.Cut(th.script, "\n")
	switch world {
	case "#steps":
		cfg.Limits.Steps = 20_000
	case "#small":
		cfg.Limits.Memory = 2 << 20
	case "#fixed":
		cfg.Clock, cfg.Random = fixedClock{}, &countingReader{}
	case "#network":
		cfg.Network, cfg.Limits.Network, cfg.Extra = host.policy, 16<<20, git.Commands()
	}
	return cfg
}

// threatened runs a script and holds what is promised of every one.
func threatened(t *testing.T, sh *limpet.Shell, script string, cfg limpet.Config) *limpet.Result {
	req := limpet.Request{Script: script}
	if strings.HasPrefix(script, "#silent\n") {
		r, w := io.Pipe()
		defer w.Close()
		req.Stdin = r
	}
	start := time.Now()
	res, err := sh.Exec(t.Context(), req)
	require.NoError(t, err)
	require.Less(t, time.Since(start), cfg.Limits.Time+20*time.Second, "it ends at its deadline")
	require.LessOrEqual(t, res.Usage.Memory, cfg.Limits.Memory)
	if res.Stopped != nil {
		require.Equal(t, 1, bytes.Count(res.Stderr, []byte("limpet: ")), "one line says what stopped it: %.300q", res.Stderr)
	}
	return res
}

// meets reports whether a result is as one line of a threat wants it.
func meets(res *limpet.Result, kind, text string) bool {
	switch kind {
	case "stopped":
		for _, name := range strings.Fields(text) {
			if e, ok := res.Stopped.(*limits.ExceededError); ok && e.Resource.String() == name {
				return true
			}
		}
		return false
	case "stdout":
		return string(res.Stdout) == text
	case "stdout~":
		return strings.Contains(string(res.Stdout), text)
	case "stderr":
		return slices.ContainsFunc(strings.Split(text, "|"), func(part string) bool { return strings.Contains(string(res.Stderr), part) })
	case "never":
		return !strings.Contains(string(res.Stdout)+string(res.Stderr), text)
	case "fails":
		return res.Status != 0
	case "status":
		return strconv.Itoa(res.Status) == text && res.Stopped == nil
	}
	panic(fmt.Sprintf("no such line of a threat: %q", kind))
}

// fixedClock is a time that does not pass.
type fixedClock struct{}

func (fixedClock) Now() time.Time { return time.Unix(1_000_000_000, 0).UTC() }

func (fixedClock) Sleep(context.Context, time.Duration) error { return nil }

// countingReader is randomness that is known.
type countingReader struct{ n uint64 }

func (r *countingReader) Read(b []byte) (int, error) {
	for i := range b {
		var word [8]byte
		r.n = r.n*6364136223846793005 + 1442695040888963407
		binary.LittleEndian.PutUint64(word[:], r.n)
		b[i] = word[7]
	}
	return len(b), nil
}

var (
	threatID   = regexp.MustCompile(`\*\*(TM-[a-z]+-[0-9]{3})\*\*`)
	threatTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)(?:/(TM-[a-z]+-[0-9]{3}))?`(?:\\s+of\\s+`([a-z/]+)`)?")
)

// TestThreatModel holds the document and the tests together: each threat names a test
// that there is, and each script of TestThreats is in the document.
func TestThreatModel(t *testing.T) {
	data, err := os.ReadFile("THREAT_MODEL.md")
	require.NoError(t, err)
	scripts := map[string]bool{}
	for _, th := range slices.Concat(languageThreats, resourceThreats, hostThreats, networkThreats) {
		require.False(t, scripts[th.id], "%s is there twice", th.id)
		scripts[th.id] = true
		require.NotEmpty(t, th.want, th.id)
	}
	seen := map[string]bool{}
	for _, paragraph := range strings.Split(string(data), "\n\n") {
		id := threatID.FindStringSubmatch(paragraph)
		if id == nil {
			continue
		}
		require.False(t, seen[id[1]], "%s is there twice", id[1])
		seen[id[1]] = true
		tests := threatTest.FindAllStringSubmatch(paragraph, -1)
		require.NotEmpty(t, tests, "%s names no test", id[1])
		for _, m := range tests {
			if m[1] == "TestThreats" {
				require.Equal(t, id[1], m[2])
				require.True(t, scripts[id[1]], "%s has no script", id[1])
				delete(scripts, id[1])
				continue
			}
			require.True(t, hasTest(t, m[1], m[3]), "%s: there is no %s in %q", id[1], m[1], m[3])
		}
	}
	require.Empty(t, scripts, "scripts that no threat names")
	require.GreaterOrEqual(t, len(seen), 150)
}

// hasTest reports whether a package has a test of that name; any package of the module
// where none is named.
func hasTest(t *testing.T, name, dir string) bool {
	found := false
	err := filepath.WalkDir(filepath.Join(".", filepath.FromSlash(dir)), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, "_test.go") {
			return err
		}
		data, err := os.ReadFile(file)
		found = found || bytes.Contains(data, []byte("\nfunc "+name+"("))
		return err
	})
	require.NoError(t, err)
	return found
}
