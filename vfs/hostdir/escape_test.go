//go:build linux

package hostdir_test

import (
	"context"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

// raceFor is how long each race lasts. A minute finds what two seconds may not.
var raceFor = flag.Duration("race-for", 1500*time.Millisecond, "how long tests race against links that are swapped")

// A trap is a directory beside another in which nothing may be seen or changed.
type trap struct {
	in, out string
}

func newTrap(t *testing.T) *trap {
	top := t.TempDir()
	tr := &trap{top + "/in", top + "/out"}
	for _, dir := range []string{tr.in + "/d/sub", tr.out + "/sub"} {
		require.NoError(t, os.MkdirAll(dir, 0o755))
	}
	for name, text := range map[string]string{
		tr.in + "/d/f": "mine", tr.in + "/d/sub/f": "mine", tr.in + "/file": "mine",
		tr.out + "/f": "secret", tr.out + "/sub/f": "secret",
	} {
		require.NoError(t, os.WriteFile(name, []byte(text), 0o644))
	}
	return tr
}

// unharmed fails the test if something outside has changed.
func (tr *trap) unharmed(t *testing.T) {
	t.Helper()
	require.Equal(t, strings.TrimPrefix(`
 drwxr-xr-x
/f -rw-r--r-- 1 secret
/sub drwxr-xr-x
/sub/f -rw-r--r-- 1 secret
`, "\n"), listing(t, tr.out))
}

// swapping replaces name by a symbolic link with each of the texts in turn, and
// back, until the test is over.
func swapping(t *testing.T, name string, texts ...string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var done sync.WaitGroup
	done.Go(func() {
		for i := 0; ctx.Err() == nil; i++ {
			if os.Rename(name, name+".away") != nil {
				continue
			}
			_ = os.Symlink(texts[i%len(texts)], name)
			time.Sleep(time.Duration(i%7) * 20 * time.Microsecond)
			_ = os.Remove(name)
			_ = os.Rename(name+".away", name)
			time.Sleep(time.Duration(i%5) * 20 * time.Microsecond)
		}
	})
	return func() {
		cancel()
		done.Wait()
	}
}

// TestRaces does everything that a file system can do to names that lead out of it
// for moments.
func TestRaces(t *testing.T) {
	tr := newTrap(t)
	defer swapping(t, tr.in+"/d", "../out", tr.out, "/proc/self/cwd/../out")()
	fsys := open(t, tr.in, hostdir.Options{})
	over, err := vfs.NewOverlay(fsys, vfs.MemOptions{})
	require.NoError(t, err)
	mount := vfs.NewMount(vfs.NewMem(vfs.MemOptions{}))
	require.NoError(t, mount.Mount("/in", fsys))
	now := time.Now()
	mine := 0
	for end := now.Add(*raceFor); time.Now().Before(end); {
		for _, at := range []struct {
			vfs.FS
			dir string
		}{{fsys, "/d"}, {mount, "/in/d"}, {over.Fork(), "/d"}} {
			f := at.FS
			for _, name := range []string{at.dir + "/f", at.dir + "/sub/f"} {
				if data, err := vfs.ReadFile(f, name); err == nil {
					require.NotEqual(t, "secret", string(data))
					mine++
				}
				_ = vfs.WriteFile(f, name, []byte("mine"), 0o644)
				_ = f.Chmod(name, 0o600)
				_ = f.Chtimes(name, now, now)
				_ = f.Rename(name, name+"2")
				_ = f.Rename(name+"2", name)
				_ = f.Link(name, at.dir+"/linked")
				_ = f.Remove(at.dir + "/linked")
			}
			_ = f.SymlinkIfPossible("x", at.dir+"/made")
			_ = f.Mkdir(at.dir+"/dir", 0o755)
			_ = f.RemoveAll(at.dir + "/made")
			_ = f.RemoveAll(at.dir + "/dir")
			if list, err := vfs.ReadDir(f, at.dir); err == nil {
				_ = list
			}
		}
	}
	require.Positive(t, mine)
	tr.unharmed(t)
}

// TestRacesOfApply applies changes below a directory that is a link for moments.
func TestRacesOfApply(t *testing.T) {
	tr := newTrap(t)
	stop := swapping(t, tr.in+"/d", "../out", tr.out, "sub")
	require.NoError(t, os.Mkdir(tr.in+"/sub", 0o755))
	applied, refused := 0, 0
	attempt := func() error {
		d := newDryRun(t, tr.in)
		defer d.lower.Close()
		err := errors.Join(
			vfs.WriteFile(d.over, "/d/f", []byte("mine"), 0o600), vfs.WriteFile(d.over, "/d/sub/f", []byte("mine"), 0o644),
			d.over.MkdirAll("/d/new", 0o755), vfs.WriteFile(d.over, "/d/new/f", []byte("new"), 0o644),
			d.over.Chmod("/d/sub", 0o700), d.over.RemoveAll("/d/old"), d.over.Rename("/d/new", "/d/old"),
		)
		if err != nil {
			return err // the link was there
		}
		return d.apply()
	}
	for end := time.Now().Add(*raceFor); time.Now().Before(end); {
		err := attempt()
		var no *hostdir.RefusedError
		var partial *hostdir.PartialError
		switch {
		case err == nil:
			applied++
		case errors.As(err, &no), errors.As(err, &partial):
			refused++
		}
	}
	stop()
	tr.unharmed(t)
	require.Positive(t, refused)
	t.Logf("applied %d, refused %d", applied, refused)
	require.NoError(t, filepath.WalkDir(tr.in+"/sub", func(name string, e fs.DirEntry, err error) error {
		require.Equal(t, tr.in+"/sub", name, "a link inside is not followed either")
		return err
	}))
}

// TestNamesThatNoHostResolves asks for what some systems take for another name.
func TestNamesThatNoHostResolves(t *testing.T) {
	tr := newTrap(t)
	require.NoError(t, os.Symlink("/proc/self/root"+tr.out, tr.in+"/proc"))
	require.NoError(t, os.Symlink("/proc/self/root", tr.in+"/rootlink"))
	require.NoError(t, os.Link(tr.out+"/f", tr.in+"/hard"))
	defer os.Remove(tr.in + "/hard")
	for _, o := range []hostdir.Options{{}, {ReadOnly: true}} {
		fsys := open(t, tr.in, o)
		for _, name := range []string{
			"/..", "/../out/f", "/d/../../out/f", "/d/..\x00/out", "/f\x00", "/\uff0e\uff0e/out/f", "/..\u2215out/f", "/%2e%2e/out/f", "/..\\out\\f",
			"/proc/f", "/rootlink/etc/passwd", "/d/sub/../../../out/f", "/d/f/../../../out/f", strings.Repeat("/..", 100) + tr.out + "/f", tr.out + "/f",
		} {
			data, err := vfs.ReadFile(fsys, name)
			require.Error(t, err, "%q", name)
			require.Empty(t, data)
			_ = vfs.WriteFile(fsys, name, []byte("x"), 0o644)
			_ = fsys.Chmod(name, 0o600)
			if name != "/.." {
				_ = fsys.RemoveAll(name)
			}
		}
	}
	require.NoError(t, os.Remove(tr.in+"/hard"))
	tr.unharmed(t)
}

// TestHardLinksAreCutByApply writes a file that has another name outside.
func TestHardLinksAreCutByApply(t *testing.T) {
	tr := newTrap(t)
	require.NoError(t, os.Link(tr.out+"/f", tr.in+"/hard"))
	d := newDryRun(t, tr.in)
	vfstest.Script(t, d.over, `
		cat /hard -> secret
		write /hard mine
	`)
	require.NoError(t, d.apply())
	tr.unharmed(t)
	require.NoError(t, os.Remove(tr.in+"/hard"))
	require.NoError(t, os.Link(tr.out+"/f", tr.in+"/hard"))
	d = newDryRun(t, tr.in)
	vfstest.Script(t, d.over, "chmod 600 /hard")
	require.NoError(t, d.apply())
	tr.unharmed(t)
	info, err := os.Stat(tr.in + "/hard")
	require.NoError(t, err)
	require.Equal(t, fs.FileMode(0o600), info.Mode())
}
