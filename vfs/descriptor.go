package vfs

import (
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/afero"
)

// isDescriptorDir reports whether an absolute name is that of the directory of the
// process's descriptors.
func isDescriptorDir(abs string) bool {
	switch strings.TrimRight(abs, "/") {
	case "/dev/fd", "/proc/self/fd":
		return true
	}
	return false
}

// listed returns the descriptor that a name in the directory of descriptors is of.
func (v *View) listed(abs string) (s Stream, ok bool) {
	n, ok := descriptor(abs)
	if !ok || v.Descriptor == nil || !strings.Contains(abs, "/fd/") {
		return nil, false
	}
	s, err := v.Descriptor(n)
	return s, err == nil
}

// linkText returns what the symbolic link of descriptor s leads to: the name of a
// file, or of a kind of stream.
func linkText(s Stream, abs string) string {
	if f, ok := unwrap(s).(afero.File); ok && strings.HasPrefix(f.Name(), "/") {
		return f.Name()
	}
	n, _ := descriptor(abs)
	return fmt.Sprintf("pipe:[%d]", n+1)
}

// A descriptorDir is the open directory of the process's descriptors. It is one of
// them.
type descriptorDir struct {
	afero.File
	names []string
}

func newDescriptorDir(f afero.File, numbers []int) *descriptorDir {
	d := &descriptorDir{File: f}
	own := 0
	for _, n := range numbers { // in order
		if n == own {
			own++
		}
	}
	for i, n := range numbers {
		if n > own && (i == 0 || numbers[i-1] < own) {
			d.names = append(d.names, strconv.Itoa(own))
		}
		d.names = append(d.names, strconv.Itoa(n))
	}
	if len(numbers) == 0 || numbers[len(numbers)-1] < own {
		d.names = append(d.names, strconv.Itoa(own))
	}
	return d
}

func (d *descriptorDir) Readdirnames(n int) ([]string, error) {
	if n <= 0 {
		n = len(d.names)
	} else if len(d.names) == 0 {
		return nil, io.EOF
	}
	n = min(n, len(d.names))
	list := d.names[:n]
	d.names = d.names[n:]
	return list, nil
}

func (d *descriptorDir) Readdir(n int) ([]fs.FileInfo, error) {
	names, err := d.Readdirnames(n)
	list := make([]fs.FileInfo, 0, len(names))
	for _, name := range names {
		list = append(list, descriptorInfo(name))
	}
	return list, err
}

func (d *descriptorDir) ReadDir(n int) ([]fs.DirEntry, error) {
	names, err := d.Readdirnames(n)
	list := make([]fs.DirEntry, 0, len(names))
	for _, name := range names {
		list = append(list, fs.FileInfoToDirEntry(descriptorInfo(name)))
	}
	return list, err
}

// A descriptorInfo is the status of the symbolic link of a descriptor; it holds the
// number.
type descriptorInfo string

func (i descriptorInfo) Name() string     { return string(i) }
func (descriptorInfo) Size() int64        { return 64 }
func (descriptorInfo) Mode() fs.FileMode  { return fs.ModeSymlink | 0o700 }
func (descriptorInfo) ModTime() time.Time { return time.Time{} }
func (descriptorInfo) IsDir() bool        { return false }
func (descriptorInfo) Sys() any           { return &Stat{Nlink: 1} }
