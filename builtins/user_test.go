package builtins

import (
	"io/fs"
	"testing"
	"time"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/stretchr/testify/require"
)

// A file is the status of one, of user 1 and group 2.
type file fs.FileMode

func (f file) Name() string       { return "file" }
func (f file) Size() int64        { return 0 }
func (f file) Mode() fs.FileMode  { return fs.FileMode(f) }
func (f file) ModTime() time.Time { return time.Time{} }
func (f file) IsDir() bool        { return f.Mode().IsDir() }
func (f file) Sys() any           { return &vfs.Stat{UID: 1, GID: 2} }

func TestMay(t *testing.T) {
	root, owner := User{}, User{UID: 1, GID: 2}
	member, other := User{UID: 3, GID: 3, Groups: []int{2}}, User{UID: 3, GID: 3}
	for _, tt := range []struct {
		user   User
		mode   fs.FileMode
		access fs.FileMode
		want   bool
	}{
		{owner, 0o400, 4, true}, {owner, 0o077, 4, false}, {owner, 0o600, 6, true}, {owner, 0o400, 6, false},
		{member, 0o040, 4, true}, {member, 0o707, 4, false}, {other, 0o004, 4, true}, {other, 0o770, 4, false},
		{root, 0, 6, true}, {root, 0o666, 1, false}, {root, 0o001, 1, true}, {root, fs.ModeDir, 1, true},
	} {
		require.Equal(t, tt.want, tt.user.May(file(tt.mode), tt.access), "%+v", tt)
	}
}
