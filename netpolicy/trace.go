package netpolicy

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"sync/atomic"
	"time"
)

// A Trace is told how a request goes. Its fields are set when the response is
// there, but for Connected.
type Trace struct {
	// Head is the status line and headers of the response as they were sent,
	// up to the empty line, with those of interim responses before them. It
	// is nil for HTTP/2, which has no such form.
	Head []byte

	Reused        bool // the connection is not new
	Remote, Local netip.AddrPort

	// When the name was resolved, the connection was open, TLS was agreed
	// upon, and the first byte of the response came. Those of a connection
	// that is reused are zero.
	Resolved, Opened, Secured, First time.Time

	// Connected, if not nil, is called when there is a connection.
	Connected func()

	head atomic.Pointer[recording]
}

type traceKey struct{}

// WithTrace returns a context for a request that is to be traced.
func WithTrace(ctx context.Context, t *Trace) context.Context {
	return context.WithValue(ctx, traceKey{}, t)
}

func traceOf(ctx context.Context) *Trace {
	t, _ := ctx.Value(traceKey{}).(*Trace)
	return t
}

// hooks returns the context that has the transport tell t.
func (t *Trace) hooks(ctx context.Context) context.Context {
	if t == nil {
		return ctx
	}
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			t.Reused = info.Reused
			t.Remote, _ = netip.ParseAddrPort(info.Conn.RemoteAddr().String())
			t.Local, _ = netip.ParseAddrPort(info.Conn.LocalAddr().String())
			if r, ok := info.Conn.(*recorder); ok {
				rec := &recording{}
				t.head.Store(rec)
				r.sink.Store(rec)
			}
			if t.Connected != nil {
				t.Connected()
			}
		},
		GotFirstResponseByte: func() { t.First = time.Now() },
	})
}

// finish takes the head over, without the secrets.
func (t *Trace) finish(s secrets) {
	if t == nil {
		return
	}
	if rec := t.head.Load(); rec != nil {
		t.Head = s.maskText(rec.text)
	}
}

// A recording is the head of a response that is being read.
type recording struct{ text []byte }

// add adds what was read, and reports whether the head is complete. Interim
// responses are not the end.
func (r *recording) add(p []byte) (done bool) {
	start := max(0, len(r.text)-3)
	r.text = append(r.text, p...)
	for {
		i := bytes.Index(r.text[start:], []byte("\r\n\r\n"))
		if i < 0 {
			return len(r.text) > maxHead
		}
		end := start + i + 4
		begin := 0
		if j := bytes.LastIndex(r.text[:end-4], []byte("\r\n\r\n")); j >= 0 {
			begin = j + 4
		}
		if line := r.text[begin:end]; len(line) < 10 || line[9] != '1' || bytes.HasPrefix(line[9:], []byte("101")) {
			r.text = r.text[:end]
			return true
		}
		start = end
	}
}

// maxHead bounds the headers of a response, as curl does.
const maxHead = 300 << 10

// A recorder is a connection that keeps the heads of responses of HTTP/1.1.
type recorder struct {
	net.Conn
	sink atomic.Pointer[recording]
}

// Read reads, and keeps what belongs to a head.
func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	if rec := r.sink.Load(); rec != nil && n > 0 && rec.add(p[:n]) {
		r.sink.Store(nil)
	}
	return n, err
}

// maskText returns text without the secrets.
func (s secrets) maskText(text []byte) []byte {
	for _, secret := range s {
		if len(secret) >= shortest {
			mask(text, [][]byte{[]byte(secret)})
		}
	}
	return text
}

// protocolsOf returns what a transport may speak.
func protocolsOf(http1 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	p.SetHTTP2(!http1)
	return p
}
