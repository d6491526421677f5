package archive

import (
	"archive/tar"
	"fmt"
	"io"
	"io/fs"

	"github.com/limpet-sh/limpet/vfs"
)

// WriteTar writes what is below dir to w as a tar archive, with modes, owners,
// times and links.
func WriteTar(w io.Writer, fsys vfs.FS, dir string) error {
	t := tar.NewWriter(w)
	first := map[[2]uint64]string{} // the names of files that have several
	err := walk(fsys, dir, func(f file) error {
		st := vfs.StatOf(f.info)
		if f.info.Mode()&fs.ModeSocket != 0 {
			return nil // no archive can hold one
		}
		h, err := tarHeader(fsys, f, st)
		if err != nil {
			return err
		}
		if id := [2]uint64{st.Dev, st.Ino}; st.Nlink > 1 && st.Ino != 0 && !f.info.IsDir() {
			if name, ok := first[id]; ok {
				h.Typeflag, h.Linkname, h.Size = tar.TypeLink, name, 0
			} else {
				first[id] = f.name
			}
		}
		if err := t.WriteHeader(h); err != nil || h.Typeflag != tar.TypeReg {
			return err
		}
		return copyFrom(t, fsys, f.path)
	})
	if err != nil {
		return err
	}
	return t.Close()
}

func tarHeader(fsys vfs.FS, f file, st *vfs.Stat) (*tar.Header, error) {
	link := ""
	if f.info.Mode()&fs.ModeSymlink != 0 {
		var err error
		if link, err = fsys.ReadlinkIfPossible(f.path); err != nil {
			return nil, err
		}
	}
	h, err := tar.FileInfoHeader(f.info, link)
	if err != nil {
		return nil, err
	}
	h.Name, h.Uid, h.Gid, h.Format = f.name, st.UID, st.GID, tar.FormatPAX
	if f.info.IsDir() {
		h.Name += "/"
	}
	if f.info.Mode()&fs.ModeDevice != 0 {
		major, minor := vfs.DevNumbers(st.Rdev)
		h.Devmajor, h.Devminor = int64(major), int64(minor)
	}
	return h, nil
}

func copyFrom(w io.Writer, fsys vfs.FS, name string) error {
	f, err := fsys.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = io.Copy(w, f)
	return err
}

// ReadTar makes the files of the tar archive r below dir, which exists. Owners
// are set if the user of fsys may set them.
func ReadTar(r io.Reader, fsys vfs.FS, dir string) error {
	a := tar.NewReader(r)
	t := target{fsys: fsys, dir: dir}
	for {
		h, err := a.Next()
		if err == io.EOF {
			return t.finish()
		}
		if err == nil {
			err = t.readTar(a, h)
		}
		if err != nil {
			return err
		}
	}
}

func (t *target) readTar(r io.Reader, h *tar.Header) error {
	at, err := t.place(h.Name)
	if err != nil {
		return err
	}
	mode := h.FileInfo().Mode()
	if h.Typeflag == tar.TypeDir {
		if err := t.mkdir(at, mode, h.ModTime); err != nil {
			return err
		}
		return t.own(at, h)
	}
	if err := t.vacate(at); err != nil {
		return err
	}
	switch h.Typeflag {
	case tar.TypeReg:
		err = t.write(at, r, mode)
	case tar.TypeSymlink:
		err = t.fsys.SymlinkIfPossible(h.Linkname, at)
	case tar.TypeLink:
		var old string
		if old, err = t.place(h.Linkname); err == nil {
			return t.fsys.Link(old, at)
		}
	case tar.TypeFifo, tar.TypeChar, tar.TypeBlock:
		err = t.fsys.Mknod(at, mode, vfs.Dev(uint32(h.Devmajor), uint32(h.Devminor)))
	case tar.TypeXGlobalHeader:
		return nil
	default:
		err = fmt.Errorf("archive: %q is of the unknown type %q", h.Name, h.Typeflag)
	}
	if err != nil {
		return err
	}
	if err := t.own(at, h); err != nil {
		return err
	}
	return t.fsys.Lchtimes(at, h.ModTime, h.ModTime)
}

// own gives the file at to the owner that h names, and its mode again, from
// which that may take bits.
func (t *target) own(at string, h *tar.Header) error {
	if t.fsys.Lchown(at, h.Uid, h.Gid) != nil || h.Typeflag == tar.TypeSymlink {
		return nil
	}
	return t.fsys.Chmod(at, h.FileInfo().Mode())
}

// write makes the file at of what r holds.
func (t *target) write(at string, r io.Reader, mode fs.FileMode) error {
	f, err := t.fsys.OpenFile(at, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}
