package file

import (
	"io/fs"

	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

// verdict says what to do about a source and a destination.
type verdict uint8

const (
	goAhead verdict = iota
	nothingToDo
	sameFile // an error
)

func isLink(info fs.FileInfo) bool { return info.Mode().Type() == fs.ModeSymlink }

// sameEntry reports whether two names are one name of one file.
func (k *copier) sameEntry(a, b string) bool {
	if walk.Base(a) != walk.Base(b) {
		return false
	}
	x, err1 := k.c.FS.Stat(dirOf(a))
	y, err2 := k.c.FS.Stat(dirOf(b))
	return err1 == nil && err2 == nil && vfs.SameFile(x, y)
}

// compare decides whether src may go to dst where they are, or may be, the
// same file. srcInfo and dstInfo are what the copy has looked at.
func (k *copier) compare(src, dst string, srcInfo, dstInfo fs.FileInfo) verdict {
	same := vfs.SameFile(srcInfo, dstInfo)
	if same && k.hardLink {
		return nothingToDo
	}
	srcLink, dstLink := srcInfo, dstInfo
	if k.follow == walk.Never {
		if isLink(srcInfo) && isLink(dstInfo) {
			return k.compareLinks(src, dst, same)
		}
	} else {
		if !same {
			return goAhead
		}
		var err1, err2 error
		srcLink, err1 = k.c.FS.Lstat(src)
		dstLink, err2 = k.c.FS.Lstat(dst)
		if err1 != nil || err2 != nil || isLink(srcLink) && isLink(dstLink) && k.removeFirst {
			return goAhead
		}
	}
	sameLink := vfs.SameFile(srcLink, dstLink)
	if k.backup.wanted() {
		return k.compareKept(src, dst, srcLink, dstLink, sameLink)
	}
	if k.move || k.removeFirst {
		if isLink(dstLink) {
			return goAhead
		}
		if sameLink && vfs.StatOf(dstLink).Nlink > 1 && !k.sameEntry(src, dst) {
			return unless(k.move)
		}
	}
	switch {
	case !isLink(srcLink) && !isLink(dstLink) && !sameLink:
		return goAhead
	case k.move && isLink(srcInfo) && vfs.StatOf(dstLink).Nlink > 1:
		target, err := resolver{c: k.c, need: needAll}.resolve(src)
		return unless(err == nil && k.sameEntry(target, dst))
	case k.symLink && isLink(dstLink):
		return goAhead
	case k.follow == walk.Never && !k.sameTarget(src, dst):
		return goAhead
	}
	return sameFile
}

func unless(bad bool) verdict {
	if bad {
		return sameFile
	}
	return goAhead
}

// compareLinks is compare for two symbolic links that are not followed.
func (k *copier) compareLinks(src, dst string, same bool) verdict {
	switch {
	case k.sameEntry(src, dst):
		return sameFile
	case k.backup.wanted() || !same:
		return goAhead
	case k.move:
		return sameFile
	}
	return nothingToDo
}

// compareKept is compare where dst is moved aside first.
func (k *copier) compareKept(src, dst string, srcLink, dstLink fs.FileInfo, sameLink bool) verdict {
	if sameLink {
		return unless(k.sameEntry(src, dst))
	}
	return unless(!k.move && k.follow != walk.Never && isLink(srcLink) && !isLink(dstLink))
}

// sameTarget reports whether both names lead to one file, or cannot be told
// apart.
func (k *copier) sameTarget(src, dst string) bool {
	a, err1 := k.c.FS.Stat(src)
	b, err2 := k.c.FS.Stat(dst)
	return err1 == nil && err2 == nil && vfs.SameFile(a, b)
}
