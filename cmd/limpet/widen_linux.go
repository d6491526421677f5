package main

import (
	"io/fs"
	"os"
	"syscall"
)

// pipeSize is how much a pipe to another program holds, if the kernel allows it.
const pipeSize = 256 << 10

// widen makes the pipe that f is, if it is one, hold more: on one processor the
// writer and the reader take turns, and each turn costs as much as it does to copy many pages.
func widen(f *os.File) {
	info, err := f.Stat()
	if err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		return
	}
	// Where it fails, the pipe is as large as it was.
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_SETPIPE_SZ, pipeSize)
}
