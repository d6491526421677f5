package file

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/limpet-sh/limpet/builtins"
	"github.com/limpet-sh/limpet/internal/walk"
	"github.com/limpet-sh/limpet/vfs"
)

var _ = commands.Add(&builtins.Command{
	Name:     "rm",
	Synopsis: "[OPTION]... [FILE]...",
	Summary:  "remove files or directories",
	Run:      runRm,
})

// rmOptions are the options of rm that its remover does not know.
type rmOptions struct {
	once         bool // ask once, before removing much
	preserveRoot bool
	preserveAll  bool // and the roots of file systems
}

func runRm(_ context.Context, c *builtins.Call) error {
	out := bufio.NewWriter(c.Stdout)
	r := &remover{c: c, out: out, terminal: builtins.Interactive(c.Stdin)}
	o := rmOptions{preserveRoot: true}
	f := c.Flags()
	rmFlags(f, r, &o)
	f.Hint = dashHint(c)
	names, err := f.Parse()
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if r.force {
			return nil
		}
		return f.Fail(builtins.Usage("missing operand"))
	}
	if o.once && (r.recursive || len(names) > 3) {
		question := fmt.Sprintf("remove %d argument%s", len(names), plural(len(names)))
		if r.recursive {
			question += " recursively"
		}
		if !ask(c, "%s?", question) {
			return nil
		}
	}
	for _, name := range names {
		if o.refuse(r, name) {
			continue
		}
		if err := r.remove(name); err != nil {
			return finish(out, err)
		}
	}
	return finish(out, nil)
}

// dashHint says, where a file looks like an option, how to remove it.
func dashHint(c *builtins.Call) string {
	for _, arg := range c.Args {
		if len(arg) < 2 || arg[0] != '-' {
			continue
		}
		if _, err := c.FS.Lstat(arg); err == nil {
			return fmt.Sprintf("Try '%s ./%s' to remove the file %s.\nTry '%s --help' for more information.\n",
				c.Name, builtins.QuoteMaybe(arg), builtins.Quote(arg), c.Name)
		}
	}
	return ""
}

func rmFlags(f *builtins.Flags, r *remover, o *rmOptions) {
	never := func() error { r.force, r.ask, o.once = true, false, false; return nil }
	always := func() error { r.force, r.ask, o.once = false, true, false; return nil }
	once := func() error { r.force, r.ask, o.once = false, false, true; return nil }
	f.Do("f,force", "ignore nonexistent files and arguments, never prompt", never)
	f.Do("i", "prompt before every removal", always)
	f.Do("I", "prompt once before removing more than three files, or when removing recursively", once)
	f.Optional("interactive", "prompt according to `WHEN`: never, once (-I), or always (-i)", func(s string, ok bool) error {
		when := "always"
		if ok {
			if err := builtins.Choose(&when, s, "interactive", []string{"never,no,none", "once", "always,yes"}); err != nil {
				return err
			}
		}
		switch when {
		case "never":
			r.ask, o.once, r.terminal = false, false, false
			return nil
		case "once":
			return once()
		}
		return always()
	})
	f.Bool(&r.oneFS, "one-file-system", "when removing recursively, skip directories on other file systems")
	f.Do("no-preserve-root", "do not treat '/' specially", func() error { o.preserveRoot = false; return nil })
	f.Optional("preserve-root", "do not remove '/' (default); with `all`, nor arguments on other file systems than their parents", func(s string, ok bool) error {
		if ok && s != "all" {
			return fmt.Errorf("unrecognized --preserve-root argument: %s", builtins.Quote(s))
		}
		o.preserveRoot, o.preserveAll = true, ok
		return nil
	})
	f.Bool(&r.recursive, "r,R,recursive", "remove directories and their contents recursively")
	f.Bool(&r.empty, "d,dir", "remove empty directories")
	f.Bool(&r.verbose, "v,verbose", "explain what is being done")
}

// refuse warns of a name that must not be removed, and reports whether it is
// one.
func (o *rmOptions) refuse(r *remover, name string) bool {
	if !r.recursive {
		return false
	}
	c := r.c
	info, err := c.FS.Lstat(name)
	if err != nil || !info.IsDir() {
		return false
	}
	switch base := walk.Base(name); {
	case base == "." || base == "..":
		c.Warnf("refusing to remove '.' or '..' directory: skipping %s", builtins.Quote(name))
		return true
	case !o.preserveRoot:
		return false
	}
	if isRoot(c, name) {
		warnRoot(c, name)
		c.Warnf("use --no-preserve-root to override this failsafe")
		return true
	}
	if o.preserveAll {
		parent, err := c.FS.Stat(strings.TrimRight(name, "/") + "/..")
		if err == nil && vfs.StatOf(parent).Dev != vfs.StatOf(info).Dev {
			c.Warnf("skipping %s, since it's on a different device", builtins.Quote(name))
			c.Warnf("and --preserve-root=all is in effect")
			return true
		}
	}
	return false
}

// isRoot reports whether name is one for the root directory.
func isRoot(c *builtins.Call, name string) bool {
	a, err1 := c.FS.Lstat(name)
	b, err2 := c.FS.Lstat("/")
	return err1 == nil && err2 == nil && vfs.SameFile(a, b)
}

// warnRoot says why a recursive command refuses the root directory.
func warnRoot(c *builtins.Call, name string) {
	if name == "/" {
		c.Warnf("it is dangerous to operate recursively on '/'")
		return
	}
	c.Warnf("it is dangerous to operate recursively on %s (same as '/')", builtins.Quote(name))
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
