package network_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins/git"
	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

// An internet is servers at public addresses, and a private one: all are one server of
// HTTPS and one of HTTP on the loopback interface.
type internet struct {
	zone  zone
	fill  func(*netpolicy.Policy) // puts the internet under a policy
	stray atomic.Int64            // connections to addresses that nobody may reach

	mu  sync.Mutex
	log []string
}

const (
	publicAddress  = "93.184.216.34"
	privateAddress = "10.0.0.7"
)

func newInternet(t *testing.T, names ...string) *internet {
	n := &internet{zone: zone{"inside.example": {"127.0.0.1"}, "private.example": {privateAddress}}}
	for _, name := range names {
		n.zone[name] = []string{publicAddress}
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sni := "-"
		if r.TLS != nil {
			sni = r.TLS.ServerName
		}
		n.note("%s %s sni=%s %s", r.Method, r.Host, sni, r.Header.Get("Authorization"))
		serve(w, r)
	})
	secure, plain := httptest.NewUnstartedServer(handler), httptest.NewServer(handler)
	roots := calltest.StartTLS(t, secure, append(names, privateAddress)...)
	t.Cleanup(plain.Close)
	n.fill = func(p *netpolicy.Policy) {
		p.Roots, p.Resolver = roots, n.zone
		p.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
			to := secure.Listener.Addr().String()
			switch {
			case a.Port() == 80:
				to = plain.Listener.Addr().String()
			case a.Addr().IsLoopback():
				to = a.String()
			case a.Addr().String() != publicAddress && a.Addr().String() != privateAddress:
				n.stray.Add(1)
				return nil, errors.New("nobody is there")
			}
			var d net.Dialer
			return d.DialContext(ctx, "tcp", to)
		}
	}
	return n
}

func (n *internet) note(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.log = append(n.log, fmt.Sprintf(format, args...))
}

// take returns what was noted.
func (n *internet) take() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	text := strings.Join(n.log, "\n")
	n.log = nil
	return text
}

func (n *internet) shell(t *testing.T, p netpolicy.Policy, cfg limpet.Config) *limpet.Shell {
	n.fill(&p)
	cfg.Network, cfg.Extra = p, git.Commands()
	return newShell(t, cfg)
}

// TestAddressesSpelledOtherwise has addresses that filters of text miss (X09).
func TestAddressesSpelledOtherwise(t *testing.T) {
	canary, calls := newCanary(t)
	n := newInternet(t, "api.example.com")
	sh := n.shell(t, netpolicy.All(), limpet.Config{Env: map[string]string{"P": strconv.Itoa(int(canary))}})
	for _, host := range []string{
		"2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.1", "127.0.0.1.", "localhost", "localhost.", "LOCALHOST", "127。0。0。1", "inside.example",
		"2852039166", "169.254.43518", "0251.0376.0251.0376", "0", "0.0.0.0", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::127.0.0.1]",
		"[fe80::1%25lo]", "017700000001", "0x7f.0x0.0x0.0x1", "127.0.1", "１２７.0.0.1", "10.0.0.7", "0xa.7", "private.example", "[64:ff9b::7f00:1]", "[2002:7f00:1::]",
	} {
		for _, c := range []string{"curl -sg -o out http://%s:$P/", "curl -sg -o out https://%s:$P/", "wget -q -t 1 -O out http://%s:$P/", "git ls-remote http://%s:$P/r > out", "exec 3<> /dev/tcp/%s/$P"} {
			res := execute(t, sh, fmt.Sprintf("("+c+") 2> /dev/null; echo $?; [ ! -s out ] || echo BODY; rm -f out", host))
			require.Regexp(t, "^[1-9][0-9]*\n$", res, "%s %s", c, host)
		}
	}
	require.Zero(t, calls.Load(), "the canary was reached")
	require.Zero(t, n.stray.Load())
	require.Empty(t, n.take())
}

// TestNamesThatChange has the address of a name change between connections (X13).
func TestNamesThatChange(t *testing.T) {
	canary, calls := newCanary(t)
	n := newInternet(t, "api.example.com", "rebind.example")
	sh := n.shell(t, netpolicy.All(), limpet.Config{})
	ask := `curl -sS https://rebind.example/plain https://rebind.example/plain; echo $?`
	require.Equal(t, "hello\nhello\n0\n", execute(t, sh, ask))
	require.Equal(t, "GET rebind.example sni=rebind.example \nGET rebind.example sni=rebind.example ", n.take(), "the name stays in Host and in TLS")
	n.zone["rebind.example"] = []string{"127.0.0.1"}
	require.Contains(t, execute(t, sh, ask), "rebind.example has the address 127.0.0.1, which is a loopback address")
	require.Contains(t, execute(t, sh, fmt.Sprintf(`curl -sS https://rebind.example:%d/`, canary)), "denied by network policy")
	n.zone["rebind.example"] = []string{"127.0.0.1", "10.0.0.7", publicAddress, "169.254.169.254"}
	require.Equal(t, "hello\nhello\n0\n", execute(t, sh, ask), "only the address that may be dialled is")
	delete(n.zone, "rebind.example")
	require.Contains(t, execute(t, sh, ask), "Could not resolve host: rebind.example\n")
	require.Zero(t, calls.Load())
	require.Zero(t, n.stray.Load())
}

// TestEachSwitchAlone gives each option of a policy alone, and makes the same probes
// with every program that reaches the network (X18).
func TestEachSwitchAlone(t *testing.T) {
	canary, calls := newCanary(t)
	_, port := newServer(t)
	n := newInternet(t, "api.example.com", "other.example.com", "sub.api.example.com", "example.org")
	allow := func(hosts ...string) netpolicy.Policy {
		p, err := netpolicy.Allow(hosts...)
		require.NoError(t, err)
		return p
	}
	rule := func(r netpolicy.Rule) netpolicy.Policy { return netpolicy.Policy{Rules: []netpolicy.Rule{r}} }
	both := `both() { curl -sf -o /dev/null "$1" $2 && a=+ || a=-; wget -q -t 1 -O /dev/null "$1" ${2:+--post-data=x} && b=+ || b=-; [ $a = $b ] && printf $a || printf '?'; }
		tcp() { (exec 3<> /dev/$1) 2> /dev/null && printf + || printf -; }
	`
	probes := []struct{ name, script string }{
		{"host", `both https://api.example.com/plain`},
		{"port", `both https://api.example.com:8443/plain`},
		{"http", `both http://api.example.com/plain`},
		{"other", `both https://other.example.com/plain`},
		{"sub", `both https://sub.api.example.com/plain`},
		{"org", `both https://example.org/plain`},
		{"loopback", fmt.Sprintf(`both http://127.0.0.1:%d/plain`, port)},
		{"localhost", fmt.Sprintf(`both http://localhost:%d/plain`, port)},
		{"loopback tcp", fmt.Sprintf(`tcp tcp/127.0.0.1/%d`, port)},
		{"canary", fmt.Sprintf(`both http://127.0.0.1:%d/plain`, canary)},
		{"link-local", `both http://169.254.169.254/plain`},
		{"private", `both http://10.0.0.7/plain`},
		{"private name", `both http://private.example/plain`},
		{"path", `both https://api.example.com/echo`},
		{"post", `both https://api.example.com/plain -dx`},
		{"tcp 443", `tcp tcp/api.example.com/443`},
		{"tcp 22", `tcp tcp/api.example.com/22`},
		{"udp", `tcp udp/api.example.com/53`},
		{"git", `git ls-remote https://api.example.com/plain/r 2>&1 | grep -q denied && printf - || printf +`},
		{"dig", `dig +short api.example.com > out 2> /dev/null; [ -s out ] && printf + || printf -`},
		{"awk", fmt.Sprintf(`awk 'BEGIN { s = "/inet/tcp/0/127.0.0.1/%d"; print "GET / HTTP/1.0\n" |& s; if ((s |& getline) > 0) printf "+"; else printf "-" }' 2> /dev/null || printf -`, port)},
	}
	for _, row := range []struct {
		name   string
		policy netpolicy.Policy
		open   string
	}{
		{"none", netpolicy.None(), ""},
		{"allow", allow("api.example.com"), "host path post git dig"},
		{"allow port", allow("api.example.com:8443"), "port dig"},
		{"all", netpolicy.All(), "host port http other sub org path post tcp-443 tcp-22 git dig"},
		{"loopback", netpolicy.Policy{Loopback: []uint16{port}}, "loopback localhost loopback-tcp"},
		{"http", rule(netpolicy.Rule{Scheme: "http", Host: "api.example.com"}), "http dig"},
		{"tcp", rule(netpolicy.Rule{Scheme: "tcp", Host: "api.example.com", Port: 22}), "tcp-22 dig"},
		{"suffix", rule(netpolicy.Rule{Host: ".example.com"}), "host other sub path post git dig"},
		{"range", rule(netpolicy.Rule{Scheme: "http", CIDR: netip.MustParsePrefix("10.0.0.0/8")}), "private private-name"},
		{"methods", rule(netpolicy.Rule{Host: "api.example.com", Methods: []string{"GET"}}), "host path git dig"},
		{"path", rule(netpolicy.Rule{Host: "api.example.com", Path: "/plain"}), "host post git dig"},
		{"binding", func() netpolicy.Policy {
			p := allow("api.example.com")
			p.Bindings = []netpolicy.Binding{netpolicy.HeaderBinding{Host: "api.example.com", Name: "X-Key", Value: "0123456789"}}
			return p
		}(), "host path post git dig"},
	} {
		sh := n.shell(t, row.policy, limpet.Config{})
		var open []string
		for _, p := range probes {
			switch out := execute(t, sh, both+p.script); out {
			case "+":
				open = append(open, strings.ReplaceAll(p.name, " ", "-"))
			case "-":
			default:
				t.Errorf("%s, %s: %s", row.name, p.name, out)
			}
		}
		require.Equal(t, row.open, strings.Join(open, " "), row.name)
	}
	require.Zero(t, calls.Load(), "the canary was reached")
	require.Zero(t, n.stray.Load())
}

// TestWhatDripsIsBounded has responses that come a byte at a time or are long, and
// credentials in the URLs of what is refused (X19).
func TestWhatDripsIsBounded(t *testing.T) {
	base, port := newServer(t)
	var mu sync.Mutex
	var told strings.Builder
	note := func(text string) {
		mu.Lock()
		defer mu.Unlock()
		told.WriteString(text)
	}
	cfg := limpet.Config{
		Network: netpolicy.Policy{Loopback: []uint16{port}, Log: func(e netpolicy.Event) { note(fmt.Sprintf("%+v\n", e)) }},
		Env:     map[string]string{"U": base}, Limits: limits.Limits{Network: 64 << 20},
		Watch: limpet.Watch{Event: func(_ context.Context, e *limpet.Event) { note(fmt.Sprintf("%v %+v %v\n", e.Kind, e.Request, e.Err)) }},
		Extra: git.Commands(),
	}
	sh := newShell(t, cfg)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	require.Contains(t, execute(t, sh, `curl -s $U/endless > /dev/null`), "network limit of 67108864 bytes exceeded")
	runtime.ReadMemStats(&after)
	require.Less(t, int64(after.HeapAlloc)-int64(before.HeapAlloc), int64(32<<20), "a body is not kept")
	for _, c := range []string{`curl -sS -m 0.1 $U/slow`, `curl -sS -y 1 -Y 100 -m 0.1 $U/slow`, `wget -q -T 0.1 -t 1 -O- $U/slow`} {
		require.Regexp(t, "(28|4)\n", execute(t, sh, c+`; echo $?`), c)
	}
	cfg.Limits.Time = 200 * time.Millisecond
	for _, c := range []string{`curl -s $U/slow`, `wget -q -O- $U/slow`, `exec 3<> /dev/tcp/127.0.0.1/${U##*:}; printf 'GET /slow HTTP/1.0\r\n\r\n' >&3; cat <&3`} {
		require.Contains(t, execute(t, newShell(t, cfg), c), "time limit of 200ms exceeded", c)
	}
	out := execute(t, sh, `curl -sSv https://user:hunter2@host.example/; wget https://user:hunter2@host.example/ 2>&1 | grep -v '^--'; git ls-remote https://user:hunter2@host.example/r
		curl -sS -u user:hunter2 https://host.example/; curl -sS 'https://user:hunter2@a@b/'; curl -sSL "$U/redirect/302?to=https://user:hunter2@host.example/"`)
	require.Contains(t, out, "denied by network policy")
	require.NotContains(t, out, "hunter2")
	mu.Lock()
	defer mu.Unlock()
	require.NotContains(t, told.String(), "hunter2")
}

// TestOtherHeaders has redirects that are no redirects, and another Host (X11, X16).
func TestOtherHeaders(t *testing.T) {
	n := newInternet(t, "api.example.com", "other.example.com")
	p, err := netpolicy.Allow("api.example.com")
	require.NoError(t, err)
	sh := n.shell(t, p, limpet.Config{})
	require.Contains(t, execute(t, sh, `curl -sS -H 'Host: other.example.com' https://api.example.com/plain; curl -sS -H 'Host: api.example.com:444' https://api.example.com/plain`), "denied by network policy")
	require.NotContains(t, n.take(), "other.example.com")
	for _, to := range []string{"file:///etc/passwd", "ftp://api.example.com/", "http://api.example.com/plain", "https://api.example.com:22/", "https://other.example.com/", "//other.example.com/"} {
		out := execute(t, sh, fmt.Sprintf(`curl -sL -o out 'https://api.example.com/redirect/302?to=%s'; echo $?; cat out 2> /dev/null; wget -q -t 1 -O- 'https://api.example.com/redirect/302?to=%[1]s'`, to))
		require.Regexp(t, "^(7|1)\n$", out, to)
	}
	require.NotContains(t, n.take(), "other.example.com")
	require.Equal(t, "hello\n", execute(t, sh, `curl -sL 'https://api.example.com/refresh'`), "Refresh is for browsers")
}

// TestMistralApiBinding has the key of an account, from a source, added to requests to
// its API alone.
func TestMistralApiBinding(t *testing.T) {
	n := newInternet(t, "api.mistral.ai", "mistral.ai")
	p, err := netpolicy.Allow("api.mistral.ai", "mistral.ai")
	require.NoError(t, err)
	keys := &keySource{}
	p.Bindings = []netpolicy.Binding{netpolicy.MistralApiBinding{Source: keys}}
	p.Log = func(e netpolicy.Event) { n.note("%+v", e) }
	sh := n.shell(t, p, limpet.Config{})
	out := execute(t, sh, `curl -sS -H 'Authorization: Bearer mine' https://api.mistral.ai/v1/models; curl -s --json '{}' https://api.mistral.ai/v1/chat/completions; env; set`)
	seen := n.take()
	require.Contains(t, seen, "GET api.mistral.ai sni=api.mistral.ai Bearer mistral-key-1")
	require.Contains(t, seen, "POST api.mistral.ai sni=api.mistral.ai Bearer mistral-key-2", "a key that ends is made again")
	require.NotContains(t, seen, "mine")
	require.NotContains(t, out, "mistral-key")
	out = execute(t, sh, `curl -sS https://mistral.ai/echo; curl -sS http://api.mistral.ai/echo; curl -sS https://api.mistral.ai:444/; curl -sSL 'https://api.mistral.ai/redirect/307?to=https://mistral.ai/echo'`)
	require.NotContains(t, out, "mistral-key")
	for line := range strings.Lines(n.take()) {
		require.False(t, strings.Contains(line, " mistral.ai sni") && strings.Contains(line, "mistral-key"), line)
	}
	keys.fail.Store(true)
	require.Contains(t, execute(t, sh, `curl -sS https://api.mistral.ai/v1/models`), "credentials for the host are not available")
	require.NotContains(t, n.take(), "GET api.mistral.ai sni", "nothing is sent without it")
	fixed, err := netpolicy.Allow("api.mistral.ai")
	require.NoError(t, err)
	fixed.Bindings = []netpolicy.Binding{netpolicy.MistralApiBinding{Key: "mistral-key-fixed"}}
	require.NotContains(t, execute(t, n.shell(t, fixed, limpet.Config{}), `curl -sS https://api.mistral.ai/v1/models`), "mistral-key")
	require.Contains(t, n.take(), "Bearer mistral-key-fixed")
}

// A keySource makes keys that end at once.
type keySource struct {
	made atomic.Int64
	fail atomic.Bool
}

func (s *keySource) Token(context.Context) (netpolicy.Token, error) {
	if s.fail.Load() {
		return netpolicy.Token{}, errors.New("mistral-key-of-an-error")
	}
	return netpolicy.Token{Value: fmt.Sprintf("mistral-key-%d", s.made.Add(1)), Expires: time.Now()}, nil
}
