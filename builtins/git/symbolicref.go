package git

import (
	"fmt"
	"strings"
)

// symbolicRef is git symbolic-ref.
func (g *git) symbolicRef(args []string) error {
	quiet, short, remove, message := false, false, false, ""
	f := g.options("[-m <reason>] <name> <ref>")
	f.bool(&quiet, "q,quiet")
	f.bool(&short, "short")
	f.bool(&remove, "d,delete")
	f.string(&message, "m")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	switch {
	case len(args) == 2:
		if args[0] == "HEAD" && !strings.HasPrefix(args[1], "refs/") {
			return fatal("Refusing to point HEAD outside of refs/")
		}
		return g.writeFile(g.refFile(args[0]), []byte("ref: "+args[1]+"\n"))
	case len(args) != 1:
		return usage(f.usage)
	}
	target, ok := g.symbolic(args[0])
	if !ok {
		if quiet {
			return exitStatus(1)
		}
		return fatalf("ref %s is not a symbolic ref", args[0])
	}
	if remove {
		return g.FS.Remove(g.refFile(args[0]))
	}
	if short {
		target = shortRef(target)
	}
	_, err = fmt.Fprintln(g.out, target)
	return err
}

// updateRef is git update-ref.
func (g *git) updateRef(args []string) error {
	remove, noDeref, message := false, false, ""
	f := g.options("[<options>] <refname> <new-val> [<old-val>]")
	f.bool(&remove, "d")
	f.bool(&noDeref, "no-deref")
	f.string(&message, "m")
	args, _, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if len(args) < 1 || !remove && len(args) < 2 {
		return usage(f.usage)
	}
	name := args[0]
	if old := args[len(args)-1]; remove && len(args) == 2 || len(args) == 3 {
		want, err := g.resolve(old)
		have, _ := g.lookup(name)
		if err != nil && strings.Trim(old, "0") != "" {
			return fatalf("%s: not a valid SHA1", old)
		}
		if have != want {
			return fatalf("update_ref failed for ref '%s': cannot lock ref '%s': is at %s but expected %s", name, name, have, want)
		}
	}
	if remove {
		return g.deleteRef(name)
	}
	h, err := g.resolve(args[1])
	if err != nil {
		return fatalf("%s: not a valid SHA1", args[1])
	}
	if noDeref {
		return g.writeFile(g.refFile(name), []byte(h.String()+"\n"))
	}
	return g.setRef(name, h, message)
}
