package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/client"
)

// A session is one that is held in memory.
type session struct {
	server *Server
	key    string
	ready  chan struct{} // closed when it can be used, or err says why not
	gone   chan struct{} // closed when another may hold it
	err    error

	shell  *limpet.Shell
	talk   *limpet.Session
	origin *limpet.Checkpoint
	base   *limpet.Checkpoint // that of the record; origin where it has none
	ctx    context.Context    // done when it is not ours any more
	cancel context.CancelCauseFunc
	leased bool          // others may take it
	turn   chan struct{} // whoever has put something in may change the session

	mu       sync.Mutex // guards what follows
	rec      *record    // is replaced and never changed
	revision uint64

	users   int       // guarded by server.mu
	used    time.Time // likewise
	leaving bool      // likewise
}

// What cancels the scripts of a session.
var (
	errLost   = errors.New("serve: another server may have taken the session")
	errBroken = errors.New("serve: what the session has become could not be kept")
)

func (s *Server) newSession(key string) *session {
	held := &session{server: s, key: key, ready: make(chan struct{}), gone: make(chan struct{}), turn: make(chan struct{}, 1)}
	held.ctx, held.cancel = context.WithCancelCause(s.ctx)
	return held
}

// open returns a session for use, until release. It reads it from the store if it is not in
// memory.
func (s *Server) open(ctx context.Context, key string) (*session, error) {
	held, err := s.hold(ctx, key)
	if err == nil {
		s.mu.Lock()
		held.used = time.Now()
		s.mu.Unlock()
	}
	return held, err
}

// hold is open for those whose use does not count.
func (s *Server) hold(ctx context.Context, key string) (*session, error) {
	for {
		s.mu.Lock()
		held := s.sessions[key]
		switch {
		case held == nil:
			held = s.newSession(key)
			held.users++
			s.sessions[key] = held
			s.mu.Unlock()
			return held, held.start(ctx, held.load)
		case held.leaving:
			s.mu.Unlock()
			select {
			case <-held.gone:
				continue
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		held.users++
		s.mu.Unlock()
		select {
		case <-held.ready:
		case <-ctx.Done():
			held.release()
			return nil, ctx.Err()
		}
		if held.err != nil {
			held.release()
			return nil, held.err
		}
		return held, nil
	}
}

// start makes a new session ready, which is in the list. Where that fails it leaves it again.
func (held *session) start(ctx context.Context, load func(context.Context) error) error {
	lost, err := held.server.cfg.Store.Claim(ctx, held.key)
	if err == nil {
		if lost != nil {
			held.leased = true
			held.server.tasks.Go(func() { held.watch(lost) })
		}
		if err = load(context.WithoutCancel(ctx)); err != nil {
			_ = held.server.cfg.Store.Release(context.WithoutCancel(ctx), held.key) // or it expires
		}
	}
	held.err = err
	close(held.ready)
	if err != nil {
		held.forget()
	}
	return err
}

// watch ends what the session does when it is not ours any more.
func (held *session) watch(lost <-chan struct{}) {
	select {
	case <-lost:
		held.drop(errLost)
	case <-held.ctx.Done():
	}
}

// release says that a request has ended.
func (held *session) release() {
	held.server.mu.Lock()
	defer held.server.mu.Unlock()
	held.users--
}

// forget takes the session out of the list.
func (held *session) forget() {
	s := held.server
	s.mu.Lock()
	defer s.mu.Unlock()
	held.leaving = true
	if s.sessions[held.key] == held {
		delete(s.sessions, held.key)
		close(held.gone)
	}
}

// drop ends the session in memory, and does not keep it.
func (held *session) drop(cause error) {
	held.cancel(cause)
	held.forget()
	held.server.tasks.Go(func() {
		err := errors.Join(held.talk.Close(), held.shell.Close())
		if cause != errLost {
			err = errors.Join(err, held.server.cfg.Store.Release(context.Background(), held.key))
		}
		if err != nil {
			held.server.cfg.Log.Warn("cannot close a session", "session", held.key, "error", err)
		}
	})
}

// load makes the session what the store says. A script that was running there was
// interrupted, and processes in the background are lost.
func (held *session) load(ctx context.Context) (err error) {
	s := held.server
	rec, revision, err := s.read(ctx, held.key)
	if err != nil {
		return err
	}
	held.rec, held.revision = rec, revision
	if held.shell, err = s.shell(rec.Spec); err != nil {
		return err
	}
	if err := held.restore(ctx, rec); err != nil {
		return errors.Join(fmt.Errorf("serve: the state of %s: %w", held.key, err), held.shell.Close())
	}
	changed := false
	next := rec.clone()
	if e := rec.Running; e != nil {
		changed = true
		e := *e
		e.State, e.Ended = client.Interrupted, time.Now()
		next.ended(e)
		s.metrics.interrupted.Add(1)
	}
	for i, p := range next.Processes {
		if p.Status == string(limpet.ProcessRunning) {
			changed = true
			next.Processes[i].Status = string(limpet.ProcessOrphaned)
		}
	}
	if changed || held.leased { // whoever had it before cannot write any more
		return held.write(ctx, next)
	}
	return nil
}

// restore reads the chain of states of a record.
func (held *session) restore(ctx context.Context, rec *record) error {
	read := func(p part, since *limpet.Checkpoint) (*limpet.Checkpoint, error) {
		data, err := held.server.get(ctx, p)
		if err != nil {
			return nil, err
		}
		return held.shell.Load(bytes.NewReader(data), since)
	}
	var err error
	if held.origin, err = read(part{Blob: rec.Origin}, nil); err != nil {
		return err
	}
	held.base = held.origin
	if rec.Base != "" {
		if held.base, err = read(part{Blob: rec.Base}, held.origin); err != nil {
			return err
		}
	}
	last, err := read(rec.Delta, held.base)
	if err != nil {
		return err
	}
	if held.talk, err = held.shell.NewSession(ctx, limpet.SessionOptions{}); err != nil {
		return err
	}
	return held.talk.Restore(last)
}

// record returns what is known of the session.
func (held *session) record() *record {
	held.mu.Lock()
	defer held.mu.Unlock()
	return held.rec
}

// lock waits for the turn of a request that changes the session.
func (held *session) lock(ctx context.Context) error {
	select {
	case held.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	if held.ctx.Err() != nil {
		held.unlock()
		return context.Cause(held.ctx)
	}
	return nil
}

func (held *session) unlock() { <-held.turn }

// keep keeps what the session is now, and what change makes of its record. The turn is the
// caller's. Where it fails, the session is dropped from memory: it is what it was before.
func (held *session) keep(ctx context.Context, change func(*record)) error {
	start := time.Now()
	defer func() { held.server.metrics.keep.observe(time.Since(start)) }()
	next := held.record().clone()
	old := next.blobs()
	base, err := held.state(ctx, next)
	if err == nil {
		change(next)
		err = held.write(ctx, next)
	}
	if err != nil {
		held.server.cfg.Log.Error("cannot keep a session", "session", held.key, "error", err)
		held.drop(errBroken)
		return fmt.Errorf("%w: %w", errBroken, err)
	}
	held.base = base
	now := next.blobs()
	held.server.discard(ctx, slices.DeleteFunc(old, func(name string) bool { return slices.Contains(now, name) }))
	return nil
}

// state puts the state of the session into a record, and returns what its difference is from.
func (held *session) state(ctx context.Context, next *record) (*limpet.Checkpoint, error) {
	s := held.server
	c, err := held.talk.Checkpoint()
	if err != nil {
		return nil, err
	}
	delta, err := bytesOf(c, held.base)
	if err != nil {
		return nil, err
	}
	base := held.base
	if len(delta) > rebaseBytes {
		if delta, err = bytesOf(c, held.origin); err != nil {
			return nil, err
		}
		if next.Base, err = s.putBlob(ctx, held.key, delta); err != nil {
			return nil, err
		}
		base = c
		if delta, err = bytesOf(c, base); err != nil {
			return nil, err
		}
	}
	next.Delta, err = s.put(ctx, held.key, delta)
	next.Dir = held.talk.Dir()
	if used := held.lastUse(); used.After(next.Used) {
		next.Used = used
	}
	next.Processes = held.processes(ctx, next.Processes)
	return base, err
}

// write replaces the record.
func (held *session) write(ctx context.Context, next *record) error {
	data, err := json.Marshal(next)
	if err != nil {
		return err
	}
	held.mu.Lock()
	revision := held.revision
	held.mu.Unlock()
	if revision, err = held.server.cfg.Store.Write(ctx, held.key, data, revision); err != nil {
		return err
	}
	held.mu.Lock()
	held.rec, held.revision = next, revision
	held.mu.Unlock()
	return nil
}

// rest is called from time to time: a session that nobody uses is deleted if its time has come, and else
// leaves the memory; one with running processes is kept as it is.
func (held *session) rest(ctx context.Context) error {
	select {
	case <-held.ready:
	default:
		return nil
	}
	if held.err != nil {
		return nil
	}
	if gone, err := held.removeIfOver(ctx); gone || err != nil {
		return err
	}
	if held.busy(ctx) {
		if held.lock(ctx) != nil {
			return nil
		}
		defer held.unlock()
		return held.keep(ctx, func(*record) {})
	}
	if !held.leave(func() bool { return time.Since(held.used) > held.server.cfg.Idle }) {
		return nil
	}
	return held.retire(ctx)
}

// leave marks the session as one that nobody can open any more, if nobody uses it and the condition
// holds.
func (held *session) leave(condition func() bool) bool {
	held.server.mu.Lock()
	defer held.server.mu.Unlock()
	if held.users > 0 || held.leaving || !condition() {
		return false
	}
	held.leaving = true
	return true
}

// retire keeps the session and lets it go. Nobody uses it.
func (held *session) retire(ctx context.Context) error {
	<-held.ready
	if held.err != nil || context.Cause(held.ctx) == errLost || context.Cause(held.ctx) == errBroken {
		held.forget()
		return nil
	}
	held.turn <- struct{}{}
	defer held.unlock()
	if err := held.keep(ctx, func(*record) {}); err != nil {
		return err
	}
	return held.end(ctx)
}

// lastUse returns when a request has last used the session, in this process.
func (held *session) lastUse() time.Time {
	held.server.mu.Lock()
	defer held.server.mu.Unlock()
	return held.used
}

// end closes the session in memory and gives it back to the store.
func (held *session) end(ctx context.Context) error {
	held.cancel(limpet.ErrClosed)
	err := errors.Join(held.talk.Close(), held.shell.Close(), held.server.cfg.Store.Release(ctx, held.key))
	held.forget()
	return err
}

// removeIfOver deletes the session if nobody uses it and its time has come.
func (held *session) removeIfOver(ctx context.Context) (bool, error) {
	rec := held.record()
	over := func() bool { return time.Since(rec.Used) > rec.TTL && time.Since(held.used) > rec.TTL }
	if !held.leave(over) {
		return false, nil
	}
	return true, held.remove(ctx)
}

// remove deletes the session and what runs in it.
func (held *session) remove(ctx context.Context) error {
	held.cancel(limpet.ErrClosed)
	held.turn <- struct{}{}
	defer held.unlock()
	s := held.server
	if err := s.cfg.Store.Remove(ctx, held.key); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(err, held.end(ctx))
	}
	s.discard(ctx, held.record().blobs())
	return held.end(ctx)
}
