package git

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// add is git add.
func (g *git) add(args []string) error {
	all, update, dry, verbose, force, intent, noAll := false, false, false, false, false, false, false
	chmod := ""
	f := g.options("[<options>] [--] <pathspec>...")
	f.bool(&all, "A,all")
	f.bool(&noAll, "no-all,ignore-removal")
	f.bool(&update, "u,update")
	f.bool(&dry, "n,dry-run")
	f.bool(&verbose, "v,verbose")
	f.bool(&force, "f,force")
	f.bool(&intent, "N,intent-to-add")
	f.string(&chmod, "chmod")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) == 0 && !all && !update {
		fmt.Fprint(g.Stderr, "Nothing specified, nothing added.\nhint: Maybe you wanted to say 'git add .'?\n"+
			"hint: Turn this message off by running\nhint: \"git config advice.addEmptyPathspec false\"\n")
		return nil
	}
	paths, err := g.pathspec(names)
	if err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	a := &adder{git: g, x: x, dry: dry, verbose: verbose, intent: intent}
	if err := a.tracked(paths, !noAll); err != nil {
		return err
	}
	if !update {
		if err := a.fresh(paths, force); err != nil {
			return err
		}
	}
	if name, ok := paths.unused(); ok && !a.known(name, update) {
		return fatalf("pathspec '%s' did not match any files", name)
	}
	if chmod != "" {
		for _, e := range x.entries {
			if paths.match(e.path) && (e.mode == modeFile || e.mode == modeExec) {
				e.mode = map[bool]uint32{true: modeExec, false: modeFile}[chmod == "+x"]
			}
		}
	}
	if dry {
		return a.blocked
	}
	if err := g.writeIndex(x); err != nil {
		return err
	}
	return a.blocked
}

// An adder puts files into the index.
type adder struct {
	*git
	x                    *index
	dry, verbose, intent bool
	blocked              error // some paths are ignored
}

// known reports whether a pathspec that has matched no file is of something all
// the same.
func (a *adder) known(name string, update bool) bool {
	if a.blocked != nil {
		return true
	}
	info, err := a.FS.Lstat(name)
	return err == nil && (info.IsDir() || update)
}

// tracked brings the entries that paths choose up to date.
func (a *adder) tracked(paths *pathspec, removal bool) error {
	trust := a.configBool("core.filemode", true)
	for _, e := range slices.Clone(a.x.entries) {
		if !paths.match(e.path) {
			continue
		}
		if err := a.Poll(1); err != nil {
			return err
		}
		f, ok, err := a.workFile(a.x, e, trust)
		if err != nil {
			return err
		}
		switch {
		case !ok && removal:
			if a.dry || a.verbose {
				fmt.Fprintf(a.out, "remove '%s'\n", e.path)
			}
			if !a.dry {
				a.x.remove(e.path)
			}
		case !ok:
		case f.mode != e.mode || f.hash != e.hash || e.stage > 0 || e.intent:
			if err := a.put(e.path, f.mode); err != nil {
				return err
			}
		case f.work && !a.dry:
			if info, err := a.FS.Lstat(a.full(e.path)); err == nil {
				e.stamp(info)
			}
		}
	}
	return nil
}

// fresh adds the files that are not in the index.
func (a *adder) fresh(paths *pathspec, force bool) error {
	u, err := a.untracked(a.x, paths, false, force)
	if err != nil {
		return err
	}
	list := u.list
	if force {
		for _, name := range u.ignoredList {
			if strings.HasSuffix(name, "/") {
				inner := &untracked{g: a.git, x: a.x, paths: paths, ign: &ignorer{g: a.git, off: true}}
				if err := inner.plain(name); err != nil {
					return err
				}
				list = append(list, inner.list...)
				continue
			}
			list = append(list, name)
		}
		slices.Sort(list)
	}
	for _, name := range list {
		if strings.HasSuffix(name, "/") {
			return fatalf("adding embedded git repository '%s' is not available here", strings.TrimSuffix(name, "/"))
		}
		info, err := a.FS.Lstat(a.full(name))
		if err != nil || modeOf(info) == 0 {
			continue
		}
		if err := a.put(name, modeOf(info)); err != nil {
			return err
		}
	}
	if !force {
		a.refuseIgnored(paths)
	}
	return nil
}

// plain lists all files below a directory.
func (u *untracked) plain(dir string) error {
	entries, err := u.g.FS.ReadDir(u.g.full(dir))
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if err := u.g.Poll(1); err != nil {
			return err
		}
		name := dir + e.Name()
		switch {
		case e.Name() == ".git":
		case e.IsDir():
			if err := u.plain(name + "/"); err != nil {
				return err
			}
		case u.x.get(name) == nil && u.paths.match(name):
			if err := u.add(name, false); err != nil {
				return err
			}
		}
	}
	return nil
}

// refuseIgnored complains of paths that are named and ignored.
func (a *adder) refuseIgnored(paths *pathspec) {
	ign := a.ignorer()
	var names []string
	for i := range paths.rules {
		r := &paths.rules[i]
		if r.path == "" || r.glob != nil || a.x.get(r.path) != nil || a.x.hasDir(r.path) {
			continue
		}
		info, err := a.FS.Lstat(a.full(r.path))
		if err != nil {
			continue
		}
		if rule, ok := ign.ignored(r.path, info.IsDir()); ok {
			shown := r.path
			if parts := strings.Split(r.path, "/"); len(parts) > 1 && rule.dirOnly {
				shown = a.ignoredTop(ign, r.path)
			}
			names = append(names, shown)
			r.used = true
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(a.Stderr, "The following paths are ignored by one of your .gitignore files:\n%s\n"+
			"hint: Use -f if you really want to add them.\nhint: Turn this message off by running\n"+
			"hint: \"git config advice.addIgnoredFile false\"\n", strings.Join(names, "\n"))
		a.blocked = exitStatus(1)
	}
}

// ignoredTop returns the directory above a path that is ignored.
func (a *adder) ignoredTop(ign *ignorer, name string) string {
	for at := range len(name) {
		if name[at] == '/' {
			if r := ign.of(name[:at], true); r != nil && !r.keep {
				return name[:at]
			}
		}
	}
	return name
}

// put stores a file and puts it into the index.
func (a *adder) put(name string, mode uint32) error {
	if a.dry || a.verbose {
		fmt.Fprintf(a.out, "add '%s'\n", name)
	}
	if a.dry {
		return nil
	}
	info, err := a.FS.Lstat(a.full(name))
	if err != nil {
		return fatalf("unable to stat '%s': %v", name, vfs.ErrnoOf(err))
	}
	e := &indexEntry{path: name, mode: mode}
	if old := a.x.get(name); a.intent && old == nil {
		e.intent, e.hash = true, hashOf("blob", nil)
		a.x.put(e)
		return nil
	}
	data, err := a.workData(name)
	if err != nil {
		if m, ok := errors.AsType[mistake](err); ok {
			fmt.Fprintf(a.Stderr, "error: %s\nerror: unable to index file '%s'\n", string(m), name)
			return fatal("adding files failed")
		}
		return err
	}
	defer a.Free(len(data))
	if e.hash, err = a.objects.write("blob", data); err != nil {
		return err
	}
	if err := a.hold(len(name) + 160); err != nil {
		return err
	}
	e.stamp(info)
	a.x.put(e)
	return nil
}
