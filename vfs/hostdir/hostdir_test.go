//go:build linux

package hostdir_test

import (
	"os"
	"strconv"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/limpet-sh/limpet/vfs"
	"github.com/limpet-sh/limpet/vfs/hostdir"
	"github.com/limpet-sh/limpet/vfs/vfstest"
)

func open(t *testing.T, dir string, o hostdir.Options) *hostdir.Dir {
	d, err := hostdir.Open(dir, o)
	require.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

func TestSuite(t *testing.T) {
	vfstest.Suite{
		New:     func(t *testing.T) vfs.FS { return open(t, t.TempDir(), hostdir.Options{}) },
		NoNodes: true,
	}.Run(t)
}

func TestSuiteOverlay(t *testing.T) {
	vfstest.Suite{
		New: func(t *testing.T) vfs.FS { return open(t, t.TempDir(), hostdir.Options{}) },
		Between: func(t *testing.T, fsys vfs.FS) vfs.FS {
			m, err := vfs.NewOverlay(vfs.ReadOnly(fsys), vfs.MemOptions{})
			require.NoError(t, err)
			return m
		},
		NoNodes: true,
	}.Run(t)
}

// TestCompare compares a Mem, an overlay of a Dir, and a Mount with what the host's
// kernel does. MODEL_STEPS says how many random things each of them does, where it
// is set: a million take minutes.
func TestCompare(t *testing.T) {
	runs, steps := modelSize(t)
	mem := func() *vfs.Mem { return vfs.NewMem(vfs.MemOptions{}) }
	for name, fresh := range map[string]func(t *testing.T) vfs.FS{
		"Mem":   func(*testing.T) vfs.FS { return mem() },
		"Mount": func(*testing.T) vfs.FS { return vfs.NewMount(mem()) },
		"Overlay": func(t *testing.T) vfs.FS {
			m, err := vfs.NewOverlay(open(t, t.TempDir(), hostdir.Options{}), vfs.MemOptions{})
			require.NoError(t, err)
			return m
		},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range runs {
				vfstest.Compare(t, seed, steps, fresh(t), open(t, t.TempDir(), hostdir.Options{}))
			}
		})
	}
}

// modelSize returns how often file systems are compared, and by how many steps.
func modelSize(t *testing.T) (runs uint64, steps int) {
	s := os.Getenv("MODEL_STEPS")
	if s == "" {
		return 17, 300
	}
	steps, err := strconv.Atoi(s)
	require.NoError(t, err)
	return 5, steps
}

func TestNothingOutsideIsReached(t *testing.T) {
	top := t.TempDir()
	require.NoError(t, os.MkdirAll(top+"/in/sub", 0o755))
	require.NoError(t, os.WriteFile(top+"/secret", []byte("secret"), 0o644))
	require.NoError(t, os.WriteFile(top+"/in/f", []byte("mine"), 0o644))
	for link, target := range map[string]string{
		"up": "../secret", "abs": top + "/secret", "dir": "..", "deep": "sub/../../secret", "own": "/f", "conf": "/etc",
	} {
		require.NoError(t, os.Symlink(target, top+"/in/"+link))
	}
	d := open(t, top+"/in", hostdir.Options{})
	m := vfs.NewMount(vfs.NewMem(vfs.MemOptions{}))
	require.NoError(t, m.Mount("/mnt", d))
	o, err := vfs.NewOverlay(d, vfs.MemOptions{})
	require.NoError(t, err)
	for name, fsys := range map[string]vfs.FS{"Dir": d, "Overlay": o} {
		t.Run(name, func(t *testing.T) {
			vfstest.Script(t, fsys, `
				cat /up -> ENOENT
				cat /abs -> ENOENT
				cat /dir/secret -> ENOENT
				cat /deep -> ENOENT
				cat /conf/passwd -> ENOENT
				cat /own -> mine
				cat /../../f -> mine
				cat /sub/../../secret -> ENOENT
				ls /dir -> absL confL deepL dirL f ownL subd upL
				stat /up size -> ENOENT
				lstat /up mode -> Lrwxrwxrwx
				chmod 600 /abs -> ENOENT
				mv /dir/secret /x -> ENOENT
				ln /conf/passwd /x -> ENOENT
				mkdir /conf/x -> ENOENT
				rmall /conf/passwd
			`)
		})
	}
	vfstest.Script(t, m, `
		write /f root
		cat /mnt/own -> root
		cat /mnt/dir/f -> root
		cat /mnt/up -> ENOENT
		cat /mnt/f -> mine
		mkdir /mnt/dir/d
		ls / -> dd f mntd
		mv /mnt/f /f -> EXDEV
	`)
	_, err = m.Open("/mnt/none")
	require.EqualError(t, err, "open /mnt/none: No such file or directory")
	_, err = m.Open("/mnt/f/x")
	require.EqualError(t, err, "open /mnt/f/x: Not a directory")
	data, err := os.ReadFile(top + "/secret")
	require.NoError(t, err)
	require.Equal(t, "secret", string(data))
}

func TestWhatNoSandboxMayAsk(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(dir+"/f", []byte("x"), 0o644))
	require.NoError(t, syscall.Mkfifo(dir+"/p", 0o644))
	d := open(t, dir, hostdir.Options{UID: 1000, GID: 100})
	vfstest.Script(t, d, `
		stat /f owner -> 1000:100
		chown 1000 100 /f
		chown 1001 -1 /f -> EPERM
		chown 1000 100 /gone -> ENOENT
		lchown -1 0 /f -> EPERM
		chmod 4755 /f -> EPERM
		chmod 600 /f
		mkfifo /q -> EPERM
		mkdev /null 1 3 -> EPERM
		open p r /p -> ENXIO
		open p w /p -> ENXIO
		open p rw /p -> ENXIO
		ls / -> f pp
		open n rwc /new 7755
		fstat n mode owner -> -rwxr-xr-x 1000:100
		open d r /
		next d 0 -> f new p
	`)
	st, err := d.StatFS("/f")
	require.NoError(t, err)
	require.Positive(t, st.Blocks)
	vfstest.Script(t, open(t, dir, hostdir.Options{ReadOnly: true}), `
		cat /f -> x
		write /f y -> EROFS
		write /g y -> EROFS
		rm /f -> EROFS
		mkdir /d -> EROFS
		chmod 644 /f -> EROFS
		utime 1 1 /f -> EROFS
	`)
}

// TestFileSize checks that files of the host are bounded as those in memory are.
func TestFileSize(t *testing.T) {
	d := open(t, t.TempDir(), hostdir.Options{FileSize: 10})
	f, err := d.OpenFile("/f", vfs.O_RDWR|vfs.O_CREATE, 0o644)
	require.NoError(t, err)
	defer f.Close()
	n, err := f.Write([]byte("0123456"))
	require.NoError(t, err)
	require.Equal(t, 7, n)
	n, err = f.Write([]byte("789abc"))
	require.ErrorIs(t, err, vfs.EFBIG)
	require.Equal(t, 3, n, "what fits is written")
	_, err = f.WriteAt([]byte("x"), 9)
	require.NoError(t, err)
	_, err = f.WriteAt([]byte("x"), 1<<40)
	require.ErrorIs(t, err, vfs.EFBIG)
	require.ErrorIs(t, f.Truncate(11), vfs.EFBIG)
	a, err := d.OpenFile("/f", vfs.O_WRONLY|vfs.O_APPEND, 0)
	require.NoError(t, err)
	defer a.Close()
	_, err = a.WriteString("more")
	require.ErrorIs(t, err, vfs.EFBIG)
	require.NoError(t, f.Truncate(5))
	_, err = a.WriteString("more")
	require.NoError(t, err)
	info, err := d.Stat("/f")
	require.NoError(t, err)
	require.EqualValues(t, 9, info.Size())
}
