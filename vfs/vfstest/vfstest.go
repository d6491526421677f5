// Package vfstest holds one suite of tests for all implementations of [vfs.FS].
package vfstest

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"

	"github.com/limpet-sh/limpet/vfs"
)

// A Suite is what the tests are run on.
type Suite struct {
	// New returns an empty file system, used by user 0. Its mode of what is
	// created is what is asked for.
	New func(t *testing.T) vfs.FS

	// As returns the same files as another user sees them. A nil func
	// leaves out the tests of permissions.
	As func(fsys vfs.FS, u vfs.User) vfs.FS

	// Between, if not nil, is called with the file system that a test has
	// filled so far and returns what the test goes on with. Each test is run
	// once for each place in it where that can happen, but for those where
	// Between returns nil, since it cannot hold what there is.
	Between func(t *testing.T, fsys vfs.FS) vfs.FS

	// NoNodes leaves out the tests of FIFOs and devices.
	NoNodes bool
}

// Run runs the suite on the file systems that newFS returns, which have but one
// user.
func Run(t *testing.T, newFS func(t *testing.T) vfs.FS) { Suite{New: newFS}.Run(t) }

// Run runs the suite.
func (s Suite) Run(t *testing.T) {
	for _, c := range cases() {
		if c.need == users && s.As == nil || c.need == nodes && s.NoNodes {
			continue // the file system has one user, or neither FIFOs nor devices
		}
		t.Run(c.name, func(t *testing.T) {
			m := machine{t: t, as: s.As, files: map[string]afero.File{}}
			if s.Between == nil {
				m.fsys = s.New(t)
				m.run(c.script)
				return
			}
			for n := range places(c.script) {
				m.fsys = s.New(t)
				before, after := split(c.script, n)
				m.run(before)
				if m.fsys = s.Between(t, m.fsys); m.fsys != nil {
					m.run(after)
				}
			}
		})
	}
}

// Script runs operations on fsys, one a line, and compares what comes of each
// with what stands behind "->" on it. See operations for those that there are.
func Script(t testing.TB, fsys vfs.FS, script string) {
	t.Helper()
	m := machine{t: t, fsys: fsys, files: map[string]afero.File{}}
	m.run(script)
}

// places returns how many places a script has where the file system can be
// replaced: before anything is open, and while there is one user.
func places(script string) int {
	n := 1
	for line := range strings.Lines(script) {
		if words := strings.Fields(line); len(words) > 0 && (words[0] == "open" || words[0] == "as") {
			break
		}
		n++
	}
	return n
}

// split cuts a script behind n lines.
func split(script string, n int) (before, after string) {
	lines := slices.Collect(strings.Lines(script))
	return strings.Join(lines[:n], ""), strings.Join(lines[n:], "")
}
