package git

import "strings"

// diff is git diff.
func (g *git) diff(args []string) error {
	d := &diffFormat{}
	cached, noIndex, mergeBase := false, false, false
	f := g.options("[<options>] [<commit>] [--] [<path>...]")
	d.declare(f)
	f.bool(&cached, "cached,staged")
	f.bool(&noIndex, "no-index")
	f.bool(&mergeBase, "merge-base")
	f.bool(&d.relative, "relative")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	if noIndex {
		return fatal("'git diff --no-index' is not available here: use diff")
	}
	if err := g.discover(); err != nil {
		return err
	}
	revisions, files, err := g.divide(args, paths, f.dashed)
	if err != nil {
		return err
	}
	spec, err := g.pathspec(files)
	if err != nil {
		return err
	}
	if !d.chosen() {
		d.patch = true
	}
	list, err := g.diffSides(revisions, cached, mergeBase)
	if err != nil {
		return err
	}
	list = spec.filter(list)
	if d.relative {
		list = (&pathspec{rules: []pathRule{{path: strings.TrimSuffix(g.repo.prefix, "/")}}}).filter(list)
	}
	if list, err = g.prepare(d, list); err != nil {
		return err
	}
	if d.spaces != "" && (d.exit || d.quiet) {
		if list, err = g.withoutSpaces(d, list); err != nil {
			return err
		}
	}
	if err := g.printChanges(d, list); err != nil {
		return err
	}
	if (d.exit || d.quiet) && len(list) > 0 {
		return exitStatus(1)
	}
	return nil
}

// withoutSpaces leaves out changes of nothing but ignored white space.
func (g *git) withoutSpaces(d *diffFormat, list []change) (out []change, err error) {
	for _, c := range list {
		s := fileStat{}
		if err := g.countLines(d, &c, &s); err != nil {
			return nil, err
		}
		if s.binary || s.added+s.deleted > 0 || c.status != 'M' || c.old.mode != c.new.mode {
			out = append(out, c)
		}
	}
	return out, nil
}

// diffSides returns the changes between the two sides that arguments choose.
func (g *git) diffSides(revisions []string, cached, mergeBase bool) ([]change, error) {
	if len(revisions) == 1 {
		if from, to, ok := cutRange(revisions[0], "..."); ok {
			return g.diffBase(from, to)
		}
		if from, to, ok := cutRange(revisions[0], ".."); ok {
			revisions = []string{from, to}
		}
	}
	var trees []hash
	for _, text := range revisions {
		h, err := g.resolve(text)
		if err != nil {
			return nil, fatalf("bad revision '%s'", text)
		}
		t, err := g.treeOf(h)
		if err != nil {
			return nil, err
		}
		trees = append(trees, t)
	}
	if mergeBase && len(revisions) > 0 {
		to := "HEAD"
		if len(revisions) > 1 {
			to = revisions[1]
		}
		return g.diffBase(revisions[0], to)
	}
	switch {
	case len(trees) == 2 && !cached:
		return g.compareTrees(trees[0], trees[1])
	case len(trees) > 1:
		return nil, usage("usage: git diff [<options>] [<commit>] [--] [<path>...]")
	}
	if !cached && g.repo.tree == "" {
		return nil, fatal("this operation must be run in a work tree")
	}
	x, err := g.readIndex()
	if err != nil {
		return nil, err
	}
	if cached && len(trees) == 0 {
		tree := hash{}
		if h, ok := g.lookup("HEAD"); ok {
			c, err := g.objects.commit(h)
			if err != nil {
				return nil, err
			}
			tree = c.tree
		}
		trees = append(trees, tree)
	}
	var old []file
	if len(trees) > 0 {
		if old, err = g.flatten(trees[0]); err != nil {
			return nil, err
		}
	}
	if cached {
		return compareFiles(old, x.files()), nil
	}
	work, err := g.workFiles(x)
	if err != nil {
		return nil, err
	}
	if len(trees) == 0 {
		return compareFiles(x.files(), work), nil
	}
	return compareFiles(old, work), nil
}

// diffBase returns the changes from the common ancestor of two revisions to the
// second.
func (g *git) diffBase(from, to string) ([]change, error) {
	a, err := g.commitOf(from)
	if err != nil {
		return nil, fatalf("bad revision '%s'", from)
	}
	b, err := g.commitOf(to)
	if err != nil {
		return nil, fatalf("bad revision '%s'", to)
	}
	bases, err := g.mergeBases(a, b)
	if err != nil {
		return nil, err
	}
	if len(bases) == 0 {
		return nil, fatalf("%s...%s: no merge base", from, to)
	}
	x, err := g.objects.commit(bases[0])
	if err != nil {
		return nil, err
	}
	y, err := g.objects.commit(b)
	if err != nil {
		return nil, err
	}
	return g.compareTrees(x.tree, y.tree)
}
