package serve

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/client"
)

// readTimeout bounds the time in which a client must have sent a request.
const readTimeout = time.Minute

type callerKey struct{}

// caller returns who has made a request.
func caller(ctx context.Context) *account { return ctx.Value(callerKey{}).(*account) }

func hash(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func newID() string { return strings.ToLower(rand.Text()) }

func typeOf[T any]() reflect.Type { return reflect.TypeFor[T]() }

func mode(m uint32) fs.FileMode {
	if m == 0 {
		return 0o644
	}
	return fs.FileMode(m)
}

// guard lets requests of clients pass, as many as they may make.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, "/v1/") {
			next.ServeHTTP(w, r)
			return
		}
		end, ok := s.begin()
		if !ok {
			refuse(w, http.StatusServiceUnavailable, "the server is draining")
			return
		}
		defer end()
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		c := s.clients[hash(token)]
		if c == nil {
			w.Header().Set("WWW-Authenticate", "Bearer")
			refuse(w, http.StatusUnauthorized, "a bearer token is needed")
			return
		}
		if c.limiter != nil && !c.limiter.Allow() {
			w.Header().Set("Retry-After", "1")
			refuse(w, http.StatusTooManyRequests, fmt.Sprintf("more than %v requests a second, which is the quota", c.Rate))
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), callerKey{}, c)))
	})
}

// Caller returns the name of the client that makes a request.
func (s *Server) Caller(r *http.Request) (name string, known bool) {
	token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	c := s.clients[hash(token)]
	if c == nil {
		return "", false
	}
	return c.Name, true
}

// Hold has a session, named by its key in the store, be owned by this server. Where another owns it, it fails with a
// *ClaimedError.
func (s *Server) Hold(ctx context.Context, key string) error {
	held, err := s.hold(ctx, key)
	if err == nil {
		held.release()
	}
	return err
}

// refuse answers with a problem.
func refuse(w http.ResponseWriter, status int, detail string) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	w.Write(marshal(&huma.ErrorModel{Status: status, Title: http.StatusText(status), Detail: detail}))
}

// serveReady says whether new requests are taken.
func (s *Server) serveReady(w http.ResponseWriter, _ *http.Request) {
	end, ok := s.begin()
	if !ok {
		refuse(w, http.StatusServiceUnavailable, "the server is draining")
		return
	}
	end()
	w.Write([]byte("ok\n"))
}

// enter opens a session of the caller.
func (s *Server) enter(ctx context.Context, id string) (*session, error) {
	held, err := s.open(ctx, caller(ctx).Name+"."+id)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, huma.Error404NotFound("there is no session " + id)
	}
	if err != nil {
		return nil, s.failure(err)
	}
	return held, nil
}

// sessionsOf returns all sessions of a client.
func (s *Server) sessionsOf(ctx context.Context, c *account) ([]client.Session, error) {
	keys, err := s.cfg.Store.Keys(ctx, c.Name)
	list := []client.Session{}
	for _, key := range keys {
		r, _, err := s.read(ctx, key)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, r.session())
	}
	return list, err
}

// delete removes a session that is in use.
func (held *session) delete(ctx context.Context) error {
	held.server.mu.Lock()
	leaving := held.leaving
	held.leaving = true
	held.server.mu.Unlock()
	if leaving {
		return limpet.ErrClosed
	}
	return held.remove(ctx)
}

// execute runs a script to its end.
func (held *session) execute(ctx context.Context, req client.Request) (*client.Result, error) {
	r, err := held.prepare(ctx, req)
	if err != nil {
		return nil, err
	}
	return r.run(ctx, nil, nil)
}

// stream runs a script and sends events.
func (s *Server) stream(hc huma.Context, r *run) {
	_, w := humago.Unwrap(hc)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	e := &events{w: w, c: http.NewResponseController(w)}
	_ = e.c.Flush() // a client that has gone is noticed by the context
	res, err := r.run(hc.Context(), eventWriter{e, "stdout"}, eventWriter{e, "stderr"})
	if err != nil {
		_ = e.send("failure", marshal(s.failure(err)))
		return
	}
	_ = e.send("result", marshal(res))
}

// processStatus is what failures of processes are in HTTP.
var processStatus = map[limpet.ProcessCode]int{
	limpet.CodeUnknownProcess:   http.StatusNotFound,
	limpet.CodeIdentityConflict: http.StatusConflict,
}

// failure makes of an error what a client is told.
func (s *Server) failure(err error) error {
	if status, ok := errors.AsType[huma.StatusError](err); ok {
		return status
	}
	problem := func(status int, kind string) error {
		return &huma.ErrorModel{Status: status, Title: http.StatusText(status), Type: kind, Detail: strings.TrimPrefix(err.Error(), "serve: ")}
	}
	if p, ok := errors.AsType[*limpet.ProcessError](err); ok {
		if status := processStatus[p.Code]; status != 0 {
			return problem(status, "")
		}
		return problem(http.StatusUnprocessableEntity, "")
	}
	_, claimed := errors.AsType[*ClaimedError](err)
	_, path := errors.AsType[*fs.PathError](err)
	switch {
	case errors.Is(err, errLost), errors.Is(err, errBroken):
		return problem(http.StatusServiceUnavailable, client.TypeInterrupted)
	case claimed, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return problem(http.StatusServiceUnavailable, "")
	case errors.Is(err, limpet.ErrClosed):
		return problem(http.StatusGone, "")
	case errors.Is(err, fs.ErrNotExist):
		return problem(http.StatusNotFound, "")
	case errors.Is(err, fs.ErrPermission):
		return problem(http.StatusForbidden, "")
	case errors.Is(err, errors.ErrUnsupported), path:
		return problem(http.StatusUnprocessableEntity, "")
	}
	s.cfg.Log.Error("a request has failed", "error", err)
	return problem(http.StatusInternalServerError, "")
}
