package file

import (
	"context"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
)

var _ = commands.Add(&builtins.Command{
	Name:     "mv",
	Synopsis: "[OPTION]... SOURCE... DEST | -t DIRECTORY SOURCE...",
	Summary:  "move (rename) files",
	Run:      runMv,
})

func runMv(_ context.Context, c *builtins.Call) error {
	k := newCopier(c)
	defer k.close()
	k.move, k.recursive, k.follow, k.force = true, true, walk.Never, true
	k.preserve = preserve{mode: true, owner: true, times: true, links: true}
	t := target{stripOne: true}
	f := c.Flags()
	backups := backupFlags(c, f, &k.backup)
	t.flags(f, true)
	set := func(how clobber) func() error {
		return func() error { k.clobber = how; return nil }
	}
	f.Do("f,force", "do not prompt before overwriting", set(overwriteForced))
	f.Do("i,interactive", "prompt before overwrite", set(overwriteAsked))
	f.Do("n,no-clobber", "do not overwrite an existing file", set(overwriteNever))
	f.Bool(&k.update, "u,update", "move only when the SOURCE file is newer than the destination file or when that is missing")
	f.Bool(&k.verbose, "v,verbose", "explain what is being done")
	args, err := f.Parse()
	if err != nil {
		return err
	}
	backups()
	list, err := t.place(c, args)
	if err == nil && k.clobber == overwriteNever && k.backup.wanted() {
		err = builtins.Usage("options --backup and --no-clobber are mutually exclusive")
	}
	if err != nil {
		return f.Fail(err)
	}
	gone := &remover{c: c, out: k.out, force: true, recursive: true, verbose: k.verbose}
	for _, p := range list {
		if err = k.copy(p.src, p.dst); err == nil && k.crossed && !k.faulty {
			err = gone.remove(p.src)
		}
		if err != nil {
			break
		}
	}
	return finish(k.out, err)
}
