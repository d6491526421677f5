package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/client"
)

// A record is what the store keeps of a session, in JSON. Its state is a chain: what it was
// made as, a base that goes on from there if the session has changed much, and what differs from that.
type record struct {
	ID      string
	Spec    client.Spec // without files, setup and state, which are in the state
	TTL     time.Duration
	Created time.Time
	Used    time.Time
	Dir     string

	Origin string // the name of a blob
	Base   string // likewise; empty where there is none
	Delta  part   // since Base, or since Origin

	Running    *client.Execution
	Executions []client.Execution // at most keptExecutions
	Snapshots  []snapshot
	Processes  []client.Process // those that there were
}

// A snapshot is a state that was asked for, as what differs from the origin.
type snapshot struct {
	client.Snapshot
	Delta part
}

// A part is a part of a state: bytes, or the name of a blob where they are many.
type part struct {
	Data []byte `json:",omitempty"`
	Blob string `json:",omitempty"`
}

const (
	keptExecutions = 32
	inlineBytes    = 64 << 10  // of a part
	rebaseBytes    = 256 << 10 // a smaller difference is never made a base
	shownScript    = 256       // bytes
)

func (r *record) expires() time.Time { return r.Used.Add(r.TTL) }

// session returns what clients are told.
func (r *record) session() client.Session {
	s := client.Session{
		ID: r.ID, Created: r.Created, Used: r.Used, Expires: r.expires(), Dir: r.Dir, Background: r.Spec.Background,
		Running: r.Running, Executions: slices.Clone(r.Executions), Snapshots: []client.Snapshot{},
	}
	if s.Executions == nil {
		s.Executions = []client.Execution{}
	}
	for _, snap := range r.Snapshots {
		s.Snapshots = append(s.Snapshots, snap.Snapshot)
	}
	return s
}

// ended moves the script that was running to those that have ended.
func (r *record) ended(e client.Execution) {
	r.Running = nil
	r.Executions = append(r.Executions, e)
	r.Executions = slices.Clone(r.Executions[max(0, len(r.Executions)-keptExecutions):])
}

// known returns the execution that has an id.
func (r *record) known(id string) (client.Execution, bool) {
	if r.Running != nil && r.Running.ID == id {
		return *r.Running, true
	}
	i := slices.IndexFunc(r.Executions, func(e client.Execution) bool { return e.ID == id })
	if i < 0 {
		return client.Execution{}, false
	}
	return r.Executions[i], true
}

// blobs returns the names of all blobs of the record.
func (r *record) blobs() []string {
	list := []string{r.Origin, r.Base, r.Delta.Blob}
	for _, s := range r.Snapshots {
		list = append(list, s.Delta.Blob)
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" })
}

// clone returns a copy that may be changed.
func (r *record) clone() *record {
	c := *r
	c.Executions, c.Snapshots, c.Processes = slices.Clone(r.Executions), slices.Clone(r.Snapshots), slices.Clone(r.Processes)
	return &c
}

// read returns a record of the store.
func (s *Server) read(ctx context.Context, key string) (*record, uint64, error) {
	data, revision, err := s.cfg.Store.Read(ctx, key)
	if err != nil {
		return nil, 0, err
	}
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, 0, fmt.Errorf("serve: the record of %s: %w", key, err)
	}
	return &r, revision, nil
}

// put keeps bytes as a part of the state of a session.
func (s *Server) put(ctx context.Context, key string, data []byte) (part, error) {
	if len(data) <= inlineBytes {
		return part{Data: data}, nil
	}
	name, err := s.putBlob(ctx, key, data)
	return part{Blob: name}, err
}

func (s *Server) putBlob(ctx context.Context, key string, data []byte) (string, error) {
	name := key + "." + strings.ToLower(rand.Text())
	return name, s.cfg.Store.WriteBlob(ctx, name, data)
}

// get returns the bytes of a part.
func (s *Server) get(ctx context.Context, p part) ([]byte, error) {
	if p.Blob == "" {
		return p.Data, nil
	}
	return s.cfg.Store.ReadBlob(ctx, p.Blob)
}

// discard removes blobs that no record names any more. Those that stay behind take up room and do
// no harm.
func (s *Server) discard(ctx context.Context, names []string) {
	for _, name := range names {
		if err := s.cfg.Store.RemoveBlob(ctx, name); err != nil {
			s.cfg.Log.Warn("cannot remove a blob", "blob", name, "error", err)
		}
	}
}

// bytesOf returns what a checkpoint is saved as.
func bytesOf(c, since *limpet.Checkpoint) ([]byte, error) {
	var b bytes.Buffer
	err := c.Save(&b, since)
	return b.Bytes(), err
}
