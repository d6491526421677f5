package vfs

import (
	"sync/atomic"

	"github.com/limpet-sh/limpet/limits"
)

// A Quota bounds what several file systems hold together, such as all of one
// session; see [MemOptions]. Who reaches it gets [EDQUOT], and [EMFILE] where it is
// about files that are open. A copy of a file system has a copy of its Quota, and
// copies of what is mounted together have one; what is open stays with the original.
type Quota struct {
	bytes, files, open          atomic.Int64
	maxBytes, maxFiles, maxOpen int64
}

// A QuotaOptions configures a [Quota]. Zero means the default of package limits, and
// limits.Unlimited is none. The default of OpenFiles is that of one process times
// [Processes].
type QuotaOptions struct {
	Storage   int64 // bytes in files
	Files     int64 // names
	OpenFiles int64 // files that are open at one time
}

// Processes is how many processes may have as many files open as package limits
// allows to each, before a file system or a [Quota] with the default bounds refuses
// to open more.
const Processes = 16

// NewQuota returns a Quota that nothing is charged to yet.
func NewQuota(o QuotaOptions) *Quota {
	l := limits.Limits{Storage: o.Storage, Files: o.Files}
	return &Quota{maxBytes: l.Of(limits.Storage), maxFiles: l.Of(limits.Files), maxOpen: maxOpen(o.OpenFiles)}
}

// Within returns o with the bounds of l.
func (o QuotaOptions) Within(l limits.Limits) QuotaOptions {
	return QuotaOptions{Storage: l.Of(limits.Storage), Files: l.Of(limits.Files), OpenFiles: openOf(l)}
}

// openOf returns how many files may be open together where l bounds each process.
func openOf(l limits.Limits) int64 {
	if n := l.Of(limits.OpenFiles); n > 0 {
		return n * Processes
	}
	return limits.Unlimited
}

// maxOpen returns what an option OpenFiles means.
func maxOpen(n int64) int64 {
	if n == 0 {
		return openOf(limits.Limits{})
	}
	return n
}

// Usage returns what is charged to q.
func (q *Quota) Usage() Usage { return Usage{q.bytes.Load(), q.files.Load(), q.open.Load()} }

// Opening charges a file that is about to be opened, or fails with [EMFILE]. It is
// for file systems outside this package; a nil Quota has room for all.
func (q *Quota) Opening() error {
	if q == nil {
		return nil
	}
	if n := q.open.Add(1); q.maxOpen >= 0 && n > q.maxOpen {
		q.open.Add(-1)
		return EMFILE
	}
	return nil
}

// Closed gives back what Opening has charged.
func (q *Quota) Closed() {
	if q != nil {
		q.open.Add(-1)
	}
}

func (q *Quota) clone() *Quota {
	if q == nil {
		return nil
	}
	c := &Quota{maxBytes: q.maxBytes, maxFiles: q.maxFiles, maxOpen: q.maxOpen}
	c.bytes.Store(q.bytes.Load())
	c.files.Store(q.files.Load())
	return c
}

// room reports whether so much more is within q, which may be nil.
func (q *Quota) room(bytes, files int64) bool {
	return q == nil || within(q.bytes.Load(), bytes, q.maxBytes) && within(q.files.Load(), files, q.maxFiles)
}

func within(used, more, most int64) bool { return most < 0 || more <= 0 || used+more <= most }

// A quota bounds what a tree holds. A negative maximum is none.
type quota struct {
	bytes, files, open                   atomic.Int64
	maxBytes, maxFiles, maxSize, maxOpen int64
	shared                               *Quota // that everything is charged to as well, if not nil
}

// newQuota returns an empty quota with the bounds of o.
func newQuota(o MemOptions) *quota {
	l := limits.Limits{Storage: o.Storage, Files: o.Files, FileSize: o.FileSize}
	return &quota{
		maxBytes: l.Of(limits.Storage), maxFiles: l.Of(limits.Files), maxSize: l.Of(limits.FileSize),
		maxOpen: maxOpen(o.OpenFiles), shared: o.Quota,
	}
}

// clone returns a quota with the bounds and the amounts of q, for a copy of what it
// bounds, in which nothing is open.
func (q *quota) clone() *quota {
	c := &quota{maxBytes: q.maxBytes, maxFiles: q.maxFiles, maxSize: q.maxSize, maxOpen: q.maxOpen, shared: q.shared.clone()}
	c.bytes.Store(q.bytes.Load())
	c.files.Store(q.files.Load())
	return c
}

// share makes s what everything is charged to as well. What is there already is
// charged even if s has no room for it.
func (q *quota) share(s *Quota) {
	q.shared = s
	if s != nil {
		s.bytes.Add(q.bytes.Load())
		s.files.Add(q.files.Load())
	}
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

// bounds fails unless q may have charged what o has in place of what it has.
func (q *quota) bounds(o *quota) error {
	bytes, files := o.bytes.Load(), o.files.Load()
	switch {
	case q.maxBytes >= 0 && bytes > q.maxBytes, q.maxFiles >= 0 && files > q.maxFiles:
		return ENOSPC
	case !q.shared.room(bytes-q.bytes.Load(), files-q.files.Load()):
		return EDQUOT
	}
	return nil
}

// take adds up to n to what is used of most, and returns how much there was room
// for.
func take(used *atomic.Int64, n, most int64) int64 {
	for {
		have := used.Load()
		if most >= 0 {
			n = max(min(n, most-have), 0)
		}
		if used.CompareAndSwap(have, have+n) {
			return n
		}
	}
}

// takeBytes charges up to n bytes. It returns how many there were room for, and
// what there was no room in if they are fewer.
func (q *quota) takeBytes(n int64) (got int64, err error) {
	if got = take(&q.bytes, n, q.maxBytes); got < n {
		err = ENOSPC
	}
	if q.shared == nil {
		return got, err
	}
	if shared := take(&q.shared.bytes, got, q.shared.maxBytes); shared < got {
		q.bytes.Add(shared - got)
		return shared, EDQUOT
	}
	return got, err
}

// chargeBytes charges n bytes or fails.
func (q *quota) chargeBytes(n int64) error {
	got, err := q.takeBytes(n)
	if err != nil {
		q.freeBytes(got)
	}
	return err
}

// freeBytes gives back what was charged.
func (q *quota) freeBytes(n int64) {
	q.bytes.Add(-n)
	if q.shared != nil {
		q.shared.bytes.Add(-n)
	}
}

// chargeFile charges one name of a file or fails.
func (q *quota) chargeFile() error {
	if n := q.files.Add(1); q.maxFiles >= 0 && n > q.maxFiles {
		q.files.Add(-1)
		return ENOSPC
	}
	if q.shared == nil {
		return nil
	}
	if n := q.shared.files.Add(1); q.shared.maxFiles >= 0 && n > q.shared.maxFiles {
		q.freeFiles(1)
		return EDQUOT
	}
	return nil
}

// opening charges a file that is about to be opened, or fails.
func (q *quota) opening() error {
	if n := q.open.Add(1); q.maxOpen >= 0 && n > q.maxOpen {
		q.open.Add(-1)
		return ENFILE
	}
	if err := q.shared.Opening(); err != nil {
		q.open.Add(-1)
		return err
	}
	return nil
}

// closed gives back what opening has charged.
func (q *quota) closed() {
	q.open.Add(-1)
	q.shared.Closed()
}

// freeFiles gives back names that were charged.
func (q *quota) freeFiles(n int64) {
	q.files.Add(-n)
	if q.shared != nil {
		q.shared.files.Add(-n)
	}
}

// set makes what is charged so many bytes and names.
func (q *quota) set(bytes, files int64) {
	q.freeBytes(q.bytes.Load() - bytes)
	q.freeFiles(q.files.Load() - files)
}
