package serve

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	bolt "go.etcd.io/bbolt"
)

// A boltStore keeps everything in one file of the host, which it locks.
type boltStore struct{ db *bolt.DB }

var records, blobs = []byte("records"), []byte("blobs")

// OpenFile opens, or makes, a store in a file. One process may have it open.
func OpenFile(name string) (Store, error) {
	db, err := bolt.Open(name, 0o600, &bolt.Options{Timeout: time.Second, FreelistType: bolt.FreelistMapType})
	if errors.Is(err, bolt.ErrTimeout) {
		return nil, fmt.Errorf("serve: %s is in use by another process", name)
	}
	if err != nil {
		return nil, fmt.Errorf("serve: %w", err)
	}
	db.MaxBatchDelay = time.Millisecond
	err = db.Update(func(tx *bolt.Tx) error {
		_, err := tx.CreateBucketIfNotExists(records)
		_, err2 := tx.CreateBucketIfNotExists(blobs)
		return errors.Join(err, err2)
	})
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return &boltStore{db}, nil
}

// Claim succeeds: nobody else has the file.
func (s *boltStore) Claim(context.Context, string) (<-chan struct{}, error) { return nil, nil }

// Release does nothing.
func (s *boltStore) Release(context.Context, string) error { return nil }

// Read returns a record.
func (s *boltStore) Read(_ context.Context, key string) (data []byte, revision uint64, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		v := tx.Bucket(records).Get([]byte(key))
		if v == nil {
			return fs.ErrNotExist
		}
		data, revision = bytes.Clone(v[8:]), binary.BigEndian.Uint64(v)
		return nil
	})
	return data, revision, err
}

// Write replaces a record.
func (s *boltStore) Write(_ context.Context, key string, data []byte, revision uint64) (uint64, error) {
	value := append(binary.BigEndian.AppendUint64(nil, revision+1), data...)
	err := s.db.Batch(func(tx *bolt.Tx) error {
		b := tx.Bucket(records)
		var have uint64
		if v := b.Get([]byte(key)); v != nil {
			have = binary.BigEndian.Uint64(v)
		}
		if have != revision {
			return ErrConflict
		}
		return b.Put([]byte(key), value)
	})
	return revision + 1, err
}

// Remove removes a record.
func (s *boltStore) Remove(_ context.Context, key string) error { return s.remove(records, key) }

func (s *boltStore) remove(bucket []byte, key string) error {
	return s.db.Batch(func(tx *bolt.Tx) error { return tx.Bucket(bucket).Delete([]byte(key)) })
}

// Keys returns the keys of a client.
func (s *boltStore) Keys(_ context.Context, client string) (keys []string, err error) {
	prefix := client
	if client != "" {
		prefix += "."
	}
	err = s.db.View(func(tx *bolt.Tx) error {
		c := tx.Bucket(records).Cursor()
		for k, _ := c.Seek([]byte(prefix)); k != nil && strings.HasPrefix(string(k), prefix); k, _ = c.Next() {
			keys = append(keys, string(k))
		}
		return nil
	})
	return keys, err
}

// WriteBlob keeps bytes.
func (s *boltStore) WriteBlob(_ context.Context, name string, data []byte) error {
	return s.db.Batch(func(tx *bolt.Tx) error { return tx.Bucket(blobs).Put([]byte(name), data) })
}

// ReadBlob returns bytes.
func (s *boltStore) ReadBlob(_ context.Context, name string) (data []byte, err error) {
	err = s.db.View(func(tx *bolt.Tx) error {
		v := tx.Bucket(blobs).Get([]byte(name))
		if v == nil {
			return fs.ErrNotExist
		}
		data = bytes.Clone(v)
		return nil
	})
	return data, err
}

// RemoveBlob removes bytes.
func (s *boltStore) RemoveBlob(_ context.Context, name string) error { return s.remove(blobs, name) }

// Close closes the file.
func (s *boltStore) Close() error { return s.db.Close() }
