package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "install",
	Synopsis: "[OPTION]... SOURCE... DEST | -t DIRECTORY SOURCE... | -d DIRECTORY...",
	Summary:  "copy files and set attributes",
	Run:      runInstall,
})

// An installer is install with its options.
type installer struct {
	c            *builtins.Call
	k            *copier
	directories  bool // -d
	leading      bool // -D
	compare      bool // -C
	owner, group string
	uid, gid     int
	mode         uint32
}

func runInstall(_ context.Context, c *builtins.Call) error {
	in := &installer{c: c, k: newCopier(c), uid: -1, gid: -1}
	defer in.k.close()
	var t target
	mode := "755"
	f := c.Flags()
	backups := backupFlags(c, f, &in.k.backup)
	t.flags(f, false)
	f.Do("c", "(ignored, as other systems have it)", func() error { return nil })
	f.Bool(&in.compare, "C,compare", "compare content of source and destination files, and if no change to content, ownership, and permissions, do not modify the destination at all")
	f.Bool(&in.directories, "d,directory", "treat all arguments as directory names; create all components of the specified directories")
	f.Bool(&in.leading, "D", "create all leading components of DEST except the last")
	f.String(&in.group, "g,group", "set `GROUP` ownership, instead of process' current group")
	f.String(&mode, "m,mode", "set permission `MODE` (as in chmod), instead of rwxr-xr-x")
	f.String(&in.owner, "o,owner", "set `OWNER` ownership (super-user only)")
	f.Bool(&in.k.preserve.times, "p,preserve-timestamps", "apply access/modification times of SOURCE files to corresponding destination files")
	f.Bool(&in.k.verbose, "v,verbose", "print the name of each directory as it is created")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	backups()
	if in.directories && t.dir != "" {
		return errors.New("target directory not allowed when installing a directory")
	}
	if err := in.prepare(mode); err != nil {
		return err
	}
	if in.directories {
		if len(args) == 0 {
			return f.Fail(builtins.Usage("missing file operand"))
		}
		return finish(in.k.out, in.makeAll(args))
	}
	list, err := in.place(&t, args)
	if err != nil {
		return f.Fail(err)
	}
	for _, p := range list {
		if err = in.install(p); err != nil {
			break
		}
	}
	return finish(in.k.out, err)
}

// prepare reads the mode and the owner.
func (in *installer) prepare(mode string) error {
	change, err := filemode.Parse(mode)
	if err != nil {
		return fmt.Errorf("invalid mode %s", builtins.QuoteLocale(mode))
	}
	in.mode = change.Apply(0, in.directories, 0)
	if in.owner != "" {
		id, ok := userTable(in.c).Parse(in.owner)
		if !ok {
			return fmt.Errorf("invalid user %s", builtins.QuoteLocale(in.owner))
		}
		in.uid = id
	}
	if in.group != "" {
		id, ok := groupTable(in.c).Parse(in.group)
		if !ok {
			return fmt.Errorf("invalid group %s", builtins.QuoteLocale(in.group))
		}
		in.gid = id
	}
	k := in.k
	first := uint32(0o600) // until the owner is set
	k.mode, k.removeFirst, k.asRegular, k.follow = &first, true, true, walk.Always
	return nil
}

// makeAll makes directories and their parents.
func (in *installer) makeAll(names []string) error {
	m := in.dirMaker()
	for _, name := range names {
		if err := in.c.Poll(1); err != nil {
			return err
		}
		existed := isDirectory(in.c, name) == nil
		err := m.all(name)
		if err == nil && existed {
			err = in.c.FS.Chmod(name, filemode.Mode(in.mode))
		}
		if err == nil {
			err = in.own(name)
		}
		if err != nil {
			if err := warn(in.c, err); err != nil {
				return err
			}
		}
	}
	return nil
}

// dirMaker returns a maker of directories that reports them as install does.
func (in *installer) dirMaker() *dirMaker {
	return &dirMaker{c: in.c, verbose: in.k.verbose, mode: &in.mode, prefix: in.c.Name + ": creating directory", out: in.k.out}
}

// place is target.place, after -D has made the directories.
func (in *installer) place(t *target, args []string) ([]placement, error) {
	last := len(args) - 1
	switch {
	case in.leading && t.dir != "" && len(args) > 0:
		if _, err := in.c.FS.Stat(t.dir); err == nil {
			break
		}
		if err := in.makeLeading(t.dir + "/x"); err != nil {
			return nil, err
		}
	case len(args) > 1 && t.dir == "" && in.leading:
		if err := in.makeLeading(args[last]); err != nil {
			return nil, err
		}
	}
	if t.dir != "" && !t.isFile {
		if err := isDirectory(in.c, t.dir); err != nil {
			return nil, fmt.Errorf("failed to access %s: %w", builtins.Quote(t.dir), err)
		}
	}
	return t.place(in.c, args)
}

func (in *installer) makeLeading(name string) error {
	m := in.dirMaker()
	dir := dirOf(name)
	m.mode = nil
	return m.all(dir)
}

func (in *installer) install(p placement) error {
	if in.compare && in.same(p) {
		return nil
	}
	if err := in.k.copy(p.src, p.dst); err != nil {
		return err
	}
	if in.k.faulty {
		return nil
	}
	err := in.own(p.dst)
	if err == nil {
		if err = in.c.FS.Chmod(p.dst, filemode.Mode(in.mode)); err != nil {
			err = fmt.Errorf("cannot change permissions of %s: %w", builtins.Quote(p.dst), reason(err))
		}
	}
	if err != nil {
		return warn(in.c, err)
	}
	return nil
}

func (in *installer) own(name string) error {
	if in.uid < 0 && in.gid < 0 {
		return nil
	}
	if err := in.c.FS.Lchown(name, in.uid, in.gid); err != nil {
		return fmt.Errorf("cannot change ownership of %s: %w", builtins.Quote(name), reason(err))
	}
	return nil
}

// same reports whether the destination is already what -C wants.
func (in *installer) same(p placement) bool {
	a, err1 := in.c.FS.Lstat(p.src)
	b, err2 := in.c.FS.Lstat(p.dst)
	if err1 != nil || err2 != nil || !a.Mode().IsRegular() || !b.Mode().IsRegular() || a.Size() != b.Size() {
		return false
	}
	uid, gid := in.uid, in.gid
	if uid < 0 {
		uid = in.c.User.UID
	}
	if gid < 0 {
		gid = in.c.User.GID
	}
	st := vfs.StatOf(b)
	if filemode.Bits(b.Mode()) != in.mode || st.UID != uid || st.GID != gid {
		return false
	}
	return in.equal(p.src, p.dst)
}

// equal reports whether two files have the same content.
func (in *installer) equal(a, b string) bool {
	x, err := in.c.FS.Open(a)
	if err != nil {
		return false
	}
	defer x.Close()
	y, err := in.c.FS.Open(b)
	if err != nil {
		return false
	}
	defer y.Close()
	var p, q [4096]byte
	for in.c.Poll(1) == nil {
		n, err1 := io.ReadFull(x, p[:])
		m, err2 := io.ReadFull(y, q[:])
		if !bytes.Equal(p[:n], q[:m]) {
			return false
		}
		if err1 != nil || err2 != nil {
			return true
		}
	}
	return false
}
