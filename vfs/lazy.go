package vfs

import (
	"io/fs"
	"sync"
)

// WriteLazy makes a file of size bytes, with the mode perm if it does not exist,
// whose content fetch returns. Fetch is called once, when the content is first
// needed; an error of it fails what needs the content with its Errno, or [EIO].
// Fetched content of another length is an error too. What is fetched does not
// count towards the bounds of m.
func (m *Mem) WriteLazy(name string, size int64, perm fs.FileMode, fetch func() ([]byte, error)) error {
	f, err := m.OpenFile(name, O_WRONLY|O_CREATE|O_TRUNC, perm)
	if err != nil {
		return err
	}
	defer f.Close()
	file, ok := f.(*memFile)
	if !ok {
		return pathError("open", name, EINVAL) // a device or a FIFO
	}
	fetched := sync.OnceValues(func() ([]byte, error) {
		data, err := fetch()
		if err == nil && int64(len(data)) != size {
			err = EIO
		}
		return data, err
	})
	file.v.writing.Lock()
	defer file.v.writing.Unlock()
	return file.edit(func(n *inode) error {
		n.data.truncate(m.tree.own, m.tree.quota, 0)
		n.data = contentBelow(&source{fetched: fetched}, size)
		return nil
	})
}
