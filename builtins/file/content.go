package file

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// content makes at the destination what is at the source: a file with its
// bytes, a link, a FIFO, a device.
func (j *copyJob) content() error {
	switch mode := j.info.Mode(); {
	case j.symLink:
		return j.symbolic()
	case j.hardLink:
		return j.hard()
	case isLink(j.info):
		return j.link()
	case mode.IsRegular() || j.asRegular:
		return j.data()
	default:
		what := "special file"
		if mode.Type() == fs.ModeNamedPipe {
			what = "fifo"
		}
		if err := j.c.FS.Mknod(j.dst, mode.Type()|mode.Perm(), vfs.StatOf(j.info).Rdev); err != nil {
			return fmt.Errorf("cannot create %s %s: %w", what, builtins.Quote(j.dst), reason(err))
		}
		return nil
	}
}

// symbolic makes a symbolic link to the source: cp -s.
func (j *copyJob) symbolic() error {
	if !strings.HasPrefix(j.src, "/") && dirOf(j.dst) != "." && !j.sameDir(dirOf(j.dst), ".") {
		return fmt.Errorf("%s: can make relative symbolic links only in current directory", builtins.QuoteMaybe(j.dst))
	}
	err := j.replacing(func() error { return j.c.FS.Symlink(j.src, j.dst) })
	if err != nil {
		return fmt.Errorf("cannot create symbolic link %s to %s: %w", builtins.Quote(j.dst), builtins.Quote(j.src), reason(err))
	}
	return nil
}

func (j *copyJob) sameDir(a, b string) bool {
	x, err1 := j.c.FS.Stat(a)
	y, err2 := j.c.FS.Stat(b)
	return err1 == nil && err2 == nil && vfs.SameFile(x, y)
}

// hard makes another name of the source: cp -l.
func (j *copyJob) hard() error {
	src := j.src
	if info, err := j.c.FS.Lstat(src); err == nil && isLink(info) && !isLink(j.info) {
		if src, err = (resolver{c: j.c, need: needAll}).resolve(src); err != nil {
			return fmt.Errorf("cannot stat %s: %w", builtins.Quote(j.src), reason(err))
		}
	}
	err := j.replacing(func() error { return j.c.FS.Link(src, j.dst) })
	if err != nil {
		return fmt.Errorf("cannot create hard link %s to %s: %w", builtins.Quote(j.dst), builtins.Quote(j.src), reason(err))
	}
	return nil
}

// replacing calls do, and again with the destination removed where it is in
// the way and may be.
func (j *copyJob) replacing(do func() error) error {
	err := do()
	if reason(err) != vfs.EEXIST || !j.force && j.clobber != overwriteAsked {
		return err
	}
	if err := j.c.FS.Remove(j.dst); err != nil {
		return err
	}
	return do()
}

// link copies a symbolic link.
func (j *copyJob) link() error {
	text, err := j.c.FS.Readlink(j.src)
	if err != nil {
		return fmt.Errorf("cannot read symbolic link %s: %w", builtins.Quote(j.src), reason(err))
	}
	err = j.c.FS.Symlink(text, j.dst)
	if reason(err) == vfs.EEXIST {
		if old, e := j.c.FS.Readlink(j.dst); e == nil && old == text {
			return nil
		}
		if j.force {
			if err = j.c.FS.Remove(j.dst); err == nil {
				err = j.c.FS.Symlink(text, j.dst)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("cannot create symbolic link %s: %w", builtins.Quote(j.dst), reason(err))
	}
	return nil
}

// data copies the bytes of a file.
func (j *copyJob) data() error {
	in, err := j.c.FS.Open(j.src)
	if err != nil {
		return fmt.Errorf("cannot open %s for reading: %w", builtins.Quote(j.src), reason(err))
	}
	defer in.Close()
	out, err := j.open()
	if err != nil {
		return err
	}
	switch {
	case j.attributes:
	case j.clone:
		err = fmt.Errorf("failed to clone %s from %s: %w", builtins.Quote(j.dst), builtins.Quote(j.src), vfs.EOPNOTSUPP)
		if j.old == nil {
			_ = j.c.FS.Remove(j.dst)
		}
	default:
		err = j.transfer(out, in)
	}
	if e := out.Close(); e != nil && err == nil {
		err = fmt.Errorf("failed to close %s: %w", builtins.Quote(j.dst), reason(e))
	}
	return err
}

// open opens the destination for writing.
func (j *copyJob) open() (afero.File, error) {
	if j.old != nil {
		flag := vfs.O_WRONLY
		if !j.attributes {
			flag |= vfs.O_TRUNC
		}
		out, err := j.c.FS.OpenFile(j.dst, flag, 0)
		if err == nil {
			return out, nil
		}
		if !j.force {
			return nil, j.cannotCreate(err)
		}
		if err := j.unlink(); err != nil {
			return nil, err
		}
	}
	perm := j.plainBits(j.info) & filemode.Perm
	if j.preserve.owner || j.move {
		perm &= 0o700
	}
	out, err := j.c.FS.OpenFile(j.dst, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, filemode.Mode(perm))
	if reason(err) != vfs.EEXIST {
		return out, j.cannotCreate(err)
	}
	if info, e := j.c.FS.Lstat(j.dst); e == nil && isLink(info) && !j.move {
		if j.c.Getenv("POSIXLY_CORRECT") == "" {
			return nil, fmt.Errorf("not writing through dangling symlink %s", builtins.Quote(j.dst))
		}
		out, err = j.c.FS.OpenFile(j.dst, vfs.O_WRONLY|vfs.O_CREATE, filemode.Mode(perm))
	}
	return out, j.cannotCreate(err)
}

func (j *copyJob) cannotCreate(err error) error {
	switch {
	case err == nil:
		return nil
	case reason(err) == vfs.EISDIR && strings.HasSuffix(j.dst, "/"), reason(err) == vfs.ENOENT && strings.HasSuffix(j.dst, "/"):
		err = vfs.ENOTDIR
	}
	return fmt.Errorf("cannot create regular file %s: %w", builtins.Quote(j.dst), reason(err))
}

// copyBuffer is how much is read and written at a time.
const copyBuffer = 128 << 10

// transfer copies the bytes of in to out. It leaves holes for blocks of zeros
// where that is wanted, or where the source has holes too.
func (j *copyJob) transfer(out io.WriteSeeker, in io.Reader) error {
	if j.buffer == nil {
		if err := j.c.Alloc(copyBuffer); err != nil {
			return err
		}
		j.buffer = make([]byte, copyBuffer)
	}
	sparse := j.sparse == "always" || j.sparse == "auto" && j.info.Mode().IsRegular() && vfs.StatOf(j.info).Blocks*512 < j.info.Size()
	hole := int64(0)
	for {
		if err := j.c.Poll(copyBuffer >> 12); err != nil {
			return err
		}
		n, err := in.Read(j.buffer)
		if n > 0 {
			var werr error
			if sparse {
				hole, werr = writeSparse(out, j.buffer[:n], hole)
			} else {
				_, werr = out.Write(j.buffer[:n])
			}
			switch {
			case werr != nil && j.info.Mode().IsRegular() && !sparse: // the kernel copies, for coreutils
				return fmt.Errorf("error copying %s to %s: %w", builtins.Quote(j.src), builtins.Quote(j.dst), reason(werr))
			case werr != nil:
				return fmt.Errorf("error writing %s: %w", builtins.Quote(j.dst), reason(werr))
			}
		}
		switch {
		case err == io.EOF:
			return j.endHole(out, hole)
		case err != nil:
			return fmt.Errorf("error reading %s: %w", builtins.Quote(j.src), reason(err))
		}
	}
}

// holeSize is the unit in which holes are made.
const holeSize = 4096

var zeros [holeSize]byte

// writeSparse writes p after a hole of the given size, and returns the size of
// the hole after it.
func writeSparse(out io.WriteSeeker, p []byte, hole int64) (int64, error) {
	for len(p) > 0 {
		n := min(len(p), holeSize)
		if bytes.Equal(p[:n], zeros[:n]) {
			hole, p = hole+int64(n), p[n:]
			continue
		}
		if hole > 0 {
			if _, err := out.Seek(hole, io.SeekCurrent); err != nil {
				return 0, err
			}
			hole = 0
		}
		for n < len(p) && !bytes.Equal(p[n:min(n+holeSize, len(p))], zeros[:min(holeSize, len(p)-n)]) {
			n = min(n+holeSize, len(p))
		}
		if _, err := out.Write(p[:n]); err != nil {
			return 0, err
		}
		p = p[n:]
	}
	return hole, nil
}

// endHole makes a file end with a hole.
func (j *copyJob) endHole(out io.WriteSeeker, hole int64) error {
	if hole == 0 {
		return nil
	}
	end, err := out.Seek(hole, io.SeekCurrent)
	if err == nil {
		t, ok := out.(interface{ Truncate(int64) error })
		if !ok {
			err = errors.ErrUnsupported
		} else {
			err = t.Truncate(end)
		}
	}
	if err != nil {
		return fmt.Errorf("failed to extend %s: %w", builtins.Quote(j.dst), reason(err))
	}
	return nil
}
