//go:build linux

package hostdir_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// A dryRun is an overlay of a directory of the host.
type dryRun struct {
	dir    string
	lower  *hostdir.Dir
	before *vfs.Mem
	over   *vfs.Mem
}

func newDryRun(t testing.TB, dir string) *dryRun {
	lower, err := hostdir.Open(dir, hostdir.Options{ReadOnly: true, Track: true})
	require.NoError(t, err)
	t.Cleanup(func() { lower.Close() })
	over, err := vfs.NewOverlay(lower, vfs.MemOptions{})
	require.NoError(t, err)
	return &dryRun{dir: dir, lower: lower, before: over.Fork(), over: over}
}

func (d *dryRun) apply() error {
	changes, err := vfs.Changes(d.before, d.over)
	if err != nil {
		return err
	}
	return d.lower.Apply(context.Background(), changes, d.over)
}

// listing describes what is in a directory of the host.
func listing(t testing.TB, dir string) string {
	var b strings.Builder
	require.NoError(t, filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s %v", strings.TrimPrefix(name, dir), info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %d %s", info.Sys().(*syscall.Stat_t).Nlink, data)
		case info.Mode()&fs.ModeSymlink != 0:
			text, err := os.Readlink(name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&b, " %s", text)
		}
		b.WriteByte('\n')
		return nil
	}))
	return b.String()
}

func host(t testing.TB, dir string, script string) {
	d, err := hostdir.Open(dir, hostdir.Options{})
	require.NoError(t, err)
	defer d.Close()
	vfstest.Script(t.(*testing.T), d, script)
}

const hostTree = `
	chmod 755 /
	mkdirall /src/deep
	mkdirall /old/er
	write /src/keep 1
	write /src/edit 2
	write /src/deep/g 3
	write /old/f 4
	write /old/er/h 5
	write /one 6
	ln /one /two
	symlink keep /src/l
	write /mode 7
	write /turns 8
	mkdir /dirturns
	write /dirturns/x 9
`

func TestApply(t *testing.T) {
	dir := t.TempDir()
	host(t, dir, hostTree)
	d := newDryRun(t, dir)
	vfstest.Script(t, d.over, `
		write /src/edit changed
		chmod 4600 /src/edit
		chmod 600 /src/edit
		rmall /old
		write /one both
		mkdirall /new/sub/dir
		write /new/sub/f new
		ln /new/sub/f /new/g
		chmod 500 /new/sub
		symlink ../src /new/l
		rm /src/l
		symlink edit /src/l
		chmod 755 /mode
		rm /turns
		mkdir /turns
		write /turns/in in
		rmall /dirturns
		write /dirturns file
		mv /src/deep /src/moved
		chmod 700 /src
		chmod 711 /
		write /.hidden h
		utime 1000 2000 /src/keep
	`)
	require.NoError(t, d.apply())
	require.Equal(t, strings.TrimPrefix(`
 drwx--x--x
/.hidden -rw-r--r-- 1 h
/dirturns -rw-r--r-- 1 file
/mode -rwxr-xr-x 1 7
/new drwxr-xr-x
/new/g -rw-r--r-- 2 new
/new/l Lrwxrwxrwx ../src
/new/sub dr-x------
/new/sub/dir drwxr-xr-x
/new/sub/f -rw-r--r-- 2 new
/one -rw-r--r-- 2 both
/src drwx------
/src/edit -rw------- 1 changed
/src/keep -rw-r--r-- 1 1
/src/l Lrwxrwxrwx edit
/src/moved drwxr-xr-x
/src/moved/g -rw-r--r-- 1 3
/turns drwxr-xr-x
/turns/in -rw-r--r-- 1 in
/two -rw-r--r-- 2 both
`, "\n"), listing(t, dir))
	info, err := os.Stat(dir + "/src/keep")
	require.NoError(t, err)
	require.Equal(t, time.Unix(2000, 5), info.ModTime())

	// What is written is what the next overlay starts from.
	d = newDryRun(t, dir)
	vfstest.Script(t, d.over, `
		cat /one -> both
		ls /new/sub -> dird f
	`)
	changes, err := vfs.Changes(d.before, d.over)
	require.NoError(t, err)
	require.Empty(t, changes)
}

// TestApplyKeepsLinks gives names to files that the host has, and moves some.
func TestApplyKeepsLinks(t *testing.T) {
	dir := t.TempDir()
	host(t, dir, hostTree)
	before, err := os.Stat(dir + "/src/keep")
	require.NoError(t, err)
	d := newDryRun(t, dir)
	vfstest.Script(t, d.over, `
		ln /src/keep /kept
		mkdir /links
		ln /kept /links/again
		ls / -> dirturnsd kept linksd mode oldd one srcd turns two
		mv /one /links/uno
		ln /two /links/dos
	`)
	require.NoError(t, d.apply())
	require.Equal(t, strings.TrimPrefix(`
 drwxr-xr-x
/dirturns drwxr-xr-x
/dirturns/x -rw-r--r-- 1 9
/kept -rw-r--r-- 3 1
/links drwxr-xr-x
/links/again -rw-r--r-- 3 1
/links/dos -rw-r--r-- 3 6
/links/uno -rw-r--r-- 3 6
/mode -rw-r--r-- 1 7
/old drwxr-xr-x
/old/er drwxr-xr-x
/old/er/h -rw-r--r-- 1 5
/old/f -rw-r--r-- 1 4
/src drwxr-xr-x
/src/deep drwxr-xr-x
/src/deep/g -rw-r--r-- 1 3
/src/edit -rw-r--r-- 1 2
/src/keep -rw-r--r-- 3 1
/src/l Lrwxrwxrwx keep
/turns -rw-r--r-- 1 8
/two -rw-r--r-- 3 6
`, "\n"), listing(t, dir))
	after, err := os.Stat(dir + "/kept")
	require.NoError(t, err)
	require.True(t, os.SameFile(before, after), "no copy was made")
}

// refusal applies what script does, after the host has done what other does, and
// returns the message of the refusal, before which nothing may have happened.
func refusal(t *testing.T, script string, other func(dir string)) string {
	dir := t.TempDir()
	host(t, dir, hostTree)
	d := newDryRun(t, dir)
	vfstest.Script(t, d.over, "write /.first x\n"+script+"\nwrite /zlast x")
	if other != nil {
		other(dir)
	}
	before := listing(t, dir)
	err := d.apply()
	var refused *hostdir.RefusedError
	require.ErrorAs(t, err, &refused, script)
	require.Equal(t, before, listing(t, dir), script)
	return err.Error()
}

func TestApplyRefusesWhatHasChanged(t *testing.T) {
	write := func(name, text string) func(string) {
		return func(dir string) { require.NoError(t, os.WriteFile(dir+name, []byte(text), 0o644)) }
	}
	do := func(f func(dir string) error) func(string) {
		return func(dir string) { require.NoError(t, f(dir)) }
	}
	for _, c := range []struct {
		script string
		other  func(dir string)
		want   string
	}{
		{"write /src/edit x", write("/src/edit", "longer"), "/src/edit: changed meanwhile"},
		{"write /src/edit x", write("/src/edit", "9"), "/src/edit: changed meanwhile"},
		{"rm /src/edit", write("/src/edit", "9"), "/src/edit: changed meanwhile"},
		{"chmod 600 /src/edit", write("/src/edit", "9"), "/src/edit: changed meanwhile"},
		{"mv /src/edit /x", write("/src/edit", "9"), "/src/edit: changed meanwhile"},
		{"write /two x", write("/one", "9"), "/one: changed meanwhile (and 1 more)"},
		{"write /src/edit x", do(func(dir string) error { return os.Chmod(dir+"/src/edit", 0o600) }), "/src/edit: its mode has changed meanwhile"},
		{"chmod 700 /src", do(func(dir string) error { return os.Chmod(dir+"/src", 0o770) }), "/src: its mode has changed meanwhile"},
		{"chmod 700 /", do(func(dir string) error { return os.Chmod(dir, 0o770) }), "/: its mode has changed meanwhile"},
		{"write /src/edit x", do(func(dir string) error { return os.Remove(dir + "/src/edit") }), "/src/edit: no such file or directory"},
		{"write /src/edit x", do(func(dir string) error {
			return os.Rename(dir+"/src/keep", dir+"/src/edit")
		}), "/src/edit: changed meanwhile"},
		{"write /src/new x", write("/src/new", "9"), "/src/new: exists on the host meanwhile"},
		{"mkdirall /src/new/er", write("/src/new", "9"), "/src/new: exists on the host meanwhile"},
		{"rmall /old", write("/old/new", "9"), `/old: has a file "new" that is not to be removed`},
		{"rmall /old", write("/old/er/new", "9"), `/old/er: has a file "new" that is not to be removed`},
		{"write /src/new x", do(func(dir string) error { return os.RemoveAll(dir + "/src") }), "/src/new: /src: no such file or directory"},
		{"write /src/new x", do(func(dir string) error {
			return os.Rename(dir+"/src", dir+"/elsewhere")
		}), "/src/new: /src: no such file or directory"},
		{"write /src/deep/new x", do(func(dir string) error {
			if err := os.Rename(dir+"/src/deep", dir+"/src/was"); err != nil {
				return err
			}
			return os.Mkdir(dir+"/src/deep", 0o755)
		}), "/src/deep/new: /src/deep: changed meanwhile"},
		{"rm /src/l\nsymlink edit /src/l", do(func(dir string) error {
			if err := os.Remove(dir + "/src/l"); err != nil {
				return err
			}
			return os.Symlink("other", dir+"/src/l")
		}), "/src/l: changed meanwhile"},
	} {
		require.Equal(t, c.want, refusal(t, c.script, c.other), c.script)
	}
}

func TestApplyRefusesWhatNoHostShouldHave(t *testing.T) {
	for script, want := range map[string]string{
		"mkfifo /p":                             "/p: FIFOs and devices are not made on the host",
		"mkdev /d 1 3":                          "/d: FIFOs and devices are not made on the host",
		"chmod 4755 /src/edit":                  "/src/edit: setuid and setgid bits are not set on the host",
		"chmod 2755 /src":                       "/src: setuid and setgid bits are not set on the host",
		"write /new x\nchmod 2755 /new":         "/new: setuid and setgid bits are not set on the host",
		"chown 1 1 /src/edit":                   "/src/edit: owners are not changed on the host",
		"write /new x\nchown 1 1 /new":          "/new: owners are not changed on the host",
		"symlink /etc/passwd /l":                `/l: a symbolic link to "/etc/passwd" leads out of the directory`,
		"symlink ../x /l":                       `/l: a symbolic link to "../x" leads out of the directory`,
		"symlink x/../../y /l":                  `/l: a symbolic link to "x/../../y" leads out of the directory`,
		"symlink ../../l /src/l2":               `/src/l2: a symbolic link to "../../l" leads out of the directory`,
		"mkdir /new\nsymlink /proc/self /new/l": `/new/l: a symbolic link to "/proc/self" leads out of the directory`,
	} {
		require.Equal(t, want, refusal(t, script, nil), script)
	}
}

// TestApplyNeedsTracking refuses a Dir that does not know what was read, and what
// it was never asked for.
func TestApplyNeedsTracking(t *testing.T) {
	dir := t.TempDir()
	host(t, dir, hostTree)
	d := newDryRun(t, dir)
	vfstest.Script(t, d.over, "write /src/edit x")
	changes, err := vfs.Changes(d.before, d.over)
	require.NoError(t, err)
	require.EqualError(t, open(t, dir, hostdir.Options{}).Apply(t.Context(), changes, d.over), "hostdir: Apply needs Options.Track")
	require.EqualError(t, open(t, dir, hostdir.Options{Track: true}).Apply(t.Context(), changes, d.over), "/src/edit: was never looked at")
	require.Error(t, d.lower.Apply(t.Context(), append(changes, changes[0]), d.over))
	for _, name := range []string{"", "x", "/../x", "//x", "/x/", "/./x"} {
		require.Error(t, d.lower.Apply(t.Context(), []vfs.Change{{Name: name, New: changes[0].New}}, d.over), name)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(context.DeadlineExceeded)
	require.ErrorIs(t, d.lower.Apply(ctx, changes, d.over), context.DeadlineExceeded)
	require.NoError(t, d.apply())
}
