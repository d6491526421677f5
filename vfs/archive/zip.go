package archive

import (
	"archive/zip"
	"errors"
	"io"
	"io/fs"

	"github.com/limpet-sh/limpet/vfs"
)

// WriteZip writes what is below dir to w as a zip archive, with modes, times of
// modification and symbolic links. FIFOs and devices are left out, and a file
// with several names becomes several files: the format has neither.
func WriteZip(w io.Writer, fsys vfs.FS, dir string) error {
	z := zip.NewWriter(w)
	err := walk(fsys, dir, func(f file) error {
		if f.info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice|fs.ModeSocket) != 0 {
			return nil
		}
		h, err := zip.FileInfoHeader(f.info)
		if err != nil {
			return err
		}
		h.Name, h.Method = f.name, zip.Deflate
		if f.info.IsDir() {
			h.Name, h.Method = f.name+"/", zip.Store
		}
		part, err := z.CreateHeader(h)
		switch {
		case err != nil || f.info.IsDir():
			return err
		case f.info.Mode()&fs.ModeSymlink != 0:
			text, err := fsys.ReadlinkIfPossible(f.path)
			if err != nil {
				return err
			}
			_, err = io.WriteString(part, text)
			return err
		}
		return copyFrom(part, fsys, f.path)
	})
	if err != nil {
		return err
	}
	return z.Close()
}

// maxLink is the length that the target of a symbolic link in a zip archive may
// have.
const maxLink = 4095

// ReadZip makes the files of the zip archive r, of size bytes, below dir, which
// exists.
func ReadZip(r io.ReaderAt, size int64, fsys vfs.FS, dir string) error {
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return err
	}
	t := target{fsys: fsys, dir: dir}
	for _, f := range z.File {
		if err := t.readZip(f); err != nil {
			return err
		}
	}
	return t.finish()
}

func (t *target) readZip(f *zip.File) error {
	at, err := t.place(f.Name)
	if err != nil {
		return err
	}
	mode := f.Mode()
	if mode.IsDir() {
		return t.mkdir(at, mode, f.Modified)
	}
	if err := t.vacate(at); err != nil {
		return err
	}
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if mode&fs.ModeSymlink != 0 {
		text, err := io.ReadAll(io.LimitReader(r, maxLink+1))
		if err == nil {
			err = t.fsys.SymlinkIfPossible(string(text), at)
		}
		return err
	}
	if err := t.write(at, r, mode); err != nil {
		return err
	}
	return t.fsys.Chtimes(at, f.Modified, f.Modified)
}
