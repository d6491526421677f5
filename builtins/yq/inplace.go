package yq

import (
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/internal/yq"
	"github.com/limpet-sh/limpet/vfs"
)

// A replacement is a file that takes the place of another.
type replacement struct {
	job  *job
	name string
	temp string
	file io.WriteCloser
}

// replace begins a replacement of a file.
func (j *job) replace(name string) (*replacement, error) {
	info, err := j.FS.Stat(name)
	if err != nil {
		return nil, fmt.Errorf("lstat %s: %s", name, strings.ToLower(vfs.ErrnoOf(err).Error()))
	}
	if info.Mode().Perm()&0o222 == 0 {
		return nil, fmt.Errorf("cannot write in place to read-only file %q", name)
	}
	var random [6]byte
	if _, err := io.ReadFull(j.Rand, random[:]); err != nil {
		return nil, err
	}
	temp := path.Join(path.Dir(name), fmt.Sprintf(".yq-inplace-%x", random))
	f, err := j.FS.OpenFile(temp, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, info.Mode().Perm())
	if err != nil {
		return nil, yq.OpenError(temp, err)
	}
	_ = j.FS.Chmod(temp, info.Mode().Perm())
	st := vfs.StatOf(info)
	_ = j.FS.Chown(temp, st.UID, st.GID)
	return &replacement{j, name, temp, f}, nil
}

// finish puts the file in its place.
func (r *replacement) finish() error {
	if err := r.file.Close(); err != nil {
		return err
	}
	if err := r.job.FS.Rename(r.temp, r.name); err != nil {
		return err
	}
	r.temp = ""
	return nil
}

// discard removes a file that has not taken its place.
func (r *replacement) discard() {
	if r.temp != "" {
		_ = r.file.Close()
		_ = r.job.FS.Remove(r.temp)
	}
}
