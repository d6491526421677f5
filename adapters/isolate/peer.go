//go:build linux

package isolate

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"sync"
)

// errGone is what a call fails with when the other process has ended.
var errGone = errors.New("the process at the other end has gone")

// A message is a call, the end of the interest in one, or an answer.
type message struct {
	ID     uint64
	Kind   messageKind
	Method string // of a call
	Body   []byte // what it is called with, or has returned
	Fault  *fault // the error, or the cause of the cancellation
}

type messageKind uint8

const (
	isCall messageKind = iota
	isCancel
	isAnswer
)

// A handler answers calls of one method. It may return bytes beside an error.
type handler func(ctx context.Context, body []byte) ([]byte, error)

// handle makes a handler of a function.
func handle[A, R any](f func(ctx context.Context, args A) (R, error)) handler {
	return func(ctx context.Context, body []byte) ([]byte, error) {
		var args A
		if err := gob.NewDecoder(bytes.NewReader(body)).Decode(&args); err != nil {
			return nil, err
		}
		result, err := f(ctx, args)
		if err != nil {
			return nil, err
		}
		return encode(&result)
	}
}

func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(value)
	return b.Bytes(), err
}

// nothing is what some methods take or return.
type nothing struct{ Unused bool }

// A peer is one end of the connection between two processes, each of which calls
// methods of the other, many at a time.
type peer struct {
	conn     io.ReadWriteCloser
	handlers map[string]handler
	gone     chan struct{} // closed when the connection has ended

	sending sync.Mutex
	w       *bufio.Writer
	encoder *gob.Encoder

	mu      sync.Mutex
	last    uint64
	calls   map[uint64]chan message            // under way to the other
	running map[uint64]context.CancelCauseFunc // of the other
	handled sync.WaitGroup

	streams streams
}

func newPeer(conn io.ReadWriteCloser) *peer {
	w := bufio.NewWriterSize(conn, 64<<10)
	p := &peer{
		conn: conn, w: w, encoder: gob.NewEncoder(w), gone: make(chan struct{}),
		calls: map[uint64]chan message{}, running: map[uint64]context.CancelCauseFunc{},
	}
	p.streams.peer = p
	p.handlers = p.streams.handlers()
	return p
}

// serve answers calls until the connection ends, and waits for what it has begun.
func (p *peer) serve() error {
	decoder := gob.NewDecoder(bufio.NewReaderSize(p.conn, 64<<10))
	var err error
	for {
		var m message
		if err = decoder.Decode(&m); err != nil {
			break
		}
		p.receive(m)
	}
	p.mu.Lock()
	close(p.gone)
	for _, cancel := range p.running {
		cancel(errGone)
	}
	p.mu.Unlock()
	p.handled.Wait()
	return err
}

func (p *peer) receive(m message) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch m.Kind {
	case isAnswer:
		if answer := p.calls[m.ID]; answer != nil {
			delete(p.calls, m.ID)
			answer <- m // it has room for one
		}
	case isCancel:
		if cancel := p.running[m.ID]; cancel != nil {
			cancel(m.Fault.err())
		}
	case isCall:
		ctx, cancel := context.WithCancelCause(context.Background())
		p.running[m.ID] = cancel
		p.handled.Go(func() { p.answer(ctx, m) })
	}
}

// answer runs the handler of a call. A handler whose goroutine ends is answered for.
func (p *peer) answer(ctx context.Context, m message) {
	body, err := []byte(nil), errors.New("the goroutine of the call has ended")
	defer func() {
		p.mu.Lock()
		p.running[m.ID](nil)
		delete(p.running, m.ID)
		p.mu.Unlock()
		_ = p.send(&message{ID: m.ID, Kind: isAnswer, Body: body, Fault: faultOf(err)}) // or nobody listens
	}()
	if h := p.handlers[m.Method]; h != nil {
		body, err = h(ctx, m.Body)
	} else {
		err = fmt.Errorf("no method %q", m.Method)
	}
}

func (p *peer) send(m *message) error {
	p.sending.Lock()
	defer p.sending.Unlock()
	if err := p.encoder.Encode(m); err != nil {
		return err
	}
	return p.w.Flush()
}

// call calls a method of the other process. When ctx is done, so is that of the method,
// which is waited for.
func call[R any](ctx context.Context, p *peer, method string, args any) (result R, err error) {
	body, err := encode(args)
	if err != nil {
		return result, err
	}
	if body, err = p.exchange(ctx, method, body); err != nil {
		return result, err
	}
	return result, gob.NewDecoder(bytes.NewReader(body)).Decode(&result)
}

// exchange is call for bytes, which there may be beside an error.
func (p *peer) exchange(ctx context.Context, method string, body []byte) ([]byte, error) {
	answer := make(chan message, 1)
	p.mu.Lock()
	p.last++
	id := p.last
	p.calls[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.calls, id)
	}()
	if err := p.send(&message{ID: id, Method: method, Body: body}); err != nil {
		return nil, errGone
	}
	stop := context.AfterFunc(ctx, func() {
		_ = p.send(&message{ID: id, Kind: isCancel, Fault: faultOf(context.Cause(ctx))}) // or it has gone
	})
	defer stop()
	select {
	case m := <-answer:
		return m.Body, m.Fault.err()
	case <-p.gone:
		return nil, errGone
	}
}
