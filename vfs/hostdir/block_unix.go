//go:build unix

package hostdir

import "syscall"

// noBlock keeps the opening of a FIFO of the host from waiting.
const noBlock = syscall.O_NONBLOCK
