package proxy_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
	"github.com/stretchr/testify/require"
)

// A tokens makes tokens that end at once, and so a new one for each request.
type tokens struct{ made atomic.Int64 }

func (s *tokens) Token(context.Context) (netpolicy.Token, error) {
	return netpolicy.Token{Value: fmt.Sprintf("%s-%d", secret, s.made.Add(1)), Expires: time.Now()}, nil
}

// A cable joins an owner and a proxy, and can be cut.
type cable struct {
	t     *testing.T
	owner *proxy.Owner
	in    net.Conn // of the proxy, which lives as long as the cable

	mu   sync.Mutex
	ends []net.Conn
	done sync.WaitGroup
}

// plug starts a proxy; each connection that the owner makes later is joined to it, as
// that to the streams of a container is.
func plug(t *testing.T, owner *proxy.Owner) *cable {
	c := &cable{t: t, owner: owner}
	inside, outside := net.Pipe()
	c.in = outside
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- proxy.Egress(ctx, inside, inside) }()
	c.done.Go(func() { // what nobody listens to is lost
		buf := make([]byte, 1<<16)
		for {
			n, err := outside.Read(buf)
			if err != nil {
				return
			}
			c.mu.Lock()
			for _, e := range c.ends {
				_, _ = e.Write(buf[:n])
			}
			c.mu.Unlock()
		}
	})
	t.Cleanup(func() {
		c.cut()
		cancel()
		<-ended
		_ = outside.Close()
		_ = inside.Close()
		c.done.Wait()
	})
	c.connect()
	return c
}

func (c *cable) connect() {
	far, near := net.Pipe()
	c.mu.Lock()
	c.ends = []net.Conn{far}
	c.mu.Unlock()
	c.done.Go(func() { _ = c.owner.Serve(c.t.Context(), near, near) })
	c.done.Go(func() {
		buf := make([]byte, 1<<16)
		for {
			n, err := far.Read(buf)
			if err != nil {
				return
			}
			_, _ = c.in.Write(buf[:n])
		}
	})
}

func (c *cable) cut() {
	c.mu.Lock()
	ends := c.ends
	c.ends = nil
	c.mu.Unlock()
	_, _ = c.in.Write([]byte(`{"id":7,"ask":"re`)) // a line that is cut
	for _, e := range ends {
		_ = e.Close()
	}
}

// TestEgress has a proxy elsewhere do what its owner says: names, tokens, bindings,
// certificates and the log are the owner's, over connections that are cut.
func TestEgress(t *testing.T) {
	var got atomic.Value
	srv := httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		got.Store(r.Header.Get("Authorization") + r.Header.Get("X-Func") + r.Header.Get("X-Placeholder"))
		fmt.Fprint(rw, r.Header.Get("Authorization"))
	}))
	t.Cleanup(srv.Close)
	w := &world{t: t, secure: srv}
	roots := srv.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	port := portOf(t, srv.URL)
	origin := fmt.Sprintf("example.com:%d", port)
	var mu sync.Mutex
	var events []netpolicy.Event
	owner, err := proxy.NewOwner(netpolicy.Policy{
		Rules: []netpolicy.Rule{{Host: "example.com", CIDR: netip.MustParsePrefix("127.0.0.1/32"), Port: port}},
		Roots: roots, Resolver: everywhere{},
		Bindings: []netpolicy.Binding{
			netpolicy.HeaderBinding{Host: origin, Name: "Authorization", Value: "Bearer {token}", Source: &tokens{}},
			netpolicy.HeaderBinding{Host: origin, Env: "API_KEY", Value: "withheld-0123456789"},
			netpolicy.BindingFunc(func(_ context.Context, host string) ([]netpolicy.HeaderBinding, error) {
				return []netpolicy.HeaderBinding{{Name: "X-Func", Value: "for " + host + " {token}", Source: &tokens{}}}, nil
			}),
		},
		Log: func(e netpolicy.Event) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, e)
		},
	})
	require.NoError(t, err)
	cable := plug(t, owner)
	address := freeAddress(t)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	setup, err := owner.Open(ctx, address, "/bundle", 0)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now().Add(proxy.Good), setup.Expires, time.Minute)
	require.NotContains(t, setup.Script, secret)
	require.NotContains(t, setup.Script, "withheld")
	placeholder := variable(setup.Script, "API_KEY")
	require.NotEmpty(t, placeholder)

	fetch := func(s proxy.Setup) string {
		w.pass = nil
		c := w.client(variable(s.Script, "https_proxy"), rootsOf(t, s.CA), "")
		req, err := http.NewRequest(http.MethodGet, "https://"+origin+"/", nil)
		require.NoError(t, err)
		req.Header.Set("X-Placeholder", placeholder)
		res, err := c.Do(req)
		require.NoError(t, err)
		defer res.Body.Close()
		require.Equal(t, http.StatusOK, res.StatusCode)
		return got.Load().(string)
	}
	require.Equal(t, "Bearer "+secret+"-1for "+origin+" "+secret+"-1withheld-0123456789", fetch(setup))
	cable.cut()
	cable.connect()
	require.Contains(t, fetch(setup), "Bearer "+secret+"-2")
	renewed, err := owner.Renew(ctx)
	require.NoError(t, err)
	require.NotEqual(t, setup.Script, renewed.Script)
	require.Equal(t, string(setup.CA), string(renewed.CA))
	require.Contains(t, fetch(renewed), "Bearer "+secret+"-3")
	again, err := owner.Open(ctx, address, "/bundle", 0)
	require.NoError(t, err, "it is open already")
	require.Equal(t, renewed, again)

	_, _, err = get(w.client(variable(setup.Script, "https_proxy"), rootsOf(t, setup.CA), ""), "https://evil.example/")
	require.Error(t, err)
	require.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		text := fmt.Sprintf("%+v", events)
		last := events[len(events)-1]
		return strings.Contains(text, "Bound:true") && !strings.Contains(text, secret) && last.Err != nil && strings.Contains(last.Err.Error(), "no rule allows evil.example")
	}, 10*time.Second, 10*time.Millisecond)
}

// TestEgressVerifies has a server whose certificate the owner does not trust.
func TestEgressVerifies(t *testing.T) {
	w := newWorld(t, true)
	port := portOf(t, w.secure.URL)
	owner, err := proxy.NewOwner(netpolicy.Policy{
		Rules:    []netpolicy.Rule{{Host: "example.com", CIDR: netip.MustParsePrefix("127.0.0.1/32"), Port: port}},
		Resolver: everywhere{},
		Bindings: []netpolicy.Binding{netpolicy.HeaderBinding{Host: fmt.Sprintf("example.com:%d", port), Name: "Authorization", Value: secret}},
	})
	require.NoError(t, err)
	plug(t, owner)
	setup, err := owner.Open(t.Context(), freeAddress(t), "/bundle", time.Minute)
	require.NoError(t, err)
	body, status, err := get(w.client(variable(setup.Script, "https_proxy"), rootsOf(t, setup.CA), ""), fmt.Sprintf("https://example.com:%d/", port))
	require.NoError(t, err)
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, body, "unknown authority")
	require.Zero(t, w.requests.Load())
}

func TestWhatNoProxyElsewhereCanDo(t *testing.T) {
	for want, p := range map[string]netpolicy.Policy{
		"loopback interface": {Loopback: []uint16{80}},
		"is for tcp":         {Rules: []netpolicy.Rule{{Scheme: "tcp", Host: "example.com", Port: 22}}},
		"does not allow":     {Bindings: []netpolicy.Binding{netpolicy.MistralApiBinding{Key: "k"}}},
	} {
		_, err := proxy.NewOwner(p)
		require.ErrorContains(t, err, want)
	}
}

// variable returns what a script exports.
func variable(script, name string) string {
	_, rest, _ := strings.Cut(script, "export "+name+"='")
	value, _, _ := strings.Cut(rest, "'\n")
	return value
}

// freeAddress returns an address that nobody listens at.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return l.Addr().String()
}
