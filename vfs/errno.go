package vfs

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
)

// An Errno is a file error as Linux numbers and words it, whatever the host. It
// matches the errors of package [fs]: errors.Is(ENOENT, fs.ErrNotExist).
type Errno uint16

// The errors that file systems, descriptors and commands report, with the
// numbers that Linux gives them.
const (
	EPERM        Errno = 1
	ENOENT       Errno = 2
	ESRCH        Errno = 3
	EINTR        Errno = 4
	EIO          Errno = 5
	ENXIO        Errno = 6
	E2BIG        Errno = 7
	ENOEXEC      Errno = 8
	EBADF        Errno = 9
	ECHILD       Errno = 10
	EAGAIN       Errno = 11
	ENOMEM       Errno = 12
	EACCES       Errno = 13
	EBUSY        Errno = 16
	EEXIST       Errno = 17
	EXDEV        Errno = 18
	ENODEV       Errno = 19
	ENOTDIR      Errno = 20
	EISDIR       Errno = 21
	EINVAL       Errno = 22
	ENFILE       Errno = 23
	EMFILE       Errno = 24
	ENOTTY       Errno = 25
	ETXTBSY      Errno = 26
	EFBIG        Errno = 27
	ENOSPC       Errno = 28
	ESPIPE       Errno = 29
	EROFS        Errno = 30
	EMLINK       Errno = 31
	EPIPE        Errno = 32
	ERANGE       Errno = 34
	ENAMETOOLONG Errno = 36
	ENOSYS       Errno = 38
	ENOTEMPTY    Errno = 39
	ELOOP        Errno = 40
	EOPNOTSUPP   Errno = 95
	ECONNREFUSED Errno = 111
	EDQUOT       Errno = 122
)

var errnos = map[Errno]struct {
	text string
	is   error
}{
	EPERM:        {"Operation not permitted", fs.ErrPermission},
	ENOENT:       {"No such file or directory", fs.ErrNotExist},
	ESRCH:        {"No such process", nil},
	EINTR:        {"Interrupted system call", nil},
	EIO:          {"Input/output error", nil},
	ENXIO:        {"No such device or address", nil},
	E2BIG:        {"Argument list too long", nil},
	ENOEXEC:      {"Exec format error", nil},
	EBADF:        {"Bad file descriptor", fs.ErrClosed},
	ECHILD:       {"No child processes", nil},
	EAGAIN:       {"Resource temporarily unavailable", nil},
	ENOMEM:       {"Cannot allocate memory", nil},
	EACCES:       {"Permission denied", fs.ErrPermission},
	EBUSY:        {"Device or resource busy", nil},
	EEXIST:       {"File exists", fs.ErrExist},
	EXDEV:        {"Invalid cross-device link", nil},
	ENODEV:       {"No such device", nil},
	ENOTDIR:      {"Not a directory", nil},
	EISDIR:       {"Is a directory", nil},
	EINVAL:       {"Invalid argument", fs.ErrInvalid},
	ENFILE:       {"Too many open files in system", nil},
	EMFILE:       {"Too many open files", nil},
	ENOTTY:       {"Inappropriate ioctl for device", nil},
	ETXTBSY:      {"Text file busy", nil},
	EFBIG:        {"File too large", nil},
	ENOSPC:       {"No space left on device", nil},
	ESPIPE:       {"Illegal seek", nil},
	EROFS:        {"Read-only file system", nil},
	EMLINK:       {"Too many links", nil},
	EPIPE:        {"Broken pipe", nil},
	ERANGE:       {"Numerical result out of range", nil},
	ENAMETOOLONG: {"File name too long", nil},
	ENOSYS:       {"Function not implemented", errors.ErrUnsupported},
	ENOTEMPTY:    {"Directory not empty", fs.ErrExist},
	ELOOP:        {"Too many levels of symbolic links", nil},
	EOPNOTSUPP:   {"Operation not supported", errors.ErrUnsupported},
	ECONNREFUSED: {"Connection refused", nil},
	EDQUOT:       {"Disk quota exceeded", nil},
}

// Error returns the text that strerror gives on Linux.
func (e Errno) Error() string {
	if row, ok := errnos[e]; ok {
		return row.text
	}
	return "Unknown error " + strconv.Itoa(int(e))
}

// Is reports whether e matches target, one of the errors of package [fs].
func (e Errno) Is(target error) bool {
	row := errnos[e]
	return row.is != nil && target == row.is
}

// ErrnoOf returns the [Errno] that err wraps or, failing that, the one that
// stands for the same error of package [fs]. It returns err itself if there is
// none, and nil for nil.
func ErrnoOf(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[Errno](err); ok {
		return e
	}
	for _, e := range []Errno{ENOENT, EEXIST, EACCES, EBADF, EINVAL, EOPNOTSUPP} {
		if errors.Is(err, errnos[e].is) {
			return e
		}
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return EINTR
	}
	return err
}

// pathError returns err as the failure of op on name.
func pathError(op, name string, err error) error {
	return &fs.PathError{Op: op, Path: name, Err: err}
}
