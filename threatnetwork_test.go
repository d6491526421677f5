package limpet_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/limpet-sh/limpet/internal/calltest"
	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/stretchr/testify/require"
)

// networkThreats are those that a policy has to stand up to which allows something:
// https://good.example, whose server sends back what it gets, and to which a secret is
// bound. The address of inside.example is the loopback interface.
var networkThreats = []threat{
	{"TM-network-008", `#network
for u in 'https://good.example@127.0.0.1:PORT/' 'https://127.0.0.1:PORT\@good.example/' 'https://good.example\@127.0.0.1:PORT/' 'https://good.example:443@127.0.0.1:PORT/' \
  'https://0x7f.1:PORT/' 'https://2130706433:PORT/' 'https://0177.0.0.1:PORT/' 'https://127.1:PORT/' 'https://[::ffff:127.0.0.1]:PORT/' 'https://[::1%25lo]:PORT/' 'https://127。0。0。1:PORT/' \
  'https://good.example.:PORT/' 'https://good。example:PORT/' 'https://goоd.example/' 'https://good.example%2f@127.0.0.1:PORT/' 'https://127.0.0.1:PORT#@good.example/' \
  'https://127.0.0.1:PORT?@good.example/' 'http://good.example/' 'https://good.example:PORT/' 'https://evil.good.example/' 'https://good.example.evil/' 'file:///etc/passwd' 'https:good.example@127.0.0.1:PORT'; do
  for c in 'curl -sg' 'wget -q -t 1 -O-' 'git ls-remote'; do $c "$u" < /dev/null > out 2>&1 && echo "$c $u"; done
done`, []string{`stdout: `}},
	{"TM-network-009", `#network
curl -sS https://inside.example:PORT/; wget -O- https://inside.example:PORT/; curl -sS https://inside.example/; git ls-remote https://inside.example:PORT/r; cat < /dev/tcp/inside.example/PORT; echo on`,
		[]string{`stdout: on
`, `stderr: inside.example has the address 127.0.0.1, which is a loopback address`}},
	{"TM-network-010", `#network
for u in https://127.0.0.1:PORT/ http://localhost:PORT/ https://inside.example:PORT/ //127.0.0.1:PORT/ file:///etc/passwd http://169.254.169.254/ https://other.example/; do
  for s in 301 302 303 307 308; do curl -sL "https://good.example/to/$s?u=$u"; wget -q -t 1 -O- "https://good.example/to/$s?u=$u"; done
done; git ls-remote 'https://good.example/to/301?u=https://127.0.0.1:PORT'; echo on`, []string{`stdout: on
`}},
	{"TM-network-011", `#network
p=http://127.0.0.1:PORT; export http_proxy=$p https_proxy=$p HTTPS_PROXY=$p ALL_PROXY=$p all_proxy=$p NO_PROXY=
echo "proxy = $p" > ~/.curlrc; echo "https_proxy = $p" > ~/.wgetrc; git config --global http.proxy $p
curl -qsS https://good.example/ok; wget -qO- https://good.example/ok; for o in -x --proxy --preproxy --socks5 --socks4a; do curl -qs $o $p https://good.example/ok; done
git ls-remote https://good.example/r 2> /dev/null; wget -qO- -e https_proxy=$p -e use_proxy=yes https://good.example/ok; true`, []string{`stdout~: ok
ok
`}},
	{"TM-network-012", `#network
e=$'\r\nEvil: 1'; printf x > "f$e"
for o in "-HX: a$e" "-HX$e" "-Aa$e" "-ea$e" "-bc=d$e" "-XGET$e" "-ua:b$e" "-r0-1$e" "-Ff=@f$e" "-Fk$e=v" "-HHost: good.example$e" "-HHost: inside.example"; do
  curl -s "$o" https://good.example/echo; done | grep -ci '^Evil'
for o in "--header=X: a$e" "--user-agent=a$e" "--referer=a$e"; do wget -qO- "$o" https://good.example/echo; done | grep -ci '^Evil'
curl -s "https://good.example/echo$e" 'https://good.example/%0d%0aEvil:%201' | grep -ci '^Evil'`, []string{`stdout: 0
0
0
`}},
	{"TM-network-013", `#network
curl -s https://good.example/flood > /dev/null; echo $?; curl -s https://good.example/endless > /dev/null`, []string{`stopped: network`, `stdout: 56
`}},
	{"TM-network-014", `#network
set -x; curl -sv https://good.example/echo; curl -si https://good.example/echo -w '%{json} %{header_json}'; wget -S -O- https://good.example/echo; env; set; declare -p
curl -sL 'https://good.example/to/307?u=https://other.good.example/echo'; curl -s -H 'Authorization: mine' https://good.example/echo; curl -s -X TRACE https://good.example/echo
curl -s --location-trusted -u a:b 'https://good.example/to/301?u=https://127.0.0.1:PORT/'; git -c http.extraHeader='X: y' ls-remote https://good.example/r; curl -s -c - https://good.example/echo`,
		[]string{`never: CANARYVALUE`, `stdout~: Authorization: ***********`}},
}

// echoed is a server of HTTPS that sends back what it gets, and worse.
func echoed(w http.ResponseWriter, r *http.Request) {
	name, arg, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch name {
	case "ok":
		fmt.Fprintln(w, "ok")
	case "to":
		status := http.StatusFound
		_, _ = fmt.Sscan(arg, &status)
		w.Header().Set("Location", r.URL.Query().Get("u"))
		w.WriteHeader(status)
	case "endless":
		for r.Context().Err() == nil {
			if _, err := w.Write(make([]byte, 1<<16)); err != nil {
				return
			}
		}
	case "flood":
		for i := range 5000 {
			w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
		}
	default:
		w.Header().Set("Set-Cookie", "c="+r.Header.Get("Authorization"))
		_ = r.Header.Write(w) // the client may have gone
	}
}

// newThreatNetwork returns the policy of #network.
func newThreatNetwork(t *testing.T) netpolicy.Policy {
	srv := httptest.NewUnstartedServer(http.HandlerFunc(echoed))
	srv.Config.ErrorLog = log.New(io.Discard, "", 0)
	p, err := netpolicy.Allow("good.example", "inside.example")
	require.NoError(t, err)
	p.Roots = calltest.StartTLS(t, srv, "good.example")
	good := netip.MustParseAddr("93.184.216.34")
	p.Resolver = threatZone{"good.example": good, "inside.example": netip.MustParseAddr("127.0.0.1")}
	p.Dial = func(ctx context.Context, a netip.AddrPort) (net.Conn, error) {
		var d net.Dialer
		if a == netip.AddrPortFrom(good, 443) {
			return d.DialContext(ctx, "tcp", srv.Listener.Addr().String())
		}
		return d.DialContext(ctx, "tcp", a.String())
	}
	p.Bindings = []netpolicy.Binding{netpolicy.HeaderBinding{Host: "good.example", Name: "Authorization", Value: canaryValue}}
	return p
}

// A threatZone is a resolver.
type threatZone map[string]netip.Addr

func (z threatZone) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	if a, ok := z[host]; ok {
		return []netip.Addr{a}, nil
	}
	return nil, fmt.Errorf("no such host")
}
