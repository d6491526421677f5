package git

import (
	"fmt"
	"strings"
)

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
