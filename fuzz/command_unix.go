//go:build unix

package fuzz

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// killGroup makes what ends a command end all that it has started.
func killGroup(cmd *exec.Cmd) {
	// What this process ignores, as under nohup, its children would ignore too. What it
	// catches, and forgets, they do not.
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal), syscall.SIGHUP)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

// exitStatus is the status that a shell would report.
func exitStatus(s *os.ProcessState) int {
	if w, ok := s.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return s.ExitCode()
}
