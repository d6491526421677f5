package git

import (
	"fmt"
	"strings"
)

// reset is git reset.
func (g *git) reset(args []string) error {
	mode := "mixed"
	quiet := false
	f := g.options("[--mixed | --soft | --hard] [-q] [<commit>]")
	for _, m := range []string{"soft", "mixed", "hard", "keep", "merge"} {
		f.do(m, func() { mode = m })
	}
	f.bool(&quiet, "q,quiet")
	f.ignore("no-refresh,refresh")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.discover(); err != nil {
		return err
	}
	if mode == "keep" || mode == "merge" {
		return usage(fmt.Sprintf("error: unknown option `%s'\n%s", mode, f.usage))
	}
	rev := "HEAD"
	given := len(args) > 0 && (f.dashed || g.isRevision(args[0]))
	if given {
		rev, args = args[0], args[1:]
	}
	for _, name := range args[:min(len(args), 1)] {
		if _, err := g.FS.Lstat(name); err != nil && !f.dashed && !given {
			if x, e := g.readIndex(); e != nil || x.get(strings.TrimPrefix(g.repo.prefix+name, "./")) == nil && !x.hasDir(g.repo.prefix+name) {
				return fatalf("ambiguous argument '%s': unknown revision or path not in the working tree.\n"+dashHint, name)
			}
		}
	}
	names := append(args, paths...)
	if len(names) > 0 {
		if mode != "mixed" {
			return fatalf("Cannot do %s reset with paths.", mode)
		}
		return g.resetPaths(rev, names, quiet)
	}
	return g.resetTo(rev, mode, quiet)
}

// resetPaths makes the index have what a revision has of some paths.
func (g *git) resetPaths(rev string, names []string, quiet bool) error {
	if _, ok := g.lookup("HEAD"); !ok && rev == "HEAD" {
		rev = emptyTree.String()
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	h, err := g.resolve(rev)
	if err != nil {
		return fatalf("Failed to resolve '%s' as a valid tree.", rev)
	}
	tree, err := g.treeOf(h)
	if err != nil {
		return err
	}
	list, err := g.flatten(tree)
	if err != nil {
		return err
	}
	paths, err := g.pathspec(names)
	if err != nil {
		return err
	}
	for _, c := range paths.filter(compareFiles(list, x.files())) {
		if c.old.mode == 0 {
			x.remove(c.new.path)
			continue
		}
		x.put(&indexEntry{path: c.old.path, mode: c.old.mode, hash: c.old.hash})
	}
	if err := g.writeIndex(x); err != nil {
		return err
	}
	return g.unstagedNote(quiet)
}

// unstagedNote lists what differs between the index and the working tree.
func (g *git) unstagedNote(quiet bool) error {
	if quiet || g.repo.tree == "" {
		return nil
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	work, err := g.workFiles(x)
	if err != nil {
		return err
	}
	for i, c := range compareFiles(x.files(), work) {
		if i == 0 {
			g.out.WriteString("Unstaged changes after reset:\n")
		}
		fmt.Fprintf(g.out, "%c\t%s\n", c.status, g.quotePath(c.name()))
	}
	return nil
}

// resetTo moves the current branch.
func (g *git) resetTo(rev, mode string, quiet bool) error {
	old, born := g.lookup("HEAD")
	h := hash{}
	tree := emptyTree
	if born || rev != "HEAD" {
		var err error
		if h, err = g.commitOf(rev); err != nil {
			return fatalf("Failed to resolve '%s' as a valid revision.", rev)
		}
		c, err := g.objects.commit(h)
		if err != nil {
			return err
		}
		tree = c.tree
	}
	if mode != "soft" {
		if mode == "hard" && g.repo.tree == "" {
			return fatal("this operation must be run in a work tree")
		}
		x, err := g.readIndex()
		if err != nil {
			return err
		}
		if err := g.resetTree(x, tree, mode == "hard"); err != nil {
			return err
		}
		if err := g.writeIndex(x); err != nil {
			return err
		}
	}
	if h != (hash{}) {
		if born {
			if err := g.writeFile(g.repo.dir+"/ORIG_HEAD", []byte(old.String()+"\n")); err != nil {
				return err
			}
		}
		if err := g.setRef("HEAD", h, "reset: moving to "+rev); err != nil {
			return err
		}
	}
	switch {
	case mode == "hard" && !quiet && h != (hash{}):
		fmt.Fprintf(g.out, "HEAD is now at %s\n", g.oneLine(h))
	case mode == "mixed":
		return g.unstagedNote(quiet)
	}
	return nil
}
