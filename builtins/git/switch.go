package git

import "strings"

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
