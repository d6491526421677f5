// Package proxy is the network policy for processes outside: those of a container
// or of the host, which reach nothing but an HTTP proxy.
//
// A [Server] answers CONNECT and requests with absolute URLs. Each sandbox has a
// [Pass]: a user and a password, a policy, and an authority of its own whose
// certificates stand for the hosts that secrets are bound to. To those hosts, and
// to those that rules with methods or paths are about, the proxy speaks TLS itself,
// decides upon each request and adds the secrets, so that they never enter the
// sandbox. Other connections are tunnels: the name that the client sends in TLS
// must be the one that was decided upon, and the address is decided upon when it is
// dialled.
package proxy

import (
	"bufio"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
)

// A Server is a proxy for any number of sandboxes. Its zero value is ready for
// use. It is safe for concurrent use.
type Server struct {
	mu     sync.Mutex
	passes map[string]*Pass
}

// A Pass is what lets one sandbox through a [Server].
type Pass struct {
	user     string
	password string
	expires  time.Time
	guard    *netpolicy.Guard
	access   *netpolicy.Access
	ca       *authority
	ctx      context.Context
	cancel   context.CancelFunc
}

// Issue makes a pass that is good for a time. What goes through it is charged to m,
// which may be nil. Close it when the sandbox ends.
func (s *Server) Issue(policy netpolicy.Policy, m *limits.Meter, good time.Duration) (*Pass, error) {
	guard, err := policy.Open()
	if err != nil {
		return nil, err
	}
	ca, err := newAuthority(time.Now().Add(good))
	if err != nil {
		return nil, err
	}
	p := &Pass{user: rand.Text(), password: rand.Text(), expires: time.Now().Add(good), guard: guard, access: guard.For(m), ca: ca}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.passes == nil {
		s.passes = map[string]*Pass{}
	}
	for user, old := range s.passes { // those whose time is over
		if time.Now().After(old.expires) {
			delete(s.passes, user)
		}
	}
	s.passes[p.user] = p
	return p, nil
}

// Revoke takes a pass back and ends what goes through it.
func (s *Server) Revoke(p *Pass) {
	s.mu.Lock()
	delete(s.passes, p.user)
	s.mu.Unlock()
	p.cancel()
	p.access.Close()
}

// Expires is when the pass ends.
func (p *Pass) Expires() time.Time { return p.expires }

// CA returns the certificate, in PEM, that the sandbox has to trust.
func (p *Pass) CA() []byte { return p.ca.pem }

// URL returns what the sandbox has to use as its proxy, for a server at an address.
func (p *Pass) URL(address string) string {
	return "http://" + p.user + ":" + p.password + "@" + address
}

// Setup returns a script for the sandbox to source before each command: the
// variables that programs take the proxy and the certificates from. caFile is where
// the sandbox has [Pass.CA]. It holds the password of the pass, so the file that it
// is in should be readable by the sandbox alone.
func (p *Pass) Setup(address, caFile string) string {
	var b strings.Builder
	for _, name := range []string{"http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "all_proxy"} {
		fmt.Fprintf(&b, "export %s='%s'\n", name, p.URL(address))
	}
	for _, name := range []string{"SSL_CERT_FILE", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS", "GIT_SSL_CAINFO"} {
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(caFile, "'", `'\''`))
	}
	for key, value := range p.guard.Environ() {
		fmt.Fprintf(&b, "export %s='%s'\n", key, value)
	}
	b.WriteString("unset no_proxy NO_PROXY\n")
	return b.String()
}

// find returns the pass of a request, or nil.
func (s *Server) find(r *http.Request) *Pass {
	text, ok := strings.CutPrefix(r.Header.Get("Proxy-Authorization"), "Basic ")
	plain, err := base64.StdEncoding.DecodeString(text)
	user, password, colon := strings.Cut(string(plain), ":")
	if !ok || err != nil || !colon {
		return nil
	}
	s.mu.Lock()
	p := s.passes[user]
	s.mu.Unlock()
	if p == nil || subtle.ConstantTimeCompare([]byte(p.password), []byte(password)) != 1 || time.Now().After(p.expires) {
		return nil
	}
	return p
}

// ServeHTTP answers a request to the proxy.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p := s.find(r)
	switch {
	case p == nil:
		w.Header().Set("Proxy-Authenticate", `Basic realm="limpet"`)
		http.Error(w, "limpet: a pass is needed", http.StatusProxyAuthRequired)
	case r.Method == http.MethodConnect:
		p.connect(w, r)
	case r.URL.IsAbs():
		p.forward(w, r)
	default:
		http.Error(w, "limpet: this is a proxy", http.StatusBadRequest)
	}
}

// hopByHop are the headers that are not passed on.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Proxy-Connection", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func dropHopByHop(h http.Header) {
	for _, list := range h["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			h.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		h.Del(name)
	}
}

// forward makes a request for the client.
func (p *Pass) forward(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	out := r.Clone(ctx)
	out.RequestURI = ""
	if out.Host == r.URL.Host {
		out.Host = ""
	}
	dropHopByHop(out.Header)
	if out.Header["User-Agent"] == nil {
		out.Header["User-Agent"] = []string{""}
	}
	res, err := p.access.RoundTrip(out)
	if err != nil {
		refuse(w, err)
		return
	}
	defer res.Body.Close()
	dropHopByHop(res.Header)
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	copyFlushing(w, res.Body)
}

// copyFlushing copies a body as it comes.
func copyFlushing(w http.ResponseWriter, body io.Reader) {
	buf := make([]byte, 32<<10)
	flusher := http.NewResponseController(w)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			if _, err := w.Write(buf[:n]); err != nil {
				return
			}
			_ = flusher.Flush()
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(http.ErrAbortHandler) // the client must not take it for the end
		}
	}
}

// refuse says why a request is not made.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusBadGateway
	if errors.Is(err, netpolicy.ErrDenied) {
		status = http.StatusForbidden
	}
	if _, ok := errors.AsType[*netpolicy.URLError](err); ok {
		status = http.StatusBadRequest
	}
	http.Error(w, "limpet: "+err.Error(), status)
}

// connect answers CONNECT: by a tunnel, or in the place of the server.
func (p *Pass) connect(w http.ResponseWriter, r *http.Request) {
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		refuse(w, &netpolicy.URLError{Reason: "CONNECT needs a host and a port"})
		return
	}
	route, err := p.access.Route(host, port)
	if err != nil {
		refuse(w, err)
		return
	}
	var upstream net.Conn
	if !route.Inspect {
		if upstream, err = route.Dial(r.Context()); err != nil {
			refuse(w, err)
			return
		}
		defer upstream.Close()
	}
	client, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		refuse(w, err)
		return
	}
	defer client.Close()
	defer context.AfterFunc(p.ctx, func() { _ = client.Close() })()
	_ = client.SetDeadline(time.Time{})
	if _, err := io.WriteString(client, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	conn := &buffered{Conn: client, r: buf.Reader}
	if route.Inspect {
		p.inspect(conn, route)
		return
	}
	tunnel(conn, upstream, route)
}

// A buffered is a connection of which something has been read.
type buffered struct {
	net.Conn
	r *bufio.Reader
}

// Read reads what is buffered first.
func (b *buffered) Read(p []byte) (int, error) { return b.r.Read(p) }
