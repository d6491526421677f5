//go:build unix

package hostdir

import (
	"io/fs"
	"syscall"
)

// ownerOf returns the user and the group that a file of the host belongs to.
func ownerOf(host fs.FileInfo) [2]int {
	if s, ok := host.Sys().(*syscall.Stat_t); ok {
		return [2]int{int(s.Uid), int(s.Gid)}
	}
	return [2]int{-1, -1}
}
