package builtins

import (
	"io/fs"
	"slices"

	"github.com/limpet-sh/limpet/vfs"
)

// In reports whether gid is one of u's groups.
func (u *User) In(gid int) bool { return u.GID == gid || slices.Contains(u.Groups, gid) }

// May reports whether the mode of a file gives u all of access: 4 to read it, 2
// to write, 1 to execute or search it. The superuser may do all but execute what
// nobody may.
func (u *User) May(info fs.FileInfo, access fs.FileMode) bool {
	perm, st := info.Mode().Perm(), vfs.StatOf(info)
	switch {
	case u.UID == 0:
		return access&1 == 0 || info.IsDir() || perm&0o111 != 0
	case u.UID == st.UID:
		perm >>= 6
	case u.In(st.GID):
		perm >>= 3
	}
	return perm&access == access
}
