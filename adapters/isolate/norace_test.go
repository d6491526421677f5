//go:build linux && !race

package isolate_test

// processMemory is what a process has in these tests.
const processMemory = 256 << 20
