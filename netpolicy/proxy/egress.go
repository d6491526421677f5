package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// Egress is the proxy of one sandbox, whose [Owner] is elsewhere and is spoken with over
// in and out. It returns when in ends, or ctx.
func Egress(ctx context.Context, in io.Reader, out io.Writer) error {
	e := &egress{}
	e.peer.handle = e.handle
	defer e.close()
	done := make(chan error, 1)
	go func() { done <- e.peer.speak(ctx, in, out) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done(): // what reads is left behind
		return context.Cause(ctx)
	}
}

// An egress is a proxy that has an owner.
type egress struct {
	peer   peer
	server Server

	mu      sync.Mutex
	opening opening
	pass    *Pass // nil until it was opened
	http    *http.Server
}

// handle answers a question of the owner.
func (e *egress) handle(_ context.Context, ask string, body json.RawMessage) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch ask {
	case askOpen:
		if e.pass == nil {
			if err := e.open(body); err != nil {
				return nil, err
			}
		}
	case askRenew:
		if e.pass == nil {
			return nil, errors.New("the proxy was not opened")
		}
		e.pass.Renew()
	default:
		return nil, fmt.Errorf("a question that is not known: %q", ask)
	}
	return e.pass.Setup(e.opening.Listen, e.opening.Bundle), nil
}

// open begins.
func (e *egress) open(body json.RawMessage) error {
	if err := json.Unmarshal(body, &e.opening); err != nil {
		return err
	}
	policy := remote{&e.peer}.policy(e.opening.Policy)
	e.opening.Policy = wirePolicy{}
	pass, err := e.server.Issue(policy, nil, e.opening.Good)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", e.opening.Listen)
	if err != nil {
		e.server.Revoke(pass)
		return err
	}
	e.pass, e.http = pass, NewHTTP(&e.server)
	go func() { _ = e.http.Serve(l) }() // until it is closed
	return nil
}

func (e *egress) close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pass != nil {
		_ = e.http.Close()
		e.server.Revoke(e.pass)
	}
}

// NewHTTP returns a server of HTTP for s that bounds how long heads of requests take and
// how large they are.
func NewHTTP(s *Server) *http.Server {
	return &http.Server{Handler: s, ReadHeaderTimeout: helloTime, MaxHeaderBytes: maxHead}
}
