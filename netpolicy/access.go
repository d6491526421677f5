package netpolicy

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
)

// An Access is the network for one execution. It is an [http.RoundTripper], which
// follows no redirects, and opens connections and looks names up. It is safe for
// concurrent use. A nil *Access denies everything.
type Access struct {
	guard *Guard
	meter *limits.Meter
	told  func(method, url string, err error)

	mu     sync.Mutex
	pools  map[string]*http.Transport
	conns  map[*conn]bool
	closed bool
}

// ErrClosed is the error of an [Access] after its Close.
var ErrClosed = errors.New("network access is closed")

// Watch has told called for each request, those of redirects too, when it has been
// answered, has failed or was refused. Its URL is without the user and the query.
// Watch is to be called before a is used.
func (a *Access) Watch(told func(method, url string, err error)) { a.told = told }

// Client returns a client that goes through a. It follows redirects, each of
// which is decided upon.
func (a *Access) Client() *http.Client { return &http.Client{Transport: a} }

// Close ends the connections, those in use too.
func (a *Access) Close() {
	if a == nil {
		return
	}
	a.mu.Lock()
	a.closed = true
	conns, pools := a.conns, a.pools
	a.conns, a.pools = nil, nil
	a.mu.Unlock()
	for c := range conns {
		_ = c.Conn.Close()
	}
	for _, p := range pools {
		p.CloseIdleConnections()
	}
}

// RoundTrip makes a request if the policy allows it. Refusals are
// [*DeniedError], URLs that are not well formed [*URLError], names that do not
// resolve [*LookupError].
func (a *Access) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := a.roundTrip(req)
	if err != nil && req.Body != nil {
		_ = req.Body.Close()
	}
	if a != nil && a.told != nil {
		text := req.URL.Scheme + "://" + req.URL.Host
		if u, bad := fromHTTP(req.URL); bad == nil {
			text = u.Redacted()
		}
		a.told(req.Method, text, err)
	}
	return res, err
}

func (a *Access) roundTrip(req *http.Request) (*http.Response, error) {
	if a == nil || a.guard == nil {
		return nil, &DeniedError{Target: req.URL.Scheme + "://" + req.URL.Host, Reason: "network access is not allowed"}
	}
	u, err := fromHTTP(req.URL)
	if err != nil {
		return nil, err
	}
	t := targetOf(u, req.Method)
	d, err := a.guard.decide(t)
	if err == nil {
		err = a.guard.checkHostHeader(req, t, d)
	}
	if err != nil {
		a.guard.log(t, req.Method, nil, false, netip.Addr{}, err)
		return nil, err
	}
	if err := a.admit(req.Context(), d); err != nil {
		return nil, err
	}
	trace := traceOf(req.Context())
	out := req.Clone(trace.hooks(context.WithValue(req.Context(), dialingKey{}, dialing{d, t})))
	out.URL = u.HTTP()
	out.Body = d.countBody(req.Body)
	secrets, err := a.guard.bound.apply(out, u)
	if err != nil {
		a.guard.log(t, req.Method, nil, false, netip.Addr{}, err)
		return nil, err
	}
	pool, err := a.pool(d, narrowedBy(req.Context()))
	if err != nil {
		return nil, err
	}
	a.guard.log(t, req.Method, d, secrets != nil, netip.Addr{}, nil)
	res, err := pool.RoundTrip(out)
	if err != nil {
		return nil, secrets.redactError(err)
	}
	res.Request = req // without what the bindings have added
	res.Body = d.countBody(res.Body)
	secrets.redact(res)
	trace.finish(secrets)
	return res, nil
}

// checkHostHeader decides upon a Host header that differs from the URL's host:
// the policy must allow that host too.
func (g *Guard) checkHostHeader(req *http.Request, t *target, d *grant) error {
	if req.Host == "" || req.Host == req.URL.Host || d.loopback {
		return nil
	}
	u, err := ParseURL(t.scheme + "://" + req.Host + t.path)
	if err != nil || u.User != "" || u.Path != t.path {
		return badURL("Host header %q is not a host", req.Host)
	}
	if d.everything {
		return nil
	}
	other := targetOf(u, t.method)
	other.port = t.port
	_, err = g.decide(other)
	return err
}

// admit charges a request to the meter and to the rule that allows it, and waits
// where that has a rate.
func (a *Access) admit(ctx context.Context, d *grant) error {
	if err := a.meter.Charge(limits.Requests, 1); err != nil {
		return err
	}
	if len(d.rules) == 0 {
		return nil
	}
	r := d.rules[0]
	if n := r.requests.Add(1); r.Requests > 0 && n > r.Requests {
		return &DeniedError{Target: r.text, Reason: fmt.Sprintf("the rule allows %d requests, which have been made", r.Requests), Hint: "raise Requests of the rule"}
	}
	if err := r.exhausted(); err != nil {
		return err
	}
	if r.limiter != nil {
		return r.limiter.Wait(ctx)
	}
	return nil
}

// exhausted returns the error of a rule whose bytes are used up.
func (s *ruleState) exhausted() error {
	if s.Bytes == 0 || s.bytes.Load() <= s.Bytes {
		return nil
	}
	return &DeniedError{Target: s.text, Reason: fmt.Sprintf("the rule allows %d bytes, which have been used", s.Bytes), Hint: "raise Bytes of the rule"}
}

// pool returns the connections that are open under a grant.
func (a *Access) pool(d *grant, n narrowing) (*http.Transport, error) {
	key := d.key + fmt.Sprint(n)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed {
		return nil, ErrClosed
	}
	if t := a.pools[key]; t != nil {
		return t, nil
	}
	t := &http.Transport{
		DialContext:            a.dialPlain,
		DialTLSContext:         func(ctx context.Context, _, address string) (net.Conn, error) { return a.dialTLS(ctx, address, n) },
		DisableCompression:     true,
		MaxIdleConnsPerHost:    4,
		MaxIdleConns:           16,
		IdleConnTimeout:        30 * time.Second,
		MaxResponseHeaderBytes: maxHead,
		ExpectContinueTimeout:  time.Second,
		ReadBufferSize:         64 << 10,
		Protocols:              protocolsOf(n.http1),
	}
	if a.pools == nil {
		a.pools = map[string]*http.Transport{}
	}
	a.pools[key] = t
	return t, nil
}

// dialPlain opens a connection for a request whose context says what has been
// decided upon. Others may use it that have the same grant and server.
func (a *Access) dialPlain(ctx context.Context, _, address string) (net.Conn, error) {
	c, _, err := a.dialPooled(ctx, address)
	if err != nil {
		return nil, err
	}
	return &recorder{Conn: c}, nil
}

func (a *Access) dialPooled(ctx context.Context, address string) (net.Conn, *target, error) {
	d, ok := ctx.Value(dialingKey{}).(dialing)
	if !ok {
		return nil, nil, &DeniedError{Target: address, Reason: "the address has not been decided upon"}
	}
	c, err := a.connect(ctx, d.grant, d.target)
	return c, d.target, err
}

// dialTLS is dialPlain for HTTPS. The certificate must be for the host of the URL.
func (a *Access) dialTLS(ctx context.Context, address string, n narrowing) (net.Conn, error) {
	raw, t, err := a.dialPooled(ctx, address)
	if err != nil {
		return nil, err
	}
	config := &tls.Config{RootCAs: a.guard.policy.Roots, MinVersion: tls.VersionTLS12, ServerName: t.host, NextProtos: []string{"h2", "http/1.1"}}
	if n.http1 {
		config.NextProtos = config.NextProtos[1:]
	}
	if n.tls13 {
		config.MinVersion = tls.VersionTLS13
	}
	if a.guard.policy.Verify != nil {
		config.InsecureSkipVerify = true // it is verified all the same:
		config.VerifyConnection = func(s tls.ConnectionState) error {
			return a.guard.policy.Verify(ctx, t.host, s.PeerCertificates)
		}
	}
	c := tls.Client(raw, config)
	if err := c.HandshakeContext(ctx); err != nil {
		_ = raw.Close()
		return nil, &HandshakeError{err}
	}
	if t := traceOf(ctx); t != nil {
		t.Secured = time.Now()
	}
	if c.ConnectionState().NegotiatedProtocol == "h2" {
		return c, nil
	}
	return &recorder{Conn: c}, nil
}

// A HandshakeError is the failure to agree upon TLS with a server.
type HandshakeError struct{ Err error }

// Error says why.
func (e *HandshakeError) Error() string { return "TLS: " + e.Err.Error() }

// Unwrap returns the error of package tls.
func (e *HandshakeError) Unwrap() error { return e.Err }

// connect opens a connection whose bytes are charged.
func (a *Access) connect(ctx context.Context, d *grant, t *target) (net.Conn, error) {
	raw, err := a.guard.connect(ctx, d, t)
	if err != nil {
		if errors.Is(err, ErrDenied) {
			a.guard.log(t, "CONNECT", nil, false, netip.Addr{}, err)
		}
		return nil, err
	}
	if t := traceOf(ctx); t != nil {
		t.Opened = time.Now()
	}
	c := &conn{Conn: raw, access: a}
	a.mu.Lock()
	closed := a.closed
	if !closed {
		if a.conns == nil {
			a.conns = map[*conn]bool{}
		}
		a.conns[c] = true
	}
	a.mu.Unlock()
	if closed {
		_ = raw.Close()
		return nil, ErrClosed
	}
	if remote, err := netip.ParseAddrPort(raw.RemoteAddr().String()); err == nil {
		a.guard.log(t, "CONNECT", d, false, remote.Addr(), nil)
	}
	return c, nil
}

// Dial opens a connection for a protocol other than HTTP, which a rule with the
// scheme tcp, All or an exception for the loopback interface allows.
func (a *Access) Dial(ctx context.Context, host, port string) (net.Conn, error) {
	t, d, err := a.decideTCP(host, port)
	if err != nil {
		return nil, err
	}
	if err := a.admit(ctx, d); err != nil {
		return nil, err
	}
	c, err := a.connect(ctx, d, t)
	if err != nil {
		return nil, err
	}
	if len(d.rules) > 0 {
		c.(*conn).rule = d.rules[0]
	}
	return c, nil
}

func (a *Access) decideTCP(host, port string) (*target, *grant, error) {
	text := "tcp://" + host + ":" + port
	if a == nil || a.guard == nil {
		return nil, nil, &DeniedError{Target: text, Reason: "network access is not allowed"}
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return nil, nil, badURL("port %q is not between 1 and 65535", port)
	}
	if ip, err := netip.ParseAddr(host); err == nil && ip.Is6() {
		host = "[" + host + "]"
	}
	name, addr, err := parseHost(host)
	if err != nil {
		return nil, nil, err
	}
	t := &target{scheme: "tcp", host: name, addr: addr, port: uint16(n), text: text}
	d, err := a.guard.decide(t)
	if err != nil {
		a.guard.log(t, "CONNECT", nil, false, netip.Addr{}, err)
	}
	return t, d, err
}

// A conn charges what it carries.
type conn struct {
	net.Conn
	access *Access
	rule   *ruleState // charged too; nil for connections of HTTP, whose bodies are
}

// Read reads, and charges what it has read.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if charged := c.charge(n); charged != nil {
		return 0, charged
	}
	return n, err
}

// Write charges what it writes, and writes it.
func (c *conn) Write(p []byte) (int, error) {
	if err := c.charge(len(p)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

func (c *conn) charge(n int) error {
	err := c.access.meter.Charge(limits.Network, int64(n))
	if err == nil && c.rule != nil {
		c.rule.bytes.Add(int64(n))
		err = c.rule.exhausted()
	}
	if err != nil {
		_ = c.Conn.Close()
	}
	return err
}

// Close closes the connection.
func (c *conn) Close() error {
	c.access.mu.Lock()
	delete(c.access.conns, c)
	c.access.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite says that nothing more will be written.
func (c *conn) CloseWrite() error {
	if w, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return w.CloseWrite()
	}
	return nil
}

// countBody returns a body whose bytes are charged to the rule of d that allows
// the request, if that bounds them.
func (d *grant) countBody(body io.ReadCloser) io.ReadCloser {
	if body == nil || body == http.NoBody || len(d.rules) == 0 || d.rules[0].Bytes == 0 {
		return body
	}
	return &countedBody{body, d.rules[0]}
}

type countedBody struct {
	io.ReadCloser
	rule *ruleState
}

// Read reads, and fails where the rule's bytes are used up.
func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.rule.bytes.Add(int64(n))
	if over := b.rule.exhausted(); over != nil {
		return 0, over
	}
	return n, err
}
