package git

import "fmt"

// checkoutPaths takes files from the index, or from a revision.
func (c *checkoutRun) checkoutPaths(rev string, names []string) error {
	r := &restorer{git: c.git, work: true, index: rev != ""}
	n, err := r.run(rev, names)
	if err != nil || c.quiet {
		return err
	}
	source := "the index"
	if rev != "" {
		h, err := c.resolve(rev)
		if err != nil {
			return err
		}
		tree, err := c.treeOf(h)
		if err != nil {
			return err
		}
		source = c.abbrev(tree)
	}
	fmt.Fprintf(c.Stderr, "Updated %s from %s\n", plural(n, "path"), source)
	return nil
}

// A restorer takes files from the index or from a revision.
type restorer struct {
	*git
	work, index bool // what is changed
	exact       bool // what the source does not have is removed
}

// run restores files and returns how many.
func (r *restorer) run(rev string, names []string) (n int, err error) {
	x, err := r.readIndex()
	if err != nil {
		return 0, err
	}
	paths, err := r.pathspec(names)
	if err != nil {
		return 0, err
	}
	source := x.files()
	if rev != "" {
		h, err := r.resolve(rev)
		if err != nil {
			return 0, fatalf("could not resolve %s", rev)
		}
		tree, err := r.treeOf(h)
		if err != nil {
			return 0, err
		}
		if source, err = r.flatten(tree); err != nil {
			return 0, err
		}
	}
	chosen := map[string]file{}
	for _, f := range source {
		if paths.match(f.path) {
			chosen[f.path] = f
		}
	}
	var gone []string
	for _, e := range x.entries {
		if _, ok := chosen[e.path]; !ok && paths.match(e.path) {
			gone = append(gone, e.path)
		}
	}
	if name, ok := paths.unused(); ok {
		return 0, mistakef("pathspec '%s' did not match any file(s) known to git", name)
	}
	if r.exact {
		for _, name := range gone {
			if r.work {
				if err := r.removeWork(name); err != nil {
					return n, err
				}
			}
			if r.index {
				x.remove(name)
			}
		}
	}
	for _, f := range source {
		if _, ok := chosen[f.path]; !ok {
			continue
		}
		changed, err := r.one(x, f)
		if err != nil {
			return n, err
		}
		if changed {
			n++
		}
	}
	return n, r.writeIndex(x)
}

// one restores one file, and reports whether that changed it.
func (r *restorer) one(x *index, f file) (bool, error) {
	e := x.get(f.path)
	changed := false
	if r.index && (e == nil || e.hash != f.hash || e.mode != f.mode) {
		e = &indexEntry{path: f.path, mode: f.mode, hash: f.hash}
		x.put(e)
		changed = true
	}
	if !r.work {
		return changed, nil
	}
	probe := &indexEntry{path: f.path, mode: f.mode, hash: f.hash}
	if e != nil && e.hash == f.hash {
		probe = e
	}
	work, ok, err := r.workFile(x, probe, r.configBool("core.filemode", true))
	if err != nil || ok && work.hash == f.hash && work.mode == f.mode {
		return changed, err
	}
	info, err := r.writeWork(f)
	if err == nil && e != nil && e.hash == f.hash {
		e.stamp(info)
	}
	return true, err
}

// restore is git restore.
func (g *git) restore(args []string) error {
	source := ""
	staged, worktree := false, false
	f := g.options("[<options>] [--source=<branch>] <file>...")
	f.string(&source, "s,source")
	f.bool(&staged, "S,staged")
	f.bool(&worktree, "W,worktree")
	f.ignore("q,quiet,progress,no-progress,ignore-unmerged,no-overlay")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	names := append(args, rest...)
	if len(names) == 0 {
		return fatal("you must specify path(s) to restore")
	}
	if !staged && !worktree {
		worktree = true
	}
	if staged && source == "" {
		source = "HEAD"
		if _, ok := g.lookup("HEAD"); !ok {
			source = emptyTree.String()
		}
	}
	r := &restorer{git: g, work: worktree, index: staged, exact: true}
	_, err = r.run(source, names)
	return err
}
