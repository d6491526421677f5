//go:build unix

package lease

import (
	"os"
	"syscall"
)

// lockShared takes f, which others may share, and waits for one who has it alone.
func lockShared(f *os.File) error { return flock(f, syscall.LOCK_SH) }

// lockAlone takes f, and waits for those who have it.
func lockAlone(f *os.File) error { return flock(f, syscall.LOCK_EX) }

// lock takes f, or fails at once.
func lock(f *os.File) error { return flock(f, syscall.LOCK_EX|syscall.LOCK_NB) }

func flock(f *os.File, how int) error {
	for {
		if err := syscall.Flock(int(f.Fd()), how); err != syscall.EINTR {
			return err
		}
	}
}
