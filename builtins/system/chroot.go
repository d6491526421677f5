package system

import (
	"context"
	"path"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/vfs"
)

var chroot = commands.Add(&builtins.Command{
	Name:     "chroot",
	Synopsis: "[OPTION] NEWROOT [COMMAND [ARG]...]",
	Summary:  "run a command with another root directory, which only / can be here",
	Trouble:  125,
	Run:      runChroot,
})

func runChroot(ctx context.Context, c *builtins.Call) error {
	var stay bool
	set := func(s string) error { return vfs.EPERM }
	f := c.Flags()
	f.Ordered = true
	f.Func("groups", "specify supplementary groups as `G_LIST`", set)
	f.Func("userspec", "specify user and group as `USER:GROUP`", set)
	f.Bool(&stay, "skip-chdir", "do not change working directory to '/'")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	if len(args) == 0 {
		return f.Fail(builtins.Usage("missing operand"))
	}
	root := args[0]
	switch info, err := c.FS.Stat(root); {
	case err != nil:
		c.Warnf("cannot change root directory to %s: %w", builtins.Quote(root), vfs.ErrnoOf(err))
		return nil
	case !info.IsDir():
		c.Warnf("cannot change root directory to %s: %w", builtins.Quote(root), vfs.ENOTDIR)
		return nil
	case path.Clean(c.FS.Abs(root)) != "/":
		if stay {
			return f.Fail(builtins.Usage("option --skip-chdir only permitted if NEWROOT is old %s", builtins.Quote("/")))
		}
		c.Warnf("cannot change root directory to %s: %w", builtins.Quote(root), vfs.EPERM)
		return nil
	}
	args = args[1:]
	if len(args) == 0 {
		args = []string{"/bin/sh", "-i"}
	}
	return run(ctx, c, args, "failed to run command ", func(d *builtins.Call) {
		if stay {
			return
		}
		view := *d.FS
		view.Dir = "/"
		d.FS = &view
	})
}
