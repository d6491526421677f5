package git

import (
	"fmt"
	"strings"
)

// A checkoutRun is one run of git checkout or git switch.
type checkoutRun struct {
	*git
	create, recreate, orphan      string
	detach, force, quiet, noTrack bool
	track                         bool
	isSwitch                      bool
	name                          string // of the branch, as given
	start                         string // of a new branch
	guess                         bool
}

// checkout is git checkout.
func (g *git) checkout(args []string) error {
	c := &checkoutRun{git: g, guess: true}
	f := g.options("[<options>] <branch>")
	f.string(&c.create, "b")
	f.string(&c.recreate, "B")
	f.string(&c.orphan, "orphan")
	f.bool(&c.detach, "d,detach")
	f.bool(&c.force, "f,force")
	f.bool(&c.quiet, "q,quiet")
	f.add("t,track", false, true, func(string) error { c.track = true; return nil })
	f.bool(&c.noTrack, "no-track")
	f.not(&c.guess, "no-guess")
	f.ignore("guess,no-progress,progress,overwrite-ignore")
	args, paths, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	if c.create != "" || c.recreate != "" || c.orphan != "" {
		if len(paths) > 0 || len(args) > 1 {
			return fatal("'--' cannot be used with '-b', '-B' or '--orphan' and paths")
		}
		if len(args) == 1 {
			c.start = args[0]
		}
		return c.newBranch()
	}
	return c.choose(args, paths, f.dashed)
}

// choose finds out whether the arguments are a branch, a revision or paths.
func (c *checkoutRun) choose(args, paths []string, dashed bool) error {
	switch {
	case dashed && len(args) > 1:
		return fatalf("only one reference expected, %d given.", len(args))
	case dashed && len(paths) > 0 && len(args) == 1:
		c.quiet = true // no paths are counted behind "--"
		return c.checkoutPaths(args[0], paths)
	case dashed && len(args) == 0:
		c.quiet = true
		return c.checkoutPaths("", paths)
	case len(args) == 0:
		return c.stay()
	}
	name := args[0]
	if name == "-" {
		previous, ok := c.previous(1)
		if !ok {
			return mistake("pathspec '-' did not match any file(s) known to git")
		}
		name = previous
	}
	_, branchExists := c.lookup("refs/heads/" + name)
	if branchExists || c.isRevision(name) {
		if len(args) > 1 {
			return c.checkoutPaths(name, args[1:])
		}
		c.name = name
		return c.to()
	}
	if len(args) == 1 && c.guess {
		if ok, err := c.guessRemote(name); ok || err != nil {
			return err
		}
	}
	return c.checkoutPaths("", args)
}

// stay prints what is changed locally.
func (c *checkoutRun) stay() error {
	h, ok := c.lookup("HEAD")
	if !ok {
		return nil
	}
	return c.localChanges(h)
}

// guessRemote makes a branch that follows the only remote one of its name.
func (c *checkoutRun) guessRemote(name string) (bool, error) {
	list, err := c.refs("refs/remotes/")
	if err != nil {
		return false, err
	}
	var found []ref
	for _, r := range list {
		if _, branch, ok := strings.Cut(strings.TrimPrefix(r.name, "refs/remotes/"), "/"); ok && branch == name {
			found = append(found, r)
		}
	}
	if len(found) != 1 {
		return false, nil
	}
	c.create, c.start, c.track = name, strings.TrimPrefix(found[0].name, "refs/remotes/"), true
	return true, c.newBranch()
}

// switchTo is git switch.
func (g *git) switchTo(args []string) error {
	c := &checkoutRun{git: g, isSwitch: true, guess: true}
	f := g.options("[<options>] [<branch>]")
	f.string(&c.create, "c,create")
	f.string(&c.recreate, "C,force-create")
	f.string(&c.orphan, "orphan")
	f.bool(&c.detach, "d,detach")
	f.bool(&c.force, "f,force,discard-changes")
	f.bool(&c.quiet, "q,quiet")
	f.add("t,track", false, true, func(string) error { c.track = true; return nil })
	f.bool(&c.noTrack, "no-track")
	f.not(&c.guess, "no-guess")
	f.ignore("guess,no-progress,progress")
	args, rest, err := f.parse(args)
	if err != nil {
		return err
	}
	if err := g.inTree(); err != nil {
		return err
	}
	args = append(args, rest...)
	if c.create != "" || c.recreate != "" || c.orphan != "" {
		if len(args) == 1 {
			c.start = args[0]
		}
		return c.newBranch()
	}
	switch {
	case len(args) == 0 && !c.detach:
		return fatal("missing branch or commit argument")
	case len(args) == 0:
		args = []string{"HEAD"}
	case len(args) > 1:
		return fatal("only one reference expected")
	}
	if c.name = args[0]; c.name == "-" {
		previous, ok := g.previous(1)
		if !ok {
			return fatal("invalid reference: @{-1}")
		}
		c.name = previous
	}
	if _, ok := g.lookup("refs/heads/" + c.name); ok || c.detach {
		return c.to()
	}
	if c.guess && !g.isRevision(c.name) {
		if ok, err := c.guessRemote(c.name); ok || err != nil {
			return err
		}
	}
	if !g.isRevision(c.name) {
		return fatalf("invalid reference: %s", c.name)
	}
	if full, ok := g.expandRef(c.name); ok {
		kind := "tag"
		if strings.HasPrefix(full, "refs/remotes/") {
			kind = "remote branch"
		}
		if full == "HEAD" {
			return fatalf("a branch is expected, got 'HEAD'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.")
		}
		return fatalf("a branch is expected, got %s '%s'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.", kind, c.name)
	}
	return fatalf("a branch is expected, got commit '%s'\nhint: If you want to detach HEAD at the commit, try again with the --detach option.", c.name)
}

// to checks out what c.name names.
func (c *checkoutRun) to() error {
	branch := ""
	h, ok := c.lookup("refs/heads/" + c.name)
	if ok && !c.detach {
		branch = "refs/heads/" + c.name
	} else {
		var err error
		if h, err = c.commitOf(c.name); err != nil {
			return fatalf("reference is not a tree: %s", c.name)
		}
	}
	oldBranch := c.head()
	old, born := c.lookup("HEAD")
	if err := c.transit(old, born, h); err != nil {
		return err
	}
	if branch != "" && branch == oldBranch {
		if !c.quiet {
			fmt.Fprintf(c.Stderr, "Already on '%s'\n", c.name)
		}
		return c.report(branch, h)
	}
	from := branchName(oldBranch)
	if oldBranch == "" {
		from = old.String()
		if !c.quiet && old != h {
			fmt.Fprintf(c.Stderr, "Previous HEAD position was %s\n", c.oneLine(old))
		}
	}
	to := c.name
	if full, ok := c.expandRef(c.name); branch == "" && (!ok || full == "HEAD") {
		to = h.String()
	}
	if err := c.setHead(branch, h, "checkout: moving from "+from+" to "+to); err != nil {
		return err
	}
	switch {
	case c.quiet:
	case branch != "":
		fmt.Fprintf(c.Stderr, "Switched to branch '%s'\n", c.name)
	default:
		if oldBranch != "" && !c.detach && c.configBool("advice.detachedhead", true) {
			fmt.Fprintf(c.Stderr, detachedAdvice, c.name)
		}
		fmt.Fprintf(c.Stderr, "HEAD is now at %s\n", c.oneLine(h))
	}
	return c.report(branch, h)
}

// detachedAdvice explains a detached HEAD.
const detachedAdvice = `Note: switching to '%s'.

You are in 'detached HEAD' state. You can look around, make experimental
changes and commit them, and you can discard any commits you make in this
state without impacting any branches by switching back to a branch.

If you want to create a new branch to retain commits you create, you may
do so (now or later) by using -c with the switch command. Example:

  git switch -c <new-branch-name>

Or undo this operation with:

  git switch -

Turn off this advice by setting config variable advice.detachedHead to false

`

// transit brings the index and the working tree from one commit to another.
func (c *checkoutRun) transit(old hash, born bool, h hash) error {
	x, err := c.readIndex()
	if err != nil {
		return err
	}
	target, err := c.objects.commit(h)
	if err != nil {
		return err
	}
	if c.force {
		if err := c.resetTree(x, target.tree, true); err != nil {
			return err
		}
		return c.writeIndex(x)
	}
	from := hash{}
	if born {
		current, err := c.objects.commit(old)
		if err != nil {
			return err
		}
		from = current.tree
	}
	return (&transition{git: c.git, x: x, verb: "checkout"}).run(from, target.tree)
}

// report prints what is changed locally and how the branch relates to the one
// that it follows.
func (c *checkoutRun) report(branch string, h hash) error {
	if c.quiet {
		return nil
	}
	if err := c.localChanges(h); err != nil || branch == "" {
		return err
	}
	text, err := c.tracking(branch, h)
	c.out.WriteString(text)
	return err
}

// localChanges lists what differs from a commit.
func (g *git) localChanges(h hash) error {
	target, err := g.objects.commit(h)
	if err != nil {
		return err
	}
	x, err := g.readIndex()
	if err != nil {
		return err
	}
	old, err := g.flatten(target.tree)
	if err != nil {
		return err
	}
	work, err := g.workFiles(x)
	if err != nil {
		return err
	}
	for _, ch := range compareFiles(old, work) {
		fmt.Fprintf(g.out, "%c\t%s\n", ch.status, g.shown(ch.name()))
	}
	return nil
}

// oneLine returns the short name of a commit and its subject.
func (g *git) oneLine(h hash) string {
	c, err := g.objects.commit(h)
	if err != nil {
		return g.abbrev(h)
	}
	return g.abbrev(h) + " " + subjectOf(c.message)
}

// newBranch makes a branch and checks it out.
func (c *checkoutRun) newBranch() error {
	name := c.create
	if name == "" {
		name = c.recreate
	}
	if c.orphan != "" {
		return c.newOrphan()
	}
	if !validRef("refs/heads/"+name) || strings.HasPrefix(name, "-") || name == "HEAD" {
		return fatalf("'%s' is not a valid branch name", name)
	}
	full := "refs/heads/" + name
	_, exists := c.lookup(full)
	if exists && c.create != "" {
		return fatalf("a branch named '%s' already exists", name)
	}
	old, born := c.lookup("HEAD")
	start := c.start
	if start == "" {
		start = "HEAD"
		if !born {
			if err := c.setHead(full, hash{}, ""); err != nil {
				return err
			}
			if !c.quiet {
				fmt.Fprintf(c.Stderr, "Switched to a new branch '%s'\n", name)
			}
			return nil
		}
	}
	h, err := c.commitOf(start)
	if err != nil {
		if c.isSwitch {
			return fatalf("invalid reference: %s", start)
		}
		return fatalf("'%s' is not a commit and a branch '%s' cannot be created from it", start, name)
	}
	if err := c.transit(old, born, h); err != nil {
		return err
	}
	from := branchName(c.head())
	if c.head() == "" {
		from = old.String()
		if old != h && !c.quiet {
			fmt.Fprintf(c.Stderr, "Previous HEAD position was %s\n", c.oneLine(old))
		}
	}
	message := "branch: Created from " + start
	if exists {
		message = "branch: Reset to " + start
	}
	if err := c.setRef(full, h, message); err != nil {
		return err
	}
	if err := c.setHead(full, h, "checkout: moving from "+from+" to "+name); err != nil {
		return err
	}
	followed, err := c.follow(name, start, c.track, c.noTrack)
	if err != nil {
		return err
	}
	if !c.quiet {
		switch {
		case exists && full == from:
			fmt.Fprintf(c.Stderr, "Reset branch '%s'\n", name)
		case exists:
			fmt.Fprintf(c.Stderr, "Switched to and reset branch '%s'\n", name)
		default:
			fmt.Fprintf(c.Stderr, "Switched to a new branch '%s'\n", name)
		}
		c.out.WriteString(followed)
	}
	if c.start == "" {
		return nil
	}
	return c.report("", h)
}

// newOrphan begins a branch without history.
func (c *checkoutRun) newOrphan() error {
	full := "refs/heads/" + c.orphan
	if !validRef(full) {
		return fatalf("'%s' is not a valid branch name", c.orphan)
	}
	if _, ok := c.lookup(full); ok {
		return fatalf("a branch named '%s' already exists", c.orphan)
	}
	if c.isSwitch {
		x, err := c.readIndex()
		if err != nil {
			return err
		}
		if err := c.resetTree(x, emptyTree, true); err != nil {
			return err
		}
		if err := c.writeIndex(x); err != nil {
			return err
		}
	}
	if err := c.setHead(full, hash{}, ""); err != nil {
		return err
	}
	if !c.quiet {
		fmt.Fprintf(c.Stderr, "Switched to a new branch '%s'\n", c.orphan)
	}
	return nil
}

// follow makes a branch follow the one that it was made from, if that is a remote
// one or it is asked for, and returns what to say.
func (g *git) follow(name, start string, track, noTrack bool) (string, error) {
	full, ok := g.expandRef(start)
	isRemote := ok && strings.HasPrefix(full, "refs/remotes/")
	if noTrack || !ok || !isRemote && (!track || !strings.HasPrefix(full, "refs/heads/")) {
		return "", nil
	}
	remoteName, merge := ".", full
	if isRemote {
		rest := ""
		remoteName, rest, _ = strings.Cut(strings.TrimPrefix(full, "refs/remotes/"), "/")
		merge = "refs/heads/" + rest
	}
	path := g.repo.common + "/config"
	if err := g.setConfig(path, "branch."+name+".remote", &remoteName); err != nil {
		return "", err
	}
	if err := g.setConfig(path, "branch."+name+".merge", &merge); err != nil {
		return "", err
	}
	g.repo.settings = nil
	shown := strings.TrimPrefix(strings.TrimPrefix(full, "refs/remotes/"), "refs/heads/")
	return fmt.Sprintf("branch '%s' set up to track '%s'.\n", name, shown), nil
}

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
