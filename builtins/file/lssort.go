package file

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/limpet-sh/limpet/internal/version"
	"github.com/limpet-sh/limpet/vfs"
)

// sortFiles puts files in the order that the options ask for.
func (l *lister) sortFiles(files []*lsFile) {
	if l.sort == "none" {
		return
	}
	order := l.order()
	slices.SortStableFunc(files, func(a, b *lsFile) int {
		if l.dirsFirst {
			if x, y := l.leadsToDir(a), l.leadsToDir(b); x != y {
				if x {
					return -1
				}
				return 1
			}
		}
		if l.reverse {
			a, b = b, a
		}
		if n := order(a, b); n != 0 {
			return n
		}
		return strings.Compare(a.name, b.name)
	})
}

// order returns the comparison that the sort is by. Names decide where it does
// not.
func (l *lister) order() func(a, b *lsFile) int {
	switch l.sort {
	case "size":
		return func(a, b *lsFile) int { return cmp.Compare(sizeOf(b), sizeOf(a)) }
	case "time":
		return func(a, b *lsFile) int { return l.when(b).Compare(l.when(a)) }
	case "extension":
		return func(a, b *lsFile) int { return strings.Compare(extension(a.name), extension(b.name)) }
	case "version":
		return func(a, b *lsFile) int { return version.Compare([]byte(a.name), []byte(b.name)) }
	case "width":
		return func(a, b *lsFile) int {
			return cmp.Compare(displayWidth(l.show(l.quote(a.name))), displayWidth(l.show(l.quote(b.name))))
		}
	}
	return func(a, b *lsFile) int { return 0 }
}

func sizeOf(f *lsFile) int64 {
	if f.info == nil {
		return 0
	}
	return f.info.Size()
}

// when returns the time of f that is shown and sorted by.
func (l *lister) when(f *lsFile) time.Time {
	if f.info == nil {
		return time.Time{}
	}
	st := vfs.StatOf(f.info)
	switch l.time {
	case "atime":
		return st.Atime
	case "ctime":
		return st.Ctime
	case "birth":
		return st.Birth
	}
	return f.info.ModTime()
}

// extension returns what follows the last period of name, with it.
func extension(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		return name[i:]
	}
	return ""
}

// leadsToDir reports whether f is a directory or a link to one.
func (l *lister) leadsToDir(f *lsFile) bool {
	return l.isDir(f) || f.targetInfo != nil && f.targetInfo.IsDir()
}
