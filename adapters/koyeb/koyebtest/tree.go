package koyebtest

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// killAll kills every process whose environment has the variable, and what those have
// started, as the end of a machine does. Where the system has no /proc it does nothing.
func killAll(variable string) {
	for found := true; found; {
		found = false
		doomed := map[int]bool{}
		parents := map[int]int{}
		dirs, _ := filepath.Glob("/proc/[0-9]*") // the pattern is right
		for _, dir := range dirs {
			pid, err := strconv.Atoi(filepath.Base(dir))
			if err != nil || pid == os.Getpid() {
				continue
			}
			if environ, err := os.ReadFile(dir + "/environ"); err == nil && bytes.Contains(environ, []byte(variable+"\x00")) {
				doomed[pid] = true
			}
			parents[pid] = parentOf(dir)
		}
		for pid := range parents {
			for p := pid; p > 1; p = parents[p] {
				if doomed[p] {
					doomed[pid] = true
					break
				}
			}
		}
		for pid := range doomed {
			found = syscall.Kill(pid, syscall.SIGKILL) == nil && !isZombie(pid) || found
		}
	}
}

// fields returns what /proc/PID/stat has behind the name of the program.
func fields(dir string) []string {
	data, _ := os.ReadFile(dir + "/stat") // it may have ended
	_, rest, _ := strings.Cut(string(data[bytes.LastIndexByte(data, ')')+1:]), " ")
	return strings.Fields(rest)
}

func parentOf(dir string) int {
	if f := fields(dir); len(f) > 1 {
		n, _ := strconv.Atoi(f[1]) // the kernel writes numbers
		return n
	}
	return 0
}

func isZombie(pid int) bool {
	f := fields("/proc/" + strconv.Itoa(pid))
	return len(f) == 0 || f[0] == "Z"
}
