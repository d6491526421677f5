// Package proxy is the network policy for processes outside: those of a container
// or of the host, which reach nothing but an HTTP proxy.
//
// A [Server] answers CONNECT and requests with absolute URLs. Each sandbox has a
// [Pass]: users and passwords that last for a short time, a policy, and an authority of its own whose
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
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
)

// A Server is a proxy for any number of sandboxes. Its zero value is ready for
// use. It is safe for concurrent use.
type Server struct {
	mu   sync.Mutex
	keys map[string]*key // by user
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
	k := s.keys[user]
	s.mu.Unlock()
	if k == nil || subtle.ConstantTimeCompare([]byte(k.password), []byte(password)) != 1 || time.Now().After(k.expires) {
		return nil
	}
	return k.pass
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
