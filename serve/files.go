package serve

import (
	"bytes"
	"context"
	"io/fs"
	"slices"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/limpet-sh/limpet"
	"github.com/limpet-sh/limpet/client"
)

// change does something that changes the session, and keeps it.
func (held *session) change(ctx context.Context, do func() error) error {
	if err := held.lock(ctx); err != nil {
		return err
	}
	defer held.unlock()
	err := do()
	if kept := held.keep(context.WithoutCancel(ctx), func(*record) {}); kept != nil {
		return kept
	}
	return err
}

// list returns the entries of a directory.
func (held *session) list(ctx context.Context, name string) ([]client.Entry, error) {
	entries, err := held.shell.ReadDir(ctx, name)
	if err != nil {
		return nil, err
	}
	list := []client.Entry{}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			continue // removed meanwhile
		}
		entry := client.Entry{Name: e.Name(), Kind: "other", Size: info.Size(), Mode: info.Mode().String(), Modified: info.ModTime()}
		switch {
		case info.IsDir():
			entry.Kind = "directory"
		case info.Mode().IsRegular():
			entry.Kind = "file"
		case info.Mode()&fs.ModeSymlink != 0:
			entry.Kind = "link"
		}
		list = append(list, entry)
	}
	return list, nil
}

// since returns what changes are counted from: a snapshot, or how the session began.
func (held *session) since(ctx context.Context, id string) (*limpet.Checkpoint, error) {
	if id == "" {
		return held.origin, nil
	}
	return held.snapshot(ctx, id)
}

// now returns what the session is, whose turn it takes for that.
func (held *session) now(ctx context.Context) (*limpet.Checkpoint, error) {
	if err := held.lock(ctx); err != nil {
		return nil, err
	}
	defer held.unlock()
	return held.talk.Checkpoint()
}

// changes returns what has become of the files.
func (held *session) changes(ctx context.Context, since string) ([]client.Change, error) {
	before, err := held.since(ctx, since)
	if err != nil {
		return nil, err
	}
	after, err := held.now(ctx)
	if err != nil {
		return nil, err
	}
	found, err := limpet.Changes(before, after)
	if err != nil {
		return nil, err
	}
	list := []client.Change{}
	for _, c := range found {
		kind := "modified"
		switch {
		case c.Old == nil:
			kind = "created"
		case c.New == nil:
			kind = "removed"
		}
		list = append(list, client.Change{Path: c.Name, Kind: kind})
	}
	return list, nil
}

// patch returns the same as a patch.
func (held *session) patch(ctx context.Context, since string) ([]byte, error) {
	before, err := held.since(ctx, since)
	if err != nil {
		return nil, err
	}
	after, err := held.now(ctx)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = limpet.Diff(ctx, &b, before, after)
	return b.Bytes(), err
}

// take makes a snapshot.
func (held *session) take(ctx context.Context, id string) (client.Snapshot, error) {
	if err := held.lock(ctx); err != nil {
		return client.Snapshot{}, err
	}
	defer held.unlock()
	c, err := held.talk.Checkpoint()
	if err != nil {
		return client.Snapshot{}, err
	}
	data, err := bytesOf(c, held.origin)
	if err != nil {
		return client.Snapshot{}, err
	}
	snap := snapshot{Snapshot: client.Snapshot{ID: id, Created: time.Now(), Size: int64(len(data))}}
	if snap.Delta.Blob, err = held.server.putBlob(ctx, held.key, data); err != nil {
		return client.Snapshot{}, err
	}
	return snap.Snapshot, held.keep(context.WithoutCancel(ctx), func(r *record) { r.Snapshots = append(r.Snapshots, snap) })
}

// snapshot reads a snapshot.
func (held *session) snapshot(ctx context.Context, id string) (*limpet.Checkpoint, error) {
	list := held.record().Snapshots
	i := slices.IndexFunc(list, func(s snapshot) bool { return s.ID == id })
	if i < 0 {
		return nil, huma.Error404NotFound("there is no snapshot " + id)
	}
	data, err := held.server.get(ctx, list[i].Delta)
	if err != nil {
		return nil, err
	}
	return held.shell.Load(bytes.NewReader(data), held.origin)
}

// goBack makes the session what a snapshot says.
func (held *session) goBack(ctx context.Context, id string) error {
	c, err := held.snapshot(ctx, id)
	if err != nil {
		return err
	}
	return held.change(ctx, func() error { return held.talk.Restore(c) })
}

// removeSnapshot removes a snapshot.
func (held *session) removeSnapshot(ctx context.Context, id string) error {
	if err := held.lock(ctx); err != nil {
		return err
	}
	defer held.unlock()
	if !slices.ContainsFunc(held.record().Snapshots, func(s snapshot) bool { return s.ID == id }) {
		return huma.Error404NotFound("there is no snapshot " + id)
	}
	return held.keep(context.WithoutCancel(ctx), func(r *record) {
		r.Snapshots = slices.DeleteFunc(r.Snapshots, func(s snapshot) bool { return s.ID == id })
	})
}
