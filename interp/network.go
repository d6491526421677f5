package interp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/netpolicy"
	"github.com/limpet-sh/limpet/vfs"
)

// isSocket reports whether a redirection is to a connection.
func isSocket(name string) bool {
	rest, ok := strings.CutPrefix(name, "/dev/tcp/")
	if !ok {
		rest, ok = strings.CutPrefix(name, "/dev/udp/")
	}
	host, port, two := strings.Cut(rest, "/")
	return ok && two && host != "" && port != ""
}

var errNoUDP = errors.New("UDP is not allowed")

// openSocket opens a connection, as /dev/tcp/HOST/PORT names it.
func (sh *Shell) openSocket(name string) (*openFile, error) {
	rest, ok := strings.CutPrefix(name, "/dev/tcp/")
	if !ok {
		return nil, errNoUDP
	}
	host, port, _ := strings.Cut(rest, "/")
	if n, known := services[port]; known {
		port = n
	}
	conn, err := sh.x.net.Dial(sh.proc.ctx, host, port)
	if err == nil {
		return newOpenFile(&socket{conn: conn, buf: bufio.NewReader(conn)}), nil
	}
	if sh.proc.ctx.Err() != nil {
		return nil, vfs.EINTR
	}
	var lookup *netpolicy.LookupError
	switch reason := netpolicy.Reason(err); {
	case errors.Is(err, netpolicy.ErrDenied):
		return nil, err
	case errors.As(err, &lookup):
		sh.errorf("%s: Name or service not known", host)
		return nil, vfs.EINVAL
	case reason != "":
		sh.errorf("connect: %s", reason)
		return nil, errors.New(reason)
	}
	return nil, err
}

// services are the names of ports that scripts use.
var services = map[string]string{"http": "80", "https": "443", "ftp": "21", "ssh": "22", "smtp": "25", "domain": "53", "redis": "6379"}

// A connection is what a socket needs of one.
type connection interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// A socket is a connection as a descriptor has it.
type socket struct {
	conn connection

	mu  sync.Mutex // guards buf
	buf *bufio.Reader
}

// past is a deadline that wakes who waits.
var past = time.Unix(1, 0)

// interruptible runs do, which ends early when ctx is done because expire sets a
// deadline.
func interruptible(ctx context.Context, expire func(time.Time) error, do func() (int, error)) (int, error) {
	expired := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		_ = expire(past)
		close(expired)
	})
	n, err := do()
	if !stop() {
		<-expired
		_ = expire(time.Time{})
		if err != nil {
			err = vfs.EINTR
		}
	}
	return n, err
}

// Read is ReadContext with a context that is never done.
func (s *socket) Read(p []byte) (int, error) { return s.ReadContext(context.Background(), p) }

// ReadContext reads what there is, and waits while there is nothing.
func (s *socket) ReadContext(ctx context.Context, p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return interruptible(ctx, s.conn.SetReadDeadline, func() (int, error) { return s.buf.Read(p) })
}

// ReadDelimContext is ReadContext that reads nothing behind the first delim.
func (s *socket) ReadDelimContext(ctx context.Context, p []byte, delim byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return interruptible(ctx, s.conn.SetReadDeadline, func() (int, error) {
		if _, err := s.buf.Peek(1); err != nil {
			return 0, err
		}
		have, _ := s.buf.Peek(min(s.buf.Buffered(), len(p)))
		for i, c := range have {
			if c == delim {
				have = have[:i+1]
				break
			}
		}
		return s.buf.Read(p[:len(have)])
	})
}

// Write is WriteContext with a context that is never done.
func (s *socket) Write(p []byte) (int, error) { return s.WriteContext(context.Background(), p) }

// WriteContext writes all of p.
func (s *socket) WriteContext(ctx context.Context, p []byte) (int, error) {
	n, err := interruptible(ctx, s.conn.SetWriteDeadline, func() (int, error) { return s.conn.Write(p) })
	if err != nil && err != vfs.EINTR && netpolicy.Reason(err) != "" {
		err = vfs.EPIPE
	}
	return n, err
}

// Close closes the connection.
func (s *socket) Close() error { return s.conn.Close() }

// Stat describes a socket.
func (s *socket) Stat() (fs.FileInfo, error) { return socketInfo{}, nil }

type socketInfo struct{}

func (socketInfo) Name() string       { return "socket" }
func (socketInfo) Size() int64        { return 0 }
func (socketInfo) Mode() fs.FileMode  { return fs.ModeSocket | 0o777 }
func (socketInfo) ModTime() time.Time { return time.Time{} }
func (socketInfo) IsDir() bool        { return false }
func (socketInfo) Sys() any           { return &vfs.Stat{Nlink: 1} }
