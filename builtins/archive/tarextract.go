package archive

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/account"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/vfs"
)

// A tarExtractor restores members. Links that lead out of the directory are
// made last, so that no member is written through one, and the times and modes
// of directories are set when nothing more is written there.
type tarExtractor struct {
	job           *tarJob
	users, groups *account.Table
	dirs          []restored
	links         []restored
	held          int // bytes of memory
}

// restoredCost is about what a restoration that is put off holds.
const restoredCost = 512

// A restored is a directory or link whose treatment is put off.
type restored struct {
	view   *vfs.View
	name   string
	header *tar.Header
}

// member restores a member.
func (x *tarExtractor) member(r io.Reader, h *tar.Header, operand int) error {
	j := x.job
	stripped, ok := j.names.stripped(h.Name)
	if !ok {
		return nil
	}
	name, err := j.changed(stripped)
	if err != nil {
		return err
	}
	name = j.underTop(j.safe(name, "member names"))
	shown := *h
	if j.showTransformed {
		shown.Name = name
	}
	if err := j.print(&shown); err != nil {
		return err
	}
	if j.toStdout {
		if h.Typeflag == tar.TypeReg {
			_, err = transfer(j.call, j.call.Stdout, r)
		}
		return err
	}
	if j.command != "" {
		return x.toCommand(j.ctx, r, h)
	}
	view := j.view
	if operand >= 0 {
		view = j.operands[operand].dir
	}
	name = strings.TrimRight(name, "/")
	if name == "" {
		name = "/"
	}
	err = x.restore(view, r, h, name)
	var pathErr *fs.PathError
	if err != nil && !j.call.Ends(err) && errors.As(err, &pathErr) {
		j.warn("%s: Cannot write: %v", shownName(h.Name), openError(err))
		return nil
	}
	return err
}

// underTop returns the name below the directory of --one-top-level.
func (j *tarJob) underTop(name string) string {
	if j.top == "" {
		return name
	}
	bare := strings.TrimPrefix(name, "./")
	if bare == j.top || strings.HasPrefix(bare, j.top+"/") {
		return name
	}
	return j.top + "/" + bare
}

// restore makes the file of a member.
func (x *tarExtractor) restore(view *vfs.View, r io.Reader, h *tar.Header, name string) error {
	j := x.job
	old, statErr := view.Lstat(name)
	if h.Typeflag == tar.TypeDir {
		return x.directory(view, h, name, old)
	}
	if statErr == nil {
		switch {
		case j.skipOld:
			return nil
		case j.keepNewer && !h.ModTime.After(old.ModTime()):
			j.note("Current %s is newer or same age", builtins.QuoteLocale(name))
			return nil
		case j.keep:
		case j.overwrite && h.Typeflag == tar.TypeReg && old.Mode().IsRegular():
		case j.recursiveUnlink && old.IsDir():
			_ = view.RemoveAll(name)
		default:
			_ = view.Remove(name)
		}
	} else if err := view.MkdirAll(path.Dir(name), 0o777); err != nil {
		j.warn("%s: Cannot mkdir: %v", path.Dir(name), openError(err))
		return nil
	}
	switch h.Typeflag {
	case tar.TypeReg:
		return x.regular(view, r, h, name)
	case tar.TypeLink:
		x.hardLink(view, h, name)
		return nil
	case tar.TypeSymlink:
		target := h.Linkname
		if !j.names.absolute && (strings.HasPrefix(target, "/") || hasDotDot(target)) {
			return x.later(&x.links, restored{view, name, h})
		}
		x.symlink(view, h, name)
		return nil
	case tar.TypeFifo, tar.TypeChar, tar.TypeBlock:
		return x.node(view, h, name)
	}
	j.warn("%s: Unknown file type '%c', extracted as normal file", name, h.Typeflag)
	return x.regular(view, r, h, name)
}

func hasDotDot(name string) bool {
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

func (x *tarExtractor) directory(view *vfs.View, h *tar.Header, name string, old fs.FileInfo) error {
	if old != nil && old.IsDir() && x.job.keepDirs {
		return nil
	}
	if old != nil && !old.IsDir() {
		if target, err := view.Stat(name); err != nil || !target.IsDir() || !x.job.keepDirLink {
			_ = view.Remove(name)
			old = nil
		}
	}
	if old == nil {
		if err := view.MkdirAll(name, 0o777); err != nil {
			x.job.warn("%s: Cannot mkdir: %v", name, openError(err))
			return nil
		}
	}
	return x.later(&x.dirs, restored{view, name, h})
}

// later puts off the rest of a restoration.
func (x *tarExtractor) later(list *[]restored, r restored) error {
	cost := restoredCost + len(r.name) + len(r.header.Name) + len(r.header.Linkname)
	if err := x.job.call.Alloc(cost); err != nil {
		return err
	}
	x.held += cost
	*list = append(*list, r)
	return nil
}

func (x *tarExtractor) regular(view *vfs.View, r io.Reader, h *tar.Header, name string) error {
	j := x.job
	flag := vfs.O_WRONLY | vfs.O_CREATE | vfs.O_EXCL
	if j.overwrite {
		flag = vfs.O_WRONLY | vfs.O_CREATE | vfs.O_TRUNC
	}
	f, err := view.OpenFile(name, flag, 0o600)
	if err != nil {
		j.warn("%s: Cannot open: %v", name, openError(err))
		return nil
	}
	_, err = transfer(j.call, f, r)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	x.attributes(view, name, h)
	return nil
}

func (x *tarExtractor) hardLink(view *vfs.View, h *tar.Header, name string) {
	j := x.job
	target, ok := j.names.stripped(h.Linkname)
	if !ok {
		return
	}
	target, err := j.changed(target)
	if err == nil {
		target = j.underTop(j.safe(target, "hard link targets"))
		if err = view.Link(target, name); errors.Is(err, fs.ErrExist) && sameFile(view, target, name) {
			return
		}
	}
	if err != nil {
		j.warn("%s: Cannot hard link to %s: %v", name, builtins.QuoteLocale(target), openError(err))
	}
}

// sameFile reports whether two names are those of one file.
func sameFile(view *vfs.View, a, b string) bool {
	x, errX := view.Lstat(a)
	y, errY := view.Lstat(b)
	return errX == nil && errY == nil && vfs.SameFile(x, y)
}

func (x *tarExtractor) symlink(view *vfs.View, h *tar.Header, name string) {
	j := x.job
	target, err := j.changed(h.Linkname)
	if err == nil {
		err = view.Symlink(target, name)
	}
	if err != nil {
		j.warn("%s: Cannot create symlink to %s: %v", name, builtins.QuoteLocale(target), openError(err))
		return
	}
	if x.ownership() {
		uid, gid := x.owner(h)
		_ = view.Lchown(name, uid, gid)
	}
	if !j.touch {
		_ = view.Lchtimes(name, h.ModTime, h.ModTime)
	}
}

func (x *tarExtractor) node(view *vfs.View, h *tar.Header, name string) error {
	mode := filemode.Mode(uint32(h.Mode)) | fs.ModeNamedPipe
	switch h.Typeflag {
	case tar.TypeChar:
		mode ^= fs.ModeNamedPipe | fs.ModeDevice | fs.ModeCharDevice
	case tar.TypeBlock:
		mode ^= fs.ModeNamedPipe | fs.ModeDevice
	}
	if err := view.Mknod(name, mode, vfs.Dev(uint32(h.Devmajor), uint32(h.Devminor))); err != nil {
		x.job.warn("%s: Cannot mknod: %v", name, openError(err))
		return nil
	}
	x.attributes(view, name, h)
	return nil
}

// attributes sets owner, mode and time of a file.
func (x *tarExtractor) attributes(view *vfs.View, name string, h *tar.Header) {
	j := x.job
	if x.ownership() {
		uid, gid := x.owner(h)
		if err := view.Chown(name, uid, gid); err != nil {
			j.warn("%s: Cannot change ownership to uid %d, gid %d: %v", name, uid, gid, openError(err))
		}
	}
	mode := filemode.Mode(uint32(h.Mode))
	root := j.call.User.UID == 0
	if j.samePermissions != nil && !*j.samePermissions || j.samePermissions == nil && !root {
		mode = mode &^ view.Umask & fs.ModePerm
	}
	if err := view.Chmod(name, mode); err != nil {
		j.warn("%s: Cannot change mode to %s: %v", name, filemode.Letters(uint32(h.Mode))[1:], openError(err))
	}
	if !j.touch {
		if err := view.Chtimes(name, time.Time{}, h.ModTime); err != nil {
			j.warn("%s: Cannot utime: %v", name, openError(err))
		}
	}
}

// ownership reports whether files get the owners that the archive names.
func (x *tarExtractor) ownership() bool {
	if x.job.sameOwner != nil {
		return *x.job.sameOwner
	}
	return x.job.call.User.UID == 0
}

func (x *tarExtractor) owner(h *tar.Header) (uid, gid int) {
	if x.users == nil {
		x.users, x.groups = account.Users(x.job.call.FS), account.Groups(x.job.call.FS)
	}
	uid, gid = h.Uid, h.Gid
	if !x.job.numeric {
		if id, ok := x.users.ID(h.Uname); ok && h.Uname != "" {
			uid = id
		}
		if id, ok := x.groups.ID(h.Gname); ok && h.Gname != "" {
			gid = id
		}
	}
	return uid, gid
}

// finish makes the links and sets the attributes that were put off.
func (x *tarExtractor) finish() error {
	defer func() { x.job.call.Free(x.held) }()
	for _, l := range x.links {
		x.symlink(l.view, l.header, l.name)
	}
	for i := len(x.dirs) - 1; i >= 0; i-- {
		if err := x.job.call.Poll(1); err != nil {
			return err
		}
		d := x.dirs[i]
		x.attributes(d.view, d.name, d.header)
	}
	return nil
}
