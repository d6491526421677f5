package hostdir

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"time"

	"github.com/limpet-sh/limpet/vfs"
)

// randomName returns a name that nobody can guess.
func randomName() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// stage writes what is new beside what it is to replace.
func (a *application) stage(ctx context.Context) error {
	for i, s := range a.steps {
		if s.New == nil {
			continue
		}
		if err := a.stageStep(ctx, s, i); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return &RefusedError{[]Refusal{{s.Name, reason(err)}}}
		}
	}
	return nil
}

func (a *application) stageStep(ctx context.Context, s *step, i int) error {
	if !s.comes() {
		if write, err := a.rewrites(ctx, s); err != nil || !write {
			return err
		}
	}
	at := parent(s.Name) + "/" + a.tag + "-" + strconv.Itoa(i)
	if s.top != nil {
		at = s.top.staged + s.Name[len(s.top.Name):]
	} else if parent(s.Name) == "/" {
		at = at[1:]
	}
	dir, err := a.openDir(parent(at))
	if err != nil {
		return err
	}
	defer dir.Close()
	s.staged, s.written = at, !s.New.IsDir()
	switch mode := s.New.Mode(); {
	case mode.IsDir():
		err = dir.Mkdir(leaf(at), 0o700)
	case mode&fs.ModeSymlink != 0:
		err = a.stageLink(dir, s)
	default:
		err = a.stageFile(ctx, dir, s)
	}
	return err
}

// rewrites reports whether a change of a file, which stays of its type, is more
// than one of its mode.
func (a *application) rewrites(ctx context.Context, s *step) (bool, error) {
	mode := s.New.Mode()
	switch {
	case mode.IsDir():
		return false, nil
	case !s.New.ModTime().Equal(s.Old.ModTime()), s.New.Size() != s.Old.Size(), mode&fs.ModeSymlink != 0:
		return true, nil
	}
	dir, err := a.openDir(parent(s.Name))
	if err != nil {
		return false, err
	}
	defer dir.Close()
	seen, _ := a.seen.find(s.Name)
	if linked(seen.host) {
		return true, nil // other names, which may be outside, keep the file as it is
	}
	old, err := openSame(dir, leaf(s.Name), os.O_RDONLY, seen.host)
	if err != nil {
		return false, err
	}
	defer old.Close()
	now, err := a.files.Open(s.Name)
	if err != nil {
		return false, err
	}
	defer now.Close()
	same, err := sameContent(ctx, old, now)
	return !same, err
}

// sameContent reports whether x and y read the same.
func sameContent(ctx context.Context, x, y io.Reader) (bool, error) {
	a, b := make([]byte, 64<<10), make([]byte, 64<<10)
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		n, errA := io.ReadFull(x, a)
		m, errB := io.ReadFull(y, b)
		if !bytes.Equal(a[:n], b[:m]) {
			return false, nil
		}
		for _, err := range []error{errA, errB} {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				return true, nil
			}
			if err != nil {
				return false, err
			}
		}
	}
}

// stageLink makes a symbolic link.
func (a *application) stageLink(dir *os.Root, s *step) error {
	text, err := a.files.ReadlinkIfPossible(s.Name)
	if err != nil {
		return err
	}
	if err := dir.Symlink(text, leaf(s.staged)); err != nil {
		return err
	}
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	defer f.Close()
	err = linkTimes(f, leaf(s.staged), time.Time{}, s.New.ModTime())
	if err == vfs.EOPNOTSUPP {
		return nil // the host cannot
	}
	return err
}

// stageFile makes a file, or another name of one that it has made, or that is
// there already.
func (a *application) stageFile(ctx context.Context, dir *os.Root, s *step) error {
	if vfs.StatOf(s.New).Nlink > 1 {
		if made, err := a.stageName(dir, s); made || err != nil {
			return err
		}
	}
	f, err := dir.OpenFile(leaf(s.staged), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err = a.fill(ctx, f, s); err == nil {
		err = f.Sync()
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return err
	}
	return dir.Chtimes(leaf(s.staged), time.Time{}, s.New.ModTime())
}

// stageName makes another name of the file that s is of, if there is one on the
// host, and reports whether it has.
func (a *application) stageName(dir *os.Root, s *step) (made bool, err error) {
	ino := vfs.StatOf(s.New).Ino
	first := a.links[ino]
	if first == nil {
		if first = a.kept(ino); first == nil {
			a.links[ino] = s
			return false, nil
		}
		a.links[ino] = first
	}
	if a.root.Link(inner(first.staged), inner(s.staged)) != nil {
		return false, nil // the host cannot
	}
	now, err := dir.Lstat(leaf(s.staged))
	if err == nil && (!os.SameFile(now, first.file) || first.New == nil && !sameStatus(now, first.file)) {
		err = errReplaced
	}
	return true, err
}

// sameStatus reports whether a file is as it was, as far as its status says.
func sameStatus(now, was fs.FileInfo) bool {
	return now.Mode() == was.Mode() && now.Size() == was.Size() && now.ModTime().Equal(was.ModTime())
}

// kept returns a name of the file ino of a.files that is on the host and does not
// change, as if that had been staged; nil if there is none.
func (a *application) kept(ino uint64) *step {
	if a.names == nil {
		a.names = map[uint64]*step{}
		for name, host := range a.seen.files() {
			if a.named[name] != nil {
				continue
			}
			if info, err := vfs.Lstat(a.files, name); err == nil && info.Mode().IsRegular() && vfs.StatOf(info).Nlink > 1 {
				a.names[vfs.StatOf(info).Ino] = &step{staged: name, file: host}
			}
		}
	}
	return a.names[ino]
}

// fill gives f the content, the owner and the mode that s says.
func (a *application) fill(ctx context.Context, f *os.File, s *step) error {
	from, err := a.files.Open(s.Name)
	if err != nil {
		return err
	}
	defer from.Close()
	n, err := io.Copy(f, &contextReader{ctx, from})
	if err != nil {
		return err
	}
	if n != s.New.Size() {
		return fmt.Errorf("has %d bytes in place of %d", n, s.New.Size())
	}
	if s.file, err = f.Stat(); err != nil {
		return err
	}
	if !s.comes() {
		seen, _ := a.seen.find(s.Name)
		if owner := ownerOf(seen.host); owner != ownerOf(s.file) {
			if err := f.Chown(owner[0], owner[1]); err != nil {
				return fmt.Errorf("cannot keep its owner: %w", reason(err))
			}
		}
	}
	return f.Chmod(s.New.Mode())
}

// A contextReader reads until its context is done.
type contextReader struct {
	ctx context.Context
	r   io.Reader
}

func (c *contextReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

// discard removes what is staged and was not put in place.
func (a *application) discard() {
	for _, s := range a.steps {
		if s.staged == "" || s.top != nil {
			continue
		}
		if dir, err := a.openDir(parent(s.staged)); err == nil {
			_ = dir.RemoveAll(leaf(s.staged))
			dir.Close()
		}
	}
}
