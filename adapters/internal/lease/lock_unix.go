//go:build unix

package lease

import (
	"os"
	"syscall"
)

// lock takes f, or fails at once.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
