package main

import (
	"io"
	"os"
	"syscall"
	"time"
)

// A terminal is what commands have as standard input where the user types: reading it
// ends with the command, so that no byte is lost to one that has been interrupted.
type terminal struct{ *os.File }

// openTerminal opens the terminal of the process, anew: its mode of opening is of no
// concern to the other programs that have it.
func openTerminal() (*terminal, error) {
	f, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	return &terminal{f}, nil
}

// interrupt ends what reads the terminal.
func (t *terminal) interrupt() {
	if t != nil {
		_ = t.SetReadDeadline(time.Unix(1, 0))
	}
}

// restart lets the terminal be read again.
func (t *terminal) restart() {
	if t != nil {
		_ = t.SetReadDeadline(time.Time{})
	}
}

// Read reads a line, or what there is of it.
func (t *terminal) Read(b []byte) (int, error) {
	n, err := t.File.Read(b)
	if os.IsTimeout(err) {
		err = io.EOF
	}
	return n, err
}

// Terminal reports that it is one.
func (*terminal) Terminal() bool { return true }
