package proxy_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/netpolicy/proxy"
	"github.com/stretchr/testify/require"
)

const secret = "the-secret-of-the-binding-0123456789"

// everywhere is a resolver for which every name is the loopback interface.
type everywhere struct{}

func (everywhere) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
}

func portOf(t *testing.T, text string) uint16 {
	u, err := url.Parse(text)
	require.NoError(t, err)
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	require.NoError(t, err)
	return uint16(n)
}

// A world is a proxy, and servers behind it.
type world struct {
	t        *testing.T
	server   *proxy.Server
	address  string
	pass     *proxy.Pass
	secure   *httptest.Server // example.com and 127.0.0.1
	plain    *httptest.Server
	roots    *x509.CertPool
	requests atomic.Int64
	got      atomic.Value // the Authorization header of the last request to secure

	mu  sync.Mutex
	log []string
}

func newWorld(t *testing.T, bind bool) *world {
	w := &world{t: t, server: &proxy.Server{}}
	w.secure = httptest.NewTLSServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.requests.Add(1)
		w.got.Store(r.Header.Get("Authorization"))
		fmt.Fprintf(rw, "%s %s %s %s", r.Method, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Proxy-Authorization"))
	}))
	w.plain = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(rw, "plain %s %s %s%s", r.Method, r.URL.Path, body, r.Header.Get("Proxy-Authorization"))
	}))
	t.Cleanup(w.secure.Close)
	t.Cleanup(w.plain.Close)
	w.roots = x509.NewCertPool()
	w.roots.AddCert(w.secure.Certificate())
	port := portOf(t, w.secure.URL)
	pin := netip.MustParsePrefix("127.0.0.1/32")
	policy := netpolicy.Policy{
		Rules:    []netpolicy.Rule{{Host: "example.com", CIDR: pin, Port: port}},
		Loopback: []uint16{portOf(t, w.plain.URL)}, Roots: w.roots, Resolver: everywhere{},
		Log: func(e netpolicy.Event) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.log = append(w.log, fmt.Sprintf("%s %s %v", e.Method, e.URL, e.Err != nil))
		},
	}
	if bind {
		policy.Bindings = []netpolicy.Binding{netpolicy.HeaderBinding{Host: fmt.Sprintf("example.com:%d", port), Name: "Authorization", Value: "Bearer " + secret}}
	}
	pass, err := w.server.Issue(policy, nil, time.Hour)
	require.NoError(t, err)
	w.pass = pass
	t.Cleanup(func() { w.server.Revoke(pass) })
	front := httptest.NewServer(w.server)
	t.Cleanup(func() { front.CloseClientConnections(); front.Close() })
	w.address = front.Listener.Addr().String()
	return w
}

// client is one of the sandbox.
func (w *world) client(proxyURL string, roots *x509.CertPool, serverName string) *http.Client {
	u, err := url.Parse(proxyURL)
	require.NoError(w.t, err)
	tr := &http.Transport{Proxy: http.ProxyURL(u), TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: serverName}}
	w.t.Cleanup(tr.CloseIdleConnections)
	return &http.Client{Transport: tr, Timeout: 20 * time.Second}
}

func (w *world) authority() *x509.CertPool { return rootsOf(w.t, w.pass.CA()) }

func rootsOf(t *testing.T, pem []byte) *x509.CertPool {
	pool := x509.NewCertPool()
	require.True(t, pool.AppendCertsFromPEM(pem))
	return pool
}

func get(c *http.Client, text string) (string, int, error) {
	res, err := c.Get(text)
	if err != nil {
		return "", 0, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return string(body), res.StatusCode, err
}

func TestBoundHostIsIntercepted(t *testing.T) {
	w := newWorld(t, true)
	target := fmt.Sprintf("https://example.com:%d/path", portOf(t, w.secure.URL))
	body, _, err := get(w.client(w.pass.URL(w.address), w.authority(), ""), target)
	require.NoError(t, err)
	require.Equal(t, "Bearer "+secret, w.got.Load())
	require.Equal(t, "GET /path "+strings.Repeat("*", len("Bearer "+secret))+" ", body, "neither the secret nor the pass comes back")
	_, _, err = get(w.client(w.pass.URL(w.address), w.roots, ""), target)
	require.Error(t, err, "the certificate is that of the sandbox's authority")
	_, _, err = get(w.client(w.pass.URL(w.address), w.authority(), "other.example"), target)
	require.Error(t, err)
	require.NotContains(t, fmt.Sprint(w.log), secret)
	require.Contains(t, fmt.Sprint(w.log), "GET https://example.com")
}

func TestOtherHostsAreTunnels(t *testing.T) {
	w := newWorld(t, false)
	target := fmt.Sprintf("https://example.com:%d/path", portOf(t, w.secure.URL))
	body, _, err := get(w.client(w.pass.URL(w.address), w.roots, ""), target)
	require.NoError(t, err)
	require.Equal(t, "GET /path  ", body)
	before := w.requests.Load()
	_, _, err = get(w.client(w.pass.URL(w.address), w.roots, "127.0.0.1"), target)
	require.Error(t, err, "no name in TLS")
	_, _, err = get(w.client(w.pass.URL(w.address), w.roots, "fronted.example"), target)
	require.Error(t, err, "another name in TLS")
	require.Equal(t, before, w.requests.Load())
}

func TestWhatIsDeniedIsNotReached(t *testing.T) {
	w := newWorld(t, true)
	canary, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer canary.Close()
	var heard atomic.Int64
	go func() {
		for {
			c, err := canary.Accept()
			if err != nil {
				return
			}
			heard.Add(1)
			c.Close()
		}
	}()
	at := canary.Addr().String()
	_, port, _ := net.SplitHostPort(at)
	c := w.client(w.pass.URL(w.address), w.authority(), "")
	for _, u := range []string{
		"https://" + at + "/", "https://localhost:" + port + "/", "https://evil.example:" + port + "/", "https://[::1]:" + port + "/",
		"https://example.com:" + port + "/", "https://0x7f.1:" + port + "/", "https://169.254.169.254/",
	} {
		_, _, err := get(c, u)
		require.Error(t, err, u)
	}
	for _, u := range []string{"http://" + at + "/", "http://localhost:" + port + "/", "http://evil.example:" + port + "/", "http://example.com/"} {
		body, status, err := get(c, u)
		require.NoError(t, err, u)
		require.Equal(t, http.StatusForbidden, status)
		require.Contains(t, body, "denied by network policy")
	}
	require.Zero(t, heard.Load())
}

func TestAbsoluteForm(t *testing.T) {
	w := newWorld(t, false)
	c := w.client(w.pass.URL(w.address), nil, "")
	res, err := c.Post(w.plain.URL+"/x", "text/plain", strings.NewReader("data"))
	require.NoError(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	require.Equal(t, "plain POST /x data", string(body))
}

func TestPasses(t *testing.T) {
	w := newWorld(t, false)
	status := func(proxyURL string) int {
		_, status, err := get(w.client(proxyURL, nil, ""), w.plain.URL)
		require.NoError(t, err)
		return status
	}
	require.Equal(t, http.StatusOK, status(w.pass.URL(w.address)))
	require.Equal(t, http.StatusProxyAuthRequired, status("http://"+w.address))
	require.Equal(t, http.StatusProxyAuthRequired, status("http://a:b@"+w.address))
	require.Equal(t, http.StatusProxyAuthRequired, status(strings.Replace(w.pass.URL(w.address), "@", "x@", 1)))
	short, err := w.server.Issue(netpolicy.Policy{Loopback: []uint16{portOf(t, w.plain.URL)}}, nil, -time.Second)
	require.NoError(t, err)
	require.Equal(t, http.StatusProxyAuthRequired, status(short.URL(w.address)), "the pass has expired")
	other, err := w.server.Issue(netpolicy.None(), nil, time.Hour)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status(other.URL(w.address)), "another pass has another policy")
	setup := w.pass.Setup(w.address, "/etc/ca.pem")
	require.Contains(t, setup.Script, "export https_proxy='"+w.pass.URL(w.address)+"'\n")
	require.Contains(t, setup.Script, "export SSL_CERT_FILE='/etc/ca.pem'\n")
	require.WithinDuration(t, time.Now().Add(time.Hour), setup.Expires, time.Minute)
	require.Equal(t, "https"+strings.TrimPrefix(w.pass.URL("proxy.example"), "http"), w.pass.URL("https://proxy.example/"))
	before := w.pass.URL(w.address)
	w.pass.Renew()
	require.NotEqual(t, before, w.pass.URL(w.address))
	require.Equal(t, http.StatusOK, status(before), "an older key is good until its time is over")
	require.Equal(t, http.StatusOK, status(w.pass.URL(w.address)))
	w.server.Revoke(w.pass)
	require.Equal(t, http.StatusProxyAuthRequired, status(w.pass.URL(w.address)))
	require.Equal(t, http.StatusProxyAuthRequired, status(before))
}
