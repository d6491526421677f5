//go:build linux && race

package isolate_test

// processMemory is what a process has in these tests: the race detector needs more.
const processMemory = 1 << 30
