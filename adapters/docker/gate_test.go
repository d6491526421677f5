package docker_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/adapters/docker"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

const bound = "the-secret-of-the-binding-0123456789"

// A source makes tokens that end at once.
type source struct{ made atomic.Int64 }

func (s *source) Token(context.Context) (netpolicy.Token, error) {
	return netpolicy.Token{Value: fmt.Sprintf("%s-%d", bound, s.made.Add(1)), Expires: time.Now()}, nil
}

// A fixed resolver has one address for every name.
type fixed netip.Addr

func (f fixed) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.Addr(f)}, nil
}

// An outside is servers of this host that containers may reach by its address in the
// network of the engine: one that a policy allows, and canaries.
type outside struct {
	addr   netip.Addr
	allow  *httptest.Server
	port   uint16
	canary uint16
	heard  atomic.Int64
	got    atomic.Value // the headers of the last request to allow

	mu  sync.Mutex
	log []string
}

func newOutside(t *testing.T) *outside {
	o := &outside{}
	bridge, err := net.InterfaceByName("docker0")
	require.NoError(t, err)
	addrs, err := bridge.Addrs()
	require.NoError(t, err)
	for _, a := range addrs {
		if p := netip.MustParsePrefix(a.String()); p.Addr().Is4() {
			o.addr = p.Addr()
		}
	}
	o.allow = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.got.Store(fmt.Sprint(r.Header))
		fmt.Fprintf(w, "%s %s %s\n", r.Method, r.URL.Path, r.Header.Get("Authorization"))
	}))
	l, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	require.NoError(t, o.allow.Listener.Close())
	o.allow.Listener, o.port = l, uint16(l.Addr().(*net.TCPAddr).Port)
	o.allow.Config.ErrorLog = log.New(io.Discard, "", 0)
	o.allow.StartTLS()
	t.Cleanup(o.allow.Close)
	tcp, err := net.Listen("tcp", "0.0.0.0:0")
	require.NoError(t, err)
	o.canary = uint16(tcp.Addr().(*net.TCPAddr).Port)
	udp, err := net.ListenPacket("udp", fmt.Sprintf("0.0.0.0:%d", o.canary))
	require.NoError(t, err)
	var ended sync.WaitGroup
	ended.Go(func() {
		for {
			c, err := tcp.Accept()
			if err != nil {
				return
			}
			o.heard.Add(1)
			_ = c.Close()
		}
	})
	ended.Go(func() {
		for {
			if _, _, err := udp.ReadFrom(make([]byte, 100)); err != nil {
				return
			}
			o.heard.Add(1)
		}
	})
	t.Cleanup(func() {
		_ = tcp.Close()
		_ = udp.Close()
		ended.Wait()
	})
	return o
}

// policy allows one host, whose name has the address of this one.
func (o *outside) policy() netpolicy.Policy {
	rule := netpolicy.Rule{Host: "example.com", CIDR: netip.PrefixFrom(o.addr, 32), Port: o.port}
	plain := rule
	plain.Host = "plain.example.com"
	return netpolicy.Policy{
		Rules: []netpolicy.Rule{rule, plain}, Resolver: fixed(o.addr),
		Roots: o.allow.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Bindings: []netpolicy.Binding{netpolicy.HeaderBinding{
			Host: fmt.Sprintf("example.com:%d", o.port), Name: "Authorization", Value: "Bearer {token}", Source: &source{},
		}},
		Log: func(e netpolicy.Event) {
			o.mu.Lock()
			defer o.mu.Unlock()
			o.log = append(o.log, fmt.Sprint(e.Method, " ", e.URL, " ", e.Err))
		},
	}
}

// gate tries everything to get out of a sandbox of which one host may be reached.
func (e engine) gate(t *testing.T) {
	o := newOutside(t)
	s := e.open(t, docker.Config{Network: o.policy(), Proxy: os.Getenv("LIMPET_STATIC"), Env: map[string]string{"P": fmt.Sprint(o.port), "C": fmt.Sprint(o.canary), "GW": o.addr.String()}})
	defer func() {
		require.NoError(t, s.Close())
		e.nothingLeft(t)
	}()
	require.Contains(t, s.Describe().Network, "https://example.com")
	both := func(script string) string { return sh(t, s, "exec 2>&1; "+script) }
	require.Equal(t, "GET /x "+strings.Repeat("*", len("Bearer "+bound)+2)+"\n", both(`curl -sS https://example.com:$P/x`))
	require.Contains(t, o.got.Load(), bound+"-1")
	require.Equal(t, "GET /t \n", both(`curl -sSk https://plain.example.com:$P/t`), "a tunnel")
	require.NotContains(t, both(`env; cat /proc/*/environ; cat /run/limpet/*`), bound)
	require.Equal(t, "600 1000\n", both(`stat -c '%a %u' /run/limpet/setup`))
	require.Equal(t, "GET /p 1\n", strings.ReplaceAll(both(`curl -sS https://example.com:$P/p`), strings.Repeat("*", len("Bearer "+bound)+2), "1"))

	for _, try := range []string{
		`https://other.example.com:$P/`, `https://example.com:$C/`, `https://$GW:$P/`, `https://$GW:$C/`, `https://169.254.169.254/`,
		`https://example.com.:$C/`, `http://example.com:$P/`, `http://$GW:$C/`, `http://169.254.169.254/latest/meta-data/`, `http://0xa9fea9fe/`, `-H 'Host: other.example.com' https://example.com:$P/`,
		`-k --connect-to other.example.com:$P:plain.example.com:$P https://other.example.com:$P/`, `--proxy-header 'Proxy-Authorization: Basic eDp5' -x "http://${https_proxy#*@}" https://example.com:$P/`,
	} {
		require.Regexp(t, `^(22|35|56)\n$`, both(`curl -s -m 10 -f -o /dev/null `+try+`; echo $?`), try) // refused by the proxy
	}
	e.probe(t, s, o)
	o.mu.Lock()
	defer o.mu.Unlock()
	told := strings.Join(o.log, "\n")
	require.Contains(t, told, "denied by network policy")
	require.NotContains(t, told, bound)
}

// probe runs a program in the sandbox that goes around the proxy.
func (e engine) probe(t *testing.T, s *docker.Sandbox, o *outside) {
	program := filepath.Join(t.TempDir(), "probe")
	build := exec.Command("go", "build", "-o", program, "./testdata/probe")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	require.NoError(t, err, string(out))
	data, err := os.ReadFile(program)
	require.NoError(t, err)
	require.NoError(t, s.WriteFile(t.Context(), "probe", data, 0o755))
	canary := fmt.Sprint(o.canary)
	require.Equal(t, "done\n", sh(t, s, `
		gate=${https_proxy##*@} gate=${gate%:*} net=${gate%.*}
		exec timeout 60 ./probe $GW:$P $GW:$C $GW:53 $net.1:$P $net.1:$C $net.1:53 $gate:22 $gate:53 $gate:$P $gate:`+canary+` \
			169.254.169.254:80 192.0.2.1:53 8.8.8.8:53 1.1.1.1:443 224.0.0.1:5353 255.255.255.255:67 "[::1]:$C" '[fe80::1%eth0]:80' '[ff02::1%eth0]:5353' example.com:443 host.docker.internal:$C`))
	require.Zero(t, o.heard.Load(), "a canary was reached")
}

// remoteGate has an engine elsewhere, and a connection to it that is cut.
func (e engine) remoteGate(t *testing.T) {
	f, closeForwarder := newForwarder(t)
	defer closeForwarder()
	o := newOutside(t)
	s := e.open(t, docker.Config{Host: "tcp://" + f.Addr().String(), Network: o.policy(), Proxy: os.Getenv("LIMPET_STATIC"), Env: map[string]string{"P": fmt.Sprint(o.port)}})
	for range 3 {
		require.Contains(t, sh(t, s, `curl -sS https://example.com:$P/x`), "GET /x ***")
		f.cut()
	}
	require.NoError(t, s.Close())
	e.nothingLeft(t)
}

func TestPoliciesThatNeedAProxy(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := docker.New(t.Context(), docker.Config{Network: netpolicy.Policy{Loopback: []uint16{80}}})
	require.ErrorAs(t, err, new(*limpet.OptionError))
	require.ErrorContains(t, err, "cannot enforce this policy: network policy: ports of the host's loopback interface")
	some, err := netpolicy.Allow("api.example.com")
	require.NoError(t, err)
	t.Setenv("PATH", t.TempDir())
	_, err = docker.New(t.Context(), docker.Config{Network: some})
	require.ErrorContains(t, err, "needs the program limpet")
	_, err = docker.New(t.Context(), docker.Config{Network: some, Proxy: "/etc/passwd"})
	require.ErrorContains(t, err, "is no program of Linux")
	script := filepath.Join(t.TempDir(), "sh")
	data, err := os.ReadFile("/bin/sh")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(script, data, 0o755))
	_, err = docker.New(t.Context(), docker.Config{Network: some, Proxy: script})
	require.ErrorContains(t, err, "CGO_ENABLED=0")
}
