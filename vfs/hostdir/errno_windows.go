package hostdir

import (
	"errors"
	"syscall"

	"github.com/limpet-sh/limpet/vfs"
)

// The errors of Windows that package syscall has no name for.
const (
	errorInvalidHandle    syscall.Errno = 6
	errorInvalidName      syscall.Errno = 123
	errorDirectory        syscall.Errno = 267
	errorDiskFull         syscall.Errno = 112
	errorSharingViolation syscall.Errno = 32
)

// numbers has the errors that file systems give, by the host's numbers.
var numbers = map[syscall.Errno]vfs.Errno{
	syscall.ERROR_FILE_NOT_FOUND:     vfs.ENOENT,
	syscall.ERROR_PATH_NOT_FOUND:     vfs.ENOENT,
	errorInvalidName:                 vfs.ENOENT,
	syscall.ERROR_ACCESS_DENIED:      vfs.EACCES,
	errorSharingViolation:            vfs.EBUSY,
	syscall.ERROR_FILE_EXISTS:        vfs.EEXIST,
	syscall.ERROR_ALREADY_EXISTS:     vfs.EEXIST,
	syscall.ERROR_DIR_NOT_EMPTY:      vfs.ENOTEMPTY,
	errorInvalidHandle:               vfs.EBADF,
	errorDirectory:                   vfs.ENOTDIR,
	errorDiskFull:                    vfs.ENOSPC,
	syscall.EISDIR:                   vfs.EISDIR,
	syscall.EINVAL:                   vfs.EINVAL,
	syscall.ELOOP:                    vfs.ELOOP,
	syscall.ENOTEMPTY:                vfs.ENOTEMPTY,
	syscall.EWINDOWS:                 vfs.EOPNOTSUPP,
	syscall.ERROR_PRIVILEGE_NOT_HELD: vfs.EPERM,
}

// hostErrno returns the number of a host's error, 0 if it has none.
func hostErrno(err error) vfs.Errno {
	if e, ok := errors.AsType[syscall.Errno](err); ok {
		return numbers[e]
	}
	return 0
}
