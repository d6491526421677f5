package git

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/limpet-sh/limpet/vfs"
)

// add is git add.
func (g *git) add(args []string) error {
	all, update, dry, verbose, force, intent, ignoreErrors, noAll := false, false, false, false, false, false, false, false
	chmod := ""
	f := g.options("[<options>] [--] <pathspec>...")
	f.bool(&all, "A,all")
	f.bool(&noAll, "no-all,ignore-removal")
	f.bool(&update, "u,update")
	f.bool(&dry, "n,dry-run")
	f.bool(&verbose, "v,verbose")
	f.bool(&force, "f,force")
	f.bool(&intent, "N,intent-to-add")
	f.bool(&ignoreErrors, "ignore-errors")
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

// rm is git rm.
func (g *git) rm(args []string) error {
	cached, force, recursive, quiet, dry, ignoreUnmatch := false, false, false, false, false, false
	f := g.options("[<options>] [--] <file>...")
	f.bool(&cached, "cached")
	f.bool(&force, "f,force")
	f.bool(&recursive, "r")
	f.bool(&quiet, "q,quiet")
	f.bool(&dry, "n,dry-run")
	f.bool(&ignoreUnmatch, "ignore-unmatch")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) == 0 {
		return fatal("No pathspec was given. Which files should I remove?")
	}
	paths, err := g.pathspec(names)
	if err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	var list []*indexEntry
	for _, e := range x.entries {
		if paths.match(e.path) {
			list = append(list, e)
		}
	}
	for i := range paths.rules {
		r := &paths.rules[i]
		switch {
		case !r.used && !r.exclude && !ignoreUnmatch:
			return fatalf("pathspec '%s' did not match any files", r.text)
		case r.used && !recursive && r.glob == nil && x.get(r.path) == nil:
			return fatalf("not removing '%s' recursively without -r", r.text)
		}
	}
	if !force {
		if err := g.mayRemove(x, list, cached); err != nil {
			return err
		}
	}
	for _, e := range list {
		if !quiet {
			fmt.Fprintf(g.out, "rm '%s'\n", g.quotePath(e.path))
		}
		if dry {
			continue
		}
		if !cached {
			if err := g.removeWork(e.path); err != nil {
				return err
			}
		}
		x.remove(e.path)
	}
	if dry {
		return nil
	}
	return g.writeIndex(x)
}

// mayRemove refuses to remove what would be lost.
func (g *git) mayRemove(x *index, list []*indexEntry, cached bool) error {
	headFiles := map[string]file{}
	if h, ok := g.lookup("HEAD"); ok {
		c, err := g.objects.commit(h)
		if err != nil {
			return err
		}
		files, err := g.flatten(c.tree)
		if err != nil {
			return err
		}
		for _, f := range files {
			headFiles[f.path] = f
		}
	}
	var both, staged, local []string
	for _, e := range list {
		f, ok, err := g.workFile(x, e, g.configBool("core.filemode", true))
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		changed := f.hash != e.hash || f.mode != e.mode
		head, inHead := headFiles[e.path]
		differs := !inHead || head.hash != e.hash || head.mode != e.mode
		switch {
		case changed && differs && !e.intent:
			both = append(both, e.path)
		case differs && !cached:
			staged = append(staged, e.path)
		case changed && !cached:
			local = append(local, e.path)
		}
	}
	var b strings.Builder
	for _, group := range []struct {
		names      []string
		one, many  string
		suggestion string
	}{
		{both, "the following file has staged content different from both the\nfile and the HEAD:",
			"the following files have staged content different from both the\nfile and the HEAD:", "(use -f to force removal)"},
		{staged, "the following file has changes staged in the index:", "the following files have changes staged in the index:",
			"(use --cached to keep the file, or -f to force removal)"},
		{local, "the following file has local modifications:", "the following files have local modifications:",
			"(use --cached to keep the file, or -f to force removal)"},
	} {
		if len(group.names) == 0 {
			continue
		}
		title := group.one
		if len(group.names) > 1 {
			title = group.many
		}
		fmt.Fprintf(&b, "error: %s\n    %s\n%s\n", title, strings.Join(group.names, "\n    "), group.suggestion)
	}
	if b.Len() == 0 {
		return nil
	}
	fmt.Fprint(g.Stderr, b.String())
	return exitStatus(1)
}

// mv is git mv.
func (g *git) mv(args []string) error {
	force, dry, verbose, skip := false, false, false, false
	f := g.options("[<options>] <source>... <destination>")
	f.bool(&force, "f,force")
	f.bool(&dry, "n,dry-run")
	f.bool(&verbose, "v,verbose")
	f.bool(&skip, "k")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) < 2 {
		return usage(f.usage)
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	target := names[len(names)-1]
	info, statErr := g.FS.Stat(target)
	intoDir := statErr == nil && info.IsDir()
	if len(names) > 2 && !intoDir {
		return fatalf("destination '%s' is not a directory", target)
	}
	inRepo := func(name string) string { return strings.TrimPrefix(path.Join("/", g.repo.prefix, name), "/") }
	var moves [][2]string
	for _, name := range names[:len(names)-1] {
		from, to := inRepo(name), inRepo(target)
		if intoDir {
			to = path.Join(to, path.Base(from))
		}
		if err := g.mayMove(x, from, to, force, verbose); err != nil {
			if skip {
				continue
			}
			return err
		}
		moves = append(moves, [2]string{from, to})
	}
	for _, m := range moves {
		if verbose || dry {
			fmt.Fprintf(g.out, "Renaming %s to %s\n", m[0], m[1])
		}
		if dry {
			continue
		}
		if err := g.move(x, m[0], m[1]); err != nil {
			return err
		}
	}
	if dry {
		return nil
	}
	return g.writeIndex(x)
}

// mayMove refuses what cannot be moved.
func (g *git) mayMove(x *index, from, to string, force, verbose bool) error {
	bad := func(reason string) error { return fatalf("%s, source=%s, destination=%s", reason, from, to) }
	info, err := g.FS.Lstat(g.full(from))
	if err != nil {
		return bad("bad source")
	}
	dir := info.IsDir()
	switch {
	case dir && !x.hasDir(from):
		return bad("source directory is empty")
	case !dir && x.get(from) == nil:
		return bad("not under version control")
	case strings.HasPrefix(to, from+"/"):
		return bad("can not move directory into itself")
	}
	if _, err := g.FS.Lstat(g.full(to)); err == nil {
		if !force || dir {
			return bad("destination exists")
		}
		if verbose {
			fmt.Fprintf(g.Stderr, "warning: overwriting '%s'\n", to)
		}
	}
	return nil
}

// move moves a file or a directory, in the working tree and in the index.
func (g *git) move(x *index, from, to string) error {
	dir := x.hasDir(from)
	if err := g.FS.Rename(g.full(from), g.full(to)); err != nil {
		return fatalf("renaming '%s' failed: %v", from, vfs.ErrnoOf(err))
	}
	var moved []*indexEntry
	for _, e := range x.entries {
		if e.path == from || dir && strings.HasPrefix(e.path, from+"/") {
			moved = append(moved, e)
		}
	}
	for _, e := range moved {
		x.remove(e.path)
		fresh := *e
		fresh.path = to + e.path[len(from):]
		if info, err := g.FS.Lstat(g.full(fresh.path)); err == nil && !errors.Is(err, fs.ErrNotExist) && fresh.mtime.Equal(info.ModTime()) {
			fresh.stamp(info)
		}
		x.put(&fresh)
	}
	return nil
}
