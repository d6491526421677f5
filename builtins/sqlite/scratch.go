package sqlite

import (
	"io"

	"github.com/ncruces/go-sqlite3"
	sqlitevfs "github.com/ncruces/go-sqlite3/vfs"
)

// scratchPage is the size of the pieces of a scratch file.
const scratchPage = 64 << 10

// A scratch is a temporary file: what a query sorts, or a table that is not
// kept. It is in memory, and charged as such.
type scratch struct {
	fs    *fileSystem
	pages [][]byte
	size  int64
}

// Close gives back the memory.
func (s *scratch) Close() error { return s.Truncate(0) }

func (s *scratch) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) && off < s.size {
		page := s.pages[off/scratchPage][off%scratchPage:]
		k := copy(p[n:], page[:min(int64(len(page)), s.size-off)])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (s *scratch) WriteAt(p []byte, off int64) (n int, err error) {
	if err := s.fs.busy(); err != nil {
		return 0, sqlite3.IOERR_WRITE
	}
	if err := s.grow(off + int64(len(p))); err != nil {
		return 0, err
	}
	for n < len(p) {
		k := copy(s.pages[off/scratchPage][off%scratchPage:], p[n:])
		n, off = n+k, off+int64(k)
	}
	return n, nil
}

// grow makes the file at least size bytes long.
func (s *scratch) grow(size int64) error {
	for int64(len(s.pages))*scratchPage < size {
		if err := s.fs.call.Alloc(scratchPage); err != nil {
			return sqlite3.FULL
		}
		s.pages = append(s.pages, make([]byte, scratchPage))
	}
	s.size = max(s.size, size)
	return nil
}

// Truncate sets the size.
func (s *scratch) Truncate(size int64) error {
	if size >= s.size {
		return s.grow(size)
	}
	keep := int((size + scratchPage - 1) / scratchPage)
	s.fs.call.Free(scratchPage * (len(s.pages) - keep))
	clear(s.pages[keep:])
	s.pages, s.size = s.pages[:keep], size
	if keep > 0 {
		clear(s.pages[keep-1][size-int64(keep-1)*scratchPage:])
	}
	return nil
}

func (s *scratch) Sync(sqlitevfs.SyncFlag) error    { return nil }
func (s *scratch) Size() (int64, error)             { return s.size, nil }
func (s *scratch) Lock(sqlitevfs.LockLevel) error   { return nil }
func (s *scratch) Unlock(sqlitevfs.LockLevel) error { return nil }
func (s *scratch) CheckReservedLock() (bool, error) { return false, nil }
func (s *scratch) SectorSize() int                  { return 4096 }

func (s *scratch) DeviceCharacteristics() sqlitevfs.DeviceCharacteristic {
	return sqlitevfs.IOCAP_ATOMIC | sqlitevfs.IOCAP_SAFE_APPEND | sqlitevfs.IOCAP_POWERSAFE_OVERWRITE
}
