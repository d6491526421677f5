package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

func (j *unzipJob) makeDir(f *zip.File, name string) error {
	view := j.call.FS
	if _, err := view.Stat(name); err != nil {
		if err := view.MkdirAll(name, 0o777); err != nil {
			return j.fail(name, err)
		}
		j.say("   creating: %s/\n", name)
	}
	cost := 128 + len(name)
	if err := j.call.Alloc(cost); err != nil {
		return err
	}
	j.held += cost
	mode := fs.FileMode(0o777)
	if m := zipMode(&f.FileHeader); m != 0 {
		mode = filemode.Mode(m) & fs.ModePerm
	}
	j.dirs = append(j.dirs, restoredDir{name, mode &^ view.Umask, zipTime(&f.FileHeader, localZone(j.call))})
	return nil
}

// file extracts an entry that is no directory.
func (j *unzipJob) file(f *zip.File, name string) error {
	view := j.call.FS
	when := zipTime(&f.FileHeader, localZone(j.call))
	old, err := view.Lstat(name)
	switch {
	case err == nil:
		if (j.update || j.freshen) && !when.After(old.ModTime()) {
			return nil
		}
		var ok bool
		if name, ok, err = j.replace(name); !ok || err != nil {
			return err
		}
		_ = view.Remove(name)
	case j.freshen:
		return nil
	default:
		if err := view.MkdirAll(path.Dir(name), 0o777); err != nil {
			return j.fail(name, err)
		}
	}
	if isSymlink(&f.FileHeader) {
		return j.link(f, name)
	}
	out, err := view.OpenFile(name, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_EXCL, 0o666)
	if err != nil {
		return j.fail(name, err)
	}
	j.say("%s: %-22s  ", verb(f), name)
	_, err = j.copyTo(out, f)
	if closeErr := out.Close(); err == nil {
		err = closeErr
	}
	j.say("\n")
	if err != nil {
		return err
	}
	if m := zipMode(&f.FileHeader); m != 0 {
		_ = view.Chmod(name, filemode.Mode(m)&fs.ModePerm&^view.Umask)
	}
	return view.Chtimes(name, when, when)
}

// link notes a symbolic link for the end.
func (j *unzipJob) link(f *zip.File, name string) error {
	var target bytes.Buffer
	if f.UncompressedSize64 > 4096 {
		return j.fail(name, vfs.ENAMETOOLONG)
	}
	if _, err := j.copyTo(&target, f); err != nil {
		return err
	}
	cost := 128 + len(name) + target.Len()
	if err := j.call.Alloc(cost); err != nil {
		return err
	}
	j.held += cost
	j.say("    linking: %-22s  -> %s \n", name, target.String())
	j.links = append(j.links, deferredLink{name, target.String()})
	return nil
}

// replace asks whether an existing file may be overwritten, unless an option
// has answered. The answer may be another name.
func (j *unzipJob) replace(name string) (string, bool, error) {
	for {
		switch {
		case j.never:
			return name, false, nil
		case j.overwrite:
			return name, true, nil
		}
		if err := j.out.Flush(); err != nil {
			return name, false, err
		}
		fmt.Fprintf(j.call.Stderr, "replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", name)
		if j.answers == nil {
			j.answers = bufio.NewReaderSize(j.call.Stdin, 256)
		}
		answer, err := j.answers.ReadSlice('\n')
		if err != nil {
			fmt.Fprint(j.call.Stderr, " NULL\n(EOF or read error, treating as \"[N]one\" ...)\n")
			j.never = true
			j.worsen(unzipWarning)
			continue
		}
		switch answer[0] {
		case 'y':
			return name, true, nil
		case 'n':
			return name, false, nil
		case 'A':
			j.overwrite = true
		case 'N':
			j.never = true
		case 'r':
			fmt.Fprint(j.call.Stderr, "new name: ")
			line, err := j.answers.ReadSlice('\n')
			if err != nil {
				return name, false, nil
			}
			name = strings.TrimSuffix(string(line), "\n")
			if _, err := j.call.FS.Lstat(name); err != nil {
				return name, true, nil
			}
		default:
			fmt.Fprintf(j.call.Stderr, "error:  invalid response [%s]\n", bytes.TrimSuffix(answer, []byte("\n")))
		}
	}
}

// copyTo copies the content of an entry. It reports whether the content is what
// it should be; the error is one that ends unzip.
func (j *unzipJob) copyTo(w io.Writer, f *zip.File) (bool, error) {
	sum, err := copyEntry(j.call, w, f)
	switch {
	case err == nil:
		return true, nil
	case errors.Is(err, zip.ErrChecksum):
		_ = j.out.Flush()
		fmt.Fprintf(j.call.Stderr, " bad CRC %08x  (should be %08x)\n", sum, f.CRC32)
	case errors.Is(err, zip.ErrAlgorithm):
		_ = j.out.Flush()
		fmt.Fprintf(j.call.Stderr, "   skipping: %-22s  unsupported compression method %d\n", f.Name, f.Method)
		j.worsen(81)
		return false, nil
	case j.call.Ends(err):
		return false, err
	default:
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			return false, err
		}
		_ = j.out.Flush()
		fmt.Fprint(j.call.Stderr, "  error:  invalid compressed data to inflate\n")
	}
	j.worsen(unzipError)
	return false, nil
}

// copyEntry copies the content of an entry, and returns its check sum.
func copyEntry(c *builtins.Call, w io.Writer, f *zip.File) (uint32, error) {
	r, err := f.Open()
	if err != nil {
		return 0, err
	}
	defer r.Close()
	sum := crc32.NewIEEE()
	_, err = transfer(c, io.MultiWriter(w, sum), r)
	return sum.Sum32(), err
}

// finish makes the links and sets the times of directories.
func (j *unzipJob) finish() error {
	view := j.call.FS
	if len(j.links) > 0 {
		j.say("finishing deferred symbolic links:\n")
	}
	for _, l := range j.links {
		j.say("  %-22s -> %s\n", l.name, l.target)
		if err := view.Symlink(l.target, l.name); err != nil {
			if err := j.fail(l.name, err); err != nil {
				return err
			}
		}
	}
	for i := len(j.dirs) - 1; i >= 0; i-- {
		d := j.dirs[i]
		_ = view.Chmod(d.name, d.mode)
		_ = view.Chtimes(d.name, d.mtime, d.mtime)
	}
	return nil
}
