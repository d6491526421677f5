// Package serve offers sandboxes over HTTP: sessions that clients make, run scripts in, and come
// back to, also when the server was restarted or killed meanwhile.
//
// A [Server] holds sessions in memory while they are used and keeps each of them in a [Store]
// after everything that changes it: [OpenFile] is one in a file, and package
// serve/cluster has one that several servers share. Before a script runs, the store has a note that it does; a
// session that is found with such a note was interrupted, which its clients are told, and
// the script is not run again.
//
// The API is described by the OpenAPI document at /openapi.json; package client speaks it.
package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/limits"
	"github.com/limpet-sh/limpet/netpolicy"
	"golang.org/x/time/rate"
)

// A Config describes a Server.
type Config struct {
	// Store keeps the sessions. It must be set; Close closes it.
	Store Store

	// Clients are those who may use the server. It must not be empty.
	Clients []Client

	// Limits are those of a session that asks for none, and the most that one may ask for.
	Limits limits.Limits

	// Network is what sessions may ask for: all of it, or some of its hosts. Its bindings
	// are for all that have a network.
	Network netpolicy.Policy

	// Extra are commands besides those of the module.
	Extra []*builtins.Command

	// TTL is how long a session stays when nobody uses it. Zero means a day.
	TTL time.Duration

	// Idle is how long an unused session stays in memory. Zero means five minutes.
	Idle time.Duration

	// MaxBody bounds the bytes of a request. Zero means 64 MiB.
	MaxBody int64

	// Guard watches the memory of the process. Nil means that nobody does.
	Guard *limpet.Guard

	// Log gets what operators want to know. Nil means that nobody does.
	Log *slog.Logger
}

// A Client is somebody who may use a Server, and how much of it. A zero quota means
// no bound.
type Client struct {
	Name       string  `json:"name"`       // letters, digits, - and _
	Token      string  `json:"token"`      // the bearer token; it must not be empty
	Sessions   int     `json:"sessions"`   // how many there may be
	Executions int     `json:"executions"` // how many scripts may run at the same time, in this server
	Rate       float64 `json:"rate"`       // requests a second, in this server, with bursts of twice as many
}

// A Server is an HTTP server of sessions. Create it with New.
type Server struct {
	cfg     Config
	clients map[string]*account // by the hash of the token
	metrics metrics
	handler http.Handler
	ctx     context.Context // of the sessions
	cancel  context.CancelFunc
	tasks   sync.WaitGroup

	mu       sync.Mutex
	sessions map[string]*session // by key: those in memory
	draining bool
	active   sync.WaitGroup // requests; Add is called while mu is held
}

type account struct {
	Client
	limiter *rate.Limiter
	running atomic.Int64
	making  atomic.Int64
}

// New returns a server.
func New(cfg Config) (*Server, error) {
	if cfg.Store == nil || len(cfg.Clients) == 0 {
		return nil, errors.New("serve: a store and a client are needed")
	}
	cfg.TTL, cfg.Idle, cfg.MaxBody = cmp.Or(cfg.TTL, 24*time.Hour), cmp.Or(cfg.Idle, 5*time.Minute), cmp.Or(cfg.MaxBody, 64<<20)
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{cfg: cfg, clients: map[string]*account{}, sessions: map[string]*session{}}
	for _, c := range cfg.Clients {
		if err := s.admit(c); err != nil {
			return nil, err
		}
	}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.handler = s.routes()
	s.tasks.Go(s.sweep)
	return s, nil
}

// admit adds a client.
func (s *Server) admit(c Client) error {
	bad := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' && r != '_'
	}
	if c.Name == "" || strings.ContainsFunc(c.Name, bad) {
		return fmt.Errorf("serve: the client %q: a name has letters, digits, - and _", c.Name)
	}
	if c.Token == "" {
		return fmt.Errorf("serve: the client %q has no token", c.Name)
	}
	own := &account{Client: c}
	if c.Rate > 0 {
		own.limiter = rate.NewLimiter(rate.Limit(c.Rate), max(1, int(2*c.Rate)))
	}
	id := hash(c.Token)
	if s.clients[id] != nil {
		return fmt.Errorf("serve: the client %q has the token of another", c.Name)
	}
	s.clients[id] = own
	return nil
}

// ServeHTTP serves a request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// Drain stops taking new requests, waits for those under way until ctx is done, and then
// ends them.
func (s *Server) Drain(ctx context.Context) {
	s.mu.Lock()
	s.draining = true
	s.mu.Unlock()
	done := make(chan struct{})
	go func() {
		s.active.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
		s.cancel()
		<-done
	}
}

// Close drains the server at once, keeps all sessions, and closes the store.
func (s *Server) Close() error {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	s.Drain(over)
	s.cancel()
	s.tasks.Wait()
	var errs []error
	for _, held := range s.held() {
		held.leave(func() bool { return true })
		errs = append(errs, held.retire(context.Background()))
	}
	s.tasks.Wait()
	return errors.Join(append(errs, s.cfg.Store.Close())...)
}

// held returns the sessions in memory.
func (s *Server) held() (list []*session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, held := range s.sessions {
		list = append(list, held)
	}
	return list
}

// begin notes that a request is under way, unless the server is draining.
func (s *Server) begin() (end func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.draining {
		return nil, false
	}
	s.active.Add(1)
	return s.active.Done, true
}

// sweep lets go of sessions that nobody uses, in memory and at all, and keeps those that change
// by themselves, until the server is closed.
func (s *Server) sweep() {
	tick := time.NewTicker(min(s.cfg.Idle, s.cfg.TTL)/4 + time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		for _, held := range s.held() {
			if err := held.rest(s.ctx); err != nil && s.ctx.Err() == nil {
				s.cfg.Log.Error("cannot keep a session", "session", held.key, "error", err)
			}
		}
		if err := s.expire(s.ctx); err != nil && s.ctx.Err() == nil {
			s.cfg.Log.Error("cannot look for sessions that have expired", "error", err)
		}
	}
}

// expire deletes the sessions whose time has come and that nobody holds.
func (s *Server) expire(ctx context.Context) error {
	keys, err := s.cfg.Store.Keys(ctx, "")
	if err != nil {
		return err
	}
	for _, key := range keys {
		r, _, err := s.read(ctx, key)
		if errors.Is(err, fs.ErrNotExist) || err == nil && time.Now().Before(r.expires()) {
			continue
		}
		if err != nil {
			return err
		}
		held, err := s.hold(ctx, key)
		if _, claimed := errors.AsType[*ClaimedError](err); claimed || errors.Is(err, fs.ErrNotExist) {
			continue // it is in use elsewhere, or gone
		}
		if err != nil {
			return err
		}
		held.release()
		if _, err := held.removeIfOver(ctx); err != nil {
			return err
		}
	}
	return nil
}
