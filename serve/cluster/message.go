package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// Requests travel as one message each, and are answered by several: accepted, with the name of the worker, or
// moved, with that of another, where nothing was done; then parts of the answer, each of which waits
// until the one who asked has taken it.
const (
	kind     = "Limpet-Kind"
	worker   = "Limpet-Worker"
	cancelTo = "Limpet-Cancel" // the subject that says that nobody waits any more
	blob     = "Limpet-Blob"   // the body is in the object store
	status   = "Limpet-Status"
	method   = "Limpet-Method"
	target   = "Limpet-Target"
	session  = "Limpet-Session" // the key

	accepted = "accepted"
	moved    = "moved"
	part     = "part"
	last     = "last"
)

const (
	partBytes = 128 << 10
	bodyBytes = 256 << 10   // larger bodies go through the object store
	taken     = time.Minute // how long the one who asked may need for a part
)

// forwarded are the headers of requests and answers that travel.
var forwarded = []string{"Authorization", "Content-Type", "Accept", "Retry-After", "Www-Authenticate", "Cache-Control"}

func copyHeaders(to, from http.Header) {
	for _, name := range forwarded {
		if v := from.Get(name); v != "" {
			to.Set(name, v)
		}
	}
}

// A sender is the http.ResponseWriter of a worker: it sends what is written.
type sender struct {
	conn    *nats.Conn
	to      string
	header  http.Header
	status  int
	begun   bool
	buffer  bytes.Buffer
	ctx     context.Context
	abandon context.CancelFunc // nobody waits for the answer
}

func (s *sender) Header() http.Header { return s.header }

func (s *sender) WriteHeader(code int) {
	if s.status == 0 {
		s.status = code
	}
}

func (s *sender) Write(data []byte) (int, error) {
	s.WriteHeader(http.StatusOK)
	for rest := data; len(rest) > 0; {
		n := min(len(rest), partBytes-s.buffer.Len())
		s.buffer.Write(rest[:n])
		rest = rest[n:]
		if s.buffer.Len() == partBytes {
			if err := s.send(part); err != nil {
				return 0, err
			}
		}
	}
	return len(data), nil
}

// FlushError sends what was written until now.
func (s *sender) FlushError() error {
	s.WriteHeader(http.StatusOK)
	return s.send(part)
}

// Flush is FlushError for those who want no error.
func (s *sender) Flush() { _ = s.FlushError() }

// send sends what is in the buffer and waits until it was taken.
func (s *sender) send(as string) error {
	if s.ctx.Err() != nil {
		return s.ctx.Err()
	}
	m := nats.NewMsg(s.to)
	m.Header.Set(kind, as)
	if !s.begun {
		s.begun = true
		m.Header.Set(status, strconv.Itoa(s.status))
		copyHeaders(http.Header(m.Header), s.header)
	}
	m.Data = bytes.Clone(s.buffer.Bytes())
	s.buffer.Reset()
	ctx, cancel := context.WithTimeout(s.ctx, taken)
	defer cancel()
	if _, err := s.conn.RequestMsgWithContext(ctx, m); err != nil {
		s.abandon()
		return err
	}
	return nil
}

// request makes the message of a request, whose body it reads.
func (n *Node) request(r *http.Request, key string) (*nats.Msg, error) {
	m := nats.NewMsg("")
	m.Header.Set(method, r.Method)
	m.Header.Set(target, r.URL.RequestURI())
	m.Header.Set(session, key)
	copyHeaders(http.Header(m.Header), r.Header)
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, n.maxBody))
	if err != nil {
		return nil, err
	}
	m.Data = body
	if len(body) > bodyBytes {
		name := "request." + nats.NewInbox()[len(nats.InboxPrefix):]
		if err := n.store.WriteBlob(r.Context(), name, body); err != nil {
			return nil, err
		}
		m.Header.Set(blob, name)
		m.Data = nil
	}
	return m, nil
}

// received makes the request of a message.
func (n *Node) received(ctx context.Context, m *nats.Msg) (*http.Request, error) {
	body := m.Data
	if name := m.Header.Get(blob); name != "" {
		data, err := n.store.ReadBlob(ctx, name)
		if err = errors.Join(err, n.store.RemoveBlob(ctx, name)); err != nil {
			return nil, err
		}
		body = data
	}
	r, err := http.NewRequestWithContext(ctx, m.Header.Get(method), m.Header.Get(target), bytes.NewReader(body))
	if err == nil {
		copyHeaders(r.Header, http.Header(m.Header))
	}
	return r, err
}
