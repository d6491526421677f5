package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/filemode"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "cp",
	Synopsis: "[OPTION]... SOURCE... DEST | -t DIRECTORY SOURCE...",
	Summary:  "copy files and directories",
	Run:      runCp,
})

func runCp(_ context.Context, c *builtins.Call) error {
	k := newCopier(c)
	defer k.close()
	var t target
	var o cpOptions
	f := c.Flags()
	backups := backupFlags(c, f, &k.backup)
	t.flags(f, true)
	o.flags(f, k)
	args, err := f.Parse()
	if err != nil {
		return err
	}
	backups()
	if err := o.check(k); err != nil {
		return f.Fail(err)
	}
	list, err := o.place(k, &t, args)
	if err != nil {
		return f.Fail(err)
	}
	for _, p := range list {
		if o.parents {
			err = o.withParents(k, p)
		} else {
			err = k.copy(p.src, p.dst)
		}
		if err != nil {
			break
		}
	}
	return finish(k.out, err)
}

// cpOptions are the options of cp that its copier does not know.
type cpOptions struct {
	follow   *walk.Follow
	contents bool // --copy-contents
	parents  bool
	reflink  string
}

func (o *cpOptions) flags(f *builtins.Flags, k *copier) {
	follow := func(to walk.Follow) func() error {
		return func() error { o.follow = &to; return nil }
	}
	f.Do("a,archive", "same as -dR --preserve=all", func() error {
		k.recursive = true
		_ = follow(walk.Never)()
		return k.preserve.set("mode,ownership,timestamps,links", true, "preserve")
	})
	f.Bool(&k.attributes, "attributes-only", "don't copy the file data, just the attributes")
	f.Bool(&o.contents, "copy-contents", "copy contents of special files when recursive")
	f.Do("d", "same as --no-dereference --preserve=links", func() error {
		k.preserve.links = true
		return follow(walk.Never)()
	})
	f.Bool(&k.force, "f,force", "if an existing destination file cannot be opened, remove it and try again")
	f.Do("i,interactive", "prompt before overwrite", func() error { k.clobber = overwriteAsked; return nil })
	f.Do("H", "follow command-line symbolic links in SOURCE", follow(walk.Operand))
	f.Bool(&k.hardLink, "l,link", "hard link files instead of copying")
	f.Do("L,dereference", "always follow symbolic links in SOURCE", follow(walk.Always))
	f.Do("n,no-clobber", "do not overwrite an existing file", func() error { k.clobber = overwriteNever; return nil })
	f.Do("P,no-dereference", "never follow symbolic links in SOURCE", follow(walk.Never))
	f.Do("p", "same as --preserve=mode,ownership,timestamps", func() error {
		return k.preserve.set("mode,ownership,timestamps", true, "preserve")
	})
	f.Optional("preserve", "preserve the specified attributes of the comma-separated `ATTR_LIST`", func(s string, ok bool) error {
		if !ok {
			s = "mode,ownership,timestamps"
		}
		return k.preserve.set(s, true, "preserve")
	})
	f.Func("no-preserve", "don't preserve the attributes of `ATTR_LIST`", func(s string) error {
		return k.preserve.set(s, false, "no-preserve")
	})
	f.Bool(&o.parents, "parents", "use full source file name under DIRECTORY")
	f.Bool(&k.recursive, "R,r,recursive", "copy directories recursively")
	f.OptionalEnum(&o.reflink, "always", "reflink", "reflink", []string{"auto", "always", "never"}, "control clone/CoW copies, as `WHEN` says")
	f.Bool(&k.removeFirst, "remove-destination", "remove each existing destination file before attempting to open it")
	f.Enum(&k.sparse, "sparse", "sparse", []string{"never", "auto", "always"}, "control creation of sparse files, as `WHEN` says")
	f.Bool(&k.symLink, "s,symbolic-link", "make symbolic links instead of copying")
	f.Bool(&k.update, "u,update", "copy only when the SOURCE file is newer than the destination file or when that is missing")
	f.Bool(&k.verbose, "v,verbose", "explain what is being done")
	f.Bool(&k.oneFS, "x,one-file-system", "stay on this file system")
}

// check completes the options, and fails where they contradict each other.
func (o *cpOptions) check(k *copier) error {
	k.asRegular = !k.recursive || o.contents
	switch {
	case k.hardLink && k.symLink:
		return builtins.Usage("cannot make both hard and symbolic links")
	case k.clobber == overwriteNever && k.backup.wanted():
		return builtins.Usage("options --backup and --no-clobber are mutually exclusive")
	case o.reflink == "always" && k.sparse != "auto":
		return builtins.Usage("--reflink can be used only with --sparse=auto")
	case o.follow != nil:
		k.follow = *o.follow
	case k.recursive && !k.hardLink:
		k.follow = walk.Never
	default:
		k.follow = walk.Always
	}
	k.clone = o.reflink == "always"
	return nil
}

// place returns what is copied where.
func (o *cpOptions) place(k *copier, t *target, args []string) ([]placement, error) {
	list, err := t.place(k.c, args)
	if err != nil {
		return nil, err
	}
	if o.parents {
		_, dir, _, _ := t.split(k.c, args)
		if dir == "" {
			return nil, builtins.Usage("with --parents, the destination must be a directory")
		}
		for i := range list {
			list[i].dst = walk.Join(dir, strings.TrimRight(list[i].src, "/"))
		}
		return list, nil
	}
	for i := range list {
		// "cp -r a/.. b" copies into b itself and not into b/..
		if p := &list[i]; len(p.dst) > 2 && lastName(p.src) == ".." && strings.HasSuffix(p.dst, "/..") {
			p.dst = p.dst[:len(p.dst)-1]
		}
	}
	if o.onBackup(k, list) {
		k.backup = backup{}
	}
	return list, nil
}

// onBackup makes "cp -f --backup f f" copy to the name of the backup, and
// reports whether it is that.
func (o *cpOptions) onBackup(k *copier, list []placement) bool {
	if !k.force || !k.backup.wanted() || len(list) != 1 || list[0].src != list[0].dst {
		return false
	}
	info, err := k.c.FS.Stat(list[0].src)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	list[0].dst = k.backup.name(k.c, list[0].dst)
	return true
}

// withParents copies a file after the directories of its name.
func (o *cpOptions) withParents(k *copier, p placement) error {
	prefix := p.dst[:len(p.dst)-len(strings.TrimRight(p.src, "/"))]
	var made []string
	for i := 1; i < len(p.src); i++ {
		if p.src[i] != '/' || p.src[i-1] == '/' || strings.Trim(p.src[i:], "/") == "" {
			continue
		}
		dir := p.src[:i]
		created, err := o.parent(k, dir, prefix+dir)
		if err != nil {
			return k.warn(err)
		}
		if created {
			made = append(made, dir)
		}
	}
	err := k.copy(p.src, p.dst)
	for _, dir := range made {
		info, e := k.c.FS.Stat(dir)
		if e == nil {
			e = k.keepAttributes(prefix+dir, info, true, k.plainBits(info))
		}
		if e != nil && err == nil {
			err = k.warn(e)
		}
	}
	return err
}

// parent makes dst, a directory like src, if there is none.
func (o *cpOptions) parent(k *copier, src, dst string) (created bool, err error) {
	info, err := k.c.FS.Stat(src)
	if err != nil {
		return false, fmt.Errorf("failed to get attributes of %s: %w", builtins.Quote(src), reason(err))
	}
	old, err := k.c.FS.Stat(dst)
	switch {
	case err == nil && old.IsDir():
		return false, nil
	case err == nil:
		return false, fmt.Errorf("%s exists but is not a directory", builtins.Quote(dst))
	case !errors.Is(err, fs.ErrNotExist):
		return false, fmt.Errorf("failed to get attributes of %s: %w", builtins.Quote(dst), reason(err))
	case !info.IsDir():
		return false, fmt.Errorf("cannot make directory %s: %w", builtins.Quote(dst), vfs.ENOTDIR)
	}
	if err := k.c.FS.Mkdir(dst, filemode.Mode(k.plainBits(info)|0o700)); err != nil {
		return false, fmt.Errorf("cannot make directory %s: %w", builtins.Quote(dst), reason(err))
	}
	if k.verbose {
		fmt.Fprintf(k.out, "%s -> %s\n", src, dst)
	}
	return true, nil
}
