//go:build linux

package isolate

import (
	"io/fs"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// A fileInfo is a status on its way from one process to the other.
type fileInfo struct {
	FileName string
	FileSize int64
	FileMode fs.FileMode
	Modified time.Time
	Status   vfs.Stat
}

func infoOf(i fs.FileInfo) fileInfo {
	return fileInfo{i.Name(), i.Size(), i.Mode(), i.ModTime(), *vfs.StatOf(i)}
}

func (i *fileInfo) Name() string       { return i.FileName }
func (i *fileInfo) Size() int64        { return i.FileSize }
func (i *fileInfo) Mode() fs.FileMode  { return i.FileMode }
func (i *fileInfo) ModTime() time.Time { return i.Modified }
func (i *fileInfo) IsDir() bool        { return i.FileMode.IsDir() }
func (i *fileInfo) Sys() any           { return &i.Status }
