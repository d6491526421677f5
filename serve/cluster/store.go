// Package cluster lets several servers of package serve share their sessions by NATS
// JetStream: records and leases are in its key-value store, states in its object store, and
// requests go to the worker that owns a session, or to any one of a queue group where nobody does.
//
// A worker is alive as long as it renews its own key, which expires; a session belongs to the worker that its
// lease names, while that is alive. Who takes a session from a dead worker writes its record, whose
// revision the dead one does not know: were it to come back, it could not write. Nothing else is
// agreed upon, and nothing is left to clocks but how soon a dead worker is noticed.
package cluster

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/serve"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// A Store is the serve.Store of one worker.
type Store struct {
	id   string // of the worker
	conn *nats.Conn
	life time.Duration

	workers jetstream.KeyValue // those alive; the keys expire
	leases  jetstream.KeyValue // the worker of each session
	records jetstream.KeyValue
	blobs   jetstream.ObjectStore

	stop  context.CancelFunc
	tasks sync.WaitGroup

	mu   sync.Mutex
	lost chan struct{} // closed when this worker may count as dead; there is a new one when it is alive again
}

// Open makes a worker of a connection, with the buckets limpet-workers, limpet-leases, limpet-records and
// limpet-blobs, which it makes where they do not exist. A worker that was not heard of for the
// life counts as dead; zero means ten seconds.
func Open(ctx context.Context, conn *nats.Conn, life time.Duration) (*Store, error) {
	if life == 0 {
		life = 10 * time.Second
	}
	s := &Store{id: rand.Text(), conn: conn, life: life, lost: make(chan struct{})}
	js, err := jetstream.New(conn)
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	bucket := func(name string, ttl time.Duration) (kv jetstream.KeyValue) {
		if err == nil {
			kv, err = js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: name, TTL: ttl})
		}
		return kv
	}
	s.workers, s.leases, s.records = bucket("limpet-workers", life), bucket("limpet-leases", 0), bucket("limpet-records", 0)
	if err == nil {
		s.blobs, err = js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: "limpet-blobs"})
	}
	if err == nil {
		_, err = s.workers.PutString(ctx, s.id, "alive")
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %w", err)
	}
	ctx, s.stop = context.WithCancel(context.Background())
	s.tasks.Go(func() { s.renew(ctx) })
	return s, nil
}

// renew says that the worker lives, until ctx is done.
func (s *Store) renew(ctx context.Context) {
	tick := time.NewTicker(s.life / 5)
	defer tick.Stop()
	heard := time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := time.Now()
		limited, cancel := context.WithTimeout(ctx, s.life/5)
		_, err := s.workers.PutString(limited, s.id, "alive")
		cancel()
		if err == nil && now.Sub(heard) < s.life {
			heard = now
			continue
		}
		if now.Sub(heard) > s.life*3/5 {
			s.lose()
			if err == nil {
				heard = now
			}
		}
	}
}

// lose says that others may have taken the sessions.
func (s *Store) lose() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.lost)
	s.lost = make(chan struct{})
}

// alive reports whether a worker lives.
func (s *Store) alive(ctx context.Context, worker string) (bool, error) {
	_, err := s.workers.Get(ctx, worker)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return false, nil
	}
	return err == nil, err
}

// owner returns the worker that owns a session, "" where none does, and the revision of its lease.
func (s *Store) owner(ctx context.Context, key string) (worker string, revision uint64, err error) {
	e, err := s.leases.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return "", 0, nil
	}
	if err != nil {
		return "", 0, err
	}
	worker = string(e.Value())
	if worker != s.id {
		living, err := s.alive(ctx, worker)
		if err != nil {
			return "", 0, err
		}
		if !living {
			worker = ""
		}
	}
	return worker, e.Revision(), nil
}

// Claim takes the lease of a session.
func (s *Store) Claim(ctx context.Context, key string) (<-chan struct{}, error) {
	s.mu.Lock()
	lost := s.lost
	s.mu.Unlock()
	worker, revision, err := s.owner(ctx, key)
	if err != nil {
		return nil, err
	}
	switch {
	case worker == s.id:
		return lost, nil
	case worker != "":
		return nil, &serve.ClaimedError{Owner: worker}
	case revision == 0:
		_, err = s.leases.Create(ctx, key, []byte(s.id))
	default:
		_, err = s.leases.Update(ctx, key, []byte(s.id), revision)
	}
	if err = conflict(err); errors.Is(err, serve.ErrConflict) {
		return nil, &serve.ClaimedError{} // somebody was faster
	}
	return lost, err
}

// Release gives a lease back.
func (s *Store) Release(ctx context.Context, key string) error {
	worker, revision, err := s.owner(ctx, key)
	if err != nil || worker != s.id {
		return err
	}
	return s.leases.Purge(ctx, key, jetstream.LastRevision(revision))
}

// Read returns a record.
func (s *Store) Read(ctx context.Context, key string) ([]byte, uint64, error) {
	e, err := s.records.Get(ctx, key)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return nil, 0, fs.ErrNotExist
	}
	if err != nil {
		return nil, 0, err
	}
	return e.Value(), e.Revision(), nil
}

// Write replaces a record.
func (s *Store) Write(ctx context.Context, key string, data []byte, revision uint64) (uint64, error) {
	var err error
	if revision == 0 {
		revision, err = s.records.Create(ctx, key, data)
	} else {
		revision, err = s.records.Update(ctx, key, data, revision)
	}
	return revision, conflict(err)
}

// conflict returns an error as those of a Store are.
func conflict(err error) error {
	api, ok := errors.AsType[*jetstream.APIError](err)
	if errors.Is(err, jetstream.ErrKeyExists) || ok && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
		return serve.ErrConflict
	}
	return err
}

// Remove removes a record.
func (s *Store) Remove(ctx context.Context, key string) error { return s.records.Purge(ctx, key) }

// Keys returns the keys of a client.
func (s *Store) Keys(ctx context.Context, client string) ([]string, error) {
	filter := client + ".*"
	if client == "" {
		filter = ">"
	}
	w, err := s.records.Watch(ctx, filter, jetstream.IgnoreDeletes(), jetstream.MetaOnly())
	if err != nil {
		return nil, err
	}
	defer w.Stop()
	var keys []string
	for {
		select {
		case e, open := <-w.Updates():
			if e == nil && open {
				return keys, nil // it has seen all that there are
			}
			if !open {
				return nil, nats.ErrConnectionClosed
			}
			keys = append(keys, e.Key())
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// WriteBlob keeps bytes.
func (s *Store) WriteBlob(ctx context.Context, name string, data []byte) error {
	_, err := s.blobs.PutBytes(ctx, name, data)
	return err
}

// ReadBlob returns bytes.
func (s *Store) ReadBlob(ctx context.Context, name string) ([]byte, error) {
	data, err := s.blobs.GetBytes(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fs.ErrNotExist
	}
	return data, err
}

// RemoveBlob removes bytes.
func (s *Store) RemoveBlob(ctx context.Context, name string) error {
	err := s.blobs.Delete(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil
	}
	return err
}

// Close says that the worker is dead.
func (s *Store) Close() error {
	s.stop()
	s.tasks.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), s.life)
	defer cancel()
	return s.workers.Purge(ctx, s.id)
}
