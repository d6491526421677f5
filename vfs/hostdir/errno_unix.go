//go:build unix || js || wasip1

package hostdir

import (
	"errors"
	"syscall"

	"github.com/limpet-sh/limpet/vfs"
)

// numbers has the errors that file systems give, by the host's numbers.
var numbers = map[syscall.Errno]vfs.Errno{
	syscall.EPERM:        vfs.EPERM,
	syscall.ENOENT:       vfs.ENOENT,
	syscall.EINTR:        vfs.EINTR,
	syscall.EIO:          vfs.EIO,
	syscall.ENXIO:        vfs.ENXIO,
	syscall.EBADF:        vfs.EBADF,
	syscall.EAGAIN:       vfs.EAGAIN,
	syscall.ENOMEM:       vfs.ENOMEM,
	syscall.EACCES:       vfs.EACCES,
	syscall.EBUSY:        vfs.EBUSY,
	syscall.EEXIST:       vfs.EEXIST,
	syscall.EXDEV:        vfs.EXDEV,
	syscall.ENODEV:       vfs.ENODEV,
	syscall.ENOTDIR:      vfs.ENOTDIR,
	syscall.EISDIR:       vfs.EISDIR,
	syscall.EINVAL:       vfs.EINVAL,
	syscall.ENFILE:       vfs.ENFILE,
	syscall.EMFILE:       vfs.EMFILE,
	syscall.EFBIG:        vfs.EFBIG,
	syscall.ENOSPC:       vfs.ENOSPC,
	syscall.ESPIPE:       vfs.ESPIPE,
	syscall.EROFS:        vfs.EROFS,
	syscall.EMLINK:       vfs.EMLINK,
	syscall.ENAMETOOLONG: vfs.ENAMETOOLONG,
	syscall.ENOSYS:       vfs.ENOSYS,
	syscall.ENOTEMPTY:    vfs.ENOTEMPTY,
	syscall.ELOOP:        vfs.ELOOP,
	syscall.EOPNOTSUPP:   vfs.EOPNOTSUPP,
	syscall.EDQUOT:       vfs.EDQUOT,
}

// hostErrno returns the number of a host's error, 0 if it has none.
func hostErrno(err error) vfs.Errno {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return numbers[e]
	}
	return 0
}
