package network_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

// newCanary listens where nothing may be heard.
func newCanary(t *testing.T) (port uint16, calls *atomic.Int64) {
	calls = new(atomic.Int64)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			c.Close()
		}
	}()
	return l.Addr().(*net.TCPAddr).AddrPort().Port(), calls
}

func newShell(t *testing.T, cfg limpet.Config) *limpet.Shell {
	sh, err := limpet.New(cfg)
	require.NoError(t, err)
	t.Cleanup(func() { sh.Close() })
	return sh
}

// TestRedirectsToForbiddenPlaces has an allowed server lead away (X11).
func TestRedirectsToForbiddenPlaces(t *testing.T) {
	canary, calls := newCanary(t)
	base, port := newServer(t)
	sh := newShell(t, limpet.Config{
		Network: netpolicy.Policy{Loopback: []uint16{port}, Resolver: zone{"evil.example": {"127.0.0.1"}}},
		Env:     map[string]string{"U": base, "C": fmt.Sprint(canary)},
	})
	for _, to := range []string{
		"http://127.0.0.1:$C/", "http://localhost:$C/", "http://169.254.169.254/", "http://[::1]:$C/", "http://evil.example:$C/", "//evil.example:$C/",
		"http://0x7f.1:$C/", "http://2130706433:$C/", "https://127.0.0.1:$C/", "http://127.0.0.1:22/", "http://user@127.0.0.1:$C/",
	} {
		for _, code := range []int{301, 302, 303, 307, 308} {
			out := execute(t, sh, fmt.Sprintf(`curl -sSL -d x --data-urlencode y "$U/redirect/%d" -G --data-urlencode "to=%s"; echo $?`, code, to))
			require.Contains(t, out, "denied by network policy", to)
			require.True(t, strings.HasPrefix(out, "7\n"), "%s: %s", to, out)
			require.NotContains(t, out, "moved")
			out = execute(t, sh, fmt.Sprintf(`wget -q -t 1 -O - "$U/redirect/%d?to=%s"; echo $?`, code, to))
			require.Equal(t, "4\n", out, to)
		}
	}
	require.Equal(t, "302 0\n", execute(t, sh, `curl -s -o /dev/null -w '%{http_code} %{num_redirects}\n' "$U/redirect/302?to=http://127.0.0.1:$C/"`))
	require.Zero(t, calls.Load(), "the canary was reached")
}

// TestProxiesOfTheEnvironment has variables, options and files name a proxy (X14).
func TestProxiesOfTheEnvironment(t *testing.T) {
	canary, calls := newCanary(t)
	base, port := newServer(t)
	spy := fmt.Sprintf("http://127.0.0.1:%d", canary)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"} {
		t.Setenv(name, spy) // of the host
	}
	sh := newShell(t, limpet.Config{Network: netpolicy.Policy{Loopback: []uint16{port, canary}}, Env: map[string]string{"U": base, "SPY": spy}})
	out := execute(t, sh, `export http_proxy=$SPY https_proxy=$SPY ALL_PROXY=$SPY NO_PROXY=
		curl -s $U/plain; wget -qO- $U/plain; curl -s --noproxy '' $U/plain
		for o in -x --proxy --preproxy --socks5; do curl -s $o $SPY $U/plain; echo $?; done
		echo "proxy = $SPY" > ~/.curlrc; curl -s $U/plain; echo $?; curl -q -s $U/plain; curl -q -K ~/.curlrc $U/plain; echo $?`)
	require.Equal(t, 4, strings.Count(out, "hello\n"))
	require.Equal(t, 6, strings.Count(out, "2\n"))
	require.Equal(t, 6, strings.Count(out, "is refused: the network policy decides what is reached, without proxies"))
	require.Zero(t, calls.Load())
}

// TestOneSwitchOpensOneThing runs the same probes under each policy (X18).
func TestOneSwitchOpensOneThing(t *testing.T) {
	canary, calls := newCanary(t)
	base, port := newServer(t)
	_ = base
	allow, err := netpolicy.Allow("api.example.com")
	require.NoError(t, err)
	names := zone{"api.example.com": {"127.0.0.1"}, "other.example.com": {"10.0.0.1"}}
	probes := fmt.Sprintf(`
		for u in http://localhost:%d/plain http://127.0.0.1:%[1]d/plain http://127.0.0.1:%d/ http://localhost:%[2]d/ http://169.254.169.254/ http://10.0.0.1/ \
			https://api.example.com/ http://api.example.com/ https://other.example.com/ http://[::1]:%[2]d/ http://0.0.0.0:%[2]d/; do
			curl -s -o /dev/null $u && printf + || printf -; wget -q -t 1 -O /dev/null $u && printf + || printf -
		done
		for p in %[1]d %[2]d; do (exec 3<>/dev/tcp/127.0.0.1/$p) 2>/dev/null && printf + || printf -; done
		(exec 3<>/dev/udp/127.0.0.1/53) 2>/dev/null && printf + || printf -`, port, canary)
	closed := strings.Repeat("-", 25)
	for name, row := range map[string]struct {
		policy netpolicy.Policy
		want   string
	}{
		"none":     {netpolicy.None(), closed},
		"allow":    {allow, closed}, // its name answers with a private address
		"all":      {netpolicy.All(), closed},
		"loopback": {netpolicy.Policy{Loopback: []uint16{port}}, "++++" + closed[4:22] + "+--"},
	} {
		row.policy.Resolver = names
		require.Equal(t, row.want, execute(t, newShell(t, limpet.Config{Network: row.policy}), probes), name)
	}
	require.Zero(t, calls.Load())
}

// TestResponsesAreBounded has a server that never ends, and others (X19).
func TestResponsesAreBounded(t *testing.T) {
	base, port := newServer(t)
	policy := netpolicy.Policy{Loopback: []uint16{port}}
	for script, want := range map[string]string{
		"curl -sS -o /dev/null $U/endless":           "network limit of 1048576 bytes exceeded",
		"wget -qO /dev/null $U/endless":              "network limit of 1048576 bytes exceeded",
		"curl -sS --compressed -o /dev/null $U/bomb": "network limit of 1048576 bytes exceeded",
		"cat < /dev/tcp/127.0.0.1/${U##*:} & exec 3<>/dev/tcp/127.0.0.1/${U##*:}; printf 'GET /endless HTTP/1.0\\r\\n\\r\\n' >&3; cat <&3 > /dev/null": "network limit of 1048576 bytes exceeded",
		"for i in {1..40}; do curl -s $U/plain; done":                               "requests limit of 30 exceeded",
		"curl -sSL --max-redirs -1 $U/loop":                                         "requests limit of 30 exceeded",
		"curl -sS $U/flood; echo $?":                                                "56\n",
		"curl -sS --max-filesize 1000 -o /dev/null $U/endless; echo $?":             "63\n",
		"curl -sS -m 0.2 $U/slow; echo $?":                                          "28\n",
		"curl -sSL $U/hops/10000 --max-redirs 20; echo $?":                          "47\n",
		"curl -sS https://user:secret@host.example/ https://u:secret@a@b/; echo $?": "3\n",
	} {
		sh := newShell(t, limpet.Config{Network: policy, Env: map[string]string{"U": base}, Limits: limits.Limits{Network: 1 << 20, Requests: 30}})
		out := execute(t, sh, script)
		require.Contains(t, out, want, script)
		require.NotContains(t, out, "secret")
	}
}

// TestTLSThatNeverEnds has a server that accepts and says nothing.
func TestTLSThatNeverEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).AddrPort().Port()
	sh := newShell(t, limpet.Config{Network: netpolicy.Policy{Loopback: []uint16{port}}})
	out := execute(t, sh, fmt.Sprintf("curl -sS --connect-timeout 0.2 https://127.0.0.1:%d/; echo $?; curl -sS -m 0.2 https://127.0.0.1:%[1]d/; echo $?", port))
	require.Equal(t, 2, strings.Count(out, "28\n"), out)
}

// TestHeaderInjection looks at the raw request (X16).
func TestHeaderInjection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	raw := make(chan string, 100)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			buf := make([]byte, 64<<10)
			_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
			n, _ := c.Read(buf)
			raw <- string(buf[:n])
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			c.Close()
		}
	}()
	port := l.Addr().(*net.TCPAddr).AddrPort().Port()
	sh := newShell(t, limpet.Config{Network: netpolicy.Policy{Loopback: []uint16{port}}, Env: map[string]string{"U": fmt.Sprintf("http://127.0.0.1:%d", port)}})
	for _, script := range []string{
		`curl -s -H $'X: a\r\nEvil: 1' $U/`, `curl -s -H $'X\r\nEvil: 1' $U/`, `curl -s -A $'a\r\nEvil: 1' $U/`, `curl -s -e $'a\r\nEvil: 1' $U/`,
		`curl -s -b $'a=b\r\nEvil: 1' $U/`, `curl -s -X $'GET / HTTP/1.1\r\nEvil: 1\r\nX:' $U/`, `curl -s $U/$'\r\nEvil: 1'`, `curl -s $U/%0d%0aEvil:%201`,
		`curl -s -F $'k"; filename="e\r\nEvil: 1=v' $U/`, `curl -s -F $'f=x;type=a/b\r\nEvil: 1' $U/`, `curl -s --oauth2-bearer $'t\r\nEvil: 1' $U/`,
		`curl -s -H $'X: a\nEvil: 1' $U/`, `curl -s -r $'0-1\r\nEvil: 1' $U/`, `wget -qO- -t 1 --header $'X: a\r\nEvil: 1' $U/`, `wget -qO- -t 1 -U $'a\r\nEvil: 1' $U/`,
		`touch $'n\r\nEvil: 1'; curl -s -F $'f=@n\r\nEvil: 1' $U/`, `curl -s -H 'Transfer-Encoding: chunked' -H 'Content-Length: 5' -d abc $U/`,
		`curl -s --json $'{}' -H $'Content-Type: a\r\nEvil: 1' $U/`, `curl -s --url-query $'a\r\nEvil: 1' $U/`, `curl -s -u $'a:b\r\nEvil: 1' $U/`,
	} {
		execute(t, sh, script)
		for len(raw) > 0 {
			head, _, _ := strings.Cut(<-raw, "\r\n\r\n")
			require.NotContains(t, head, "\nEvil", script)
			require.False(t, strings.Contains(head, "Transfer-Encoding") && strings.Contains(head, "Content-Length"), script)
			require.Equal(t, 1, strings.Count(head, "HTTP/1.1"), script)
		}
	}
}

// TestRulesInAScript has rules that bound methods, paths and counts.
func TestRulesInAScript(t *testing.T) {
	srv := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintln(w, r.Method, r.URL.Path) }))
	defer srv.Close()
	port := portOf(t, srv.URL)
	pin := netip.MustParsePrefix("127.0.0.1/32")
	sh := newShell(t, limpet.Config{
		Network: netpolicy.Policy{
			Rules: []netpolicy.Rule{
				{Host: "example.com", CIDR: pin, Port: port, Methods: []string{"GET"}, Path: "/v1"},
				{Host: "example.com", CIDR: pin, Port: port, Methods: []string{"POST"}, Path: "/count", Requests: 2},
			},
			Resolver: zone{"example.com": {"127.0.0.1"}},
			Roots:    srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		},
		Env: map[string]string{"U": fmt.Sprintf("https://example.com:%d", port)},
	})
	require.Equal(t, "GET /v1/x\n", execute(t, sh, `curl -sS $U/v1/../v1/./x`))
	require.Contains(t, execute(t, sh, `curl -sS -d x $U/v1/x`), "only GET is allowed there, not POST")
	require.Contains(t, execute(t, sh, `curl -sS $U/v1/..%2fadmin`), "the path is not below /v1")
	out := execute(t, sh, `for i in 1 2 3; do curl -sS -d x $U/count; done`)
	require.Equal(t, 2, strings.Count(out, "POST /count"))
	require.Contains(t, out, "the rule allows 2 requests, which have been made")
}
