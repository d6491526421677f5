package hostdir

import (
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// A journal has what files were when they were first looked at.
type journal struct {
	mu   sync.Mutex
	seen map[string]sighting // by resolved name
}

// A sighting is what tells whether a file is still what it was.
type sighting struct {
	host fs.FileInfo
	sum  [sha256.Size]byte // of what may change without a trace; see unsettled
	sums bool
}

// unsettled is how long after a change of a file another one may leave its times
// as they are: longer than the tick of the clock that kernels take them from.
const unsettled = 50 * time.Millisecond

// note records what name is, unless that is known. Root is where it is.
func (j *journal) note(root *os.Root, name string, host fs.FileInfo) {
	if j == nil {
		return
	}
	j.mu.Lock()
	_, known := j.seen[name]
	j.mu.Unlock()
	if known {
		return
	}
	s := sighting{host: host}
	if host.Mode().IsRegular() && time.Since(changedAt(host)) < unsettled {
		sum, err := sumOf(root, inner(name), host)
		s.sum, s.sums = sum, err == nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, known := j.seen[name]; !known {
		j.seen[name] = s
	}
}

// find returns what name was.
func (j *journal) find(name string) (sighting, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	s, ok := j.seen[name]
	return s, ok
}

// files returns the regular files that were seen.
func (j *journal) files() map[string]fs.FileInfo {
	j.mu.Lock()
	defer j.mu.Unlock()
	list := map[string]fs.FileInfo{}
	for name, s := range j.seen {
		if s.host.Mode().IsRegular() {
			list[name] = s.host
		}
	}
	return list
}

// changedAt returns when a file was last changed in any way.
func changedAt(host fs.FileInfo) time.Time {
	st := vfs.Stat{Ctime: host.ModTime()}
	hostStat(&st, host)
	return st.Ctime
}

// linked reports whether a file has several names.
func linked(host fs.FileInfo) bool {
	st := vfs.Stat{Nlink: 1}
	hostStat(&st, host)
	return st.Nlink > 1
}

// sumOf returns a digest of the content of name, which host describes.
func sumOf(root *os.Root, name string, host fs.FileInfo) (sum [sha256.Size]byte, err error) {
	f, err := openSame(root, name, os.O_RDONLY, host)
	if err != nil {
		return sum, err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, err
	}
	return [sha256.Size]byte(h.Sum(nil)), nil
}

// errReplaced is the error of what finds another file than the one it wants, or one
// that is not as it was.
var errReplaced = errors.New("changed meanwhile")

// openSame opens name if it is the regular file that host describes.
func openSame(root *os.Root, name string, flag int, host fs.FileInfo) (*os.File, error) {
	f, err := root.OpenFile(name, flag|noBlock, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, host) {
		err = errReplaced
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// is fails unless what is now at name below root is still what s is of. Where
// shared is set, a mode and a time of a file with several names may have changed.
func (s *sighting) is(root *os.Root, name string, now fs.FileInfo, shared bool) error {
	shared = shared && linked(s.host)
	switch {
	case now.Mode().Type() != s.host.Mode().Type(), !os.SameFile(now, s.host):
		return errReplaced
	case now.Mode() != s.host.Mode() && !shared:
		return errors.New("its mode has changed meanwhile")
	case now.IsDir():
		return nil // its entries are looked at one by one
	case now.Size() != s.host.Size(), !now.ModTime().Equal(s.host.ModTime()), !changedAt(now).Equal(changedAt(s.host)) && !shared:
		return errReplaced
	}
	if s.sums {
		if sum, err := sumOf(root, name, now); err != nil || sum != s.sum {
			return errReplaced
		}
	}
	return nil
}
