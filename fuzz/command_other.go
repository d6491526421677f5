//go:build !unix

package fuzz

import (
	"os"
	"os/exec"
)

// killGroup does nothing: there are no process groups.
func killGroup(*exec.Cmd) {}

// exitStatus is the status of the program.
func exitStatus(s *os.ProcessState) int { return s.ExitCode() }
