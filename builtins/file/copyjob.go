package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// A copyJob is the copy of one file.
type copyJob struct {
	*copier
	src, dst string
	info     fs.FileInfo // of src
	depth    int
	old      fs.FileInfo // of what is at dst; nil where there is nothing
	kept     string      // where old has been moved to
}

// seen reports whether an operand was given before; it warns then.
func (j *copyJob) seen() (bool, error) {
	id := identify(j.info)
	if j.depth > 0 || id == (identity{}) {
		return false, nil
	}
	if name, ok := j.sources[id]; ok && !j.info.IsDir() && !j.backup.wanted() && j.sameEntry(name, j.src) {
		fmt.Fprintf(j.c.Stderr, "%s: warning: source file %s specified more than once\n", j.c.Name, builtins.Quote(j.src))
		return true, nil
	}
	return false, j.record(j.sources, id, j.src)
}

// prepare looks at what is at the destination, and clears it away where need
// be. It reports whether nothing remains to be done.
func (j *copyJob) prepare() (done bool, err error) {
	if base := walk.Base(j.src); j.move && (base == "." || base == "..") {
		return false, nil // which no renaming moves, whatever is there
	}
	if err := j.look(); err != nil || j.old == nil {
		return false, err
	}
	switch j.compare(j.src, j.dst, j.info, j.old) {
	case sameFile:
		return false, fmt.Errorf("%s and %s are the same file", builtins.Quote(j.src), builtins.Quote(j.dst))
	case nothingToDo:
		return true, nil
	}
	if j.update && !j.info.IsDir() && !j.old.ModTime().Before(j.info.ModTime()) {
		return true, nil
	}
	if j.declined() {
		return true, nil
	}
	if err := j.conflict(); err != nil {
		return false, err
	}
	return false, j.clear()
}

// look finds out what is at the destination.
func (j *copyJob) look() (err error) {
	itself := !j.info.Mode().IsRegular() && !j.asRegular || j.info.IsDir() || isLink(j.info) ||
		j.move || j.symLink || j.hardLink || j.backup.wanted() || j.removeFirst
	if itself {
		j.old, err = j.c.FS.Lstat(j.dst)
	} else {
		j.old, err = j.c.FS.Stat(j.dst)
	}
	switch {
	case err == nil, reason(err) == vfs.ENOENT, j.force && reason(err) == vfs.ELOOP:
		return nil
	case j.move && reason(err) == vfs.ENOTDIR && strings.HasSuffix(j.dst, "/"):
		return nil // and the renaming fails
	}
	return fmt.Errorf("cannot stat %s: %w", builtins.Quote(j.dst), reason(err))
}

// declined asks, where it has to, whether to overwrite the destination.
func (j *copyJob) declined() bool {
	if j.info.IsDir() && !j.move {
		return false
	}
	protected := !isLink(j.old) && !mayWrite(j.c, j.old)
	switch {
	case j.clobber == overwriteNever:
		return true
	case j.clobber == overwriteAsked:
	case j.move && j.clobber == overwrite && protected && builtins.Interactive(j.c.Stdin):
	default:
		return false
	}
	_ = j.out.Flush()
	name := builtins.Quote(j.dst)
	bits := filemode.Unix(j.old.Mode())
	switch {
	case !protected:
		return !ask(j.c, "overwrite %s?", name)
	case j.move || j.removeFirst || j.force:
		return !ask(j.c, "replace %s, overriding mode %04o (%s)?", name, bits&filemode.All, filemode.Letters(bits)[1:])
	}
	return !ask(j.c, "unwritable %s (mode %04o, %s); try anyway?", name, bits&filemode.All, filemode.Letters(bits)[1:])
}

// conflict fails if what is at the destination must not be replaced.
func (j *copyJob) conflict() error {
	src, dst := builtins.Quote(j.src), builtins.Quote(j.dst)
	aside := j.move && j.backup.wanted()
	switch {
	case !j.old.IsDir() && j.info.IsDir() && !aside:
		return fmt.Errorf("cannot overwrite non-directory %s with directory %s", dst, src)
	case j.old.IsDir() && !j.info.IsDir() && !aside:
		return fmt.Errorf("cannot overwrite directory %s with non-directory", dst)
	}
	if _, ok := j.created[identify(j.old)]; ok && j.depth == 0 && !j.old.IsDir() && !j.backup.wanted() {
		return fmt.Errorf("will not overwrite just-created %s with %s", dst, src)
	}
	return nil
}

// clear moves aside or removes what is at the destination, if that is wanted.
func (j *copyJob) clear() error {
	base := walk.Base(j.src)
	if j.backup.wanted() && base != "." && base != ".." && (j.move || !j.old.IsDir()) {
		if j.backup.name(j.c, j.dst) == j.src && j.backup.control != "numbered" {
			verb := "copied"
			if j.move {
				verb = "moved"
			}
			return fmt.Errorf("backing up %s might destroy source;  %s not %s", builtins.Quote(j.dst), builtins.Quote(j.src), verb)
		}
		kept, err := j.backup.keep(j.c, j.dst)
		if err != nil {
			return fmt.Errorf("cannot backup %s: %w", builtins.Quote(j.dst), reason(err))
		}
		j.kept, j.old = kept, nil
		return nil
	}
	replace := j.removeFirst || !j.move && (j.preserve.links && vfs.StatOf(j.old).Nlink > 1 || j.follow == walk.Never && !j.info.Mode().IsRegular())
	if j.old.IsDir() || !replace {
		return nil
	}
	return j.unlink()
}

// unlink removes what is at the destination.
func (j *copyJob) unlink() error {
	if err := j.c.FS.Remove(j.dst); err != nil && reason(err) != vfs.ENOENT {
		return fmt.Errorf("cannot remove %s: %w", builtins.Quote(j.dst), reason(err))
	}
	if j.verbose {
		fmt.Fprintf(j.out, "removed %s\n", builtins.Quote(j.dst))
	}
	j.old = nil
	return nil
}

// perform moves or copies, and reports whether the content of a directory
// remains to be copied.
func (j *copyJob) perform() (descend bool, err error) {
	if j.verbose && !j.move && !j.info.IsDir() {
		j.announce("", j.src, j.dst, j.kept)
	}
	if done, err := j.again(); done || err != nil {
		return false, err
	}
	if j.move && j.depth == 0 {
		if done, err := j.rename(); done || err != nil {
			return false, err
		}
	} else if j.move && j.verbose && !j.info.IsDir() {
		j.announce("copied ", j.src, j.dst, "")
	}
	if j.info.IsDir() {
		return j.directory()
	}
	made := j.old == nil
	if err := j.content(); err != nil {
		return false, err
	}
	return false, j.finish(made)
}

// again deals with files that have been copied before under another name.
func (j *copyJob) again() (done bool, err error) {
	id := identify(j.info)
	several := vfs.StatOf(j.info).Nlink > 1 || j.follow == walk.Always || j.follow == walk.Operand && j.depth == 0
	switch {
	case id == (identity{}):
		return false, nil
	case j.info.IsDir():
		return j.directoryAgain(id)
	case !j.preserve.links || j.hardLink || !several:
		return false, nil
	}
	first, ok := j.copied[id]
	if !ok {
		return false, j.record(j.copied, id, j.dst)
	}
	err = j.c.FS.Link(first, j.dst)
	if reason(err) == vfs.EEXIST {
		if err = j.unlink(); err == nil {
			err = j.c.FS.Link(first, j.dst)
		}
	}
	if err != nil {
		return false, fmt.Errorf("cannot create hard link %s to %s: %w", builtins.Quote(j.dst), builtins.Quote(first), reason(err))
	}
	return true, nil
}

func (j *copyJob) directoryAgain(id identity) (done bool, err error) {
	if id == j.top {
		j.stop = true
		return true, fmt.Errorf("cannot copy a directory, %s, into itself, %s", builtins.Quote(j.copier.src), builtins.Quote(j.copier.dst))
	}
	if j.depth > 0 || !j.recursive || j.move {
		return false, nil
	}
	if to, ok := j.copied[id]; ok && j.sameEntry(to, j.dst) {
		fmt.Fprintf(j.c.Stderr, "%s: warning: source directory %s specified more than once\n", j.c.Name, builtins.Quote(j.src))
		return true, nil
	}
	return false, j.record(j.copied, id, j.dst)
}

// rename moves the file if that can be done within its file system.
func (j *copyJob) rename() (done bool, err error) {
	err = j.c.FS.Rename(j.src, j.dst)
	src, dst := builtins.Quote(j.src), builtins.Quote(j.dst)
	switch reason(err) {
	case nil:
		if j.verbose {
			j.announce("renamed ", j.src, j.dst, j.kept)
		}
		return true, j.remember()
	case vfs.EXDEV:
		j.crossed = true
	case vfs.EINVAL:
		return false, fmt.Errorf("cannot move %s to a subdirectory of itself, %s", src, dst)
	default:
		return false, fmt.Errorf("cannot move %s to %s: %w", src, dst, reason(err))
	}
	if j.old != nil {
		if err := j.c.FS.Remove(j.dst); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, fmt.Errorf("inter-device move failed: %s to %s; unable to remove target: %w", src, dst, reason(err))
		}
		j.old = nil
	}
	if j.verbose && !j.info.IsDir() {
		j.announce("copied ", j.src, j.dst, j.kept)
	}
	return false, nil
}

// directory makes the directory that the content of another goes to.
func (j *copyJob) directory() (descend bool, err error) {
	d := copiedDir{made: j.old == nil, bits: j.plainBits(j.info)}
	if d.made {
		if err := j.c.FS.Mkdir(j.dst, filemode.Mode(d.bits&0o755|0o700)); err != nil {
			return false, fmt.Errorf("cannot create directory %s: %w", builtins.Quote(j.dst), reason(err))
		}
		if j.c.FS.Umask&0o700 != 0 {
			_ = j.c.FS.Chmod(j.dst, 0o700)
		}
		if j.depth == 0 {
			if info, err := j.c.FS.Lstat(j.dst); err == nil {
				j.top = identify(info)
			}
		}
		switch {
		case j.verbose && j.move:
			fmt.Fprintf(j.out, "created directory %s\n", builtins.Quote(j.dst))
		case j.verbose:
			j.announce("", j.src, j.dst, j.kept)
		}
	}
	j.dirs = append(j.dirs[:j.depth], d)
	return true, nil
}

// finish gives a copy its attributes, and remembers it.
func (j *copyJob) finish(made bool) error {
	if j.hardLink || j.symLink {
		return j.remember()
	}
	if err := j.keepAttributes(j.dst, j.info, made, j.plainBits(j.info)); err != nil {
		return err
	}
	return j.remember()
}

// remember notes what an operand became, so that no later one overwrites it.
func (j *copyJob) remember() error {
	if j.depth > 0 {
		return nil
	}
	info, err := j.c.FS.Lstat(j.dst)
	if err != nil || identify(info) == (identity{}) {
		return nil
	}
	return j.record(j.created, identify(info), j.dst)
}
