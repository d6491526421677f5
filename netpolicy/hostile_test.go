package netpolicy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// A table is a resolver: the addresses of names.
type table map[string][]string

func (t table) LookupNetIP(_ context.Context, _, host string) (list []netip.Addr, err error) {
	if host == "fail.example" {
		return nil, errors.New("the resolver failed")
	}
	for _, a := range t[host] {
		list = append(list, netip.MustParseAddr(a))
	}
	if t[host] == nil {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	return list, nil
}

const public = "93.184.216.34"

var zones = table{
	"api.example.com": {public}, "ported.example": {public}, "plain.example": {public},
	"path.example": {public}, "get.example": {public}, "host.example": {public}, "xn--bcher-kva.example": {public},
	"suffix.example": {public}, "a.suffix.example": {public}, "a.b.suffix.example": {public}, "evilsuffix.example": {public},
	"evil.example": {public}, "x.api.example.com": {public}, "api.example.com.evil.example": {public},
	"loop.example": {"127.0.0.1"}, "meta.example": {"169.254.169.254"}, "metadata.google.internal": {"169.254.169.254"},
	"localhost.localdomain": {"127.0.0.1"}, "a.localhost": {"127.0.0.1"},
	"ten.example": {"10.1.2.3"}, "inner.example": {"10.1.2.3"}, "private.example": {"192.168.1.10"},
	"pinned.example": {"93.184.216.35"},
	"mapped.example": {"::ffff:127.0.0.1"}, "six.example": {"::1"}, "ula.example": {"fd00::1"}, "linklocal.example": {"fe80::1"},
	"zone.example": {"fe80::1%lo"}, "nat64.example": {"64:ff9b::7f00:1"}, "sixtofour.example": {"2002:7f00:1::"},
	"zero.example": {"0.0.0.0"}, "broadcast.example": {"255.255.255.255"}, "cgnat.example": {"100.64.0.1"},
	"cname.example":  {"127.0.0.53"}, // what a chain of aliases ends at
	"mixed.example":  {"10.0.0.1", "127.0.0.1", public, "169.254.169.254"},
	"mixed6.example": {"::1", "2606:2800:220:1::1", "fe80::1"},
	"many.example":   repeat("10.0.0.", 200), "manygood.example": append(repeat("10.0.0.", 200), public),
	"none.example": {},
}

func repeat(prefix string, n int) (list []string) {
	for i := range n {
		list = append(list, prefix+strconv.Itoa(i))
	}
	return list
}

// policies are those of the table of hostile URLs.
func policies(t testing.TB) map[string]Policy {
	allow, err := Allow("api.example.com", "ported.example:8443", "8.8.8.8", "192.168.1.10:8443", "[fd00::1]:8443", "private.example:8443",
		"inner.example", "bücher.example")
	require.NoError(t, err)
	rules, err := Rules(Rule{Host: ".suffix.example"}, Rule{Scheme: "http", Host: "plain.example"}, Rule{Host: "path.example", Path: "/v1"},
		Rule{Host: "get.example", Methods: []string{"GET"}}, Rule{CIDR: netip.MustParsePrefix("10.0.0.0/8")},
		Rule{Host: "pinned.example", CIDR: netip.MustParsePrefix(public + "/32")}, Rule{Host: "host.example"}, Rule{Host: "api.example.com"})
	require.NoError(t, err)
	wide, err := Rules(Rule{CIDR: netip.MustParsePrefix("0.0.0.0/0")}, Rule{CIDR: netip.MustParsePrefix("::/0")})
	require.NoError(t, err)
	return map[string]Policy{"none": None(), "all": All(), "allow": allow, "rules": rules, "wide": wide, "loopback": {Loopback: []uint16{8080}}}
}

// A canary is a listener on the loopback interface that must stay silent.
type canary struct {
	port  uint16
	calls atomic.Int64
}

func newCanary(t testing.TB) *canary {
	c := &canary{}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { l.Close() })
	c.port = uint16(l.Addr().(*net.TCPAddr).Port)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			c.calls.Add(1)
			conn.Close()
		}
	}()
	return c
}

// A dialled error says that a connection would have been made.
type dialled netip.AddrPort

func (d dialled) Error() string { return "dialled " + netip.AddrPort(d).String() }

// open puts a policy in force that dials nothing but the canary: whatever the
// address, a socket is opened to the canary's port, which the decision at the
// socket must refuse where it is a special address that is not named.
func open(t testing.TB, p Policy, c *canary) *Access {
	p.Resolver = zones
	g, err := p.Open()
	require.NoError(t, err)
	g.dial = func(ctx context.Context, d *grant, t *target, a netip.AddrPort) (net.Conn, error) {
		if d.admits(t, a.Addr()) == nil {
			return nil, dialled(a)
		}
		return dialAddr(ctx, d, t, netip.AddrPortFrom(a.Addr(), c.port))
	}
	a := g.For(nil)
	t.Cleanup(a.Close)
	return a
}

// outcome makes a request and says what became of it.
func outcome(t testing.TB, a *Access, method, text string) string {
	u, err := ParseURL(text)
	if err == nil {
		var req *http.Request
		req, err = http.NewRequest(http.MethodGet, "http://x/", nil)
		require.NoError(t, err)
		req.URL, req.Host, req.Method = u.HTTP(), "", method
		_, err = a.RoundTrip(req)
	}
	if d, ok := errors.AsType[dialled](err); ok {
		return netip.AddrPort(d).String()
	}
	if _, ok := errors.AsType[*URLError](err); ok {
		return "bad"
	}
	if _, ok := errors.AsType[*LookupError](err); ok {
		return "lookup"
	}
	if errors.Is(err, ErrDenied) {
		return "denied"
	}
	return fmt.Sprint(err)
}

func TestHostileURLs(t *testing.T) {
	data, err := os.ReadFile("testdata/hostile.txt")
	require.NoError(t, err)
	c := newCanary(t)
	accesses := map[string]*Access{}
	for name, p := range policies(t) {
		accesses[name] = open(t, p, c)
	}
	rows := 0
	for s := bufio.NewScanner(bytes.NewReader(data)); s.Scan(); {
		if strings.HasPrefix(s.Text(), "#") {
			continue
		}
		policy, rest, _ := strings.Cut(s.Text(), " ")
		at := strings.LastIndexByte(rest, ' ')
		quoted := strings.ReplaceAll(rest[:at], `"`, `\"`)
		text, err := strconv.Unquote(`"` + quoted + `"`)
		require.NoError(t, err, quoted)
		method := "GET"
		if m, after, ok := strings.Cut(text, ":http"); ok && !strings.Contains(m, "/") {
			method, text = m, "http"+after
		}
		if got := outcome(t, accesses[policy], method, text); got != rest[at+1:] {
			t.Errorf("%s %q: %s, want %s", policy, text, got, rest[at+1:])
		}
		rows++
	}
	require.Greater(t, rows, 300)
	require.Zero(t, c.calls.Load(), "the canary was reached")
}

// TestEverySpecialRangeInEveryNotation asks for the first, a middle and the last
// address of each range, as a literal and as a name.
func TestEverySpecialRangeInEveryNotation(t *testing.T) {
	c := newCanary(t)
	p := All()
	a := open(t, p, c)
	rows := 0
	refuse := func(text string) {
		require.Equal(t, "denied", outcome(t, a, "GET", text), text)
		rows++
	}
	for i, s := range special {
		for j, addr := range ends(s.prefix) {
			name := fmt.Sprintf("n%d-%d.special.example", i, j)
			zones[name] = []string{addr.String()}
			refuse("http://" + name + "/")
			if !addr.Is4() {
				refuse("http://[" + addr.StringExpanded() + "]/")
				refuse("http://[" + strings.ToUpper(addr.String()) + "]/")
				continue
			}
			b := addr.As4()
			n := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
			for _, host := range []string{
				addr.String(), addr.String() + ".", fmt.Sprint(n), fmt.Sprintf("0x%x", n), fmt.Sprintf("0%o", n),
				fmt.Sprintf("0x%X.%d", b[0], n&0xffffff), fmt.Sprintf("%d.0%o.%d", b[0], b[1], n&0xffff),
				fmt.Sprintf("0%o.0%o.0%o.0%o", b[0], b[1], b[2], b[3]), fmt.Sprintf("0x%x.0x%x.0x%x.0x%x", b[0], b[1], b[2], b[3]),
				"[::ffff:" + addr.String() + "]", "[64:ff9b::" + addr.String() + "]", "[::" + addr.String() + "]",
				fmt.Sprintf("[2002:%x:%x::1]", n>>16, n&0xffff), strings.ReplaceAll(addr.String(), ".", "。"),
			} {
				refuse("http://" + host + "/")
			}
		}
	}
	require.Greater(t, rows, 500)
	require.Zero(t, c.calls.Load(), "the canary was reached")
}

// ends returns the first and the last address of a prefix.
func ends(p netip.Prefix) []netip.Addr {
	last := p.Addr().AsSlice()
	for i := p.Bits(); i < 8*len(last); i++ {
		last[i/8] |= 0x80 >> (i % 8)
	}
	b, _ := netip.AddrFromSlice(last)
	return []netip.Addr{p.Addr(), b}
}

// A rebinding resolver answers with one address after another.
type rebinding struct {
	answers []string
	asked   atomic.Int64
}

func (r *rebinding) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	n := int(r.asked.Add(1)) - 1
	return []netip.Addr{netip.MustParseAddr(r.answers[min(n, len(r.answers)-1)])}, nil
}

// TestRebinding has a name change its address between the decision and the dial,
// and between requests.
func TestRebinding(t *testing.T) {
	c := newCanary(t)
	for _, answers := range [][]string{{public, "127.0.0.1"}, {"127.0.0.1", public}, {public, "169.254.169.254", public}} {
		p := All()
		r := &rebinding{answers: answers}
		p.Resolver = r
		g, err := p.Open()
		require.NoError(t, err)
		g.dial = func(ctx context.Context, d *grant, t *target, a netip.AddrPort) (net.Conn, error) {
			if a.Addr() == netip.MustParseAddr(public) {
				return nil, dialled(a)
			}
			return dialAddr(ctx, d, t, a)
		}
		a := g.For(nil)
		for i, answer := range answers {
			want := "denied"
			if answer == public {
				want = public + ":" + strconv.Itoa(int(c.port))
			}
			require.Equal(t, want, outcome(t, a, "GET", fmt.Sprintf("http://rebind.example:%d/", c.port)))
			require.EqualValues(t, i+1, r.asked.Load(), "one resolution for a connection")
		}
		a.Close()
	}
	require.Zero(t, c.calls.Load())
}

// TestTheSocketDecides goes around the first decision: a grant for public
// addresses does not open a socket to another one.
func TestTheSocketDecides(t *testing.T) {
	c := newCanary(t)
	for _, p := range policies(t) {
		g, err := p.Open()
		require.NoError(t, err)
		d := &grant{everything: g.policy.Everything, rules: g.rules}
		for _, host := range []string{"127.0.0.1", "::ffff:127.0.0.1"} {
			_, err = dialAddr(t.Context(), d, &target{host: "x.example", scheme: "https", port: c.port}, netip.AddrPortFrom(netip.MustParseAddr(host), c.port))
			require.ErrorIs(t, err, ErrDenied)
		}
	}
	require.ErrorIs(t, control(t.Context(), "tcp4", public+":443", 0), ErrDenied, "no decision")
	require.Zero(t, c.calls.Load())
}

// FuzzDecision holds that what is dialled is what was decided upon: by a second
// reading of the rules that shares nothing with the first but the parsed URL.
func FuzzDecision(f *testing.F) {
	data, err := os.ReadFile("testdata/hostile.txt")
	require.NoError(f, err)
	for line := range strings.Lines(string(data)) {
		if fields := strings.Fields(line); len(fields) == 3 {
			f.Add(fields[1], "10.0.0.1,"+public, uint8(len(line)))
		}
	}
	var list []Policy
	named := policies(f)
	for _, name := range []string{"none", "all", "allow", "rules", "wide", "loopback"} {
		list = append(list, named[name])
	}
	f.Fuzz(func(t *testing.T, text, answers string, which uint8) {
		var r fixed
		for a := range strings.SplitSeq(answers, ",") {
			if ip, err := netip.ParseAddr(a); err == nil {
				r = append(r, ip)
			}
		}
		p := list[int(which)%len(list)]
		p.Resolver = r
		g, err := p.Open()
		require.NoError(t, err)
		var got []netip.AddrPort
		g.dial = func(_ context.Context, d *grant, tg *target, a netip.AddrPort) (net.Conn, error) {
			got = append(got, a)
			require.NoError(t, control(context.WithValue(t.Context(), dialingKey{}, dialing{d, tg}), "tcp", a.String(), 0), "the decision and the socket disagree")
			return nil, dialled(a)
		}
		a := g.For(nil)
		defer a.Close()
		out := outcome(t, a, "GET", text)
		u, err := ParseURL(text)
		if err != nil {
			require.Empty(t, got)
			require.Equal(t, "bad", out)
			return
		}
		again, err := ParseURL(u.String())
		require.NoError(t, err)
		require.Equal(t, u.String(), again.String(), "parsing is idempotent")
		for _, addr := range got {
			require.Equal(t, u.Port, addr.Port())
			require.True(t, mayDial(p, u, addr.Addr()), "%s dialled %v", u, addr)
		}
	})
}

// fixed is a resolver that has the same answer for every name.
type fixed []netip.Addr

func (r fixed) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	if len(r) == 0 {
		return nil, errors.New("no answer")
	}
	return r, nil
}

// mayDial is the second reading.
func mayDial(p Policy, u *URL, a netip.Addr) bool {
	ordinary := a.IsGlobalUnicast() && !a.IsPrivate() && !a.Is4In6() && Special(a) == ""
	if p.Everything && ordinary {
		return true
	}
	for _, port := range p.Loopback {
		if port == u.Port && a.IsLoopback() && (u.Host == "localhost" || u.Addr == a) {
			return true
		}
	}
	for _, r := range p.Rules {
		port, scheme := r.Port, r.Scheme
		if scheme == "" {
			scheme = "https"
		}
		if port == 0 {
			port = ports[scheme]
		}
		if scheme != u.Scheme || port != u.Port || r.CIDR.IsValid() && !r.CIDR.Contains(a) {
			continue
		}
		if r.Path != "" && (!strings.HasPrefix(unescape(u.Path)+"/", r.Path+"/") || strings.Contains(unescape(u.Path), "..")) {
			if !strings.Contains(u.Path, "..") { // names that only begin with dots are fine
				continue
			}
		}
		switch literal, err := netip.ParseAddr(r.Host); {
		case err == nil:
			if literal == a && u.Addr == a {
				return true
			}
		case r.CIDR.IsValid() && r.CIDR.Bits() >= 8: // those of the table that name a private range
			if r.Host == "" || r.Host == u.Host {
				return true
			}
		case r.Host == "" || u.Host == r.Host || r.Host == "bücher.example" && u.Host == "xn--bcher-kva.example" ||
			r.Host[0] == '.' && strings.HasSuffix(u.Host, r.Host):
			if ordinary {
				return true
			}
		}
	}
	return false
}

func unescape(path string) string {
	plain, _ := plainPath(path)
	return plain
}
