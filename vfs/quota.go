package vfs

import (
	"sync/atomic"

	"github.com/limpet-sh/limpet/limits"
)

// A quota bounds what a tree holds. A negative maximum is none.
type quota struct {
	bytes, files                atomic.Int64
	maxBytes, maxFiles, maxSize int64
}

// newQuota returns an empty quota with the bounds that l has for files.
func newQuota(l limits.Limits) *quota {
	return &quota{maxBytes: l.Of(limits.Storage), maxFiles: l.Of(limits.Files), maxSize: l.Of(limits.FileSize)}
}

// clone returns a quota with the bounds and the amounts of q.
func (q *quota) clone() *quota {
	c := &quota{maxBytes: q.maxBytes, maxFiles: q.maxFiles, maxSize: q.maxSize}
	c.bytes.Store(q.bytes.Load())
	c.files.Store(q.files.Load())
	return c
}

// statFS describes a file system with this quota.
func (q *quota) statFS() StatFS {
	total, used := q.maxBytes, q.bytes.Load()
	if total < 0 {
		total = 1 << 40
	}
	files, names := q.maxFiles, q.files.Load()
	if files < 0 {
		files = 1 << 32
	}
	blocks := (total + blockSize - 1) / blockSize
	return StatFS{
		Type: "tmpfs", BlockSize: blockSize, NameMax: maxName,
		Blocks: blocks, Free: max(blocks-(used+blockSize-1)/blockSize, 0),
		Files: files, FilesFree: max(files-names, 0),
		Source: "tmpfs", Point: "/", Options: "rw",
	}
}

// bounds reports whether what o has charged is within the bounds of q.
func (q *quota) bounds(o *quota) bool {
	return (q.maxBytes < 0 || o.bytes.Load() <= q.maxBytes) && (q.maxFiles < 0 || o.files.Load() <= q.maxFiles)
}

// takeBytes charges up to n bytes, and returns how many there were room for.
func (q *quota) takeBytes(n int64) int64 {
	for {
		used := q.bytes.Load()
		if q.maxBytes >= 0 {
			n = max(min(n, q.maxBytes-used), 0)
		}
		if q.bytes.CompareAndSwap(used, used+n) {
			return n
		}
	}
}

// chargeBytes charges n bytes or fails.
func (q *quota) chargeBytes(n int64) error {
	if got := q.takeBytes(n); got < n {
		q.bytes.Add(-got)
		return ENOSPC
	}
	return nil
}

// chargeFile charges one name of a file or fails.
func (q *quota) chargeFile() error {
	if n := q.files.Add(1); q.maxFiles >= 0 && n > q.maxFiles {
		q.files.Add(-1)
		return ENOSPC
	}
	return nil
}
