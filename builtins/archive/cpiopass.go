package archive

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// pass copies the files that standard input names to a directory.
func (j *cpioJob) pass(dir string) error {
	x := &cpioExtractor{cpioJob: j, empty: map[[2]uint64][]string{}, made: map[[2]uint64]string{}, prefix: strings.TrimSuffix(dir, "/") + "/"}
	source := j.view
	target := *j.view
	target.Dir = path.Clean(j.view.Abs(dir))
	if info, err := target.Stat("."); err != nil || !info.IsDir() {
		j.Warnf("cannot change to directory `%s': %v", dir, vfs.ENOENT)
		return nil
	}
	err := j.names(j.Stdin, func(name string) error {
		j.view = source
		info, err := j.stat(name)
		if err != nil {
			j.Warnf("%s: Cannot stat: %w", name, vfs.ErrnoOf(err))
			return nil
		}
		h := newCpioHeader(name, info)
		content, closeFile, err := j.passed(name, info)
		if err != nil {
			j.Warnf("%s: Cannot open: %w", name, vfs.ErrnoOf(err))
			return nil
		}
		defer closeFile()
		j.view = &target
		if j.link && info.Mode().IsRegular() {
			if clean, ok := x.inside(name); ok && source.Link(name, path.Join(dir, clean)) == nil {
				j.shown(x.prefix + clean)
				return nil
			}
		}
		if info.Mode()&fs.ModeSymlink == 0 && !info.Mode().IsRegular() {
			h.size = 0
		}
		return x.member(h, content)
	})
	if err != nil {
		return err
	}
	for _, p := range j.pending {
		_ = target.Chtimes(p.name, p.at, p.at)
	}
	j.summary(x.copied)
	return nil
}

// passed opens the content of a file that is copied.
func (j *cpioJob) passed(name string, info fs.FileInfo) (io.Reader, func(), error) {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := j.view.Readlink(name)
		return bytes.NewReader([]byte(target)), func() {}, err
	case info.Mode().IsRegular():
		f, err := j.view.Open(name)
		if err != nil {
			return nil, nil, err
		}
		return f, func() { _ = f.Close() }, nil
	}
	return bytes.NewReader(nil), func() {}, nil
}
