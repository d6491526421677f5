package proxy

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
)

// maxHead bounds the head of a request.
const maxHead = 300 << 10

// helloTime is how long a client may take to begin TLS.
const helloTime = 30 * time.Second

// tunnel joins a client and a server, once the client has said, in TLS, the name
// that was decided upon.
func tunnel(client, server net.Conn, route *netpolicy.Route) {
	_ = client.SetReadDeadline(time.Now().Add(helloTime))
	hello, name, err := readHello(client)
	if err != nil || !route.Names(name) {
		return
	}
	_ = client.SetReadDeadline(time.Time{})
	if _, err := server.Write(hello); err != nil {
		return
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		_, _ = io.Copy(server, client)
		closeWrite(server)
	})
	_, _ = io.Copy(client, server)
	_ = client.Close()
	wg.Wait()
}

func closeWrite(c net.Conn) {
	if w, ok := c.(interface{ CloseWrite() error }); ok {
		_ = w.CloseWrite()
	}
}

// errHello ends a handshake that is only to be read.
var errHello = errors.New("the hello has been read")

// readHello reads the first message of TLS, and returns its bytes and the name of
// the server in it.
func readHello(c net.Conn) (raw []byte, name string, err error) {
	var read bytes.Buffer
	var hello *tls.ClientHelloInfo
	peek := tls.Server(readOnly{Conn: c, r: io.TeeReader(c, &read)}, &tls.Config{
		GetConfigForClient: func(h *tls.ClientHelloInfo) (*tls.Config, error) {
			hello = h
			return nil, errHello
		},
	})
	err = peek.Handshake()
	if hello == nil {
		return nil, "", err
	}
	return read.Bytes(), hello.ServerName, nil
}

// A readOnly is a connection to which nothing is written.
type readOnly struct {
	net.Conn
	r io.Reader
}

// Read reads from r.
func (r readOnly) Read(p []byte) (int, error) { return r.r.Read(p) }

// Write drops what a handshake would answer.
func (readOnly) Write(p []byte) (int, error) { return len(p), nil }

// inspect answers the requests of a client in the place of the server.
func (p *Pass) inspect(client net.Conn, route *netpolicy.Route) {
	_ = client.SetDeadline(time.Now().Add(helloTime))
	secure := tls.Server(client, &tls.Config{
		MinVersion: tls.VersionTLS12,
		NextProtos: []string{"http/1.1"},
		GetCertificate: func(h *tls.ClientHelloInfo) (*tls.Certificate, error) {
			if !route.Names(h.ServerName) {
				return nil, errors.New("not the name that was decided upon")
			}
			return p.ca.certificate(route.Host())
		},
	})
	if err := secure.Handshake(); err != nil {
		return
	}
	_ = client.SetDeadline(time.Time{})
	one := &oneListener{conn: secure, done: make(chan struct{})}
	srv := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			r.URL.Scheme, r.URL.Host = "https", route.HostPort()
			p.forward(w, r)
		}),
		ReadHeaderTimeout: helloTime,
		MaxHeaderBytes:    maxHead,
		ConnState: func(_ net.Conn, s http.ConnState) {
			if s == http.StateClosed || s == http.StateHijacked {
				one.end()
			}
		},
	}
	stop := context.AfterFunc(p.ctx, func() { _ = srv.Close() })
	defer stop()
	_ = srv.Serve(one)
	<-one.done
}

// A oneListener accepts one connection.
type oneListener struct {
	conn net.Conn
	once sync.Once
	shut sync.Once
	done chan struct{}
}

func (l *oneListener) end() { l.shut.Do(func() { close(l.done) }) }

// Accept returns the connection, and after it io.EOF when that has ended.
func (l *oneListener) Accept() (c net.Conn, err error) {
	l.once.Do(func() { c = l.conn })
	if c != nil {
		return c, nil
	}
	<-l.done
	return nil, io.EOF
}

// Close ends the connection.
func (l *oneListener) Close() error {
	l.end()
	return l.conn.Close()
}

// Addr is that of the connection.
func (l *oneListener) Addr() net.Addr { return l.conn.LocalAddr() }
