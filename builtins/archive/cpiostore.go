package archive

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/vfs"
)

// copyOut writes an archive of the files that standard input names.
func (j *cpioJob) copyOut() error {
	out := io.Writer(j.Stdout)
	if j.file != "" {
		f, err := j.FS.OpenFile(j.file, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			j.Warnf("Cannot open %s: %w", j.file, vfs.ErrnoOf(err))
			return nil
		}
		defer f.Close()
		out = f
	}
	n := &counter{Writer: out}
	w := &cpioWriter{w: bufio.NewWriterSize(n, 32<<10), format: j.format}
	held := map[[2]uint64][]*cpioHeader{} // links to files whose content comes with the last
	err := j.names(j.Stdin, func(name string) error { return j.store(w, name, held) })
	if err == nil {
		err = j.leftLinks(w, held)
	}
	if err == nil {
		err = w.end()
	}
	if flush := w.w.Flush(); err == nil {
		err = flush
	}
	if err != nil {
		return err
	}
	j.summary(n.n)
	return nil
}

// stat returns the status of a file that is to be stored.
func (j *cpioJob) stat(name string) (fs.FileInfo, error) {
	if j.follow {
		return j.view.Stat(name)
	}
	return j.view.Lstat(name)
}

// store writes one file. Of a file with several names, new formats have the
// content with the last.
func (j *cpioJob) store(w *cpioWriter, name string, held map[[2]uint64][]*cpioHeader) error {
	info, err := j.stat(name)
	if err != nil {
		j.Warnf("%s: Cannot stat: %w", name, vfs.ErrnoOf(err))
		return nil
	}
	h := newCpioHeader(strings.TrimPrefix(name, "./"), info)
	if err := j.own(h); err != nil {
		return err
	}
	if h.name == "" || h.name == "." {
		h.name = "."
	}
	if j.format.late() && info.Mode().IsRegular() && h.nlink > 1 {
		id := [2]uint64{h.dev, h.ino}
		if len(held[id])+1 < int(h.nlink) {
			if err := j.Alloc(256 + len(name)); err != nil {
				return err
			}
			h.source = name
			held[id] = append(held[id], h)
			j.shown(name)
			return nil
		}
		for _, other := range held[id] {
			other.size = 0
			if err := w.header(other); err != nil {
				return err
			}
		}
		delete(held, id)
	}
	if err := j.write(w, h, name, info); err != nil {
		return err
	}
	j.shown(name)
	return nil
}

// leftLinks writes files of which not all names were given.
func (j *cpioJob) leftLinks(w *cpioWriter, held map[[2]uint64][]*cpioHeader) error {
	var rest []*cpioHeader
	for _, list := range held {
		rest = append(rest, list...)
	}
	slices.SortFunc(rest, func(a, b *cpioHeader) int { return strings.Compare(a.name, b.name) })
	last := map[uint64]*cpioHeader{}
	for _, h := range rest {
		last[h.ino] = h
	}
	for _, h := range rest {
		if last[h.ino] != h {
			h.size = 0
			if err := w.header(h); err != nil {
				return err
			}
			continue
		}
		info, err := j.stat(h.source)
		if err != nil {
			return err
		}
		if err := j.write(w, h, h.source, info); err != nil {
			return err
		}
	}
	return nil
}

// own gives a header the owner that -R says.
func (j *cpioJob) own(h *cpioHeader) error {
	if j.owner == "" {
		return nil
	}
	user, group, both := strings.Cut(strings.Replace(j.owner, ".", ":", 1), ":")
	if user != "" {
		uid, ok := account.Users(j.FS).Parse(user)
		if !ok {
			return fmt.Errorf("%s: invalid user", j.owner)
		}
		h.uid = uint32(uid)
	}
	if both && group != "" {
		gid, ok := account.Groups(j.FS).Parse(group)
		if !ok {
			return fmt.Errorf("%s: invalid group", j.owner)
		}
		h.gid = uint32(gid)
	}
	return nil
}

// write writes a header and the content that belongs to it.
func (j *cpioJob) write(w *cpioWriter, h *cpioHeader, name string, info fs.FileInfo) error {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := j.view.Readlink(name)
		if err != nil {
			return err
		}
		h.size = int64(len(target))
		if err := w.header(h); err != nil {
			return err
		}
		return w.content(j.Call, strings.NewReader(target), h.size)
	case !info.Mode().IsRegular():
		h.size = 0
		return w.header(h)
	}
	f, err := j.view.Open(name)
	if err != nil {
		j.Warnf("%s: Cannot open: %w", name, vfs.ErrnoOf(err))
		return nil
	}
	defer f.Close()
	if j.format == cpioCRC {
		sum := &byteSum{}
		if _, err := transfer(j.Call, sum, io.LimitReader(f, h.size)); err != nil {
			return err
		}
		h.check = sum.n
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
	}
	if err := w.header(h); err != nil {
		return err
	}
	return w.content(j.Call, f, h.size)
}

// A byteSum is the sum of all bytes that are written to it.
type byteSum struct{ n uint32 }

func (s *byteSum) Write(p []byte) (int, error) {
	for _, b := range p {
		s.n += uint32(b)
	}
	return len(p), nil
}
