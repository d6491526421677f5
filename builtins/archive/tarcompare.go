package archive

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"io/fs"

	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// compare says how a file differs from the member of its name.
func (x *tarExtractor) compare(r io.Reader, h *tar.Header, operand int) error {
	j := x.job
	if err := j.print(h); err != nil {
		return err
	}
	view := j.view
	if operand >= 0 {
		view = j.operands[operand].dir
	}
	name := j.safe(h.Name, "member names")
	differ := func(format string, args ...any) error {
		j.differs = true
		_, err := fmt.Fprintf(j.messages, "%s: "+format+"\n", append([]any{shownName(h.Name)}, args...)...)
		return err
	}
	if h.Typeflag == tar.TypeSymlink {
		target, err := view.Readlink(name)
		if err != nil {
			j.differs = true
			j.note("%s: Warning: Cannot readlink: %v", shownName(name), openError(err))
		} else if target != h.Linkname {
			return differ("Symlink differs")
		}
		return nil
	}
	info, err := view.Lstat(name)
	if err != nil {
		j.differs = true
		shown := bytes.TrimRight([]byte(shownName(name)), "/")
		j.note("%s: Warning: Cannot stat: %v", shown, openError(err))
		return nil
	}
	switch h.Typeflag {
	case tar.TypeLink:
		if !sameFile(view, j.safe(h.Linkname, "hard link targets"), name) {
			return differ("Not linked to %s", shownName(h.Linkname))
		}
		return nil
	case tar.TypeDir:
		if !info.IsDir() {
			return differ("File type differs")
		}
		if !sameMode(h, info) {
			return differ("Mode differs")
		}
		return nil
	case tar.TypeReg:
		if info.Mode().IsRegular() {
			return x.compareRegular(view, name, r, h, info, differ)
		}
		return differ("File type differs")
	}
	return compareNode(h, info, differ)
}

func sameMode(h *tar.Header, info fs.FileInfo) bool {
	return uint32(h.Mode)&0o7777 == filemode.Bits(info.Mode())&0o7777
}

// compareNode compares a pipe or a device.
func compareNode(h *tar.Header, info fs.FileInfo, differ func(string, ...any) error) error {
	want := map[byte]fs.FileMode{tar.TypeFifo: fs.ModeNamedPipe, tar.TypeChar: fs.ModeDevice | fs.ModeCharDevice, tar.TypeBlock: fs.ModeDevice}
	major, minor := vfs.DevNumbers(vfs.StatOf(info).Rdev)
	switch {
	case info.Mode().Type() != want[h.Typeflag]:
		return differ("File type differs")
	case h.Typeflag != tar.TypeFifo && (int64(major) != h.Devmajor || int64(minor) != h.Devminor):
		return differ("Device number differs")
	case !sameMode(h, info):
		return differ("Mode differs")
	}
	return nil
}

func (x *tarExtractor) compareRegular(view *vfs.View, name string, r io.Reader, h *tar.Header, info fs.FileInfo, differ func(string, ...any) error) error {
	st := vfs.StatOf(info)
	for _, check := range []struct {
		same bool
		what string
	}{
		{sameMode(h, info), "Mode differs"}, {st.UID == h.Uid, "Uid differs"}, {st.GID == h.Gid, "Gid differs"},
		{info.ModTime().Unix() == h.ModTime.Unix(), "Mod time differs"},
	} {
		if !check.same {
			if err := differ("%s", check.what); err != nil {
				return err
			}
		}
	}
	if info.Size() != h.Size {
		return differ("Size differs")
	}
	f, err := view.Open(name)
	if err != nil {
		x.job.differs = true
		x.job.note("%s: Warning: Cannot open: %v", name, openError(err))
		return nil
	}
	defer f.Close()
	same, err := x.sameContent(f, r)
	if err == nil && !same {
		err = differ("Contents differ")
	}
	return err
}

// sameContent reports whether two readers have the same to read.
func (x *tarExtractor) sameContent(a, b io.Reader) (bool, error) {
	left, right := make([]byte, 16<<10), make([]byte, 16<<10)
	for {
		n, err := io.ReadFull(b, right)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return false, err
		}
		m, _ := io.ReadFull(a, left[:n])
		if m < n || !bytes.Equal(left[:m], right[:n]) {
			return false, nil
		}
		if n < len(right) {
			return true, nil
		}
		if err := x.job.call.Poll(n >> 8); err != nil {
			return false, err
		}
	}
}
