package sqlite

import (
	"sync"

	"github.com/limpet-sh/limpet/vfs"
	sqlitevfs "github.com/ncruces/go-sqlite3/vfs"
)

// A lockKey identifies a file.
type lockKey struct {
	fsys     vfs.FS // nil where file systems of its type cannot be compared
	dev, ino uint64
	name     string // where the file system has no inode numbers
}

// A lockTable has the locks on the databases that are open, as a kernel has: two
// processes of a sandbox may use one database at the same time.
type lockTable struct {
	mu    sync.Mutex // guards all that follows, and what it refers to
	files map[lockKey]*locked
}

// locks are those of this process. They cannot belong to one execution, because
// the processes of two executions may share files.
var locks = lockTable{files: map[lockKey]*locked{}}

// A locked is what is known of the locks on one file.
type locked struct {
	key     lockKey
	open    int   // how often it is open
	shared  int   // how many hold SHARED or more
	writer  *lock // that holds RESERVED or more
	pending bool  // the writer waits for readers to leave
}

// A lock is the lock that one connection holds on a file.
type lock struct {
	table *lockTable
	file  *locked
	level sqlitevfs.LockLevel
}

// open returns a lock on a file, which holds nothing yet.
func (t *lockTable) open(key lockKey) *lock {
	t.mu.Lock()
	defer t.mu.Unlock()
	f := t.files[key]
	if f == nil {
		f = &locked{key: key}
		t.files[key] = f
	}
	f.open++
	return &lock{table: t, file: f}
}

// close gives up whatever l holds.
func (l *lock) close() {
	l.lower(sqlitevfs.LOCK_NONE)
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	if l.file.open--; l.file.open == 0 {
		delete(l.table.files, l.file.key)
	}
}

// raise asks for a higher level, and reports whether it is granted. A refused
// EXCLUSIVE leaves PENDING, which keeps new readers out.
func (l *lock) raise(level sqlitevfs.LockLevel) bool {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	f := l.file
	if l.level >= level {
		return true
	}
	if level == sqlitevfs.LOCK_SHARED {
		if f.pending || f.writer != nil && f.writer.level == sqlitevfs.LOCK_EXCLUSIVE {
			return false
		}
		f.shared++
		l.level = level
		return true
	}
	if f.writer != nil && f.writer != l {
		return false
	}
	f.writer = l
	if level == sqlitevfs.LOCK_EXCLUSIVE {
		if f.shared > 1 {
			l.level, f.pending = sqlitevfs.LOCK_PENDING, true
			return false
		}
		f.pending = false
	}
	l.level = level
	return true
}

// lower gives up what l holds above level, which is SHARED or NONE.
func (l *lock) lower(level sqlitevfs.LockLevel) {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	if l.level <= level {
		return
	}
	if l.file.writer == l {
		l.file.writer, l.file.pending = nil, false
	}
	if level == sqlitevfs.LOCK_NONE && l.level >= sqlitevfs.LOCK_SHARED {
		l.file.shared--
	}
	l.level = level
}

// reserved reports whether some connection is about to write.
func (l *lock) reserved() bool {
	l.table.mu.Lock()
	defer l.table.mu.Unlock()
	return l.file.writer != nil
}
