package file

import (
	"io/fs"

	"github.com/limpet-sh/limpet/vfs"
)

// An identity is what the names of one file have in common. A zero one is of a
// file whose system does not tell.
type identity struct{ dev, ino uint64 }

func identify(info fs.FileInfo) identity {
	st := vfs.StatOf(info)
	if st.Ino == 0 {
		return identity{}
	}
	return identity{st.Dev, st.Ino}
}
