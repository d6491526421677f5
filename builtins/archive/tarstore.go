package archive

import (
	"archive/tar"
	"bufio"
	"cmp"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// openError returns the reason for which a file cannot be used.
func openError(err error) error { return vfs.ErrnoOf(err) }

// A tarWriter stores files in an archive.
type tarWriter struct {
	job           *tarJob
	tar           *tar.Writer
	size          *counter
	users, groups *account.Table
	links         map[[2]uint64]string // names of files that have several
	self          fs.FileInfo          // the archive
	have          map[string]time.Time // for -u: what the archive has, and its time
	remove        []string             // for --remove-files
}

// create writes a new archive.
func (j *tarJob) create() error {
	c := j.call
	if j.auto && j.method == nil {
		j.method = methodFor(j.archive)
	}
	var out io.Writer = c.Stdout
	var self fs.FileInfo
	if j.archive == "-" {
		j.messages = c.Stderr
	} else {
		f, err := c.FS.OpenFile(j.archive, vfs.O_WRONLY|vfs.O_CREATE|vfs.O_TRUNC, 0o666)
		if err != nil {
			return j.fatal("%s: Cannot open: %v", j.archive, openError(err))
		}
		defer f.Close()
		self, _ = f.Stat()
		out = f
	}
	buffered := bufio.NewWriterSize(out, bufferSize)
	var packed io.WriteCloser
	out = buffered
	if j.method != nil {
		m := member{level: j.method.standard}
		memory := j.method.memory
		if j.method.more != nil {
			memory += j.method.more(m)
		}
		if err := c.Alloc(memory); err != nil {
			return err
		}
		defer c.Free(memory)
		z, err := j.method.encode(buffered, m)
		if err != nil {
			return err
		}
		packed, out = z, z
	}
	if err := j.store(out, 0, self, nil); err != nil {
		return err
	}
	if packed != nil {
		if err := packed.Close(); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// store writes the operands to out, which is offset bytes into the archive, and
// ends the archive.
func (j *tarJob) store(out io.Writer, offset int64, self fs.FileInfo, have map[string]time.Time) error {
	size := &counter{Writer: out, n: offset}
	w := &tarWriter{
		job: j, tar: tar.NewWriter(size), size: size, users: account.Users(j.call.FS), groups: account.Groups(j.call.FS),
		links: map[[2]uint64]string{}, self: self, have: have,
	}
	for _, o := range j.operands {
		if err := w.operand(o); err != nil {
			return err
		}
	}
	if err := w.tar.Close(); err != nil {
		return err
	}
	if n := size.n % j.record; n > 0 {
		if _, err := transfer(j.call, size, io.LimitReader(zeros{}, j.record-n)); err != nil {
			return err
		}
	}
	if j.totals {
		j.sayTotals("written", size.n)
	}
	for _, name := range w.remove {
		if err := j.call.FS.Remove(name); err != nil {
			j.warn("%s: Cannot unlink: %v", name, openError(err))
		}
	}
	return nil
}

// operand stores a file and what is below it.
func (w *tarWriter) operand(o tarOperand) error {
	j := w.job
	call := *j.call
	call.FS = o.dir
	follow := walk.Never
	if j.dereference {
		follow = walk.Always
	}
	return walk.Tree(&call, o.name, walk.Options{Follow: follow, OneFS: j.oneFS}, func(e *walk.Entry) error {
		if e.Post {
			if e.Err != nil {
				j.warn("%s: Cannot open: %v", e.Path, openError(e.Err))
			}
			return nil
		}
		if j.selection.excludes(e.Path) {
			return walk.Skip
		}
		info, err := e.Info()
		if err != nil {
			j.unreadable("%s: %sCannot stat: %v", e.Path, openError(err))
			return nil
		}
		if info.IsDir() && len(j.tags) > 0 {
			if done, err := w.tagged(o.dir, e.Path, info); done || err != nil {
				return cmp.Or(err, walk.Skip)
			}
		}
		if err := w.file(o.dir, e.Path, info); err != nil {
			return err
		}
		if !j.recurse {
			return walk.Skip
		}
		return nil
	})
}

// unreadable says that a file cannot be read, and fails unless that is to be
// ignored. The format has a place for the word that makes it a warning.
func (j *tarJob) unreadable(format, name string, err error) {
	if j.ignoreFailedRead {
		j.note(format, shownName(name), "Warning: ", err)
		return
	}
	j.warn(format, shownName(name), "", err)
}

// tagged stores what is wanted of a directory with a tag, and reports whether it
// is one.
func (w *tarWriter) tagged(view *vfs.View, dir string, info fs.FileInfo) (done bool, err error) {
	for _, tag := range w.job.tags {
		name := walk.Join(dir, tag.name)
		file, statErr := view.Lstat(name)
		if statErr != nil || tag.cache && !cacheTag(view, name) {
			continue
		}
		if tag.keep != keepNone {
			err = w.file(view, dir, info)
		}
		if w.job.verbose > 0 {
			what := map[tarKeep]string{keepTag: "contents not dumped", keepDir: "contents not dumped", keepNone: "directory not dumped"}[tag.keep]
			w.job.note("%s: contains a cache directory tag %s; %s", strings.TrimRight(dir, "/")+"/", tag.name, what)
		}
		if err == nil && tag.keep == keepTag {
			err = w.file(view, name, file)
		}
		return true, err
	}
	return false, nil
}

// cacheSignature is what the tag of a cache begins with.
const cacheSignature = "Signature: 8a477f597d28d172789f06886806bc55"

func cacheTag(view *vfs.View, name string) bool {
	f, err := view.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	b := make([]byte, len(cacheSignature))
	_, err = io.ReadFull(f, b)
	return err == nil && string(b) == cacheSignature
}

// file stores one file.
func (w *tarWriter) file(view *vfs.View, name string, info fs.FileInfo) error {
	j := w.job
	if w.self != nil && vfs.SameFile(w.self, info) {
		j.note("%s: file is the archive; not dumped", name)
		return nil
	}
	if j.newer != nil && !info.IsDir() && !info.ModTime().After(*j.newer) {
		return nil
	}
	stored, err := j.changed(j.safe(name, "member names"))
	if err != nil {
		return err
	}
	if old, ok := w.have[strings.TrimRight(stored, "/")]; ok && !info.ModTime().Truncate(time.Second).After(old) {
		return nil
	}
	h, err := w.header(view, name, stored, info)
	if h == nil || err != nil {
		return err
	}
	var content io.ReadCloser
	if h.Typeflag == tar.TypeReg {
		if content, err = view.Open(name); err != nil {
			j.unreadable("%s: %sCannot open: %v", name, openError(err))
			return nil
		}
		defer content.Close()
	}
	if err := w.tar.WriteHeader(h); err != nil {
		if j.call.Ends(err) {
			return err
		}
		j.warn("%s: %v", name, err)
		return nil
	}
	w.show(h, name)
	if j.removeFiles && !info.IsDir() {
		w.remove = append(w.remove, view.Abs(name))
	}
	if content == nil {
		return nil
	}
	return w.content(name, content, h.Size)
}

// content copies size bytes, with zeros for those that the file no longer has.
func (w *tarWriter) content(name string, in io.Reader, size int64) error {
	n, err := transfer(w.job.call, w.tar, io.LimitReader(in, size))
	if err != nil {
		var pathErr *fs.PathError
		if w.job.call.Ends(err) || !errors.As(err, &pathErr) {
			return err
		}
		w.job.warn("%s: Read error at byte %d, while reading %d bytes: %v", name, n, size-n, openError(err))
	} else if n < size {
		w.job.warn("%s: File shrank by %d bytes; padding with zeros", name, size-n)
	}
	if n < size {
		_, err = transfer(w.job.call, w.tar, io.LimitReader(zeros{}, size-n))
	}
	return err
}

// zeros is a reader of zeros without end.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

// header returns the header of a file, or none for what cannot be stored.
func (w *tarWriter) header(view *vfs.View, name, stored string, info fs.FileInfo) (*tar.Header, error) {
	j := w.job
	st := vfs.StatOf(info)
	h := &tar.Header{
		Name: stored, Mode: int64(filemode.Bits(info.Mode())), Uid: st.UID, Gid: st.GID,
		ModTime: info.ModTime().Truncate(time.Second), Format: tar.FormatGNU,
	}
	if j.format == "pax" || j.format == "posix" {
		h.Format, h.ModTime = tar.FormatPAX, info.ModTime()
	} else if j.format == "ustar" || j.format == "v7" {
		h.Format = tar.FormatUSTAR
	}
	w.own(h)
	if j.mtime != nil && !(j.clamp && h.ModTime.Before(*j.mtime)) {
		h.ModTime = *j.mtime
	}
	if j.chmod != nil {
		h.Mode = int64(j.chmod.Apply(uint32(h.Mode), info.IsDir(), uint32(view.Umask)))
	}
	switch mode := info.Mode(); mode.Type() {
	case 0:
		h.Typeflag, h.Size = tar.TypeReg, info.Size()
		if st.Nlink > 1 && !j.hardDereference {
			id := [2]uint64{st.Dev, st.Ino}
			if first, ok := w.links[id]; ok {
				h.Typeflag, h.Size, h.Linkname = tar.TypeLink, 0, j.safe(first, "hard link targets")
			} else {
				w.links[id] = stored
				j.safe(name, "hard link targets")
			}
		}
	case fs.ModeDir:
		h.Typeflag = tar.TypeDir
		h.Name = strings.TrimRight(stored, "/") + "/"
	case fs.ModeSymlink:
		target, err := view.Readlink(name)
		if err != nil {
			j.warn("%s: Cannot readlink: %v", name, openError(err))
			return nil, nil
		}
		if target, err = j.changed(target); err != nil {
			return nil, err
		}
		h.Typeflag, h.Linkname = tar.TypeSymlink, target
	case fs.ModeNamedPipe:
		h.Typeflag = tar.TypeFifo
	case fs.ModeDevice, fs.ModeDevice | fs.ModeCharDevice:
		h.Typeflag = tar.TypeBlock
		if mode&fs.ModeCharDevice != 0 {
			h.Typeflag = tar.TypeChar
		}
		major, minor := vfs.DevNumbers(st.Rdev)
		h.Devmajor, h.Devminor = int64(major), int64(minor)
	default:
		j.note("%s: socket ignored", name)
		return nil, nil
	}
	return h, nil
}

// own sets the owner that a header names.
func (w *tarWriter) own(h *tar.Header) {
	j := w.job
	set := func(o *tarOwner, table *account.Table, id *int, name *string) {
		if o != nil {
			*name = o.name
			if *id = o.id; o.id < 0 {
				*id, _ = table.ID(o.name)
			} else if o.name == "" {
				*name, _ = table.Name(o.id)
			}
		} else {
			*name, _ = table.Name(*id)
		}
		if j.numeric {
			*name = ""
		}
	}
	if user := j.call.User; user.UID == h.Uid {
		w.users.Add(user.Name, user.UID)
		w.groups.Add(user.Group, user.GID)
	}
	set(j.owner, w.users, &h.Uid, &h.Uname)
	set(j.group, w.groups, &h.Gid, &h.Gname)
}

// show prints the name of a file that has been stored.
func (w *tarWriter) show(h *tar.Header, name string) {
	j := w.job
	shown := *h
	if !j.showTransformed {
		shown.Name = name
		if h.Typeflag == tar.TypeDir {
			shown.Name = strings.TrimRight(name, "/") + "/"
		}
	}
	j.print(&shown)
}

// appendFiles adds files at the end of an archive.
func (j *tarJob) appendFiles() error {
	c := j.call
	f, err := c.FS.OpenFile(j.archive, vfs.O_RDWR|vfs.O_CREATE, 0o666)
	if err != nil {
		return j.fatal("%s: Cannot open: %v", j.archive, openError(err))
	}
	defer f.Close()
	if j.method != nil {
		return j.fatal("Cannot update compressed archives")
	}
	in := &counter{Reader: polled{f, c}}
	r := tar.NewReader(in)
	have, end := map[string]time.Time{}, int64(0)
	for {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return j.badArchive(err)
		}
		if _, err := transfer(c, io.Discard, r); err != nil {
			return j.badArchive(err)
		}
		end = (in.n + 511) &^ 511
		if j.mode == 'u' {
			have[path.Clean(h.Name)] = h.ModTime
		}
	}
	if _, err := f.Seek(end, io.SeekStart); err != nil {
		return err
	}
	if err := f.Truncate(end); err != nil {
		return err
	}
	self, _ := f.Stat()
	w := bufio.NewWriterSize(f, bufferSize)
	if err := j.store(w, end, self, have); err != nil {
		return err
	}
	return w.Flush()
}
