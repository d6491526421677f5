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
